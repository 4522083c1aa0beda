// The vector arm of an open brain: the vectors of its live profile in memory, from a file or from the rows, kept up
// with the feed of vectors and with the pages that change. It knows no provider; a brain without a profile has no arm.
import { VectorIndex } from '../../index/vectors/vector-index.ts';
import type { VectorCursor, VectorProfile, VectorSource } from '../vectors/vector-source.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** The stored half of a source of vectors. */
export type StoredVectors = Pick<VectorSource, 'profile' | 'readVectors' | 'vectorsOf' | 'markOf'>;

/** A place in the feed of pages with a hash of the change there, so that another past is told from the same one. */
export interface FeedMark {
  readonly position: string;
  readonly hash: string;
}

/** The feed of pages, as far as a file of vectors needs it. */
export interface PagesFeed {
  /** Where the brain's pages stand. */
  mark(): FeedMark;
  /** Pages that changed since; undefined where that place is not of this brain's past, or lies too far back. */
  changedSince(mark: FeedMark): Promise<readonly number[] | undefined>;
}

/** Where vectors are kept between runs. */
export interface VectorsFile {
  readonly file: SnapshotFile;
  readonly incarnation: string;
  readonly pages: PagesFeed;
}

const VECTORS_A_READ = 2_000;
const PAGES_A_READ = 500;
/** Vectors that were read or written since the file, from which it is worth writing again. */
const SAVE_AFTER = 50;

/** Vectors of one profile with the place up to which the feed was read. */
interface Held {
  readonly profile: VectorProfile;
  readonly index: VectorIndex;
  cursor: VectorCursor | undefined;
  /** Vectors that the file does not hold. */
  unsaved: number;
}

/** What the file says of itself: both feeds, each with a mark of its last row. */
interface Place {
  readonly cursor: VectorCursor;
  readonly mark: string;
  readonly pages: FeedMark;
}

function parsePlace(text: string): Place | undefined {
  try {
    const { cursor, mark, pages } = JSON.parse(text) as Place;
    const texts = [cursor, mark, pages.position, pages.hash];
    return texts.every((one) => typeof one === 'string') ? { cursor, mark, pages } : undefined;
  } catch {
    return undefined;
  }
}

/** Vectors that follow their brain. */
export class LiveVectors {
  readonly #source: StoredVectors;
  readonly #kept: VectorsFile | undefined;
  #held: Held | undefined;
  /** Pages that changed since their vectors were read. */
  #touched = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: StoredVectors, kept?: VectorsFile) {
    this.#source = source;
    this.#kept = kept;
  }

  /** Says that pages changed: their vectors are read again before the next search. */
  touch(pageIds: Iterable<number>): void {
    if (this.#held) for (const pageId of pageIds) this.#touched.add(pageId);
  }

  /** The arm with everything that was committed when this was called; null while the brain has no vectors. */
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
      await this.#open(profile);
    }
    const held = this.#held!;
    for (;;) {
      const { vectors, next, hasMore } = await this.#source.readVectors(held.cursor, VECTORS_A_READ);
      held.index.put(vectors);
      held.unsaved += vectors.length;
      held.cursor = next;
      if (!hasMore) break;
    }
    await this.#readTouched(held);
    return held.index;
  }

  /** Begins a profile: with what its file holds, where that is of this brain's past, else with nothing. */
  async #open(profile: VectorProfile): Promise<void> {
    this.#touched.clear();
    this.#held = { profile, index: new VectorIndex(profile.dimensions), cursor: undefined, unsaved: 0 };
    const bytes = await this.#kept?.file.read();
    if (!this.#kept || !bytes) return;
    const { incarnation, pages } = this.#kept;
    const loaded = VectorIndex.load(bytes, { incarnation, ...profile });
    const place = loaded.ok ? parsePlace(loaded.stamp.position) : undefined;
    if (!loaded.ok || !place || (await this.#source.markOf(place.cursor)) !== place.mark) return;
    const changed = await pages.changedSince(place.pages);
    if (!changed) return;
    this.#held = { profile, index: loaded.index, cursor: place.cursor, unsaved: 0 };
    this.touch(changed);
  }

  async #readTouched(held: Held): Promise<void> {
    const pageIds = [...this.#touched];
    for (let at = 0; at < pageIds.length; at += PAGES_A_READ) {
      const some = pageIds.slice(at, at + PAGES_A_READ);
      const vectors = await this.#source.vectorsOf(some);
      held.index.remove(some);
      held.index.put(vectors);
      held.unsaved += some.length;
      for (const pageId of some) this.#touched.delete(pageId);
    }
  }

  /** Writes the file when enough has changed since the last one: at the end of all, for it is copied at once. */
  async save(): Promise<void> {
    const held = this.#held;
    const kept = this.#kept;
    if (!held?.cursor || !kept || held.unsaved < SAVE_AFTER) return;
    // What is touched is older in the index than the pages' mark says, so it is read first.
    await this.current();
    const { cursor } = held;
    const pages = kept.pages.mark();
    const isBehind = this.#touched.size > 0;
    const mark = await this.#source.markOf(cursor);
    if (isBehind || mark === undefined || this.#held !== held || held.cursor !== cursor) return;
    const place: Place = { cursor, mark, pages };
    const { incarnation } = kept;
    const { signature } = held.profile;
    held.unsaved = 0;
    await kept.file.write([held.index.snapshot({ incarnation, signature, position: JSON.stringify(place) })]);
  }
}
