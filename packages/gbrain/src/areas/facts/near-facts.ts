// The arm of meaning: facts near to a question by their vectors. It runs where pages are compared by meaning, and a
// fact without a vector is compared by its words alone.
import type { Context } from '../../context.ts';
import type { VectorIndex } from '../../index/vectors/vector-index.ts';
import { vectorSourceOf } from '../vectors/stored-vectors.ts';
import { hasVector } from '../vectors/vector-source.ts';
import type { FactIndex, IndexedFact } from './fact-index.ts';
import { admission, currentFacts, currentFactVectors } from './live-facts.ts';

/** Facts that are looked at by meaning. */
const NEAREST = 50;
/** A cosine that says nothing, at least and at most; between them it is what most facts of this brain have. */
const FLOOR_MIN = 0.35;
const FLOOR_MAX = 0.6;
/** So far above it a fact says what was asked. */
const REACH = 0.4;
/** Facts from which on their cosines have a spread. */
const SPREAD_MIN = 30;

/** The vector of a question, where pages are compared by meaning; the search of the pages has paid for it. */
export async function questionVector(ctx: Context, question: string): Promise<Float32Array | undefined> {
  if (!(await ctx.brain.index()).vectors.held) return undefined;
  const found = await vectorSourceOf(ctx.brain.store, ctx.host).embedQuery(question, { signal: ctx.signal });
  return hasVector(found) ? found : undefined;
}

/** Facts near to a question, with how near, from 0 to 1. */
export function nearFacts(
  { index, vectors }: { index: FactIndex; vectors: VectorIndex },
  question: Float32Array,
  admits: (fact: IndexedFact) => boolean,
): Map<number, number> {
  if (!vectors.takes(question)) return new Map();
  const isAdmitted = (id: number): boolean => {
    const fact = index.get(id);
    return fact !== undefined && admits(fact);
  };
  const { mean, deviation, count } = vectors.spread(question, isAdmitted);
  const usual = count < SPREAD_MIN ? FLOOR_MIN : mean + 2 * deviation;
  const floor = Math.min(FLOOR_MAX, Math.max(FLOOR_MIN, usual));
  const { hits } = vectors.search(question, NEAREST, isAdmitted);
  return new Map(
    hits.flatMap(({ pageId, cosine }) => (cosine > floor ? [[pageId, Math.min(1, (cosine - floor) / REACH)]] : [])),
  );
}

/** Facts that a question could not be compared with by meaning. */
export async function countUnembedded(ctx: Context): Promise<number> {
  const { store } = ctx.brain;
  const index = await currentFacts(store);
  const vectors = await currentFactVectors(store);
  const admits = admission(ctx.scope, { now: ctx.now() });
  return index.count((fact) => admits(fact) && !vectors?.chunksOf(fact.id));
}
