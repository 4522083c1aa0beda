// Runs of embedding that the user agreed to and that nobody waits for: stored with their purse, done a round at a time
// by the process that has the brain open, and ended with a word that a later look tells.
import { Raised } from '../../failure.ts';
import type { Host } from '../../host.ts';
import type { Purse } from '../../providers/purse.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { reopenPurse } from '../spend/purse.ts';
import { planFor } from './embed-plan.ts';
import { type EmbedEnd, embedWaiting } from './embed-run.ts';
import { type Embedder, profileEmbedder } from './embedder.ts';
import { type EmbeddingRun, keepRun, readOpenRun } from './embedding-runs.sql.ts';
import { keepFault, type ProfileRow, readProfiles, swapComplete } from './profiles.sql.ts';
import { countWaiting } from './vectors.sql.ts';

/** Who does a round. */
export interface RoundOf {
  store: Store;
  host: Host;
  /** Most texts of the round. */
  maxTexts: number;
  signal?: AbortSignal | undefined;
}

/** What comes after a round: another one at once, another one after a while, or nothing. */
export type AfterRound = 'again' | 'idle' | { waitMs: number };

/** How long a run waits after a fault that may pass. */
const AWAY_MS = 60_000;

/** Makes the profile that is being built the live one when nothing waits for it any more. */
export async function swapWhenComplete(store: Store, profile: ProfileRow, at: Date): Promise<boolean> {
  if (profile.state === 'live') return false;
  return store.tx(async (tx) => {
    if ((await countWaiting(tx, profile.id, {})).texts > 0) return false;
    await swapComplete(tx, profile.id, at);
    return true;
  });
}

const purseOf = ({ store, host }: RoundOf, run: EmbeddingRun, embedder: Embedder): Promise<Purse> | Purse =>
  run.group_id === null || embedder.model.isFree
    ? NO_PURSE
    : reopenPurse({ store, host }, { groupId: run.group_id, operation: 'embed' });

interface Opened {
  run: EmbeddingRun;
  profile: ProfileRow;
  embedder: Embedder;
}

async function embedRound(of: RoundOf, { run, profile, embedder }: Opened): Promise<AfterRound> {
  const { store, host, maxTexts, signal } = of;
  const { limit, facts } = run.input;
  const { selection } = await planFor(store, embedder, run.input);
  const done = (outcome: string | undefined, embedded = 0) =>
    store.query(keepRun(run.id, { embedded, at: host.now(), ...(outcome !== undefined && { outcome }) }));
  const left = limit === undefined ? maxTexts : Math.min(maxTexts, limit - run.embedded);
  let end: EmbedEnd;
  try {
    const purse = await purseOf(of, run, embedder);
    const from = facts ? ('facts' as const) : ('pages' as const);
    const bounds = { maxTexts: left, isPatient: true, ...(signal && { signal }) };
    end = await embedWaiting({ store, host, profile, embedder, purse, selection, of: from, ...bounds });
  } catch (error) {
    // The cap is used up, or the model has lost its price: what is embedded is kept, and the user is asked again.
    if (!(error instanceof Raised)) throw error;
    await done(error.code);
    return 'again';
  }
  const { stopped, embedded } = end;
  if (stopped) {
    const isOver = !stopped.isTransient && stopped.outcome !== 'cancelled';
    await done(isOver ? stopped.outcome : undefined, embedded);
    if (stopped.outcome === 'cancelled') return 'idle';
    if (isOver) return 'again';
    const waitMs = stopped.retryAfterMs ?? AWAY_MS;
    const at = host.now();
    await store.query(
      keepFault(profile.id, { fault: stopped.outcome, at, notBefore: new Date(at.getTime() + waitMs) }),
    );
    return { waitMs };
  }
  await swapWhenComplete(store, profile, host.now());
  const { waiting } = await planFor(store, embedder, run.input);
  const isDone = waiting.texts === 0 || (limit !== undefined && run.embedded + embedded >= limit);
  await done(isDone ? 'complete' : undefined, embedded);
  if (isDone) return 'again';
  // Somebody else has what is left in hand.
  return embedded > 0 || Object.keys(end.refused).length > 0 ? 'again' : { waitMs: AWAY_MS };
}

/** One round of the oldest run that has not ended. */
export async function embedQueued(of: RoundOf): Promise<AfterRound> {
  const { store, host } = of;
  const run = await readOpenRun(store);
  if (!run) return 'idle';
  const profile = (await readProfiles(store)).find(({ signature }) => signature === run.signature);
  if (!profile) {
    await store.query(keepRun(run.id, { embedded: 0, outcome: 'superseded', at: host.now() }));
    return 'again';
  }
  if ((await host.setting('embedding_model')).value === 'off') return 'idle';
  const embedder = await profileEmbedder(host, profile);
  // Without its key this process can do nothing; another one may have it.
  if ('none' in embedder) return 'idle';
  const waitMs = (profile.not_before?.getTime() ?? 0) - host.now().getTime();
  return waitMs > 0 ? { waitMs } : embedRound(of, { run, profile, embedder });
}
