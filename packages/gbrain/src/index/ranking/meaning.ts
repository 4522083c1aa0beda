// Meaning without a model: when a question's own words find little, each also counts through the words nearest to it. A
// page's score for a word is its best one, so that many near words are no more than one. Gated by weak lexical answers.
import { DEFAULT_WEIGHTS, scoreAlternatives } from '../bm25f.ts';
import type { QueryTerm } from '../query-terms.ts';
import type { SearchState, Stage } from './state.ts';
import { bestCoverage } from './verdict.ts';

/** Words nearest to one that take part. */
const NEAR_MAX = 32;
/** Least nearness. */
const NEARNESS_MIN = 0.28;
/** What an occurrence of a near word weighs: nearness to this power, times this factor. */
const POWER = 1;
const FACTOR = 1.3;
/** Share of the question's weight in the best page from which the words alone are trusted. */
const TRUSTED_FROM = 0.7;

/** The stage. */
export const meaning: Stage = {
  name: 'meaning',
  run(state: SearchState): SearchState {
    const table = state.options.words;
    if (!table || table.language !== state.stemmer.language) return state;
    const words = state.question.terms.filter((term) => term.kind === 'word');
    if (words.length < 2 || words.length < state.question.terms.length || state.question.when.span) return state;
    if (bestCoverage(state) >= TRUSTED_FROM) return state;
    const pass = { view: state.view, weights: DEFAULT_WEIGHTS, room: state.room.scoring, stemmer: state.stemmer };
    const alternatives = words.flatMap((term) => {
      const near = nearTerms(state, term);
      return near.length === 0 ? [] : scoreAlternatives(pass, state.scores, term, near);
    });
    return { ...state, alternatives };
  },
};

function nearTerms(state: SearchState, term: QueryTerm): QueryTerm[] {
  const { words: table } = state.options;
  const own = new Set([term.text, ...state.stemmer.stems(term.text)]);
  const base = [term.text, ...state.stemmer.stems(term.text)].find((form) => table!.nearest(form).length > 0);
  if (base === undefined) return [];
  const seen = new Set<string>();
  return table!
    .nearest(base)
    .slice(0, NEAR_MAX)
    .flatMap(({ word, nearness }): QueryTerm[] => {
      const stem = state.stemmer.stems(word)[0] ?? word;
      if (nearness < NEARNESS_MIN || own.has(stem) || seen.has(stem)) return [];
      seen.add(stem);
      return [{ text: word, kind: 'near', weight: term.weight * FACTOR * nearness ** POWER, at: term.at }];
    });
}
