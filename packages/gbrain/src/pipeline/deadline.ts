// Step 6: one signal for a call: the caller's cancel and the operation's deadline, told apart when it fires.

/** Longest time that any call may ask for. */
const LONGEST_MS = 600_000;
const DEFAULT_MS = 60_000;

/** The running clock of one call. */
export interface Deadline {
  signal: AbortSignal;
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
    cause: () => (cancel.aborted ? 'cancelled' : timeout.signal.aborted ? 'timeout' : undefined),
    limitMs,
    end: () => clearTimeout(timer),
  };
}
