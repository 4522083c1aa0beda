// Rows of source_files: which file made which page, and with what bytes. Written with the page, read by the next run.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import type { FileRecord } from './verdict.ts';

/** Records that one query brings. */
const READ_ROWS = 5_000;

/** The records of a source by path. */
export async function readRecords(db: Queryable, sourceId: string): Promise<Map<string, FileRecord>> {
  const records = new Map<string, FileRecord>();
  for (let after = ''; ; ) {
    const rows = await db.query<Omit<FileRecord, 'hash'> & { hash: string }>(sql`
      select f.path, f.page_id as "pageId", p.slug, p.revision, p.deleted_at is not null as "isDeleted",
        encode(f.hash, 'hex') as hash, f.root, f.size_bytes as "sizeBytes"
      from source_files f join pages p on p.id = f.page_id
      where f.source_id = ${sourceId} and f.path > ${after} order by f.path limit ${READ_ROWS}`);
    for (const row of rows) records.set(row.path, row);
    const last = rows.at(-1);
    if (!last || rows.length < READ_ROWS) return records;
    after = last.path;
  }
}

/** A file as it was taken in. */
export interface TakenFile {
  path: string;
  pageId: number;
  hash: string;
  sizeBytes: number;
}

/** Keeps that files were taken in. A page has one file, so records of its earlier paths go. */
export function keepRecords(
  at: { sourceId: string; root: string; at: Date },
  files: readonly TakenFile[],
): readonly Sql[] {
  if (files.length === 0) return [];
  const paths = files.map(({ path }) => path);
  const ids = files.map(({ pageId }) => pageId);
  return [
    sql`delete from source_files where source_id = ${at.sourceId} and page_id = any (${ids}::bigint[])
      and path <> all (${paths}::text[])`,
    sql`insert into source_files (source_id, path, page_id, root, hash, size_bytes, imported_at)
      select ${at.sourceId}, path, page_id, ${at.root}, decode(hash, 'hex'), size, ${at.at}
      from unnest(${paths}::text[], ${ids}::bigint[], ${files.map(({ hash }) => hash)}::text[],
        ${files.map(({ sizeBytes }) => sizeBytes)}::int[]) f (path, page_id, hash, size)
      on conflict (source_id, path) do update set page_id = excluded.page_id, root = excluded.root,
        hash = excluded.hash, size_bytes = excluded.size_bytes, imported_at = excluded.imported_at`,
  ];
}

/** Drops the records of files that are gone. */
export const dropRecords = (sourceId: string, paths: readonly string[]): Sql =>
  sql`delete from source_files where source_id = ${sourceId} and path = any (${[...paths]}::text[])`;

/** Keeps that files are now found below another root. */
export const moveRoot = (sourceId: string, paths: readonly string[], root: string): Sql =>
  sql`update source_files set root = ${root} where source_id = ${sourceId} and path = any (${[...paths]}::text[])`;

/** The id that a page declares in its frontmatter. */
export interface DeclaredId {
  pageId: number;
  declared: string;
}

/** Ids that these pages declare, and the other live pages of the source that declare one of them. */
export async function readDeclaredIds(
  db: Queryable,
  sourceId: string,
  pageIds: readonly number[],
): Promise<DeclaredId[]> {
  return db.query<DeclaredId>(sql`
    select id as "pageId", frontmatter ->> 'id' as declared from pages
    where source_id = ${sourceId} and deleted_at is null and frontmatter ->> 'id' in (
      select frontmatter ->> 'id' from pages
      where id = any (${[...pageIds]}::bigint[]) and frontmatter ->> 'id' <> '')`);
}

/** A page as a dry run decides on it. */
export interface PageText {
  slug: string;
  text: string;
  isDeleted: boolean;
  pageId: number;
}

/** The pages at these slugs, tombstones included. */
export async function readPageTexts(db: Queryable, sourceId: string, slugs: readonly string[]): Promise<PageText[]> {
  return db.query<PageText>(sql`
    select slug, text, deleted_at is not null as "isDeleted", id as "pageId" from pages
    where source_id = ${sourceId} and slug = any (${[...slugs]}::text[])`);
}
