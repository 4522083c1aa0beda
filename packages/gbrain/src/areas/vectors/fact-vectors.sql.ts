// Statements of the vectors of facts. They stand beside those of chunks, by the hash of their text; what waits for one
// is one relation, as it is for pages.
import type { FeedCursor, FeedPart } from '../../store/feed.ts';
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import {
  type Claim,
  claimTexts,
  type PlacedVector,
  readFeedOf,
  type Selection,
  type WaitingCount,
  type WaitingText,
} from './vectors.sql.ts';

const selected = ({ sources, slugs, writtenSince }: Selection): Sql =>
  join(
    [
      ...(sources ? [sql`f.source_id = any (${[...sources]}::text[])`] : []),
      ...(slugs ? [sql`f.entity_slug = any (${[...slugs]}::text[])`] : []),
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

/** Takes texts of facts, as `claimTexts` does. */
export const claimWaitingFacts = (
  db: Queryable,
  profileId: number,
  selection: Selection,
  claim: Claim,
): Promise<WaitingText[]> =>
  claimTexts(
    db,
    profileId,
    sql`select f.embed_hash as hash, '' as title, '{}'::text[] as heading_path, f.fact as text
      ${waiting(profileId, selection)}`,
    claim,
  );

/** The next vectors of the feed with their facts: `page_id` is the fact. */
export const readFactVectorFeed = (
  db: Queryable,
  profileId: number,
  after: FeedCursor,
  limit: number,
): Promise<FeedPart<PlacedVector>> =>
  readFeedOf(db, profileId, sql`select f.embed_hash as hash, f.id as page_id, 0 as chunk_index from facts f`, {
    after,
    limit,
  });

/** Vectors of facts. */
export const readFactVectors = (db: Queryable, profileId: number, ids: readonly number[]): Promise<PlacedVector[]> =>
  db.query<PlacedVector>(sql`
    select f.id as page_id, 0 as chunk_index, v.vector from facts f
    join chunk_vectors v on v.profile_id = ${profileId} and v.hash = f.embed_hash and v.vector is not null
    where f.id = any (${[...ids]}::bigint[])`);
