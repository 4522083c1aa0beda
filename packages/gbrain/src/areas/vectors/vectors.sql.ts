// Statements of vectors. What waits for a vector is one relation, read by the dry run, the run and the doctor alike.
import {
  advance,
  type FeedCursor,
  type FeedPart,
  type FeedPlace,
  type InSnapshot,
  inSnapshot,
  unread,
} from '../../store/feed.ts';
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql, Tx } from '../../store/store.ts';

/** Which waiting texts are meant; all live pages unless narrowed. */
export interface Selection {
  sources?: readonly string[];
  slugs?: readonly string[];
  /** Pages written from here on, without those whose writer wanted no vectors made by themselves. */
  writtenSince?: Date;
  /** Texts that the provider refused before count as waiting again. */
  retryRefused?: boolean;
}

const selected = ({ sources, slugs, writtenSince }: Selection): Sql =>
  join(
    [
      ...(sources ? [sql`p.source_id = any (${[...sources]}::text[])`] : []),
      ...(slugs ? [sql`p.slug = any (${[...slugs]}::text[])`] : []),
      ...(writtenSince ? [sql`p.updated_at >= ${writtenSince} and not p.embed_held`] : []),
    ],
    ' and ',
  );

/** Chunks of live pages whose text has no vector in the profile: the one statement of what needs embedding. */
const waiting = (profileId: number, selection: Selection): Sql => sql`
  from page_chunks c join live_pages p on p.id = c.page_id
  left join chunk_vectors v on v.profile_id = ${profileId} and v.hash = c.embed_hash
  where (v.hash is null${selection.retryRefused ? raw(' or v.refusal is not null') : raw('')})
    and ${selected(selection)}`;

/** What waits. */
export interface WaitingCount {
  chunks: number;
  texts: number;
  pages: number;
  bytes: number;
}

/** How much waits; the texts are counted once however many chunks have them. */
export async function countWaiting(db: Queryable, profileId: number, selection: Selection): Promise<WaitingCount> {
  const rows = await db.query<WaitingCount>(sql`
    select count(*)::int as chunks, count(distinct coalesce(c.embed_hash, c.page_id || ':' || c.chunk_index))::int
        as texts, count(distinct c.page_id)::int as pages,
      coalesce(sum(octet_length(c.text) + octet_length(p.title)), 0)::bigint as bytes
    ${waiting(profileId, selection)}`);
  return rows[0]!;
}

/** Chunks of live pages. */
export async function countChunks(db: Queryable): Promise<number> {
  const [row] = await db.query<{ chunks: number }>(sql`
    select count(*)::int as chunks from page_chunks c join live_pages p on p.id = c.page_id`);
  return row!.chunks;
}

/** A text to embed. */
export interface WaitingText {
  hash: string;
  title: string;
  heading_path: string[];
  text: string;
}

/** Chunks whose hash was never worked out: those of an older version. */
export const readUnhashed = (
  db: Queryable,
  limit: number,
): Promise<{ page_id: number; chunk_index: number; title: string; heading_path: string[]; text: string }[]> =>
  db.query(sql`
    select c.page_id, c.chunk_index, p.title, c.heading_path, c.text
    from page_chunks c join pages p on p.id = c.page_id where c.embed_hash is null limit ${limit}`);

/** Keeps hashes; a chunk that was replaced in the meantime is left alone. */
export const keepHashes = (
  rows: readonly { page_id: number; chunk_index: number; text: string; hash: string }[],
): Sql =>
  sql`update page_chunks c set embed_hash = r.hash
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (
      page_id bigint, chunk_index integer, text text, hash text)
    where c.page_id = r.page_id and c.chunk_index = r.chunk_index and c.text = r.text`;

/** How many texts are taken, and until when they are taken. */
export interface Claim {
  limit: number;
  now: Date;
  until: Date;
}

/**
 * Takes waiting texts for this process alone until a moment: two processes never send the same text. What was taken by
 * a process that died is free again after that moment. `texts` gives rows of hash, title, heading_path and text.
 */
export const claimTexts = (
  db: Queryable,
  profileId: number,
  texts: Sql,
  { limit, now, until }: Claim,
): Promise<WaitingText[]> =>
  db.query<WaitingText>(sql`
    with due as (
      select distinct on (w.hash) w.* from (${texts}) w
      where w.hash is not null and not exists (select 1 from embedding_claims k
        where k.profile_id = ${profileId} and k.hash = w.hash and k.until > ${now})
      order by w.hash limit ${limit}),
    mine as (
      insert into embedding_claims (profile_id, hash, until) select ${profileId}, hash, ${until} from due
      on conflict (profile_id, hash) do update set until = excluded.until where embedding_claims.until <= ${now}
      returning hash)
    select due.* from due join mine using (hash) order by due.hash`);

/** Takes texts of chunks, as `claimTexts` does. */
export const claimWaiting = (
  db: Queryable,
  profileId: number,
  selection: Selection,
  claim: Claim,
): Promise<WaitingText[]> =>
  claimTexts(
    db,
    profileId,
    sql`select c.embed_hash as hash, p.title, c.heading_path, c.text
      ${waiting(profileId, selection)}`,
    claim,
  );

/** Gives texts back that were taken and not embedded. */
export const releaseClaims = (profileId: number, hashes: readonly string[]): Sql =>
  sql`delete from embedding_claims where profile_id = ${profileId} and hash = any (${[...hashes]}::text[])`;

/** What a provider gave for a text: a packed vector, or why there is none. */
export interface VectorRow {
  hash: string;
  vector: Uint8Array | null;
  refusal: string | null;
}

