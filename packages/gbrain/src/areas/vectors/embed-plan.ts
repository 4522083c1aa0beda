// What an embed run would do: by which profile, how much waits and what it may cost. It calls no provider that bills.
import type { Context } from '../../context.ts';
import { ProviderFault } from '../../providers/provider-fault.ts';
import { counted } from '../../row-text.ts';
import type { Store } from '../../store/store.ts';
import { costMicros, priceOf, toUsd } from '../spend/prices.ts';
import type { Stop } from './embed-run.ts';
import { type Embedder, type NoEmbedder, wantedEmbedder } from './embedder.ts';
import { countWaitingFacts } from './fact-vectors.sql.ts';
import { type ProfileRow, readProfiles } from './profiles.sql.ts';
import { countVectors, countWaiting, type Selection, type WaitingCount } from './vectors.sql.ts';

/** What embed was asked for. */
export interface EmbedInput {
  slug?: string | undefined;
  stale?: boolean | undefined;
  all?: boolean | undefined;
  catch_up?: boolean | undefined;
  source_id?: string | undefined;
  limit?: number | undefined;
  dry_run?: boolean | undefined;
  facts?: boolean | undefined;
  slugs?: readonly string[] | undefined;
  background?: boolean | undefined;
}

/** A run before it starts. */
export interface EmbedPlan {
  embedder: Embedder;
  /** The profile that it fills; absent where it would be made. */
  profile?: ProfileRow;
  /** The profile that is searched meanwhile, where it is another. */
  replaces?: ProfileRow;
  selection: Selection;
  /** What the texts belong to. */
  noun: 'page' | 'fact';
  waiting: WaitingCount;
  refused: number;
  /** US dollars; null where the model has no price, 0 for a local one. */
  estUsd: number | null;
}

/** Bytes of a token, on the low side, so that an estimate is rather too high. */
const BYTES_A_TOKEN = 3;
/** Of a profile that is not there yet nothing is stored. */
const NO_PROFILE = 0;

function refuse(ctx: Context<string>, none: NoEmbedder): never {
  const model = 'ref' in none ? { model: none.ref } : {};
  if (none.none === 'size_unknown') return ctx.fail('embedding_configuration', { reason: none.none, ...model });
  if (none.none === 'size_not_offered') {
    const [size] = none.sizes;
    return ctx.fail('embedding_configuration', { reason: none.none, ...model, sizes: none.sizes.join(', '), size });
  }
  return ctx.fail('embedding_unconfigured', { reason: none.none, ...model });
}

/** Ends an operation with the code of a stop. */
export function failStop(ctx: Context<string>, stop: Stop, embedded: number): never {
  const data = { reason: stop.outcome, why: stop.why, embedded };
  if (stop.outcome === 'auth' || stop.outcome === 'quota') return ctx.fail('embedding_auth_failed', data);
  if (stop.isTransient) {
    const waitSeconds = Math.ceil((stop.retryAfterMs ?? 60_000) / 1000);
    return ctx.fail('embedding_unavailable', { ...data, waitSeconds });
  }
  return ctx.fail('embedding_failed', data);
}

async function embedderFor(ctx: Context<string>): Promise<Embedder> {
  try {
    const wanted = await wantedEmbedder(ctx.host);
    return 'none' in wanted ? refuse(ctx, wanted) : wanted;
  } catch (error) {
    // Only a local model is called here, for its size.
    if (!(error instanceof ProviderFault)) throw error;
    const why = `${error.model} ${error.kind === 'network' ? 'could not be reached' : 'did not tell its size'}`;
    return failStop(ctx, { outcome: error.kind, why, isTransient: error.kind === 'network' }, 0);
  }
}

/** What `input` means for this embedder: which texts wait for its profile, and what they may cost. */
export async function planFor(store: Store, embedder: Embedder, input: EmbedInput): Promise<EmbedPlan> {
  const profiles = await readProfiles(store);
  const profile = profiles.find(({ signature }) => signature === embedder.signature);
  const live = profiles.find(({ state }) => state === 'live');
  const slugs = [...(input.slugs ?? []), ...(input.slug === undefined ? [] : [input.slug])];
  const selection: Selection = {
    ...(slugs.length > 0 && { slugs }),
    ...(input.source_id !== undefined && { sources: [input.source_id] }),
  };
  const id = profile?.id ?? NO_PROFILE;
  const count = input.facts ? countWaitingFacts : countWaiting;
  const waiting = await count(store, id, { ...selection, ...(input.all && { retryRefused: true }) });
  const { refused } = await countVectors(store, id);
  const share = input.limit === undefined ? 1 : Math.min(1, input.limit / Math.max(waiting.texts, 1));
  const price = embedder.model.isFree ? undefined : await priceOf(store, embedder.model.ref);
  const tokens = Math.ceil((waiting.bytes * share) / BYTES_A_TOKEN);
  const priced = price ? toUsd(costMicros(price, { input: tokens, output: 0 })) : null;
  return {
    embedder,
    ...(profile && { profile }),
    ...(live && live.signature !== embedder.signature && { replaces: live }),
    selection,
    noun: input.facts ? 'fact' : 'page',
    waiting,
    refused,
    estUsd: embedder.model.isFree ? 0 : priced,
  };
}

/** The plan of a call. Fails with the code of an embedder that is not there. */
export const planEmbed = async (ctx: Context<string>, input: EmbedInput): Promise<EmbedPlan> =>
  planFor(ctx.brain.store, await embedderFor(ctx), input);

/** Why texts are to be embedded, as a sentence. */
export function whyEmbed({ embedder, waiting, replaces, noun }: EmbedPlan): string {
  const { ref } = embedder.model;
  const texts = counted(waiting.texts, 'text');
  return replaces
    ? `${texts} to embed with ${ref}, beside ${replaces.model}, which is searched until all are done.`
    : `${texts} of ${counted(waiting.pages, noun)} without a vector of ${ref}.`;
}
