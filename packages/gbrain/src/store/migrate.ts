// Brings a schema forward: an ordered list of SQL files, each applied in one short transaction with its version row.
// It must not know what the tables mean; back-filling data is a job of its own, never a migration.
import { migrations as shipped } from '../generated/migrations.ts';
import { storeError } from './faults.ts';
import { sql } from './sql.ts';
import { type Store, StoreError, type Tx } from './store.ts';

/** One migration as the generator embeds it. */
export interface Migration {
  /** The number in the file name, counted from 1 without gaps. */
  version: number;
  /** File name without its ending, e.g. `0001_init`. */
  name: string;
  /** Whether code that does not know it must refuse the database. */
  breaking: boolean;
  /** SHA-256 of the text, in hex. */
  checksum: string;
  text: string;
}

/** How a database stands to a list of migrations. */
export interface SchemaState {
  /** Highest version applied; 0 when none is. */
  version: number;
  /** Migrations of the list that are not applied yet, in order. */
  pending: readonly Migration[];
  /** Versions applied that the list does not know: the database was written by newer code. */
  newer: readonly { version: number; name: string; breaking: boolean }[];
}

interface AppliedRow {
  version: number;
  name: string;
  breaking: boolean;
  checksum: string;
}

/** A number of our own for the transaction-scoped advisory lock, which works behind any pooler. */
const lockKey = 7_261_140_517;

/**
 * Reads which migrations a database holds, without changing it.
 * Rejects with `schema_changed` when an applied migration differs from the list's of that number.
 */
export async function readSchemaState(store: Store, migrations: readonly Migration[] = shipped): Promise<SchemaState> {
  const rows = await store.query<AppliedRow>(readApplied).catch((error: unknown) => {
    // An empty database has no such table yet.
    if (error instanceof StoreError && error.fault === 'schema_missing') return [];
    throw error;
  });
  return toState(rows, migrations);
}

/**
 * Applies what is missing; gives the names it applied. Safe to run from several processes at once: they take turns.
 * Rejects with `schema_newer` when the database holds a breaking migration that the list does not know, and with
 * `schema_changed` as readSchemaState does; nothing is applied then.
 */
export async function migrate(store: Store, migrations: readonly Migration[] = shipped): Promise<string[]> {
  const { pending } = await readSchemaState(store, migrations).then(assertKnown);
  const applied: string[] = [];
  for (const migration of pending) {
    const done = await store.tx((tx) => applyOne(tx, migration, migrations), { timeoutMs: 120_000 });
    if (done) applied.push(migration.name);
  }
  return applied;
}

/** Gives the state back, or throws `schema_newer` when this code must not touch the database. */
export function assertKnown(state: SchemaState): SchemaState {
  const unknown = state.newer.find((row) => row.breaking);
  if (unknown) {
    throw storeError('schema_newer', { at: unknown.name });
  }
  return state;
}

const readApplied = sql`select version, name, breaking, checksum from schema_migrations order by version`;

function toState(rows: readonly AppliedRow[], migrations: readonly Migration[]): SchemaState {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of rows) {
    const migration = known.get(row.version);
    if (migration && migration.checksum !== row.checksum) {
      throw storeError('schema_changed', { at: row.name });
    }
  }
  const applied = new Set(rows.map((row) => row.version));
  return {
    version: rows.at(-1)?.version ?? 0,
    pending: migrations.filter((migration) => !applied.has(migration.version)),
    newer: rows.filter((row) => !known.has(row.version)),
  };
}

async function applyOne(tx: Tx, migration: Migration, migrations: readonly Migration[]): Promise<boolean> {
  // A table lock that others hold must not make every reader behind us wait for long.
  await tx.batch([
    sql`select pg_advisory_xact_lock(${lockKey})`,
    sql`select set_config('lock_timeout', '10s', true)`,
    createTable,
  ]);
  const state = assertKnown(toState(await tx.query<AppliedRow>(readApplied), migrations));
  if (!state.pending.includes(migration)) return false;
  await tx.script(migration.text);
  await tx.query(sql`
    insert into schema_migrations (version, name, breaking, checksum)
    values (${migration.version}, ${migration.name}, ${migration.breaking}, ${migration.checksum})`);
  return true;
}

const createTable = sql`
  create table if not exists schema_migrations (
    version integer primary key,
    name text collate "C" not null unique,
    breaking boolean not null,
    checksum text collate "C" not null,
    applied_at timestamptz(3) not null default now()
  )`;
