// Chunks across the best pages, for callers that want turns rather than pages.
import type { Bm25fWeights } from '../bm25f.ts';
import { formsOf } from '../query-terms.ts';
import type { SegmentColumns } from '../segment.ts';
import { rankTurns, type TurnTerm, type TurnWeights } from '../turns.ts';
import { figuresOf, type SearchState, type Stage } from './state.ts';

/** Set on LoCoMo turns and BEAM turn groups together (`docs/search/experiments.md`). */
const MIX: TurnWeights = {
  reach: 6,
  scale: 60,
  window: 1,
  before: 1.5,
  after: 0.5,
  speaker: 0.15,
  page: 0.15,
  answers: 0.6,
};

/** Turns are short: length counts for more in what a user says, and code for less, than on pages. */
const TURN_WEIGHTS: Bm25fWeights = {
  k1: 0.9,
  weights: [3, 3, 1, 0.7, 0.1, 1.2, 0.6],
  lengthShares: [0.3, 0.3, 0.4, 0.4, 0.4, 0.7, 0.4],
};

/** The stage. */
export const turns: Stage = {
  name: 'turns',
  run(state: SearchState): SearchState {
    if (state.options.grain !== 'chunk') return state;
    const termsOf = new Map<SegmentColumns, TurnTerm[]>();
    const pages = state.candidates.map(({ ref, base, passages }) => {
      const { columns } = ref.segment;
      const terms = termsOf.get(columns) ?? segmentTerms(columns, state);
      termsOf.set(columns, terms);
      return { columns, doc: ref.doc, score: base + (passages?.best ?? 0), terms };
    });
    const ranked = rankTurns(pages, TURN_WEIGHTS, MIX);
    const chunks = ranked.map(({ page, index, score }) => ({ pageId: state.candidates[page]!.pageId, index, score }));
    return { ...state, chunks };
  },
};

/** What an occurrence of a near word counts beside its weight in the pages' ranking. */
const NEAR_FACTOR = 0.3;

/** The question's terms with the near words that stand for them, as one segment spells them. */
function segmentTerms(columns: SegmentColumns, state: SearchState): TurnTerm[] {
  return figuresOf(state).map(({ term, idf }) => {
    const near = state.alternatives.filter((one) => one.term.at === term.at && term.kind === 'word');
    return {
      term,
      idf,
      forms: formsOf(columns, term, state.stemmer),
      near: near.flatMap((one) =>
        formsOf(columns, one.term, state.stemmer).map((form) => ({
          term: form.term,
          weight: form.weight * NEAR_FACTOR * one.term.weight,
        })),
      ),
    };
  });
}
