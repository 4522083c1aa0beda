// A server's link to its brain: opens it in the background, says why it cannot, and tries again when it is asked.
// It never ends the server: without a brain the server stays up in status-only mode.
import { Raised } from '../failure.ts';
import { locateBrain } from '../home/locate.ts';
import type { OwnerInfo } from '../owner/rendezvous.ts';
import { type AttachOptions, attach } from './attach.ts';
import type { Attached } from './attached.ts';

/** Why there is no brain. Source: facts/contract G.9. */
export type DownReason =
  | 'lock_held'
  | 'no_brain'
  | 'missing_brain'
  | 'config_unreadable'
  | 'brain_unopenable'
  | 'repair_failed';

/** A server without a brain, and what is known of the cause. */
export interface Down {
  kind: 'down';
  reason: DownReason;
  path?: string;
  owner?: OwnerInfo;
}

/** Where a link stands. */
export type LinkState = { kind: 'opening' } | { kind: 'ready'; attached: Attached } | Down;

/** What a link takes. */
export interface LinkOptions extends Omit<AttachOptions, 'deadlineMs'> {
  /** Whether calls may be forwarded to another process that has the brain open. */
  shareLocal(): Promise<boolean>;
  /** Told when the server turns out to have no brain, for another reason than before, and when it has one again. */
  onChange(state: LinkState): void;
  nowMs(): number;
}

/** A lock is tried at most this often, so that a busy client does not hammer the disk. */
const RETRY_MS = 5_000;
/** How long a short command that has the brain open is waited for before the server goes status-only. */
const COMMAND_WAIT_MS = 10_000;

const REASON_OF: Record<string, DownReason> = {
  no_brain: 'no_brain',
  config_error: 'config_unreadable',
  lock_busy: 'lock_held',
  recovery_required: 'repair_failed',
};

function downOf(error: unknown): Down {
  if (!(error instanceof Raised)) return { kind: 'down', reason: 'brain_unopenable' };
  const { code, data } = error;
  const reason = data.reason === 'missing_brain' ? 'missing_brain' : (REASON_OF[code] ?? 'brain_unopenable');
  return {
    kind: 'down',
    reason,
    // Unreadable settings say nothing of where the brain is; their own path is in the failure.
    ...(typeof data.path === 'string' && reason !== 'config_unreadable' && { path: data.path }),
    ...(data.owner ? { owner: data.owner as OwnerInfo } : {}),
  };
}

/** The link of one server to its brain. */
export class BrainLink {
  readonly #options: LinkOptions;
  #state: LinkState = { kind: 'opening' };
  #trying: Promise<LinkState> | undefined;
  #triedMs = Number.NEGATIVE_INFINITY;
  readonly #elected = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Tries at once; the outcome is also told to `onChange`. */
  start(): Promise<LinkState> {
    // A late call must not open a brain that nobody would close.
    if (this.#isClosed) return Promise.resolve(this.#state);
    this.#triedMs = this.#options.nowMs();
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
    });
    return this.#trying;
  }

  /** The state after another try, which is made at most every five seconds; files are looked at every time. */
  async probe(): Promise<LinkState> {
    if (this.#state.kind === 'ready') return this.#state;
    if (this.#trying || this.#options.nowMs() - this.#triedMs >= RETRY_MS) return this.start();
    return this.#settle(await this.#withoutLock());
  }

  /** Resolves when it is known who has the brain, which takes no store, or after `ms`. */
  async elected(ms: number): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, ms);
    await Promise.race([this.#elected.promise, limit.promise]);
    clearTimeout(timer);
  }

  /** The link once the first try is over. */
  async settled(): Promise<LinkState> {
    return this.#state.kind === 'opening' ? this.start() : this.#state;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#trying?.catch(() => undefined);
    if (this.#state.kind === 'ready') await this.#state.attached.close();
  }

  #settle(state: LinkState): LinkState {
    const before = this.#state;
    this.#state = state;
    this.#elected.resolve();
    const reasonOf = (one: LinkState) => (one.kind === 'down' ? one.reason : undefined);
    // A brain that opens as expected changes nothing for the client.
    if (reasonOf(before) !== reasonOf(state)) this.#options.onChange(state);
    return state;
  }

  /** What the files say, without touching the lock. */
  async #withoutLock(): Promise<LinkState> {
    if (this.#state.kind !== 'down' || this.#state.reason === 'lock_held') return this.#state;
    try {
      const located = await locateBrain(this.#options.host);
      // It is there now: worth a real try, whenever the last one was.
      if (located.kind === 'pglite' || located.kind === 'postgres') return this.start();
      return this.#state;
    } catch (error) {
      return downOf(error);
    }
  }

  async #try(): Promise<LinkState> {
    try {
      return this.#settle(await this.#attach(0));
    } catch (error) {
      return this.#settle(downOf(error));
    }
  }

  async #attach(deadlineMs: number): Promise<LinkState> {
    const { shareLocal, ...options } = this.#options;
    const attached = await attach({ ...options, deadlineMs });
    if (attached.kind !== 'client') {
      this.#elected.resolve();
      // Opens the store now, so that the first call finds it open; a failure is this try's failure.
      await options.brain.open().catch(async (error: unknown) => {
        await attached.close();
        throw error;
      });
      return { kind: 'ready', attached };
    }
    if (attached.owner?.serve === false) return this.#afterCommand(attached);
    if (await shareLocal()) return { kind: 'ready', attached };
    await attached.close();
    return {
      kind: 'down',
      reason: 'lock_held',
      ...(attached.owner && { owner: attached.owner }),
      ...(attached.path && { path: attached.path }),
    };
  }

  /** A command holds the brain for a moment: its end is waited for, then the lock is taken. */
  async #afterCommand(attached: Attached): Promise<LinkState> {
    const { signal } = this.#options;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_WAIT_MS)]);
    await Promise.race([attached.ended, new Promise((resolve) => enough.addEventListener('abort', resolve))]);
    await attached.close();
    signal.throwIfAborted();
    return this.#attach(1_000);
  }
}
