// Opens a brain that this process may open: the store, its schema, who it is. The caller holds the lock.

import { join } from 'node:path';
import { LiveIndex, type LiveIndexOptions } from '../areas/search/live-index.ts';
import { readIdentity, readSourceIds } from '../areas/setup/brain.sql.ts';
import type { OpenBrain } from '../brain.ts';
import { Raised, raise } from '../failure.ts';
import { migrations } from '../generated/migrations.ts';
import { openStore } from '../store/open-store.ts';
import { type Store, StoreError, type StoreFault } from '../store/store.ts';
import { indexFileAt } from './index-file.ts';
import type { Located } from './locate.ts';
import { lazyWords } from './words-file.ts';

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

/** Every brain has `default`, which cannot be removed; another source may come and go while the brain is open. */
const knownSources =
  (store: Store) =>
  async (id: string): Promise<boolean> =>
    id === 'default' || (await readSourceIds(store)).includes(id);

/** How a brain is opened. */
export interface OpenOptions {
  create?: boolean;
  /** Leaves the schema as it is. */
  observes?: boolean;
  /** Language of the index's stemmed stream. */
  language: string;
  /** Folder for what does not stand beside a data folder. */
  homeRoot: string;
  /** Told of a fault in the background, where no call can end with it. */
  reportFault(operation: string, thrown: unknown): void;
}

/** Opens the index once, when it is first asked for. */
function lazyIndex(options: LiveIndexOptions): {
  open(): Promise<LiveIndex>;
  opened(): Promise<LiveIndex> | undefined;
} {
  let opening: Promise<LiveIndex> | undefined;
  return {
    open: () => {
      opening ??= LiveIndex.open(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    opened: () => opening,
  };
}

async function closeBrain(store: Store, index: ReturnType<typeof lazyIndex>): Promise<void> {
  try {
    const live = await index.opened()?.catch(() => undefined);
    await live?.close();
  } finally {
    await store.close();
  }
}

/** Opens a brain, brings its schema up to date and reads its identity. Fails with a registered code, store closed. */
export async function openBrainAt(located: Openable, options: OpenOptions): Promise<OpenBrain> {
  const path = pathOf(located);
  try {
    const { create, observes } = options;
    const store = await openStore(located, { migrations, ...(create && { create }), ...(observes && { observes }) });
    try {
      const identity = await readIdentity(store);
      const { language, homeRoot } = options;
      const kept = (what: 'index' | 'vectors') =>
        indexFileAt(
          located.kind === 'pglite' ? `${located.dataDir}.${what}` : join(homeRoot, `${what}-${identity.brainId}`),
        );
      const index = lazyIndex({
        store,
        incarnation: identity.incarnation,
        file: kept('index'),
        vectorsFile: kept('vectors'),
        language,
        words: lazyWords(language),
      });
      const hasSource = knownSources(store);
      return {
        id: 'host',
        path,
        ...identity,
        store,
        hasSource,
        sourceIds: () => readSourceIds(store),
        index: index.open,
        close: () => closeBrain(store, index),
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    return refuse(error, path);
  }
}
