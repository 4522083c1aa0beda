// Decides who this process is to a brain: its owner, a client of the owner, or neither. Knows nothing of calls.
import { setTimeout as delay } from 'node:timers/promises';
import { announce, type OwnerIdentity, type OwnerLock } from './claim.ts';
import { type ConnectRefusal, connectOwner, isListening, type OwnerClient } from './client.ts';
import { acquireLock } from './lock.ts';
import { type OwnerInfo, type OwnerPaths, readOwnerRecord } from './rendezvous.ts';

/** What an election takes. */
export interface ElectOptions {
  paths: OwnerPaths;
  /** Who this process is if it becomes the owner. */
  identity: OwnerIdentity;
  /** A JSON value that says who calls if it becomes a client. */
  caller: unknown;
  /** Longest time to wait for an owner that opens, closes or does not answer; 0 tries once. */
  deadlineMs: number;
  signal?: AbortSignal;
  /** Told before each wait, so that no caller waits in silence. */
  onWait?(wait: Wait): void;
}

/** One wait between two tries. */
export interface Wait {
  /** `opening`: an owner that cannot be reached yet (or any more); else why it refused. */
  why: 'opening' | ConnectRefusal['reason'];
  owner: OwnerInfo | null;
  waitMs: number;
  waitedMs: number;
}

/** The brain is open in a process that this one cannot call. */
export interface HeldElsewhere {
  readonly kind: 'held';
  /** What the owner record says; null when it says nothing. */
  readonly record: OwnerInfo | null;
  /** Absent when the owner hosts no socket. */
  readonly refusal?: ConnectRefusal;
}

/** Outcome of an election. */
export type Election =
  | { readonly kind: 'owner'; readonly lock: OwnerLock }
  | { readonly kind: 'client'; readonly client: OwnerClient }
  | HeldElsewhere;

const WAIT_MS_FIRST = 5;
const WAIT_MS_MAX = 250;
const GREETING_MS_MAX = 2_000;
const GREETING_MS_MIN = 250;

/**
 * Connects to the owner, else becomes it, else tries again with short waits until the deadline. Of processes that start
 * at once exactly one becomes the owner.
 *
 * @throws OwnerFault when the place cannot hold a lock; the signal's reason.
 */
export async function openOrForward(options: ElectOptions): Promise<Election> {
  const started = performance.now();
  const waited = () => performance.now() - started;
  for (let tries = 0; ; tries += 1) {
    const left = options.deadlineMs - waited();
    const greetingMs = Math.min(Math.max(left, GREETING_MS_MIN), GREETING_MS_MAX);
    const turn = await tryOnce(options, greetingMs);
    if (turn.kind !== 'held' || turn.refusal?.reason === 'protocol') return turn;
    const waitMs = decideWaitMs(tries, options.deadlineMs - waited());
    if (waitMs === 0) return turn;
    options.onWait?.({ why: turn.refusal?.reason ?? 'opening', owner: turn.record, waitMs, waitedMs: waited() });
    await delay(waitMs, undefined, options.signal ? { signal: options.signal } : {}).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw error;
    });
  }
}

/** Doubles from 5 ms to 250 ms and never passes the deadline; 0 says that the time is up. */
export function decideWaitMs(tries: number, leftMs: number): number {
  return Math.max(0, Math.min(WAIT_MS_FIRST * 2 ** Math.min(tries, 10), WAIT_MS_MAX, Math.floor(leftMs)));
}

async function tryOnce(options: ElectOptions, greetingMs: number): Promise<Election> {
  const { paths, identity, caller, signal } = options;
  const { version } = identity;
  const found = await connectOwner(paths, { version, caller, greetingMs, ...(signal ? { signal } : {}) });
  if (found.kind === 'connected') return { kind: 'client', client: found };
  const refusal = found.kind === 'refused' ? { reason: found.reason, message: found.message } : undefined;
  const held: HeldElsewhere = { kind: 'held', record: found.owner, ...(refusal ? { refusal } : {}) };
  const attempt = acquireLock(paths.lock);
  if (!attempt.held) return held;
  // A free lock beside an owner that listens: it lost its lock (its file was replaced or copied by its own process),
  // and two owners would damage the brain.
  const reach = readOwnerRecord(paths)?.reach;
  if (reach && (await isListening(reach.socket))) {
    attempt.release();
    return held;
  }
  return { kind: 'owner', lock: announce(attempt, paths, identity) };
}
