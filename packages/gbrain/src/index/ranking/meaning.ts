// Meaning without a model: when a question's own words find little, each also counts through the words nearest to it. A
// page's score for a word is its best one, so that many near words are no more than one. Gated by weak lexical answers.
import { DEFAULT_WEIGHTS, scoreAlternatives } from '../bm25f.ts';
import type { WordTable } from '../meaning/word-table.ts';
import type { QueryTerm } from '../query-terms.ts';
import type { Stemmer } from '../stemming.ts';
import type { SearchState, Stage } from './state.ts';
import { bestCoverage } from './verdict.ts';

/** Words nearest to one that take part, and how near they must be. */
const NEAR_MAX = 48;
const NEARNESS_MIN = 0.28;
/** What a near word weighs beside its nearness: the more, the less the question's own words find. */
const FACTOR_AT_NOTHING = 1.8;
const FACTOR_AT_TRUSTED = 0.8;
/** Share of the question's weight in the best page from which the words alone are trusted. */
const TRUSTED_FROM = 0.7;

/** An identifier, a number or a date says exactly what it means. */
const isExact = (term: QueryTerm): boolean => term.kind === 'identifier' || /\d/.test(term.text);

/** The stage. */
export const meaning: Stage = {
  name: 'meaning',
  run(state: SearchState): SearchState {
    const { question, options, stemmer } = state;
    const words = question.terms.filter((term) => term.kind === 'word');
    if (!options.words || words.length < 2 || question.when.span || question.relation) return state;
    if (question.terms.some(isExact)) return state;
    const coverage = bestCoverage(state);
    if (coverage >= TRUSTED_FROM) return state;
    const table = options.words();
    if (table?.language !== stemmer.language) return state;
    const factor = FACTOR_AT_NOTHING - ((FACTOR_AT_NOTHING - FACTOR_AT_TRUSTED) * coverage) / TRUSTED_FROM;
    const pass = { view: state.view, weights: DEFAULT_WEIGHTS, room: state.room.scoring, stemmer };
    const alternatives = words.flatMap((term) => {
      const near = nearTerms(table, stemmer, term, factor);
      return near.length === 0 ? [] : scoreAlternatives(pass, state.scores, term, near);
    });
    return { ...state, alternatives };
  },
};

function nearTerms(table: WordTable, stemmer: Stemmer, term: QueryTerm, factor: number): QueryTerm[] {
  const seen = new Set([term.text, ...stemmer.stems(term.text)]);
  const found = table.nearest(term.text, stemmer).slice(0, NEAR_MAX);
  return found.flatMap(({ word, nearness }): QueryTerm[] => {
    const stem = stemmer.stems(word)[0] ?? word;
    if (nearness < NEARNESS_MIN || seen.has(stem)) return [];
    seen.add(stem);
    return [{ text: word, kind: 'near', weight: term.weight * factor * nearness, at: term.at }];
  });
}
