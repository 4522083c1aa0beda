// Scores documents with BM25 over weighted fields, term at a time, with the statistics of one scope. Knows postings and
// weights; knows no dates, names or graph.
import { FIELD_COUNT } from './document.ts';
import { type Form, formsOf, type QueryTerm } from './query-terms.ts';
import type { ScopedSegment, ScopeView } from './scope.ts';
import { decodePostings, documentCount, emptyPostings, type Postings, TF_MAX, TF_SHIFT } from './segment.ts';
import type { Stemmer } from './stemming.ts';

/** Weight and length normalisation of each field, and the saturation of frequencies. */
export interface Bm25fWeights {
  readonly k1: number;
  /** By field id. */
  readonly weights: readonly number[];
  /** By field id: 0 ignores length, 1 divides by it. */
  readonly lengthShares: readonly number[];
}

/** Weights that the development sets chose (title, aliases, body, timeline, code, user, assistant). */
export const DEFAULT_WEIGHTS: Bm25fWeights = {
  k1: 0.9,
  weights: [3, 3, 1, 0.7, 0.8, 1.2, 0.6],
  lengthShares: [0.3, 0.3, 0.4, 0.4, 0.4, 0.4, 0.4],
};

/** Scores of one segment's documents. */
export interface SegmentScores {
  readonly segment: ScopedSegment;
  /** By document; 0 where no term stands. */
  readonly scores: Float64Array;
  /** By document: bit i is set when term i (below 32) stands in it. */
  readonly matched: Uint32Array;
  /** Documents with a score, in order of their first matching term. */
  readonly touched: Uint32Array;
  touchedCount: number;
}

/** What scoring gives besides the scores. */
export interface TermFigures {
  readonly term: QueryTerm;
  /** Visible documents that hold a form of the term. */
  readonly documents: number;
  /** Inverse document frequency. */
  readonly idf: number;
}

/** Scores of a query over a view. */
export interface LexicalScores {
  readonly segments: readonly SegmentScores[];
  readonly terms: readonly TermFigures[];
}

/** Inverse document frequency of BM25: never negative. */
export const inverseFrequency = (documents: number, having: number): number =>
  Math.log(1 + (documents - having + 0.5) / (having + 0.5));

/** Weighted, length-normalised frequency of one posting. */
function weighFields(packed: number, lengths: Uint32Array, at: number, view: ScopeView, weights: Bm25fWeights): number {
  let sum = 0;
  for (let field = 0; field < FIELD_COUNT; field++) {
    const frequency = (packed >>> TF_SHIFT[field]!) & TF_MAX[field]!;
    if (frequency === 0) continue;
    const share = weights.lengthShares[field]!;
    sum +=
      (weights.weights[field]! * frequency) / (1 - share + (share * lengths[at + field]!) / view.meanLengths[field]!);
  }
  return sum;
}

/** Frequencies of one term in one segment: documents in order of first sight with their weighted frequency. */
interface TermHits {
  docs: Uint32Array;
  frequencies: Float64Array;
  count: number;
}

/** Working memory of a scorer, reused between queries of one index. */
export class ScoringRoom {
  readonly postings: Postings = emptyPostings();
  private sums = new Float64Array(0);

  /** A zeroed accumulator of at least `size`; the user zeroes what it touched. */
  accumulator(size: number): Float64Array {
    if (this.sums.length < size) this.sums = new Float64Array(size);
    return this.sums;
  }
}

interface Pass {
  readonly view: ScopeView;
  readonly weights: Bm25fWeights;
  readonly room: ScoringRoom;
}

function hitsOf(pass: Pass, segment: ScopedSegment, forms: readonly Form[]): TermHits {
  const { postings } = pass.room;
  const { columns, visible, whole } = segment;
  const total = forms.reduce((sum, form) => sum + columns.counts[form.term]!, 0);
  const hits: TermHits = { docs: new Uint32Array(total), frequencies: new Float64Array(total), count: 0 };
  const sums = forms.length > 1 ? pass.room.accumulator(documentCount(columns)) : null;
  for (const form of forms) {
    decodePostings(columns, form.term, postings);
    for (let i = 0; i < postings.count; i++) {
      const doc = postings.docs[i]!;
      const packed = postings.packed[i]!;
      if (packed === 0 || (!whole && visible[doc] === 0)) continue;
      const frequency = form.weight * weighFields(packed, columns.lengths, doc * FIELD_COUNT, pass.view, pass.weights);
      if (!sums) hits.frequencies[hits.count] = frequency;
      else {
        const before = sums[doc]!;
        sums[doc] = before + frequency;
        if (before > 0) continue;
      }
      hits.docs[hits.count++] = doc;
    }
  }
  if (sums) {
    for (let i = 0; i < hits.count; i++) {
      hits.frequencies[i] = sums[hits.docs[i]!]!;
      sums[hits.docs[i]!] = 0;
    }
  }
  return hits;
}

/** Empty scores for every segment of a view. */
export function startScores(view: ScopeView): SegmentScores[] {
  return view.segments.map((segment) => {
    const size = documentCount(segment.columns);
    return {
      segment,
      scores: new Float64Array(size),
      matched: new Uint32Array(size),
      touched: new Uint32Array(size),
      touchedCount: 0,
    };
  });
}

/** Adds one term to the scores. `place` below 32 is its bit in `matched`. */
export function addTerm(
  pass: Pass & { stemmer: Stemmer },
  scores: readonly SegmentScores[],
  term: QueryTerm,
  place: number,
): TermFigures {
  const { view, weights } = pass;
  const hits = scores.map((one) => hitsOf(pass, one.segment, formsOf(one.segment.columns, term, pass.stemmer)));
  const documents = hits.reduce((sum, one) => sum + one.count, 0);
  const idf = inverseFrequency(view.documents, documents);
  const factor = term.weight * idf * (weights.k1 + 1);
  const bit = place < 32 ? 2 ** place : 0;
  scores.forEach((one, s) => {
    const { docs, frequencies, count } = hits[s]!;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      if (one.scores[doc] === 0) one.touched[one.touchedCount++] = doc;
      one.scores[doc]! += (factor * frequencies[i]!) / (weights.k1 + frequencies[i]!);
      one.matched[doc]! |= bit;
    }
  });
  return { term, documents, idf };
}

/** Scores a query's terms over a view. */
export function scoreTerms(pass: Pass & { stemmer: Stemmer }, terms: readonly QueryTerm[]): LexicalScores {
  const segments = startScores(pass.view);
  return { segments, terms: terms.map((term, place) => addTerm(pass, segments, term, place)) };
}
