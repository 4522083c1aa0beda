// Simulated time: a queue of what happens when, run one at a time, each to the end of its consequences.
import type { Clock } from '@gbrain/brain/clock';

interface Entry {
  atMs: number;
  order: number;
  run: () => void;
}

/** Time and everything that will happen in it. */
export class SimClock implements Clock {
  #now = 1_700_000_000_000;
  #order = 0;
  #entries: Entry[] = [];
  /** Things that have happened. */
  steps = 0;

  nowMs(): number {
    return this.#now;
  }

  timer(ms: number, then: () => void): () => void {
    const entry: Entry = { atMs: this.#now + Math.max(0, ms), order: this.#order++, run: then };
    this.#entries.push(entry);
    return () => {
      const index = this.#entries.indexOf(entry);
      if (index !== -1) this.#entries.splice(index, 1);
    };
  }

  /** Resolves after `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.timer(ms, resolve));
  }

  /** Runs until nothing is left to happen, or `maxSteps` have; true when it came to rest. */
  async run(maxSteps: number): Promise<boolean> {
    for (let left = maxSteps; left > 0; left -= 1) {
      // Everything that follows at once runs as microtasks, and all of those come before this.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const entry = this.#takeFirst();
      if (!entry) return true;
      this.#now = Math.max(this.#now, entry.atMs);
      this.steps += 1;
      entry.run();
    }
    return false;
  }

  #takeFirst(): Entry | undefined {
    let best = -1;
    for (let index = 0; index < this.#entries.length; index += 1) {
      const [left, right] = [this.#entries[index], this.#entries[best]];
      if (!left) continue;
      const isEarlier = !right || left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
      if (isEarlier) best = index;
    }
    return best === -1 ? undefined : this.#entries.splice(best, 1)[0];
  }
}

/** One life of a server. What it started stops mattering when it ends. */
export class Life implements Clock {
  readonly clock: SimClock;
  alive = true;
  readonly #deaths: (() => void)[] = [];
  readonly #skewMs: number;

  /** `skewMs` is how far its wall clock is off. */
  constructor(clock: SimClock, skewMs: number) {
    this.clock = clock;
    this.#skewMs = skewMs;
  }

  nowMs(): number {
    return this.clock.nowMs() + this.#skewMs;
  }

  timer(ms: number, then: () => void): () => void {
    return this.clock.timer(ms, () => {
      if (this.alive) then();
    });
  }

  /** Called when this life ends. */
  onDeath(listener: () => void): void {
    this.#deaths.push(listener);
  }

  /** Ends it: from here on nothing of it has any effect. */
  end(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const listener of this.#deaths) listener();
  }
}

/** A promise that never settles: what a dead process waits for. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
