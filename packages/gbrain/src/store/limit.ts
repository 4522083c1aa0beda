// One bound for a call into the store: its deadline and its caller's cancellation as a single signal.
import { storeError } from './faults.ts';
import type { StoreError } from './store.ts';

/** A running bound. `signal.reason` is a StoreError: `timeout` past the deadline, `aborted` on the caller's word. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Stops the clock and lets go of the caller's signal. */
  end(): void;
}

/** Starts a bound of at most `timeoutMs`, ended early by `outer` (a TimeoutError there counts as a deadline). */
export function startLimit(timeoutMs: number, outer?: AbortSignal): Limit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(storeError('timeout')), Math.min(timeoutMs, 2 ** 31 - 1));
  const onOuter = () => {
    const cause: unknown = outer?.reason;
    const late = (cause as { name?: string } | null)?.name === 'TimeoutError';
    controller.abort(storeError(late ? 'timeout' : 'aborted', { cause }));
  };
  if (outer?.aborted) onOuter();
  else outer?.addEventListener('abort', onOuter, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onOuter);
    },
  };
}

/** Settles like `work`, or rejects with the signal's StoreError as soon as it fires; `work` itself goes on. */
export function withLimit<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as StoreError);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
