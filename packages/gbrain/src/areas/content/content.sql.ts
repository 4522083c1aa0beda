// Reads of pages for files: paths of a whole source, texts a few at a time. For the owner's own files, so private pages
// are among them.
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';
import type { PathedPage } from './page-paths.ts';

/** Slug and path of every live page of a source, by id. */
export async function readPathedPages(db: Queryable, sourceId: string): Promise<PathedPage[]> {
  const pages: PathedPage[] = [];
  for (let after = 0; ; ) {
    const rows = await db.query<PathedPage>(sql`
      select id, slug, source_path as "sourcePath" from pages
      where source_id = ${sourceId} and deleted_at is null and id > ${after} order by id limit 5000`);
    pages.push(...rows);
    const last = rows.at(-1);
    if (!last || rows.length < 5_000) return pages;
    after = last.id;
  }
}

/** A page's text as it stands. */
export interface PageBytes {
  id: number;
  slug: string;
  text: string;
}

/** Texts of live pages; a page that went meanwhile is left out. */
export const readTexts = (db: Queryable, ids: readonly number[]): Promise<PageBytes[]> =>
  db.query<PageBytes>(sql`
    select id, slug, text from pages where id = any (${[...ids]}::bigint[]) and deleted_at is null order by id`);

/** Identity of the brain that an export comes from. */
export async function readBrainId(db: Queryable): Promise<string> {
  const [row] = await db.query<{ brain_id: string }>(sql`select brain_id from brain`);
  return row?.brain_id ?? '';
}
