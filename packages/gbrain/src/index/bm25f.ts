// Scores documents with BM25 over weighted fields, term at a time, with the statistics of one scope. Knows postings and
// weights; knows no dates, names or graph.
import { FIELD_COUNT, FIELD_ID } from './document.ts';
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
  /** By document (the arrays may be longer than that); 0 where no term stands. */
  readonly scores: Float64Array;
  /** By document: what words say that stand for the query's own. */
  readonly near: Float64Array;
  /** By document: bit i is set when term i (below 32) stands in it. */
  readonly matched: Uint32Array;
  /** Documents with any of these, in order of their first matching term. */
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

/** Constants of one view: how much an occurrence weighs and how length counts, by field. */
interface FieldConstants {
  readonly weights: Float64Array;
  /** Part of the norm that does not depend on length. */
  readonly floors: Float64Array;
  /** Part of the norm for one token. */
  readonly slopes: Float64Array;
}

function fieldConstants(view: ScopeView, weights: Bm25fWeights): FieldConstants {
  const shares = Float64Array.from(weights.lengthShares);
  return {
    weights: Float64Array.from(weights.weights),
    floors: shares.map((share) => 1 - share),
    slopes: shares.map((share, field) => share / view.meanLengths[field]!),
  };
}

const BODY = FIELD_ID.body;
/** A packed frequency below this has occurrences in the body only (the body's bits are the lowest). */
const BODY_ONLY_BELOW = TF_MAX[BODY]! + 1;

/** Weighted, length-normalised frequency of one posting. */
function weighFields(packed: number, lengths: Uint32Array, at: number, fields: FieldConstants): number {
  if (packed < BODY_ONLY_BELOW)
    return (fields.weights[BODY]! * packed) / (fields.floors[BODY]! + fields.slopes[BODY]! * lengths[at + BODY]!);
  let sum = 0;
  for (let field = 0; field < FIELD_COUNT; field++) {
    const frequency = (packed >>> TF_SHIFT[field]!) & TF_MAX[field]!;
    if (frequency === 0) continue;
    sum +=
      (fields.weights[field]! * frequency) / (fields.floors[field]! + fields.slopes[field]! * lengths[at + field]!);
  }
  return sum;
}

/** Documents of one term in one segment, in order of first sight, with their weighted frequency. */
class TermHits {
  docs = new Uint32Array(1024);
  frequencies = new Float64Array(1024);
  count = 0;

  /** Empties the list and makes room. */
  reset(room: number): void {
    this.count = 0;
    if (this.docs.length >= room) return;
    const size = 2 ** Math.ceil(Math.log2(room));
    this.docs = new Uint32Array(size);
    this.frequencies = new Float64Array(size);
  }
}

/** Working memory of an index's searches, reused from one to the next. */
export class ScoringRoom {
  readonly postings: Postings = emptyPostings();
  private sums = new Float64Array(0);
  private readonly hits: TermHits[] = [];
  private readonly free: SegmentScores[] = [];

  /** A zeroed accumulator of at least `size`; the user zeroes what it touched. */
  accumulator(size: number): Float64Array {
    if (this.sums.length < size) this.sums = new Float64Array(size);
    return this.sums;
  }

  /** The hit list of one segment of the view. */
  hitsAt(place: number): TermHits {
    this.hits[place] ??= new TermHits();
    return this.hits[place];
  }

  /** Zeroed scores for a segment; to be given back with `release`. */
  scoresFor(segment: ScopedSegment): SegmentScores {
    const size = documentCount(segment.columns);
    const at = this.free.findIndex((one) => one.scores.length >= size && one.scores.length <= Math.max(1024, size * 2));
    if (at >= 0) return { ...this.free.splice(at, 1)[0]!, segment, touchedCount: 0 };
    const room = Math.max(64, 2 ** Math.ceil(Math.log2(size)));
    return {
      segment,
      scores: new Float64Array(room),
      near: new Float64Array(room),
      matched: new Uint32Array(room),
      touched: new Uint32Array(room),
      touchedCount: 0,
    };
  }

  /** Takes scores back after a search: zeroes what was touched. */
  release(all: readonly SegmentScores[]): void {
    for (const one of all) {
      for (let i = 0; i < one.touchedCount; i++) {
        one.scores[one.touched[i]!] = 0;
        one.near[one.touched[i]!] = 0;
        one.matched[one.touched[i]!] = 0;
      }
      if (this.free.length < SCORES_KEPT_MAX) this.free.push(one);
    }
  }
}

const SCORES_KEPT_MAX = 64;

interface Pass {
  readonly view: ScopeView;
  readonly weights: Bm25fWeights;
  readonly room: ScoringRoom;
  readonly stemmer: Stemmer;
}

const withFields = (pass: Pass): FieldPass => ({ ...pass, fields: fieldConstants(pass.view, pass.weights) });

/** A pass with the constants of its view. */
interface FieldPass extends Pass {
  readonly fields: FieldConstants;
}

