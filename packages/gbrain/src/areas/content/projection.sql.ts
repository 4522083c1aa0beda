// Rows of the content directory: which sources have one, which pages wait to be written, what stands for each page.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { CATCH_UP } from '../pages/catch-up.ts';

/** Kind of the outbox rows of pages whose files have to follow. */
export const CONTENT_FILE = 'content_file';

/** Marks pages of sources that have a content directory. The revision tells a mark from the next one of its page. */
export const markPages = (pages: readonly { id: number; sourceId: string; revision: string; at: Date }[]): Sql => sql`
  insert into outbox (key, kind, page_id, payload, created_at, not_before)
  select ${CONTENT_FILE} || ':' || w.id, ${CONTENT_FILE}, w.id, jsonb_build_object('revision', w.revision), w.at, w.at
  from unnest(${pages.map(({ id }) => id)}::bigint[], ${pages.map(({ sourceId }) => sourceId)}::text[],
    ${pages.map(({ revision }) => revision)}::text[], ${pages.map(({ at }) => at)}::timestamptz[])
    w (id, source_id, revision, at)
    join content_directories d on d.source_id = w.source_id
  on conflict (key) do update set payload = excluded.payload, not_before = excluded.not_before, attempts = 0,
    last_error = null`;

/** Gives a source a content directory; a row when it had none. Its pages are marked then. */
export const addDirectory = (sourceId: string): Sql =>
  sql`insert into content_directories (source_id) values (${sourceId}) on conflict do nothing returning source_id`;

/** Marks every page of a source. */
export const markSource = (sourceId: string): Sql => sql`
  insert into outbox (key, kind, page_id, payload)
  select ${CONTENT_FILE} || ':' || id, ${CONTENT_FILE}, id, jsonb_build_object('revision', revision) from pages
  where source_id = ${sourceId} and deleted_at is null
  on conflict (key) do update set not_before = now(), attempts = 0, last_error = null`;

/** Sources that have a content directory. */
export async function readDirectories(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ source_id: string }>(sql`select source_id from content_directories order by source_id`);
  return rows.map(({ source_id }) => source_id);
}

/** A page whose file has to follow, with what stands for it. */
export interface MarkedPage {
  pageId: number;
  /** Revision that the mark was made for. */
  revision: string;
  sourceId: string;
  slug: string;
  sourcePath: string | null;
  isDeleted: boolean;
  text: string;
  attempts: number;
  record: FileState | null;
}

/** What stands in the content directory for a page. */
export interface FileState {
  path: string;
  /** Hex SHA-256 of what was written last; null before the first time. */
  hash: string | null;
  state: 'written' | 'held' | 'failed';
  reason: string | null;
}

const RECORD = `case when f.page_id is null then null else jsonb_build_object('path', f.path,
  'hash', encode(f.hash, 'hex'), 'state', f.state, 'reason', f.reason) end as record`;

const MARKED = { text: RECORD, params: [] };

/** Pages that are due, oldest first. A page that was purged is left out, and so is its mark: see `dropOrphans`. */
export const readMarked = (db: Queryable, limit: number): Promise<MarkedPage[]> =>
  db.query<MarkedPage>(sql`
    select o.page_id as "pageId", o.payload ->> 'revision' as revision, p.source_id as "sourceId", p.slug,
      p.source_path as "sourcePath", p.deleted_at is not null as "isDeleted", p.text, o.attempts, ${MARKED}
    from outbox o join pages p on p.id = o.page_id left join content_files f on f.page_id = o.page_id
    where o.kind = ${CONTENT_FILE} and o.not_before <= now() order by o.id limit ${limit}`);

/**
 * Whether anything is due that follows commits. One look at the index of the outbox: a command that has nothing to
 * finish pays for this alone.
 */
export async function hasDue(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ due: boolean }>(sql`
    select exists (select 1 from outbox where kind in (${CONTENT_FILE}, ${CATCH_UP}) and not_before <= now()) as due`);
  return row!.due;
}

/** The same of one page, marked or not. */
export async function readForProjection(db: Queryable, pageId: number): Promise<MarkedPage | undefined> {
  const [row] = await db.query<MarkedPage>(sql`
    select p.id as "pageId", p.revision, p.source_id as "sourceId", p.slug, p.source_path as "sourcePath",
      p.deleted_at is not null as "isDeleted", p.text, 0 as attempts, ${MARKED}
    from pages p join content_directories d on d.source_id = p.source_id
      left join content_files f on f.page_id = p.id
    where p.id = ${pageId}`);
  return row;
}

/** What became of a page's file. */
export interface ProjectedFile {
  pageId: number;
  revision: string;
  sourceId: string;
  /** Null when nothing of the page stands there any more. */
  record: FileState | null;
}

/**
 * Keeps what stands for pages, and takes the marks away that it was done for; a newer mark stays. It does not wait for
 * the disk: what a crash takes back is still marked, and is done again.
 */