/** Stores what a provider gave. A vector that is there stays. */
export const insertVectors = (profileId: number, rows: readonly VectorRow[], at: Date): Sql =>
  sql`insert into chunk_vectors (profile_id, hash, vector, refusal, created_at)
    select ${profileId}::bigint, r.hash, r.vector, r.refusal, ${at}::timestamptz
    from unnest(${rows.map(({ hash }) => hash)}::text[], ${rows.map(({ vector }) => vector)}::bytea[],
      ${rows.map(({ refusal }) => refusal)}::text[]) as r (hash, vector, refusal)
    on conflict (profile_id, hash) do update set vector = excluded.vector, refusal = excluded.refusal,
      position = default, xid = excluded.xid, created_at = excluded.created_at
      where chunk_vectors.vector is null and excluded.vector is not null`;

/** Stores what a provider gave and ends the claims on it. */
export async function putVectors(tx: Tx, profileId: number, rows: readonly VectorRow[], at: Date): Promise<void> {
  const hashes = rows.map(({ hash }) => hash);
  await tx.batch([insertVectors(profileId, rows, at), releaseClaims(profileId, hashes)]);
}

/** The stored vector of a text. */
export async function readVectorOf(db: Queryable, profileId: number, hash: string): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ vector: Uint8Array }>(sql`select vector from chunk_vectors
    where profile_id = ${profileId} and hash = ${hash} and vector is not null`);
  return row?.vector;
}

/** Vectors of a profile, refusals and texts that no live chunk has any more. */
export interface VectorCount {
  vectors: number;
  refused: number;
}

/** Forgets refusals, so that their texts wait again. */
export const dropRefusals = (profileId: number): Sql =>
  sql`delete from chunk_vectors where profile_id = ${profileId} and refusal is not null`;

/** How many texts have a vector and how many were refused. */
export async function countVectors(db: Queryable, profileId: number): Promise<VectorCount> {
  const rows = await db.query<VectorCount>(sql`
    select count(vector)::int as vectors, count(refusal)::int as refused
    from chunk_vectors where profile_id = ${profileId}`);
  return rows[0]!;
}

/** Removes vectors of texts that no chunk has had for a while. */
export const dropUnused = (profileId: number, before: Date): Sql => sql`
  delete from chunk_vectors v where v.profile_id = ${profileId} and v.created_at < ${before}
    and not exists (select 1 from page_chunks c where c.embed_hash = v.hash)
    and not exists (select 1 from facts f where f.embed_hash = v.hash)`;

/** Removes vectors of texts that nothing has any more, in every profile, and what was claimed for them. */
export const dropVectorsOf = (hashes: readonly string[]): Sql[] => [
  sql`delete from chunk_vectors v where v.hash = any (${[...hashes]}::text[])
    and not exists (select 1 from page_chunks c where c.embed_hash = v.hash)
    and not exists (select 1 from facts f where f.embed_hash = v.hash)`,
  sql`delete from embedding_claims where hash = any (${[...hashes]}::text[])`,
];

/** A vector with the chunk that has its text. */
export interface PlacedVector {
  page_id: number;
  chunk_index: number;
  vector: Uint8Array;
}

/**
 * The next vectors of the feed, from `limit` places of it at most, each with what has its text. `places` gives rows of
 * hash, page_id and chunk_index; a vector whose text nothing has any more is passed.
 */
export async function readFeedOf(
  db: Queryable,
  profileId: number,
  places: Sql,
  { after, limit }: { after: FeedCursor; limit: number },
): Promise<FeedPart<PlacedVector>> {
  type Row = FeedPlace & { page_id: number | null; chunk_index: number; vector: Uint8Array };
  const read = await db.query<InSnapshot<Row>>(
    inSnapshot(sql`
      select part.xid, part.position, w.page_id, w.chunk_index, part.vector
      from (
        select v.hash, v.xid, v.position, v.vector from chunk_vectors v
        where v.profile_id = ${profileId} and ${unread(after, 'v.xid', 'v.position')} and v.vector is not null
        order by v.xid, v.position limit ${limit}) part
      left join (${places}) w on w.hash = part.hash`),
  );
  const part = advance(after, read, limit);
  const rows = part.rows.flatMap(({ page_id, chunk_index, vector }) =>
    page_id === null ? [] : [{ page_id, chunk_index, vector }],
  );
  return { ...part, rows };
}

/** The next vectors of the feed with their chunks. */
export const readVectorFeed = (
  db: Queryable,
  profileId: number,
  after: FeedCursor,
  limit: number,
): Promise<FeedPart<PlacedVector>> =>
  readFeedOf(
    db,
    profileId,
    sql`select c.embed_hash as hash, c.page_id, c.chunk_index from page_chunks c join live_pages p on p.id = c.page_id`,
    { after, limit },
  );

/** Hash of the text whose vector stands at a place of the feed. */
export async function readVectorMark(db: Queryable, profileId: number, at: FeedPlace): Promise<string | undefined> {
  const [row] = await db.query<{ hash: string }>(sql`
    select hash from chunk_vectors
    where profile_id = ${profileId} and xid = ${String(at.xid)}::xid8
      and position = ${at.position}::bigint`);
  return row?.hash;
}

/** Vectors of the chunks of pages. */
export const readPageVectors = (
  db: Queryable,
  profileId: number,
  pageIds: readonly number[],
): Promise<PlacedVector[]> =>
  db.query<PlacedVector>(sql`
    select c.page_id, c.chunk_index, v.vector
    from page_chunks c join live_pages p on p.id = c.page_id
    join chunk_vectors v on v.profile_id = ${profileId} and v.hash = c.embed_hash and v.vector is not null
    where c.page_id = any (${[...pageIds]}::bigint[]) order by c.page_id, c.chunk_index`);