function collectHits(pass: FieldPass, segment: ScopedSegment, forms: readonly Form[], hits: TermHits): void {
  const { postings } = pass.room;
  const { columns, visible, whole } = segment;
  hits.reset(forms.reduce((sum, form) => sum + columns.counts[form.term]!, 0));
  const sums = forms.length > 1 ? pass.room.accumulator(documentCount(columns)) : null;
  for (const form of forms) {
    decodePostings(columns, form.term, postings);
    const { docs, packed, count } = postings;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      if (packed[i] === 0 || (!whole && visible[doc] === 0)) continue;
      const frequency = form.weight * weighFields(packed[i]!, columns.lengths, doc * FIELD_COUNT, pass.fields);
      if (!sums) hits.frequencies[hits.count] = frequency;
      else {
        const before = sums[doc]!;
        sums[doc] = before + frequency;
        if (before > 0) continue;
      }
      hits.docs[hits.count++] = doc;
    }
  }
  if (!sums) return;
  for (let i = 0; i < hits.count; i++) {
    hits.frequencies[i] = sums[hits.docs[i]!]!;
    sums[hits.docs[i]!] = 0;
  }
}

/** Empty scores for every segment of a view; give them back with `room.release`. */
export const startScores = (view: ScopeView, room: ScoringRoom): SegmentScores[] =>
  view.segments.map((segment) => room.scoresFor(segment));

/** Adds one term to the scores. `place` below 32 is its bit in `matched`. */
export function addTerm(begun: Pass, scores: readonly SegmentScores[], term: QueryTerm, place: number): TermFigures {
  const pass = withFields(begun);
  const { view, weights, room } = pass;
  let documents = 0;
  scores.forEach(({ segment }, s) => {
    const hits = room.hitsAt(s);
    collectHits(pass, segment, formsOf(segment.columns, term, pass.stemmer), hits);
    documents += hits.count;
  });
  const idf = inverseFrequency(view.documents, documents);
  const factor = term.weight * idf * (weights.k1 + 1);
  const bit = place < 32 ? 2 ** place : 0;
  scores.forEach((one, s) => {
    const { docs, frequencies, count } = room.hitsAt(s);
    const { scores: sums, matched } = one;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      if (sums[doc] === 0) one.touched[one.touchedCount++] = doc;
      sums[doc]! += (factor * frequencies[i]!) / (weights.k1 + frequencies[i]!);
      matched[doc]! |= bit;
    }
  });
  return { term, documents, idf };
}

/** Scores terms over a view, into empty scores. */
export const scoreTerms = (
  pass: Pass,
  segments: readonly SegmentScores[],
  terms: readonly QueryTerm[],
): LexicalScores => ({
  segments,
  terms: terms.map((term, place) => addTerm(pass, segments, term, place)),
});

/**
 * Among many words each page holds some, so that a page counts only as far as the best of them says more than so many
 * times what they say of a page on average.
 */
const CHANCE = 2;

/**
 * Lets other words stand for a term: `near` of a page gains the best of their scores as far as that is more than chance
 * and than the term's own. None is rarer than the term: what stands for a word says no more than the word. `scores` are
 * those of `scoreTerms`; nothing changes in `matched`. Gives the figures of those words that were found.
 */
export function scoreAlternatives(
  begun: Pass,
  scores: LexicalScores,
  term: QueryTerm,
  others: readonly QueryTerm[],
): TermFigures[] {
  const pass = withFields(begun);
  const best = startScores(pass.view, pass.room);
  const own = startScores(pass.view, pass.room);
  const { idf } = keepBest(pass, own, term, Number.POSITIVE_INFINITY);
  const figures = others.map((other) => keepBest(pass, best, other, idf)).filter((one) => one.documents > 0);
  const chance = (CHANCE * sumOf(best)) / Math.max(1, pass.view.documents);
  scores.segments.forEach((one, s) => {
    const { scores: found, touched, touchedCount } = best[s]!;
    for (let i = 0; i < touchedCount; i++) {
      const doc = touched[i]!;
      const more = found[doc]! - chance - own[s]!.scores[doc]!;
      if (more <= 0) continue;
      if (one.scores[doc] === 0 && one.near[doc] === 0) one.touched[one.touchedCount++] = doc;
      one.near[doc]! += more;
    }
  });
  pass.room.release([...best, ...own]);
  return figures;
}

/** Sum of the scores of all pages. */
function sumOf(all: readonly SegmentScores[]): number {
  let sum = 0;
  for (const { scores, touched, touchedCount } of all)
    for (let i = 0; i < touchedCount; i++) sum += scores[touched[i]!]!;
  return sum;
}

/** Raises each page's entry to its score for one term, whose weight of rarity is at most `idfMax`. */
function keepBest(pass: FieldPass, best: readonly SegmentScores[], term: QueryTerm, idfMax: number): TermFigures {
  const { room, weights, view } = pass;
  let documents = 0;
  best.forEach(({ segment }, s) => {
    const hits = room.hitsAt(s);
    collectHits(pass, segment, formsOf(segment.columns, term, pass.stemmer), hits);
    documents += hits.count;
  });
  const idf = Math.min(idfMax, inverseFrequency(view.documents, documents));
  const factor = term.weight * idf * (weights.k1 + 1);
  best.forEach((one, s) => {
    const { docs, frequencies, count } = room.hitsAt(s);
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      const score = (factor * frequencies[i]!) / (weights.k1 + frequencies[i]!);
      if (score <= one.scores[doc]!) continue;
      if (one.scores[doc] === 0) one.touched[one.touchedCount++] = doc;
      one.scores[doc] = score;
    }
  });
  return { term, documents, idf };
}
