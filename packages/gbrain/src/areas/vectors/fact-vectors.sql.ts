// Statements of the vectors of facts. They stand beside those of chunks, by the hash of their text; what waits for one
// is one relation, as it is for pages.
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import type { Claim, PlacedVector, Selection, WaitingCount, WaitingText } from './vectors.sql.ts';

const selected = ({ sources, slug, writtenSince }: Selection): Sql =>
  join(
    [
      ...(sources ? [sql`f.source_id = any (${[...sources]}::text[])`] : []),
      ...(slug === undefined ? [] : [sql`f.entity_slug = ${slug}`]),
      ...(writtenSince ? [sql`f.created_at >= ${writtenSince}`] : []),
    ],
    ' and ',
  );

/** Facts that are not over, of live sources and pages. */
const LIVE = raw(`facts f join sources s on s.id = f.source_id and s.archived_at is null
  left join pages p on p.id = f.page_id`);
const isLive = raw('f.expired_at is null and (f.page_id is null or p.deleted_at is null)');

/** Facts whose text has no vector in the profile. */
const waiting = (profileId: number, selection: Selection): Sql => sql`
  from ${LIVE} left join chunk_vectors v on v.profile_id = ${profileId} and v.hash = f.embed_hash
  where ${isLive} and (v.hash is null${selection.retryRefused ? raw(' or v.refusal is not null') : raw('')})
    and ${selected(selection)}`;

/** How many facts wait; `pages` are the facts themselves. */
export async function countWaitingFacts(db: Queryable, profileId: number, selection: Selection): Promise<WaitingCount> {
  const rows = await db.query<WaitingCount>(sql`
    select count(*)::int as chunks, count(distinct f.embed_hash)::int as texts, count(*)::int as pages,
      coalesce(sum(octet_length(f.fact)), 0)::bigint as bytes
    ${waiting(profileId, selection)}`);
  return rows[0]!;
}

/** Takes waiting facts for this process alone, as `claimWaiting` takes chunks. */
export const claimWaitingFacts = (
  db: Queryable,
  profileId: number,
  selection: Selection,
  { limit, now, until }: Claim,
): Promise<WaitingText[]> =>
  db.query<WaitingText>(sql`
    with due as (
      select distinct on (f.embed_hash) f.embed_hash as hash, '' as title, '{}'::text[] as heading_path, f.fact as text
      ${waiting(profileId, selection)}
        and not exists (select 1 from embedding_claims k
          where k.profile_id = ${profileId} and k.hash = f.embed_hash and k.until > ${now})
      order by f.embed_hash limit ${limit}),
    mine as (
      insert into embedding_claims (profile_id, hash, until) select ${profileId}, hash, ${until} from due
      on conflict (profile_id, hash) do update set until = excluded.until where embedding_claims.until <= ${now}
      returning hash)
    select due.* from due join mine using (hash) order by due.hash`);

/** The next vectors of the feed with their facts: `page_id` is the fact. Only what is settled is read. */
export async function readFactVectorFeed(
  db: Queryable,
  profileId: number,
  after: { xid: string; position: number },
  limit: number,
): Promise<{ rows: PlacedVector[]; last: { xid: string; position: number } | undefined; read: number }> {
  const rows = await db.query<{ xid: string; position: number; id: number | null; vector: Uint8Array }>(sql`
    with part as (
      select v.hash, v.xid, v.position, v.vector from chunk_vectors v
      where v.profile_id = ${profileId} and (v.xid, v.position) > (${after.xid}::xid8, ${after.position}::bigint)
        and v.xid < pg_snapshot_xmin(pg_current_snapshot()) and v.vector is not null
      order by v.xid, v.position limit ${limit})
    select part.xid::text as xid, part.position, f.id, part.vector
    from part left join facts f on f.embed_hash = part.hash
    order by part.xid, part.position`);
  const last = rows.at(-1);
  return {
    rows: rows.flatMap(({ id, vector }) => (id === null ? [] : [{ page_id: id, chunk_index: 0, vector }])),
    last: last && { xid: last.xid, position: last.position },
    read: new Set(rows.map(({ xid, position }) => `${xid}:${position}`)).size,
  };
}

/** Vectors of facts. */
export const readFactVectors = (db: Queryable, profileId: number, ids: readonly number[]): Promise<PlacedVector[]> =>
  db.query<PlacedVector>(sql`
    select f.id as page_id, 0 as chunk_index, v.vector from facts f
    join chunk_vectors v on v.profile_id = ${profileId} and v.hash = f.embed_hash and v.vector is not null
    where f.id = any (${[...ids]}::bigint[])`);
