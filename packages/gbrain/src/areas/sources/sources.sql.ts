// Rows of sources: what each is bound to, whether it is archived, how many pages it has and what its last run did.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** A source with its counts. */
export interface SourceRow {
  id: string;
  name: string;
  truth: 'database' | 'files';
  local_path: string | null;
  federated: boolean;
  incarnation: string;
  archived_at: Date | null;
  created_at: Date;
  last_import: Record<string, unknown> | null;
  last_import_at: Date | null;
  pages: number;
  deleted: number;
  /** Pages that a file made. */
  files: number;
}

/** Sources with their counts, in id order; one of them when `id` is given. Private pages count for the owner alone. */
export function readSourceRows(
  db: Queryable,
  by: { id?: string; archived: boolean; visibility: 'world' | 'all' },
): Promise<SourceRow[]> {
  const world = by.visibility === 'all' ? raw('') : raw(` and p.visibility = 'world'`);
  const one = by.id === undefined ? raw('') : sql` and s.id = ${by.id}`;
  return db.query<SourceRow>(sql`
    select s.id, s.name, s.truth, s.local_path, coalesce(s.config ->> 'federated', 'false') = 'true' as federated,
      s.incarnation, s.archived_at, s.created_at, s.last_import, s.last_import_at, c.pages, c.deleted, f.files
    from sources s
      cross join lateral (select count(*) filter (where p.deleted_at is null) as pages,
        count(*) filter (where p.deleted_at is not null) as deleted from pages p where p.source_id = s.id${world}) c
      cross join lateral (select count(*) as files from source_files f where f.source_id = s.id) f
    where (${by.archived} or s.archived_at is null)${one} order by s.id`);
}

/** What a source is made of. */
export interface NewSource {
  id: string;
  name: string;
  truth: 'database' | 'files';
  path?: string;
  federated: boolean;
}

/** Makes a source; no row when its id or name is taken. */
export const insertSource = (one: NewSource): Sql =>
  sql`insert into sources (id, name, truth, local_path, config)
    values (${one.id}, ${one.name}, ${one.truth}, ${one.path ?? null},
      ${JSON.stringify({ federated: one.federated })}::jsonb)
    on conflict do nothing returning id`;

/** The source that has an id or a name, archived ones included. */
export async function findTaken(db: Queryable, id: string, name: string): Promise<{ id: string; name: string }[]> {
  return db.query(sql`select id, name from sources where id = ${id} or name = ${name}`);
}

/** Hides a source with all its pages, or brings it back. */
export const archiveSource = (id: string, at: Date | null): Sql =>
  sql`update sources set archived_at = ${at} where id = ${id}`;
