// Opens the store of a brain, whichever engine it has, with its schema up to date.
import { migrate } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import type { Store } from './store.ts';

/** Which database to open. */
export type StoreAddress = { kind: 'pglite'; dataDir: string } | { kind: 'postgres'; url: string };

/** Opens a store and brings its schema up to date. Rejects with StoreError, the store closed again. */
export async function openStore(address: StoreAddress, options: { create?: boolean } = {}): Promise<Store> {
  const store =
    address.kind === 'pglite'
      ? await openPglite({ dataDir: address.dataDir, create: options.create ?? false })
      : await openPostgres({ url: address.url });
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
