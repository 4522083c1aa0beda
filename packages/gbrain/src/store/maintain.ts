// What a server's autovacuum does, for the engine that has none: dead rows reclaimed, the planner's figures refreshed.
// It must not know what the tables mean, nor when it is a good time; its caller does.
import { sql } from './sql.ts';
import type { Sql, Store } from './store.ts';

/**
 * The thresholds of Postgres' own autovacuum, and growth: an engine that was killed has forgotten how many rows it
 * changed, but not how large its tables are. Source: PostgreSQL manual, "Automatic Vacuuming". The figures are asked
 * for by themselves: to plan the views that show them took longer than the rest.
 */
const dueTables = sql`
  select c.oid::regclass::text as name,
    s.dead > 50 + 0.2 * greatest(c.reltuples, 0)
      or pg_stat_get_ins_since_vacuum(c.oid) > 1000 + 0.2 * greatest(c.reltuples, 0) as vacuum,
    pg_stat_get_mod_since_analyze(c.oid) > 50 + 0.1 * greatest(c.reltuples, 0)
      or pg_relation_size(c.oid) / current_setting('block_size')::int > 8 + 2 * c.relpages as analyze
  from pg_class as c
  -- A page's text lies in the toast table: one dead page leaves dozens of dead rows there, in large chunks.
  cross join lateral (select greatest(pg_stat_get_dead_tuples(c.oid),
    coalesce(pg_stat_get_dead_tuples(nullif(c.reltoastrelid, 0)), 0) / 10) as dead offset 0) as s
  where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'pg_catalog'::regnamespace)
  order by s.dead`;

interface DueTable {
  name: string;
  vacuum: boolean;
  analyze: boolean;
}

/** One table's vacuum may take this long; it cannot be interrupted without ending the engine. */
const tableMaxMs = 10 * 60_000;

/** How much care is taken: all that is due, or figures only, which cost a small and bounded read. */
export interface Care {
  figuresOnly?: boolean;
  /** Asked before each table. */
  stop?(): boolean;
}

/**
 * Vacuums and analyses the tables that are due, one at a time, so that other callers come in between; gives their
 * names. Does nothing on a server, whose autovacuum runs by itself.
 */
export async function maintain(store: Store, { figuresOnly = false, stop }: Care = {}): Promise<string[]> {
  if (store.facts.engine !== 'pglite') return [];
  const done: string[] = [];
  // The engine reports counts of rows at most once a second; what was written just now counts as well.
  await store.query(sql`select pg_stat_force_next_flush()`);
  for (const { name, vacuum, analyze } of await store.query<DueTable>(dueTables)) {
    const isVacuum = vacuum && !figuresOnly;
    if (!isVacuum && !analyze) continue;
    if (stop?.()) break;
    await store.query(statement(name, isVacuum, analyze), { timeoutMs: tableMaxMs });
    done.push(name);
  }
  return done;
}

/** `name` is an identifier that the catalogue quoted itself; statements of this kind bind no values. */
function statement(name: string, vacuum: boolean, analyze: boolean): Sql {
  if (!vacuum) return { text: `analyze ${name}`, params: [] };
  return { text: `vacuum${analyze ? ' (analyze)' : ''} ${name}`, params: [] };
}
