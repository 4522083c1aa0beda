// Whether a new fact says what a standing one of the same entity says, by their vectors. A cosine alone decides
// nothing: texts that differ in a figure, a day, a name, their order or a denial are near, and are two facts.
import type { Context } from '../../context.ts';
import type { Sql } from '../../store/store.ts';
import { embedAhead } from '../vectors/embed-ahead.ts';
import type { RelatedFact } from './facts.sql.ts';
import { admission, currentFacts, currentFactVectors } from './live-facts.ts';
import { properWords } from './one-form.ts';
import type { ReadyFact, Subject } from './remembered.ts';
import { readStatement, type Statement } from './statement.ts';

/** Cosine from which on two facts say the same. Source: facts/engine E.1. */
const SAME_MIN = 0.95;
const CANDIDATES = 5;

/** What the vector of a new fact tells. */
export interface Meaning {
  /** Facts that are near enough, nearest first. */
  near: readonly number[];
  /** Puts the vector beside the fact. */
  keep: readonly Sql[];
}

/** A standing fact that is near, with its text. */
export type NearFact = RelatedFact & { fact: string };

/** Facts near to one that is about to be written; undefined where facts are not compared by meaning now. */
export async function meaningOf(ctx: Context, ready: ReadyFact): Promise<Meaning | undefined> {
  const { store } = ctx.brain;
  const ahead = await embedAhead({ store, host: ctx.host }, ready.fact, ctx.signal);
  if (!ahead) return undefined;
  const index = await currentFacts(store);
  const vectors = await currentFactVectors(store);
  if (!vectors?.takes(ahead.vector)) return { near: [], keep: ahead.keep };
  const admits = admission(ctx.scope, { now: ctx.now() });
  const { hits } = vectors.search(ahead.vector, CANDIDATES, (id) => {
    const fact = index.get(id);
    return fact !== undefined && fact.kind === ready.kind && admits(fact);
  });
  return { near: hits.filter(({ cosine }) => cosine >= SAME_MIN).map(({ pageId }) => pageId), keep: ahead.keep };
}

const figuresOf = ({ words, dates }: Statement): string =>
  [...words.filter((word) => /\d/u.test(word)).sort(), ...dates].join(' ');

/** Whether two texts that are near say the same as far as their words can tell. */
export function saysTheSame(text: string, other: string, { named }: Pick<Subject, 'named'>): boolean {
  const [a, b] = [readStatement(text, named), readStatement(other, named)];
  return (
    a.isDenied === b.isDenied &&
    figuresOf(a) === figuresOf(b) &&
    properWords(text) === properWords(other) &&
    // The same words in another order: who did it to whom.
    [...a.words].sort().join(' ') !== [...b.words].sort().join(' ')
  );
}
