// The vector arm of an open brain: the vectors of its live profile in memory, kept up with the feed of vectors and with
// the pages that change. It knows no provider; a brain without a profile has no arm.
import { VectorIndex } from '../../index/vectors/vector-index.ts';
import type { VectorCursor, VectorProfile, VectorSource } from '../vectors/vector-source.ts';

/** The stored half of a source of vectors. */
export type StoredVectors = Pick<VectorSource, 'profile' | 'readVectors' | 'vectorsOf'>;

const VECTORS_A_READ = 2_000;
const PAGES_A_READ = 500;

/** Vectors of one profile with the place up to which the feed was read. */
interface Held {
  readonly profile: VectorProfile;
  readonly index: VectorIndex;
  cursor: VectorCursor | undefined;
}

/** Vectors that follow their brain. */
export class LiveVectors {
  readonly #source: StoredVectors;
  #held: Held | undefined;
  /** Pages that changed since their vectors were read. */
  #touched = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: StoredVectors) {
    this.#source = source;
  }

  /** Says that pages changed: their vectors are read again before the next search. */
  touch(pageIds: Iterable<number>): void {
    if (this.#held) for (const pageId of pageIds) this.#touched.add(pageId);
  }

  /** The arm with everything that was settled when this was called; null while the brain has no vectors. */
  current(): Promise<VectorIndex | null> {
    const next = this.#last.then(() => this.#follow());
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** The arm as it is in memory, without a look at the store. */
  get held(): VectorIndex | null {
    return this.#held?.index ?? null;
  }

  async #follow(): Promise<VectorIndex | null> {
    const profile = await this.#source.profile();
    if (!profile) {
      this.#held = undefined;
      return null;
    }
    if (this.#held?.profile.signature !== profile.signature || this.#held.profile.dimensions !== profile.dimensions) {
      this.#held = { profile, index: new VectorIndex(profile.dimensions), cursor: undefined };
      this.#touched.clear();
    }
    const held = this.#held;
    for (;;) {
      const { vectors, next, hasMore } = await this.#source.readVectors(held.cursor, VECTORS_A_READ);
      held.index.put(vectors);
      held.cursor = next;
      if (!hasMore) break;
    }
    await this.#readTouched(held);
    return held.index;
  }

  async #readTouched({ index }: Held): Promise<void> {
    const pageIds = [...this.#touched];
    for (let at = 0; at < pageIds.length; at += PAGES_A_READ) {
      const some = pageIds.slice(at, at + PAGES_A_READ);
      const vectors = await this.#source.vectorsOf(some);
      index.remove(some);
      index.put(vectors);
      for (const pageId of some) this.#touched.delete(pageId);
    }
  }
}
