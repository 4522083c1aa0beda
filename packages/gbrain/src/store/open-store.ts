// Opens a brain's store wherever it is, with its schema brought up to date. The caller holds the brain's lock.
// It must not know what the tables mean.
import { storeError } from './faults.ts';
import type { StoreTimeouts } from './lanes.ts';
import { assertKnown, type Migration, migrate, readSchemaState } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import type { Store } from './store.ts';

/** Where a brain's rows are: a folder of the embedded engine, or a server. */
export type StorePlace = { kind: 'pglite'; dataDir: string } | { kind: 'postgres'; url: string };

/** How a store is opened. */
export interface OpenStoreOptions extends Partial<StoreTimeouts> {
  migrations: readonly Migration[];
  /** Makes the folder, or the tables in an empty database. Without it a place without a brain is `schema_missing`. */
  create?: boolean;
}

/**
 * Opens a store and applies the migrations that it lacks. Rejects with StoreError: `schema_missing`, `schema_newer`,
 * `schema_changed`, or as the engine's own open does; nothing stays open then.
 */
export async function openStore(place: StorePlace, options: OpenStoreOptions): Promise<Store> {
  const { migrations, create = false, ...timeouts } = options;
  const store =
    place.kind === 'pglite'
      ? await openPglite({ dataDir: place.dataDir, create, ...timeouts })
      : await openPostgres({ url: place.url, ...timeouts });
  try {
    const state = assertKnown(await readSchemaState(store, migrations));
    if (state.version === 0 && !create) throw storeError('schema_missing');
    if (state.pending.length > 0) await migrate(store, migrations);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
