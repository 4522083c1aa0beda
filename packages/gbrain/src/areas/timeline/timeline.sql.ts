// Statements of timeline entries: a page's are replaced as a set; reads go through what the caller may see.
import type { ReadScope } from '../../context.ts';
import type { PageKey } from '../../part.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { TimelineEntry } from '../pages/timeline.ts';

/** Replaces the entries of pages. */
export function replaceEntries(pages: readonly { page: PageKey; rows: readonly TimelineEntry[] }[]): Sql[] {
  const old = pages.flatMap(({ page }) => (page.isNew ? [] : [page.id]));
  const rows = pages.flatMap(({ page, rows: entries }) =>
    entries.map((entry, i) => ({ page_id: page.id, entry_index: i, ...entry })),
  );
  return [
    ...(old.length > 0 ? [sql`delete from timeline_entries where page_id = any (${old}::bigint[])`] : []),
    ...(rows.length > 0
      ? [
          sql`insert into timeline_entries (page_id, entry_index, date, source, summary, detail, line)
            select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (page_id bigint,
              entry_index integer, date text, source text, summary text, detail text, line integer)`,
        ]
      : []),
  ];
}

/** One entry as a reader gets it. */
export interface EntryRow {
  date: string;
  source: string;
  summary: string;
  detail: string;
}

/** Entries of a page between two days (inclusive), oldest first. */
export function readEntries(
  db: Queryable,
  scope: ReadScope,
  asked: { slug: string; after?: string; before?: string; limit: number },
): Promise<EntryRow[]> {
  const { slug, after = '', before = '9999-12-31', limit } = asked;
  return db.query<EntryRow>(sql`
    select t.date, t.source, t.summary, t.detail
    from timeline_entries t join ${visible(scope)} p on p.id = t.page_id
    where p.slug = ${slug} and t.date >= ${after} and t.date <= ${before}
    order by t.date, t.entry_index limit ${limit}`);
}
