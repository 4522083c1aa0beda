// Statements of search: pages as the index sees them, the change feed, and the text of hits through what a caller may
// see.
import type { ReadScope } from '../../context.ts';
import {
  advance,
  FEED_START,
  type FeedCursor,
  type FeedPart,
  type FeedPlace,
  type InSnapshot,
  inSnapshot,
  unread,
} from '../../store/feed.ts';
import { isOneOf, queryPlanned, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

/** One change of the feed. */
export interface FeedRow extends FeedPlace {
  page_id: number | null;
  revision: string | null;
}

/** Changes that a reader has not read, at most `limit`, in the order of their transactions. */
export async function readFeed(db: Queryable, after: FeedCursor, limit: number): Promise<FeedPart<FeedRow>> {
  const read = await queryPlanned<InSnapshot<FeedRow>>(
    db,
    inSnapshot(sql`
      select xid, position, page_id, revision from changes where ${unread(after)}
      order by xid, position limit ${limit}`),
  );
  return advance(after, read, limit);
}

/** The newest change, and a cursor behind all that there are. */
export async function readFeedEnd(db: Queryable): Promise<FeedPart<FeedRow>> {
  const read = await db.query<InSnapshot<FeedRow>>(
    inSnapshot(sql`select xid, position, page_id, revision from changes order by xid desc, position desc limit 1`),
  );
  return advance(FEED_START, read, Number.POSITIVE_INFINITY);
}

/** One change by its place; undefined when the feed does not hold it. */
export async function readChange(db: Queryable, at: FeedPlace): Promise<FeedRow | undefined> {
  const rows = await db.query<FeedRow>(sql`
    select xid, position, page_id, revision from changes
    where xid = ${String(at.xid)}::xid8 and position = ${at.position}`);
  return rows[0];
}

/** A chunk as the index reads it. */
export interface ChunkRow {
  index: number;
  source: 'compiled_truth' | 'timeline' | 'fenced_code';
  text: string;
  role: 'user' | 'assistant' | 'other' | null;
}

/** A page as the index reads it. */
export interface DocumentRow {
  id: number;
  source_id: string;
  visibility: 'world' | 'private';
  slug: string;
  title: string;
  type: string;
  effective_date: Date | null;
  aliases: unknown;
  chunks: ChunkRow[];
  timeline: string[];
}

// A date that only says when the page was made tells nothing of what it is about.
const DOCUMENT = (where: Sql): Sql => sql`
  select p.id, p.source_id, p.visibility, p.slug, p.title, p.type,
    case when p.effective_date_source in ('fallback', 'created') then null else p.effective_date end as effective_date,
    p.frontmatter -> 'aliases' as aliases,
    coalesce((select jsonb_agg(jsonb_build_object('index', c.chunk_index, 'source', c.source, 'text', c.text,
      'role', c.speaker_role) order by c.chunk_index) from page_chunks c where c.page_id = p.id), '[]') as chunks,
    array(select distinct t.date from timeline_entries t where t.page_id = p.id) as timeline
  from live_pages p where ${where} order by p.id`;

/** Live pages with these ids; a page that is not among the rows is gone. */
export const readDocuments = (db: Queryable, ids: readonly number[]): Promise<DocumentRow[]> =>
  db.query<DocumentRow>(DOCUMENT(sql`p.id = any (${[...ids]}::bigint[])`));

/** Live pages with ids above one, in the order of their ids. */
export const readDocumentsAfter = (db: Queryable, afterId: number, limit: number): Promise<DocumentRow[]> =>
  db.query<DocumentRow>(sql`${DOCUMENT(sql`p.id > ${afterId}`)} limit ${limit}`);

/** Text and trust of a hit. */
export interface HitRow {
  id: number;
  slug: string;
  source_id: string;
  chunk_index: number | null;
  chunk_text: string | null;
  effective_date: Date | null;
  effective_date_source: string | null;
  trust_tier: string;
  content_origin: string | null;
}

/** Text of hits that the caller may see: a chunk each, or the page alone when it matched by structure. */
export function hitRows(scope: ReadScope, hits: readonly { pageId: number; chunk: number }[]): Sql {
  const rows = JSON.stringify(hits.map(({ pageId, chunk }) => ({ page_id: pageId, chunk })));
  return sql`
    select p.id, p.slug, p.source_id, c.chunk_index, c.text as chunk_text, p.effective_date, p.effective_date_source,
      p.trust_tier, p.content_origin
    from jsonb_to_recordset(${rows}::text::jsonb) as h (page_id bigint, chunk integer)
    join ${visible(scope)} p on p.id = h.page_id
    left join page_chunks c on c.page_id = p.id and c.chunk_index = h.chunk`;
}

/** Text that a search does not see: a file that is not in the brain, or a page that the provider gave no vector for. */
export interface HoldRow {
  kind: 'file' | 'embedding';
  source_id: string;
  /** Folder that a file was read from; null for one of the content directory. */
  root: string | null;
  path: string | null;
  slug: string | null;
  title: string | null;
  type: string | null;
}

/** Holds that are looked at; the rest counts as what the last of them is. */
export const HOLDS_MAX = 2_000;

/** What is held in a scope. Vectors that were refused are looked for only where there is a vector arm. */
export const holdRows = (scope: ReadScope, hasVectors: boolean): Sql => sql`
  select 'file' as kind, s.id as source_id, s.last_import ->> 'root' as root, h.path, null as slug, null as title,
    null as type
  from sources s cross join jsonb_array_elements_text(s.last_import -> 'held') as h (path)
  where ${isOneOf('s.id', scope.sources)} and s.archived_at is null
  union all
  select 'file', f.source_id, null, f.path, p.slug, p.title, p.type
  from content_files f join ${visible(scope)} p on p.id = f.page_id where f.state <> 'written'
  ${
    hasVectors
      ? sql`union all select distinct 'embedding', p.source_id, null, null, p.slug, p.title, p.type
          from embedding_profiles e
          join chunk_vectors v on v.profile_id = e.id and v.refusal is not null
          join page_chunks c on c.embed_hash = v.hash join ${visible(scope)} p on p.id = c.page_id
          where e.state = 'live'`
      : raw('')
  } limit ${HOLDS_MAX}`;

/** Typed edges of pages, for relational questions: only what texts that the caller may see say. */
export async function readEdges(
  db: Queryable,
  scope: ReadScope,
  at: { pageIds: readonly number[]; types: readonly string[]; direction: 'in' | 'out' },
): Promise<{ fromPageId: number; toPageId: number; type: string }[]> {
  const [near, far] = at.direction === 'out' ? ['from_page_id', 'to_page_id'] : ['to_page_id', 'from_page_id'];
  // Planned anew each time: a plan for any types reads every link of a frequent one.
  const rows = await db.query<{ from_page_id: number; to_page_id: number; link_type: string }>(sql`
    select l.from_page_id, l.to_page_id, l.link_type from links l
    join pages f on f.id = l.${raw(far!)}
    left join ${visible(scope)} o on o.id = l.origin_page_id
    where l.${raw(near!)} = any (${[...at.pageIds]}::bigint[]) and l.link_type = any (${[...at.types]}::text[])
      and (l.origin_page_id is null or o.id is not null)
    order by f.slug, l.id limit 2000`);
  return rows.map((row) => ({ fromPageId: row.from_page_id, toPageId: row.to_page_id, type: row.link_type }));
}
