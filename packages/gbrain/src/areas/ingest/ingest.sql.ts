// Rows of the ingest log and of what a source's last run did. No page content.
import type { ReadScope } from '../../context.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

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

/** Entries of the scope's sources, newest first, with those of their pages that the scope may see. */
export const readIngests = (db: Queryable, scope: ReadScope, limit: number): Promise<IngestRow[]> =>
  db.query<IngestRow>(sql`
    select g.id, g.source_id, g.source_type, g.source_ref, g.summary, g.created_at,
      case when ${scope.visibility === 'all'} then g.pages_updated else coalesce((
        select array_agg(w.slug order by w.n) from unnest(g.pages_updated) with ordinality w (slug, n)
        where exists (select 1 from ${visible(scope)} p where p.source_id = g.source_id and p.slug = w.slug)
      ), '{}') end as pages_updated
    from ingest_log g join sources s on s.id = g.source_id and s.archived_at is null
    where g.source_id = any (${[...scope.sources]}::text[]) order by g.id desc limit ${limit}`);

/** What the last run over a source's folder did. */
export interface LastImport {
  root: string;
  seen: number;
  imported: number;
  unchanged: number;
  skipped: number;
  failed: number;
  removed: number;
  /** Paths of the files that failed, the first ones: a search tells of those that could hold what was asked. */
  held: readonly string[];
}

/** Keeps what the last run did. */
export const keepLastImport = (sourceId: string, counts: LastImport, at: Date): Sql =>
  sql`update sources set last_import = ${JSON.stringify(counts)}::jsonb, last_import_at = ${at}
    where id = ${sourceId}`;

/** The folder that a source is bound to. */
export async function readSourceFolder(db: Queryable, sourceId: string): Promise<string | undefined> {
  const [row] = await db.query<{ local_path: string | null }>(
    sql`select local_path from sources where id = ${sourceId}`,
  );
  return row?.local_path ?? undefined;
}
