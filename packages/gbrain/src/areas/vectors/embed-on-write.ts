// Gives pages their vectors soon after they are written, in the background: no write waits for it, it stops at its
// bounds and at the day's cap, and after a fault it stays away for a while. Pages from before the profile are a
// backfill that the user is asked for; one that was agreed to for the background is done here as well, round by round
// between what is written. One a process, for as long as it has the brain open.

import { Raised } from '../../failure.ts';
import type { Host } from '../../host.ts';
import { ProviderFault } from '../../providers/provider-fault.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { onCommit } from '../pages/after-commit.ts';
import { openDayPurse } from '../spend/purse.ts';
import { type EmbedEnd, embedWaiting } from './embed-run.ts';
import { type Embedder, profileEmbedder, wantedEmbedder } from './embedder.ts';
import { ensureProfile, keepFault, type ProfileRow, readLiveProfile } from './profiles.sql.ts';
import { type AfterRound, embedQueued } from './queued-runs.ts';

/** The brain that is followed. */
export interface WrittenBrain {
  store: Store;
  host: Host;
  /** Told of a fault that nobody waits for. */
  report(error: unknown): void;
}

/** Texts of one round; a bulk takes many rounds, and writers come between them. */
const ROUND_TEXTS = 256;
/** Writes that follow each other closely are embedded together. */
const GATHER_MS = 300;
/** How long it stays away after a fault: at first, and at most. */
const AWAY_MS = 60_000;
const AWAY_MS_MAX = 3_600_000;

const noop = (): void => undefined;

/** The live profile with its model; undefined where no vectors are made here. */
async function liveEmbedder(
  { store, host }: WrittenBrain,
  since: Date,
): Promise<{ profile: ProfileRow; embedder: Embedder } | undefined> {
  if ((await host.setting('embedding.on_write')).value === false) return undefined;
  if ((await host.setting('embedding_model')).value === 'off') return undefined;
  const live = await readLiveProfile(store);
  if (live) {
    const embedder = await profileEmbedder(host, live);
    return 'none' in embedder ? undefined : { profile: live, embedder };
  }
  const embedder = await wantedEmbedder(host);
  if ('none' in embedder) return undefined;
  const { dimensions, signature, model } = embedder;
  const made = { model: model.ref, dimensions, signature, since, at: host.now() };
  return { profile: await store.tx((tx) => ensureProfile(tx, made)), embedder };
}

/** How long to stay away after a fault, twice as long as the last time. */
function awayMs(profile: ProfileRow, retryAfterMs: number | undefined): number {
  const last = profile.fault_at && profile.not_before ? profile.not_before.getTime() - profile.fault_at.getTime() : 0;
  return Math.min(Math.max(retryAfterMs ?? AWAY_MS, last * 2), AWAY_MS_MAX);
}

/** Keeps a fault of the model of a profile, and until when nobody asks it again unasked. */
export const stayAway = (
  store: Store,
  profile: ProfileRow,
  { fault, at, retryAfterMs }: { fault: string; at: Date; retryAfterMs?: number | undefined },
): Promise<unknown> =>
  store.query(keepFault(profile.id, { fault, at, notBefore: new Date(at.getTime() + awayMs(profile, retryAfterMs)) }));

const withFacts = (pages: EmbedEnd, facts: EmbedEnd): EmbedEnd => ({
  ...facts,
  embedded: Math.max(pages.embedded, facts.embedded),
});

/** One round over what was written since the profile began; true when there may be more to do at once. */
export async function embedWritten(brain: WrittenBrain, openedAt: Date, signal?: AbortSignal): Promise<boolean> {
  const { store, host } = brain;
  const found = await liveEmbedder(brain, openedAt);
  if (!found) return false;
  const { profile, embedder } = found;
  const now = host.now();
  if (profile.not_before && profile.not_before > now) return false;
  let end: EmbedEnd;
  try {
    const purse = embedder.model.isFree ? NO_PURSE : await openDayPurse({ store, host }, 'embed_on_write');
    const selection = { writtenSince: profile.since };
    const bounds = { maxTexts: ROUND_TEXTS, isPatient: false, ...(signal && { signal }) };
    const run = { store, host, profile, embedder, purse, selection, ...bounds };
    const pages = await embedWaiting(run);
    end = pages.stopped ? pages : withFacts(pages, await embedWaiting({ ...run, of: 'facts' }));
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    await stayAway(store, profile, { fault: error.code, at: now });
    return false;
  }
  if (end.stopped) {
    if (end.stopped.outcome !== 'cancelled') {
      const { outcome: fault, retryAfterMs } = end.stopped;
      await stayAway(store, profile, { fault, at: now, retryAfterMs });
    }
    return false;
  }
  if (profile.fault !== null) await store.query(keepFault(profile.id, null));
  return end.embedded >= ROUND_TEXTS;
}

class Embedding {
  readonly #brain: WrittenBrain;
  readonly #openedAt: Date;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(brain: WrittenBrain) {
    this.#brain = brain;
    this.#openedAt = brain.host.now();
  }

  wake(): void {
    this.#timer ??= setTimeout(() => this.#start(), GATHER_MS).unref();
  }

  #wakeLater(afterMs: number): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.wake(), afterMs).unref();
  }

  /** Does what was just written, at most so long, and ends. What is left waits in the rows. */
  async stop(boundMs: number): Promise<void> {
    clearTimeout(this.#later);
    if (this.#timer) this.#start();
    const bound = setTimeout(() => this.#end.abort(), boundMs);
    await this.#running;
    clearTimeout(bound);
    this.#end.abort();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running) {
      this.#isAskedAgain = true;
      return;
    }
    this.#running = this.#rounds().finally(() => {
      this.#running = undefined;
    });
  }

  async #rounds(): Promise<void> {
    const { signal } = this.#end;
    let after: AfterRound = 'idle';
    try {
      do {
        this.#isAskedAgain = false;
        while (!signal.aborted && (await embedWritten(this.#brain, this.#openedAt, signal)));
        if (!signal.aborted) after = await embedQueued({ ...this.#brain, maxTexts: ROUND_TEXTS, signal });
      } while ((this.#isAskedAgain || after === 'again') && !signal.aborted);
      if (typeof after === 'object' && !signal.aborted) this.#wakeLater(after.waitMs);
    } catch (error) {
      const isOver = signal.aborted || error instanceof ProviderFault;
      if (!isOver) this.#brain.report(error);
    }
  }
}

/** By store: what wakes its embedding. */
const waking = new WeakMap<Store, () => void>();

/** Says that a run was stored; where this process embeds for the store, it begins. */
export const wakeEmbedding = (store: Store): void => waking.get(store)?.();

/** Starts embedding what is written. A server also goes on with the runs that an earlier process left. */
export function embedWrites(
  brain: WrittenBrain,
  { isServer = false }: { isServer?: boolean } = {},
): { stop(boundMs: number): Promise<void> } {
  const embedding = new Embedding(brain);
  const wake = () => embedding.wake();
  const unsubscribe = onCommit(brain.store, wake);
  waking.set(brain.store, wake);
  if (isServer) wake();
  return {
    stop: async (boundMs) => {
      unsubscribe();
      waking.delete(brain.store);
      await embedding.stop(boundMs).catch(noop);
    },
  };
}
