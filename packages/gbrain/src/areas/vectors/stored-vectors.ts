// The vectors of a brain as a search reads them, and the vector of a query: the implementation of `vector-source.ts`.
import { Raised } from '../../failure.ts';
import type { Host } from '../../host.ts';
import type { StoredVector } from '../../index/vectors/vector-index.ts';
import { ProviderFault } from '../../providers/provider-fault.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import { cursorText, FEED_START, type FeedCursor, parseCursor, readPart } from '../../store/feed.ts';
import type { Store } from '../../store/store.ts';
import { openDayPurse } from '../spend/purse.ts';
import { callEmbedder, profileEmbedder, sentText } from './embedder.ts';
import { readFactVectorFeed, readFactVectors } from './fact-vectors.sql.ts';
import { toUnit, unpackVector } from './packed-vector.ts';
import { type ProfileRow, readLiveProfile } from './profiles.sql.ts';
import type { Unavailable, VectorCursor, VectorFeed, VectorSource } from './vector-source.ts';
import { dropVectorsOf, type PlacedVector, readPageVectors, readVectorFeed, readVectorMark } from './vectors.sql.ts';

/** For the transaction in which texts go away for good. */
export { dropVectorsOf };

/** Queries whose vector is remembered; the oldest goes first. */
const REMEMBERED_MAX = 512;

const toStoredVector =
  (dimensions: number) =>
  ({ page_id, chunk_index, vector }: PlacedVector): StoredVector => ({
    pageId: page_id,
    chunkIndex: chunk_index,
    code: unpackVector(vector, dimensions),
  });

function cursorOf(cursor: VectorCursor | undefined, signature: string): FeedCursor {
  const prefix = `${signature}@`;
  return (cursor?.startsWith(prefix) && parseCursor(cursor.slice(prefix.length))) || FEED_START;
}

/** How the vectors of one kind of text are read. */
interface Reads {
  feed: typeof readVectorFeed;
  of: typeof readPageVectors;
}

/** The stored half of a source: it needs no settings and calls nobody. */
export const storedVectors = (store: Store): Omit<VectorSource, 'embedQuery'> =>
  stored(store, { feed: readVectorFeed, of: readPageVectors });

/** The same of facts: what is called a page there is a fact, and it has one chunk. */
export const storedFactVectors = (store: Store): Omit<VectorSource, 'embedQuery'> =>
  stored(store, { feed: readFactVectorFeed, of: readFactVectors });

const stored = (store: Store, reads: Reads): Omit<VectorSource, 'embedQuery'> => ({
  profile: async () => {
    const row = await readLiveProfile(store);
    return row && { signature: row.signature, dimensions: row.dimensions };
  },
  readVectors: async (since, limit): Promise<VectorFeed> => {
    const row = await readLiveProfile(store);
    if (!row) return { vectors: [], next: '', hasMore: false };
    const { rows, cursor, hasMore } = await readPart(store, () =>
      reads.feed(store, row.id, cursorOf(since, row.signature), limit),
    );
    return {
      vectors: rows.map(toStoredVector(row.dimensions)),
      next: `${row.signature}@${cursorText(cursor)}`,
      hasMore,
    };
  },
  markOf: async (cursor) => {
    const row = await readLiveProfile(store);
    return row && readVectorMark(store, row.id, cursorOf(cursor, row.signature).last);
  },
  vectorsOf: async (pageIds) => {
    const row = pageIds.length > 0 ? await readLiveProfile(store) : undefined;
    return row ? (await reads.of(store, row.id, pageIds)).map(toStoredVector(row.dimensions)) : [];
  },
});

async function timeoutOf(host: Host): Promise<number> {
  const { value } = await host.setting('embedding.query_timeout_ms');
  return typeof value === 'number' ? value : 6_000;
}

async function embedText(
  { store, host }: { store: Store; host: Host },
  profile: ProfileRow,
  text: string,
  signal?: AbortSignal,
): Promise<Float32Array | Unavailable> {
  const embedder = await profileEmbedder(host, profile);
  if ('none' in embedder) {
    return { unavailable: embedder.none === 'key_missing' ? 'no_key' : 'no_provider', detail: embedder.none };
  }
  try {
    const purse = embedder.model.isFree ? NO_PURSE : await openDayPurse({ store, host }, 'query');
    const { value } = await callEmbedder(embedder, [sentText(embedder, text)], 'query', {
      purse,
      purpose: 'query_embed',
      timeoutMs: await timeoutOf(host),
      ...(signal && { signal }),
    });
    const vector = toUnit(value[0], profile.dimensions);
    return vector instanceof Float32Array ? vector : { unavailable: 'provider_error', detail: vector };
  } catch (error) {
    if (error instanceof ProviderFault) {
      return { unavailable: error.kind === 'timeout' ? 'timeout' : 'provider_error', detail: error.kind };
    }
    if (error instanceof Raised) return { unavailable: 'budget', detail: error.code };
    throw error;
  }
}

const remembered = new WeakMap<Store, Map<string, Float32Array>>();

function memoryOf(store: Store): Map<string, Float32Array> {
  const found = remembered.get(store) ?? new Map<string, Float32Array>();
  remembered.set(store, found);
  return found;
}

function remember(memory: Map<string, Float32Array>, key: string, vector: Float32Array): void {
  memory.delete(key);
  memory.set(key, vector);
  const oldest = memory.keys().next();
  if (memory.size > REMEMBERED_MAX && !oldest.done) memory.delete(oldest.value);
}

/** The vectors of a brain, queries included. Cheap to make; what it remembers belongs to the store. */
export function vectorSourceOf(store: Store, host: Host): VectorSource {
  return {
    ...storedVectors(store),
    embedQuery: async (text, { signal } = {}) => {
      if ((await host.setting('embedding_model')).value === 'off') {
        return { unavailable: 'no_provider', detail: 'off' };
      }
      const profile = await readLiveProfile(store);
      if (!profile) return { unavailable: 'no_vectors' };
      const memory = memoryOf(store);
      const key = `${profile.signature}\n${text}`;
      const known = memory.get(key);
      const found = known ?? (await embedText({ store, host }, profile, text, signal));
      if (found instanceof Float32Array) remember(memory, key, found);
      return found;
    },
  };
}
