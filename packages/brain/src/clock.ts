// The clock port: time and timers, so that a simulator can be both. Nothing else in the server asks for the time.

/** Time and timers. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Runs `then` after `ms`; gives what cancels it. */
  timer(ms: number, then: () => void): () => void;
}

/** The machine's clock. A pending timer does not keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  timer(ms, then) {
    // A longer delay would fire at once.
    const timer = setTimeout(then, Math.min(ms, 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** `work`, or `late()` when it takes longer than `ms`; 0 waits without end. The timer is gone when this settles. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> {
  if (ms === 0) return work;
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.timer(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error as Error);
      }
    });
    work.then(resolve, reject).finally(cancel);
  });
}
