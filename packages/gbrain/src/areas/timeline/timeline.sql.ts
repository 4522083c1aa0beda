// Statements of timeline entries: a page's are replaced as a set; reads go through what the caller may see.
import type { ReadScope } from '../../context.ts';
import type { PageKey } from '../../part.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { TimelineEntry } from '../pages/timeline.ts';

/** Replaces the entries of a page. */
export function replaceEntries(key: PageKey, entries: readonly TimelineEntry[]): Sql[] {
  const statements = key.isNew ? [] : [sql`delete from timeline_entries where page_id = ${key.id}`];
  if (entries.length === 0) return statements;
  const rows = JSON.stringify(entries.map((entry, i) => ({ entry_index: i, ...entry })));
  return [
    ...statements,
    sql`insert into timeline_entries (page_id, entry_index, date, source, summary, detail, line)
      select ${key.id}, r.* from jsonb_to_recordset(${rows}::text::jsonb) as r (
        entry_index integer, date text, source text, summary text, detail text, line integer)`,
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
