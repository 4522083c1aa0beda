// Step 6: one signal for a call: the caller's cancel and the operation's deadline, told apart when it fires.

/** Longest time that any call may ask for. */
const LONGEST_MS = 600_000;
const DEFAULT_MS = 60_000;

/** The running clock of one call. */
export interface Deadline {
  signal: AbortSignal;
  /** Fires for the bound alone, and not for the caller's cancel. */
  outOfTime: AbortSignal;
  /** Why the signal fired; undefined while it has not. */
  cause(): 'timeout' | 'cancelled' | undefined;
  limitMs: number;
  end(): void;
}

/** The reason by which whoever holds the signal tells a deadline from a cancel. */
const outOfTime = (): DOMException => new DOMException('the time of the call is up', 'TimeoutError');

/** Starts the clock of a call; `end` must be called when it is over. An infinite bound (a server) has no clock. */
export function startDeadline(cancel: AbortSignal, ownMs = DEFAULT_MS, askedMs?: number): Deadline {
  const limitMs = askedMs === undefined ? ownMs : Math.min(askedMs, LONGEST_MS);
  const timeout = new AbortController();
  const timer = Number.isFinite(limitMs) ? setTimeout(() => timeout.abort(outOfTime()), limitMs) : undefined;
  timer?.unref();
  return {
    signal: AbortSignal.any([cancel, timeout.signal]),
    outOfTime: timeout.signal,
    cause: () => (cancel.aborted ? 'cancelled' : timeout.signal.aborted ? 'timeout' : undefined),
    limitMs,
    end: () => clearTimeout(timer),
  };
}

/** The value of a promise, or the signal's reason as soon as that fires; what goes on after that is nobody's. */
export async function untilStopped<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  running.catch(() => undefined);
  try {
    return await Promise.race([running, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