export function keepProjected(files: readonly ProjectedFile[], at: Date): Sql[] {
  const done = JSON.stringify(files.map(({ pageId, revision }) => ({ page_id: pageId, revision })));
  const standing = files.flatMap(({ pageId, sourceId, record }) =>
    record ? [{ page_id: pageId, source_id: sourceId, ...record }] : [],
  );
  const gone = files.flatMap(({ pageId, record }) => (record ? [] : [pageId]));
  return [
    sql`select set_config('synchronous_commit', 'off', true)`,
    sql`insert into content_files (page_id, source_id, path, hash, state, reason, at)
      select page_id, source_id, path, decode(hash, 'hex'), state, reason, ${at}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(standing)}::text::jsonb) as r (page_id bigint, source_id text,
        path text, hash text, state text, reason text)
      on conflict (page_id) do update set path = excluded.path, hash = excluded.hash, state = excluded.state,
        reason = excluded.reason, at = excluded.at`,
    sql`delete from content_files where page_id = any (${gone}::bigint[])`,
    sql`delete from outbox o using jsonb_to_recordset(${done}::text::jsonb) as r (page_id bigint, revision text)
      where o.key = any (${files.map(({ pageId }) => `${CONTENT_FILE}:${pageId}`)}::text[])
        and o.kind = ${CONTENT_FILE} and o.page_id = r.page_id and o.payload ->> 'revision' = r.revision`,
  ];
}

/** Puts marked pages off after a fault of the disk as a whole. */
export const putOff = (pageIds: readonly number[], until: Date, reason: string): Sql =>
  sql`update outbox set attempts = attempts + 1, not_before = ${until},
      last_error = ${JSON.stringify({ reason })}::jsonb
    where kind = ${CONTENT_FILE} and page_id = any (${[...pageIds]}::bigint[])`;

/** A file that is not as its page says. */
export interface UnwrittenFile {
  pageId: number;
  slug: string;
  sourceId: string;
  path: string;
  state: 'held' | 'failed';
  reason: string | null;
  at: Date;
}

/** Files that are held or could not be written, oldest first. */
export const readUnwritten = (db: Queryable, sourceId: string, limit: number): Promise<UnwrittenFile[]> =>
  db.query<UnwrittenFile>(sql`
    select f.page_id as "pageId", p.slug, f.source_id as "sourceId", f.path, f.state, f.reason, f.at
    from content_files f join pages p on p.id = f.page_id
    where f.source_id = ${sourceId} and f.state <> 'written' order by f.at, f.page_id limit ${limit}`);

/** A file that is not as its page says, with the state of that page. */
export interface UnwrittenOfBrain extends UnwrittenFile {
  revision: string;
  isPrivate: boolean;
}

/** Files of every source that are held or could not be written, oldest first. */
export const readAllUnwritten = (db: Queryable, limit: number): Promise<UnwrittenOfBrain[]> =>
  db.query<UnwrittenOfBrain>(sql`
    select f.page_id as "pageId", p.slug, f.source_id as "sourceId", f.path, f.state, f.reason, f.at, p.revision,
      p.visibility <> 'world' as "isPrivate"
    from content_files f join pages p on p.id = f.page_id
    where f.state <> 'written' order by f.at, f.page_id limit ${limit}`);

/** The same of one page. */
export async function readPageFile(db: Queryable, pageId: number): Promise<UnwrittenFile | undefined> {
  const [row] = await db.query<UnwrittenFile>(sql`
    select f.page_id as "pageId", p.slug, f.source_id as "sourceId", f.path, f.state, f.reason, f.at
    from content_files f join pages p on p.id = f.page_id where f.page_id = ${pageId} and f.state <> 'written'`);
  return row;
}

/** How many files stand, wait, are held or failed, in a source. */
export async function countFiles(
  db: Queryable,
  sourceId: string,
): Promise<{ written: number; held: number; failed: number; waiting: number }> {
  const [row] = await db.query<{ written: number; held: number; failed: number; waiting: number }>(sql`
    select count(*) filter (where state = 'written') as written, count(*) filter (where state = 'held') as held,
      count(*) filter (where state = 'failed') as failed,
      (select count(*) from outbox o join pages p on p.id = o.page_id
        where o.kind = ${CONTENT_FILE} and p.source_id = ${sourceId}) as waiting
    from content_files where source_id = ${sourceId}`);
  return row!;
}

/** Incarnation of a source. */
export async function readIncarnation(db: Queryable, sourceId: string): Promise<string> {
  const [row] = await db.query<{ incarnation: string }>(sql`select incarnation from sources where id = ${sourceId}`);
  return row?.incarnation ?? '';
}

/** Whether a text with this hash is, or was, the page's own. */
export async function wasText(db: Queryable, pageId: number, hash: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from page_versions where page_id = ${pageId} and sha256(convert_to(text, 'UTF8')) = decode(${hash}, 'hex')
    union all
    select 1 from pages where id = ${pageId} and sha256(convert_to(text, 'UTF8')) = decode(${hash}, 'hex') limit 1`);
  return rows.length > 0;
}
