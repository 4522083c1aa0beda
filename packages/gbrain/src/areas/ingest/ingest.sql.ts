// Rows of the ingest log and of what a source's last run did. No page content.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** One entry of the log. */
export interface Ingest {
  sourceId: string;
  sourceType: string;
  sourceRef: string;
  pagesUpdated: readonly string[];
  summary: string;
  at: Date;
}

/** Adds an entry; gives its id. */
export const keepIngest = (entry: Ingest): Sql =>
  sql`insert into ingest_log (source_id, source_type, source_ref, pages_updated, summary, created_at)
    values (${entry.sourceId}, ${entry.sourceType}, ${entry.sourceRef}, ${[...entry.pagesUpdated]}, ${entry.summary},
      ${entry.at})
    returning id`;

/** An entry as it is read. */
export interface IngestRow {
  id: number;
  source_id: string;
  source_type: string;
  source_ref: string;
  pages_updated: string[];
  summary: string;
  created_at: Date;
}

/** Entries of these sources, newest first. */
export const readIngests = (db: Queryable, sources: readonly string[], limit: number): Promise<IngestRow[]> =>
  db.query<IngestRow>(sql`
    select id, source_id, source_type, source_ref, pages_updated, summary, created_at from ingest_log
    where source_id = any (${[...sources]}::text[]) order by id desc limit ${limit}`);

/** What the last run over a source's folder did. */
export interface LastImport {
  root: string;
  seen: number;
  imported: number;
  unchanged: number;
  skipped: number;
  failed: number;
  removed: number;
}

/** Keeps what the last run did. */
export const keepLastImport = (sourceId: string, counts: LastImport, at: Date): Sql =>
  sql`update sources set last_import = ${JSON.stringify(counts)}::jsonb, last_import_at = ${at}
    where id = ${sourceId}`;
