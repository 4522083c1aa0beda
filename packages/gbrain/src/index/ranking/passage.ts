// Reads the text of the best pages: the chunk that answers, words that stand together, words in the order asked.
import type { SegmentTerm } from '../passages.ts';
import { formsOf, isStopWord } from '../query-terms.ts';
import { findTerm, type SegmentColumns } from '../segment.ts';
import { type Candidate, figuresOf, marked, ranked, type SearchState, type Stage } from './state.ts';

/** Pages whose text is read. */
const READ = 60;
/** A page whose words all stand within one window gains this share. */
const CLOSENESS_SHARE = 0.35;
/** Each word of the longest run beyond the first, as a share of the query's words, gains up to this share. */
const RUN_SHARE = 0.6;
/** What the best places of a page say beside the whole of it. */
const PLACES_SHARE = 0.5;

interface SegmentQuery {
  readonly terms: readonly SegmentTerm[];
  readonly sequence: readonly number[];
}

function querySegment(columns: SegmentColumns, state: SearchState): SegmentQuery {
  return {
    terms: figuresOf(state).map(({ term, idf }) => ({ term, idf, forms: formsOf(columns, term, state.stemmer) })),
    sequence: state.question.words.map((word) => findTerm(columns, word)),
  };
}

const mix = (whole: number, places: number): number => (1 - PLACES_SHARE) * whole + PLACES_SHARE * places;

/** The stage. */
export const passage: Stage = {
  name: 'passage',
  run(state: SearchState): SearchState {
    const queries = new Map<SegmentColumns, SegmentQuery>();
    const content = state.question.words.filter((word) => !isStopWord(word)).length;
    const read = state.candidates.slice(0, READ).map((candidate): Candidate => {
      const { columns } = candidate.ref.segment;
      let query = queries.get(columns);
      if (!query) {
        query = querySegment(columns, state);
        queries.set(columns, query);
      }
      const passages = state.room.passages.read(
        { columns, doc: candidate.ref.doc, matched: candidate.matched },
        query.terms,
        query.sequence,
      );
      const close = content > 1 ? CLOSENESS_SHARE * passages.closeness : 0;
      const run =
        passages.run > 1 ? (RUN_SHARE * (passages.run - 1)) / Math.max(state.question.words.length - 1, 1) : 0;
      const factor = 1 + close + run;
      const whole = candidate.score * factor;
      const change = { passages, score: mix(whole, passages.best) };
      if (!state.options.explain || factor === 1) return { ...candidate, ...change };
      const order = passages.run > 1 ? `, ${passages.run} words in order` : '';
      const said = `${Math.round(100 * passages.closeness)} % in one window${order}`;
      const places = `the page ${whole.toFixed(2)}, its best places ${passages.best.toFixed(2)}`;
      return marked(candidate, 'passage', `${said}, times ${factor.toFixed(2)}; ${places}`, change);
    });
    const unread = state.candidates.slice(READ).map((one) => ({ ...one, score: mix(one.score, 0) }));
    return { ...state, candidates: ranked([...read, ...unread]) };
  },
};
