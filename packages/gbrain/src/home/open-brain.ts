// Opens a brain that this process may open: the store, its schema, who it is. The caller holds the lock.

import { readIdentity, readSourceIds } from '../areas/setup/brain.sql.ts';
import type { OpenBrain } from '../brain.ts';
import { Raised, raise } from '../failure.ts';
import { migrations } from '../generated/migrations.ts';
import { openStore } from '../store/open-store.ts';
import { type Store, StoreError, type StoreFault } from '../store/store.ts';
import type { Located } from './locate.ts';

type Openable = Extract<Located, { kind: 'pglite' | 'postgres' }>;

const OPEN_CODES: Partial<Record<StoreFault, [code: string, reason: string]>> = {
  unreachable: ['brain_unreachable', 'unreachable'],
  auth_failed: ['brain_unreachable', 'auth_failed'],
  schema_newer: ['migrations_pending', 'newer_schema'],
  schema_missing: ['migrations_pending', 'schema_unreadable'],
  disk_full: ['storage_error', 'disk_full'],
  read_only: ['storage_error', 'read_only'],
};

/** A server's address without its password. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.toString();
}

const pathOf = (located: Openable): string => (located.kind === 'pglite' ? located.dataDir : shownUrl(located.url));

function refuse(error: unknown, path: string): never {
  if (error instanceof Raised || !(error instanceof StoreError)) throw error;
  const [code, reason] = OPEN_CODES[error.fault] ?? ['brain_unopenable', error.fault];
  raise(code, { operation: 'opening the brain', path, reason }, error);
}

async function knownSources(store: Store): Promise<(id: string) => Promise<boolean>> {
  let ids = new Set(await readSourceIds(store));
  return async (id) => {
    if (!ids.has(id)) ids = new Set(await readSourceIds(store));
    return ids.has(id);
  };
}

/** Opens a brain, brings its schema up to date and reads its identity. Fails with a registered code, store closed. */
export async function openBrainAt(located: Openable, options: { create?: boolean } = {}): Promise<OpenBrain> {
  const path = pathOf(located);
  try {
    const store = await openStore(located, { migrations, ...options });
    try {
      const identity = await readIdentity(store);
      return { id: 'host', path, ...identity, store, hasSource: await knownSources(store) };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    return refuse(error, path);
  }
}
