// Typos: a word of the question that no page holds is read as the nearest word of a title or an alias. Only names are
// corrected, and only words that found next to nothing as they stand.
import { addTerm, DEFAULT_WEIGHTS, type TermFigures } from '../bm25f.ts';
import { FIELD_ID } from '../document.ts';
import { decodePostings, findTerm, occurrences } from '../segment.ts';
import { namesNear } from '../spelling.ts';
import type { SearchState, Stage } from './state.ts';

/** A word on more pages than this is no typo. */
const PAGES_MAX = 2;
/** Words of a question that are corrected at most. */
const CORRECTED_MAX = 4;
/** Spellings taken for one word. */
const SPELLINGS_MAX = 2;
/** How much of a word's weight each edit leaves. */
const EDIT_FACTOR = 0.8;

function isSuspect({ term, documents }: TermFigures): boolean {
  return term.kind === 'word' && documents <= PAGES_MAX && /^[\p{L}\p{M}]+$/u.test(term.text);
}

/** Visible pages that hold a spelling, and whether any holds it in a name. */
function sightings(state: SearchState, spelling: string): { pages: number; named: boolean } {
  const room = state.room.scoring.postings;
  let pages = 0;
  let named = false;
  for (const { columns, visible } of state.view.segments) {
    const term = findTerm(columns, spelling);
    if (term < 0) continue;
    decodePostings(columns, term, room);
    for (let i = 0; i < room.count; i++) {
      if (visible[room.docs[i]!] === 0) continue;
      pages++;
      named ||= occurrences(room.packed[i]!, FIELD_ID.title) + occurrences(room.packed[i]!, FIELD_ID.aliases) > 0;
    }
  }
  return { pages, named };
}

/** The nearest names that the caller may see: fewest edits, same first letter, most pages, then by spelling. */
function corrections(state: SearchState, word: string): { spelling: string; edits: number }[] {
  const near = new Map<string, number>();
  for (const { columns } of state.view.segments)
    for (const { spelling, edits } of namesNear(columns, word)) near.set(spelling, edits);
  const least = Math.min(...near.values());
  return [...near]
    .filter(([, edits]) => edits === least)
    .map(([spelling, edits]) => ({ spelling, edits, ...sightings(state, spelling) }))
    .filter((one) => one.named)
    .sort((a, b) => first(word, b) - first(word, a) || b.pages - a.pages || (a.spelling < b.spelling ? -1 : 1))
    .slice(0, SPELLINGS_MAX);
}

const first = (word: string, one: { spelling: string }): number => (one.spelling[0] === word[0] ? 1 : 0);

/** The stage. */
export const typos: Stage = {
  name: 'typos',
  run(state: SearchState): SearchState {
    const suspects = state.scores.terms.filter(isSuspect).slice(0, CORRECTED_MAX);
    if (suspects.length === 0) return state;
    const pass = { view: state.view, weights: DEFAULT_WEIGHTS, room: state.room.scoring, stemmer: state.stemmer };
    const terms = [...state.scores.terms];
    const corrected = new Map<string, string>();
    for (const { term } of suspects) {
      if (term.text.length < 4 || sightings(state, term.text).named) continue;
      for (const { spelling, edits } of corrections(state, term.text)) {
        if (!corrected.has(term.text)) corrected.set(term.text, spelling);
        const instead = {
          text: spelling,
          kind: 'correction' as const,
          weight: term.weight * EDIT_FACTOR ** edits,
          at: term.at,
        };
        terms.push(addTerm(pass, state.scores.segments, instead, terms.length));
      }
    }
    return { ...state, corrections: corrected, scores: { ...state.scores, terms } };
  },
};
