// The admission queue of one open brain: writes wait here for their turn, may be joined, watched and taken out.
// It knows what a write is called and not what it does. Source: design/decisions 22b.
import { raise } from '../../failure.ts';
import type { Store } from '../../store/store.ts';

/** A write as others may see it while it is not over. */
export interface AdmittedWrite {
  requestId: string;
  clientRequestId?: string;
  principal: string;
  operation: string;
  sourceId: string;
  slug: string;
  argumentsHash: string;
  at: Date;
}

/** A write in the queue. `done` ends as the write ends; after `cancel` gave true it never ran. */
export interface Ticket<T = unknown> {
  readonly write: AdmittedWrite;
  readonly state: 'queued' | 'running' | 'over';
  readonly done: Promise<T>;
  /** Takes the write out while it waits; false once it runs. */
  cancel(): boolean;
  /** Asks a running write to stop; its outcome still decides. */
  interrupt(reason: unknown): void;
}

/** Rejects `done` of a write that was taken out. */
export class TakenOut extends Error {}

/** Writes that may wait at once; more are refused with `queue_capacity`. */
const CAPACITY = 1000;
/** Writes that a server runs side by side; the embedded engine has one connection. */
const SIDE_BY_SIDE = 8;
/** Failures that are remembered for a caller that did not wait for them. */
const FAILURES_KEPT = 256;

interface Entry extends Ticket {
  state: 'queued' | 'running' | 'over';
  start(): Promise<void>;
}

const keyOf = (principal: string, requestId: string): string => `${principal}\n${requestId}`;

/** First in, first out. A write is over when its promise is; what it left stands in its receipt. */
export class WriteQueue {
  readonly #width: number;
  readonly #waiting: Entry[] = [];
  readonly #open = new Map<string, Entry>();
  readonly #failures = new Map<string, { write: AdmittedWrite; error: unknown }>();
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /**
   * Admits a write. A request that is in the queue already is joined; with other arguments it is refused with
   * `idempotency_conflict`. Raises `queue_capacity`.
   */
  submit<T>(write: AdmittedWrite, run: (signal: AbortSignal) => Promise<T>): Ticket<T> {
    const key = keyOf(write.principal, write.requestId);
    const same = this.#open.get(key);
    if (same) {
      if (same.write.argumentsHash === write.argumentsHash) return same as Ticket as Ticket<T>;
      raise('idempotency_conflict', { requestId: write.requestId, state: same.state });
    }
    if (this.#waiting.length >= CAPACITY) raise('queue_capacity', { waiting: CAPACITY });
    const entry = this.#makeEntry(key, write, run);
    this.#failures.delete(key);
    this.#open.set(key, entry);
    this.#waiting.push(entry);
    this.#pump();
    return entry as Ticket as Ticket<T>;
  }

  /** The write of this id that is not over. */
  find(principal: string, requestId: string): Ticket | undefined {
    return this.#open.get(keyOf(principal, requestId));
  }

  /** How a write failed that nobody waited for and that left no receipt. */
  failure(principal: string, requestId: string): { write: AdmittedWrite; error: unknown } | undefined {
    return this.#failures.get(keyOf(principal, requestId));
  }

  /** Writes of a principal that are not over, newest first. */
  list(principal: string): Ticket[] {
    return [...this.#open.values()].filter(({ write }) => write.principal === principal).reverse();
  }

  /** How many writes are not over, and since when the oldest of them waits. */
  figures(): { open: number; oldestAt?: Date } {
    const [oldest] = this.#open.values();
    return { open: this.#open.size, ...(oldest && { oldestAt: oldest.write.at }) };
  }

  /** Resolves when every admitted write is over. For an owner that ends. */
  async drain(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled([...this.#open.values()].map((entry) => entry.done));
  }

  #makeEntry<T>(key: string, write: AdmittedWrite, run: (signal: AbortSignal) => Promise<T>): Entry {
    const stop = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const over = (settle: () => void) => {
      entry.state = 'over';
      this.#open.delete(key);
      settle();
    };
    const entry: Entry = {
      write,
      state: 'queued',
      done: promise,
      cancel: () => {
        const at = this.#waiting.indexOf(entry);
        if (at === -1) return false;
        this.#waiting.splice(at, 1);
        over(() => reject(new TakenOut()));
        return true;
      },
      interrupt: (reason) => stop.abort(reason),
      start: async () => {
        entry.state = 'running';
        try {
          const value = await run(stop.signal);
          over(() => resolve(value));
        } catch (error) {
          this.#remember(key, { write, error });
          over(() => reject(error));
        }
      },
    };
    // A write whose caller has gone still ends; its failure is read from `failure`.
    promise.catch(() => undefined);
    return entry;
  }

  #remember(key: string, failure: { write: AdmittedWrite; error: unknown }): void {
    this.#failures.set(key, failure);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > FAILURES_KEPT && oldest !== undefined) this.#failures.delete(oldest);
  }

  #pump(): void {
    while (this.#running < this.#width) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      next.start().finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }
}

const queues = new WeakMap<Store, WriteQueue>();

/** The queue of an open store: one for all who write through this process. */
export function queueOf(store: Store): WriteQueue {
  const found = queues.get(store) ?? new WriteQueue(store.facts.concurrent ? SIDE_BY_SIDE : 1);
  queues.set(store, found);
  return found;
}
