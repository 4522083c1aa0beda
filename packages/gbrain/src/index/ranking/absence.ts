// Absence: questions that name one exact thing which is not there. Pages that merely share a common word with such a
// question are no answer to it, so the answer is empty. Everything vaguer is answered, and called weak.
import { tokensOf } from '../analysis.ts';
import { isStopWord } from '../query-terms.ts';
import type { SearchState, Stage } from './state.ts';

/** Words beside a missing identifier with which it is still what was asked for ("invoice INV-99999"). */
const WORDS_BESIDE_MAX = 2;

/** An identifier with a number in it, no date, that no visible page holds, and hardly another word. */
function missesIdentifier(state: SearchState): boolean {
  const { terms } = state.scores;
  const words = terms.filter(({ term }) => term.kind === 'word').length;
  const exact = terms.filter(({ term }) => term.kind === 'identifier' && /\d/.test(term.text));
  const isDate = (text: string): boolean => /^\d{4}-\d\d(-\d\d)?$/.test(text);
  return (
    words <= WORDS_BESIDE_MAX &&
    exact.length > 0 &&
    exact.every(({ term, documents }) => documents === 0 && !isDate(term.text))
  );
}

/** A day that no calendar has. */
function missesDay(state: SearchState): boolean {
  const { span } = state.question.when;
  return span !== null && span.from > span.to;
}

/** A relational question about a name of which no visible page holds a word, however spelt. */
function missesName(state: SearchState): boolean {
  const { relation } = state.question;
  if (!relation) return false;
  const names = new Set(tokensOf(relation.seed).words.filter((word) => !isStopWord(word)));
  const about = state.scores.terms.filter(({ term }) => term.kind === 'word' && names.has(term.text));
  return about.length > 0 && about.every(({ term, documents }) => documents === 0 && !state.corrections.has(term.text));
}

/** The stage. */
export const absence: Stage = {
  name: 'absence',
  run(state: SearchState): SearchState {
    if (state.candidates.some((one) => one.tier > 0)) return state;
    const isAbsent = missesIdentifier(state) || missesDay(state) || missesName(state);
    return isAbsent ? { ...state, candidates: [], chunks: [] } : state;
  },
};
