// The index of the facts of an open brain, kept up with the rows: what a caller may see is settled when it is asked,
// so one index serves everybody. It lives as long as the store, and is read from the rows at the first question.
import type { ReadScope } from '../../context.ts';
import type { VectorIndex } from '../../index/vectors/vector-index.ts';
import { FEED_START, readPart } from '../../store/feed.ts';
import type { Store } from '../../store/store.ts';
import { LiveVectors } from '../search/live-vectors.ts';
import { storedFactVectors } from '../vectors/stored-vectors.ts';
import { type FactFeedRow, readFactFeed, readFactNews } from './fact-feed.sql.ts';
import { FactIndex, type IndexedFact } from './fact-index.ts';
import type { FactFilter } from './facts.sql.ts';

/** Facts of the first read of a round and of those that follow; with a large first one the server sorts them all. */
const FACTS_FIRST = 100;
const FACTS_A_READ = 5_000;

const toIndexed = (row: FactFeedRow): IndexedFact => ({
  id: row.id,
  sourceId: row.source_id,
  isPrivate: row.is_private,
  terms: row.terms,
  kind: row.kind,
  confidence: row.confidence,
  validFrom: row.valid_from,
  validUntil: row.valid_until?.getTime() ?? null,
  expiredAt: row.expired_at?.getTime() ?? null,
  isReplaced: row.is_replaced,
  createdAt: row.created_at.getTime(),
});

/** An index that follows the facts of its brain. */
class LiveFacts {
  /** The vectors of the brain's facts, followed along the same feed. */
  readonly vectors: LiveVectors;
  readonly #store: Store;
  readonly #index = new FactIndex();
  #cursor = FEED_START;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
    this.vectors = new LiveVectors(storedFactVectors(store));
  }

  /** The index with everything that was committed when this was called. */
  current(): Promise<FactIndex> {
    const next = this.#last.then(() => this.#follow());
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #follow(): Promise<FactIndex> {
    const { newest, snapshot } = await readFactNews(this.#store);
    // Below the oldest transaction that ran at the last look, everything has been read.
    if (newest !== null && newest >= Number.parseInt(this.#cursor.seen, 10)) await this.#read();
    else this.#cursor = { seen: snapshot, last: this.#cursor.last };
    return this.#index;
  }

  async #read(): Promise<void> {
    for (let limit = FACTS_FIRST; ; limit = FACTS_A_READ) {
      const { rows, cursor, hasMore } = await readPart(this.#store, () =>
        readFactFeed(this.#store, this.#cursor, limit),
      );
      this.#index.remove(rows.filter(({ is_gone }) => is_gone).map(({ id }) => id));
      this.#index.put(rows.filter(({ is_gone }) => !is_gone).map(toIndexed));
      this.vectors.touch(rows.map(({ id }) => id));
      this.#cursor = cursor;
      if (!hasMore) return;
    }
  }
}

const followed = new WeakMap<Store, LiveFacts>();

function liveOf(store: Store): LiveFacts {
  const live = followed.get(store) ?? new LiveFacts(store);
  followed.set(store, live);
  return live;
}

/** The index of the facts of a brain, with everything that was committed when this was called. */
export const currentFacts = (store: Store): Promise<FactIndex> => liveOf(store).current();

/** The vectors of its facts; null while the brain has no vectors. What is called a page there is a fact. */
export const currentFactVectors = (store: Store): Promise<VectorIndex | null> => liveOf(store).vectors.current();

/** Whether a reader may see a fact, and a question asks for it, as far as the index knows; the rows are asked after. */
export function admission(scope: ReadScope, filter: Omit<FactFilter, 'limit'>): (fact: IndexedFact) => boolean {
  const sources = new Set<string>(scope.sources);
  const seesPrivate = scope.visibility === 'all';
  const now = filter.now.getTime();
  const since = filter.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const isAsked = askedState(filter, now);
  return (fact) =>
    sources.has(fact.sourceId) && (seesPrivate || !fact.isPrivate) && fact.createdAt >= since && isAsked(fact);
}

function askedState({ asOf, superseded, expired }: Omit<FactFilter, 'limit'>, now: number) {
  const endsAfter = (fact: IndexedFact, at: number): boolean => fact.validUntil === null || fact.validUntil > at;
  if (asOf) {
    const at = asOf.getTime();
    return (fact: IndexedFact): boolean =>
      fact.validFrom.getTime() <= at &&
      endsAfter(fact, at) &&
      (fact.expiredAt === null || fact.expiredAt > at || fact.isReplaced);
  }
  if (superseded) return (fact: IndexedFact): boolean => fact.isReplaced;
  if (expired) return (): boolean => true;
  return (fact: IndexedFact): boolean => fact.expiredAt === null && !fact.isReplaced && endsAfter(fact, now);
}
