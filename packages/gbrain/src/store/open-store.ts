// Opens a brain's store wherever it is, with its schema brought up to date. The caller holds the brain's lock.
// It must not know what the tables mean.
import { copyFolder } from './data-folder.ts';
import { storeError } from './faults.ts';
import type { StoreTimeouts } from './lanes.ts';
import { assertKnown, type Migration, migrate, readSchemaState } from './migrate.ts';
import { openPglite } from './pglite.ts';
import type { Store } from './store.ts';

/** Where a brain's rows are: a folder of the embedded engine, or a server. */
export type StorePlace = { kind: 'pglite'; dataDir: string } | { kind: 'postgres'; url: string };

/** How a store is opened. */
export interface OpenStoreOptions extends Partial<StoreTimeouts> {
  migrations: readonly Migration[];
  /** Makes the folder, or the tables in an empty database. Without it a place without a brain is `schema_missing`. */
  create?: boolean;
  /** Applies nothing: the tables stay as they are, whatever they lack. */
  observes?: boolean;
  /** Told the path of the copy that was taken of a folder before migrations changed it. */
  onCopy?: (path: string) => void;
}

/**
 * Opens a store and applies the migrations that it lacks; a folder that holds a brain is copied first, to
 * `<folder>.before-<first migration>`. Rejects with StoreError: `schema_missing`, `schema_newer`, `schema_changed`, or
 * as the engine's own open does; nothing stays open then.
 */
export async function openStore(place: StorePlace, options: OpenStoreOptions): Promise<Store> {
  let store = await openEngine(place, options);
  try {
    const { version, pending } = assertKnown(await readSchemaState(store, options.migrations));
    if (version === 0 && !options.create) throw storeError('schema_missing');
    const [first] = pending;
    if (!first || options.observes) return store;
    if (place.kind === 'pglite' && version > 0) {
      await store.close();
      const copy = `${place.dataDir}.before-${first.name}`;
      await copyFolder(place.dataDir, copy);
      options.onCopy?.(copy);
      store = await openEngine(place, options);
    }
    await migrate(store, options.migrations);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openEngine(place: StorePlace, options: OpenStoreOptions): Promise<Store> {
  const { migrations: _, onCopy: __, observes: ___, create = false, ...timeouts } = options;
  if (place.kind === 'pglite') return openPglite({ dataDir: place.dataDir, create, ...timeouts });
  // Only who reaches a server pays for its driver; every other command starts without it.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres({ url: place.url, ...timeouts });
}
