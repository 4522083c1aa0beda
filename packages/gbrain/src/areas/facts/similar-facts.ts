// Facts that say much the same as one that was forgotten, by their vectors. They are named and never forgotten by
// themselves. Source: facts/engine E.1.
import type { Context } from '../../context.ts';
import { decodeVector } from '../../index/vectors/code.ts';
import { storedFactVectors } from '../vectors/stored-vectors.ts';
import { admission, currentFacts, currentFactVectors } from './live-facts.ts';

/** What is left that says much the same. Source: facts/contract G.6. */
export interface SimilarActive {
  state: 'checked' | 'not_checked_no_embedding' | 'not_checked_pending';
  candidates: { fact_id: string; similarity: number }[];
  semantic_review: 'unavailable' | 'opted_out';
  next: string;
}

/** Cosine from which on two facts say much the same. Source: facts/engine E.1. */
const SIMILAR_MIN = 0.8;
const CANDIDATES_MAX = 5;

const NEXT: Record<SimilarActive['state'], string> = {
  checked: 'Recall these and forget those that are not true either.',
  not_checked_no_embedding: 'Facts have no embeddings here; recall the entity to see what is left.',
  not_checked_pending: 'This fact waits for its embedding; recall the entity to see what is left.',
};

/** Facts that hold and that the caller may see, near to one by their vectors. */
export async function similarActive(ctx: Context, id: number, isReviewed: boolean): Promise<SimilarActive> {
  const { store } = ctx.brain;
  const semantic_review = isReviewed ? ('unavailable' as const) : ('opted_out' as const);
  const not = (state: SimilarActive['state']) => ({ state, candidates: [], semantic_review, next: NEXT[state] });
  const index = await currentFacts(store);
  const vectors = await currentFactVectors(store);
  if (!vectors) return not('not_checked_no_embedding');
  const [own] = await storedFactVectors(store).vectorsOf([id]);
  if (!own) return not('not_checked_pending');
  const admits = admission(ctx.scope, { now: ctx.now() });
  const { hits } = vectors.search(decodeVector(own.code), CANDIDATES_MAX, (other) => {
    const fact = index.get(other);
    return other !== id && fact !== undefined && admits(fact);
  });
  const candidates = hits
    .filter(({ cosine }) => cosine >= SIMILAR_MIN)
    .map(({ pageId, cosine }) => ({ fact_id: String(pageId), similarity: Math.round(cosine * 1000) / 1000 }));
  return {
    state: 'checked',
    candidates,
    semantic_review,
    next: candidates.length > 0 ? NEXT.checked : 'Nothing else says much the same.',
  };
}
