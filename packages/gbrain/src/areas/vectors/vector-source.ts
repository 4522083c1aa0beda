// The port between the vector arm and what stores and makes vectors: a brain's live vectors, and the vector of a query.
// It knows no provider and no table.
import type { StoredVector } from '../../index/vectors/vector-index.ts';

/** The embedding profile that a search uses: one provider, model and size. Vectors of two profiles never meet. */
export interface VectorProfile {
  /** Changes with the provider, the model, the size and the way a text is prepared. A snapshot names it. */
  readonly signature: string;
  readonly dimensions: number;
}

/** Place in the feed of vectors, opaque: what was read up to here. It is of one profile. */
export type VectorCursor = string;

/** Part of the feed of vectors. */
export interface VectorFeed {
  /** Vectors that were stored after the cursor, for every chunk that has their text now. */
  readonly vectors: readonly StoredVector[];
  /** Where to go on. */
  readonly next: VectorCursor;
  /** False when this part reaches the end of what has been committed. */
  readonly hasMore: boolean;
}

/** Why a query has no vector. Source: facts/engine C.11, the reasons of degraded stages. */
export type NoVectorReason =
  /** No embedding model is configured, or embeddings are off by choice. */
  | 'no_provider'
  /** The provider is configured and its key is not set. */
  | 'no_key'
  /** Nothing of this brain has been embedded yet. */
  | 'no_vectors'
  | 'timeout'
  /** A cap of spend or a missing price stopped it before the call. */
  | 'budget'
  | 'provider_error';

/** A query without a vector; `detail` is our own word for the fault, never a provider's text. */
export interface Unavailable {
  readonly unavailable: NoVectorReason;
  readonly detail?: string;
}

/** Vectors of one brain. */
export interface VectorSource {
  /** The profile that is searched; undefined while the brain has none. Reads one row. */
  profile(): Promise<VectorProfile | undefined>;
  /**
   * The vector of a query, of length 1 and of the live profile's size. It never rejects for a provider's fault. Equal
   * queries are remembered for a while, so a repeated search pays once.
   */
  embedQuery(text: string, options?: { signal?: AbortSignal }): Promise<Float32Array | Unavailable>;
  /**
   * Vectors stored after `since`, oldest first; from the start without it. A cursor of another profile starts anew.
   * A page that was written again keeps the vectors of its unchanged texts, and the feed does not repeat them: read
   * those with `vectorsOf` when the feed of pages names the page.
   */
  readVectors(since: VectorCursor | undefined, limit: number): Promise<VectorFeed>;
  /** What stands at a place of the feed, so that a restored past is told from this one; undefined for nothing. */
  markOf(cursor: VectorCursor): Promise<string | undefined>;
  /** Vectors of the chunks of these pages as they stand; chunks that wait for theirs are left out. */
  vectorsOf(pageIds: readonly number[]): Promise<StoredVector[]>;
}

/** True when a query got its vector. */
export const hasVector = (found: Float32Array | Unavailable): found is Float32Array => found instanceof Float32Array;
