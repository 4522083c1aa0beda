// The vector arm of one search: the question's vector with the vectors of the brain, or the named stage that a reply
// has to say is missing. A fault of this arm never takes the words' answer away, unless GBRAIN_SEARCH_SALVAGE is off.
import type { Context } from '../../context.ts';
import type { VectorIndex } from '../../index/vectors/vector-index.ts';
import { currentModel } from '../models/find-model.ts';
import { vectorSourceOf } from '../vectors/stored-vectors.ts';
import { hasVector, type NoVectorReason } from '../vectors/vector-source.ts';
import type { LiveIndex } from './live-index.ts';

/** A stage that did not run, or not fully. Source: facts/engine C.11. */
export interface Degraded {
  readonly stage:
    | 'embed_unavailable'
    | 'embed_timeout'
    | 'vector_arm_failed'
    | 'rerank_failed'
    | 'reranker_skipped'
    | 'budget_truncated'
    | 'budget_dropped_all';
  readonly reason?: string;
}

/** The arm, or what is missing of it. */
export interface VectorArm {
  readonly vectors?: { readonly index: VectorIndex; readonly query: Float32Array };
  readonly degraded: readonly Degraded[];
}

/** Reasons that lie in how the brain is set up, so that every search has them alike. */
const SETUP: ReadonlySet<string> = new Set(['no_provider', 'no_key', 'no_vectors']);

/** Stages without which something may be missed; a reranker that nobody gave a key only leaves the order as it is. */
export const ofRecall = (degraded: readonly Degraded[]): readonly Degraded[] =>
  degraded.filter(({ stage }) => stage !== 'reranker_skipped');

/** Whether every missing stage comes from the brain's configuration. */
export const isSetupOnly = (degraded: readonly Degraded[]): boolean =>
  degraded.every(({ stage, reason }) => stage === 'embed_unavailable' && SETUP.has(reason ?? ''));

/** Whether a search compared by words alone. */
export const isWordsOnly = (degraded: readonly Degraded[]): boolean =>
  degraded.some(({ stage }) => stage.startsWith('embed_') || stage === 'vector_arm_failed');

/** Whether faults of one arm leave the other's answer standing: always, unless the operator turned it off. */
export const isSalvaged = (ctx: Context): boolean => ctx.host.env.GBRAIN_SEARCH_SALVAGE !== 'off';

async function missing(ctx: Context, reason: NoVectorReason): Promise<VectorArm> {
  if (reason === 'timeout') return { degraded: [{ stage: 'embed_timeout', reason }] };
  const isKeyless = reason === 'no_vectors' && 'none' in (await currentModel(ctx.host, 'embedding'));
  return { degraded: [{ stage: 'embed_unavailable', reason: isKeyless ? 'no_provider' : reason }] };
}

/** Opens the arm for a question. */
export async function openVectorArm(ctx: Context, live: LiveIndex, text: string): Promise<VectorArm> {
  try {
    const found = await vectorSourceOf(ctx.brain.store, ctx.host).embedQuery(text, { signal: ctx.signal });
    if (!hasVector(found)) return await missing(ctx, found.unavailable);
    const index = await live.vectors.current();
    if (!index) return await missing(ctx, 'no_vectors');
    if (!index.takes(found)) return { degraded: [{ stage: 'vector_arm_failed', reason: 'provider_error' }] };
    return { vectors: { index, query: found }, degraded: [] };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!isSalvaged(ctx)) throw error;
    ctx.host.reportFault('vector arm of a search', error);
    return { degraded: [{ stage: 'vector_arm_failed' }] };
  }
}
