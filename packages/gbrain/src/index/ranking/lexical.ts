// The lexical arm: BM25F over the terms of the question, then the best pages. Knows no identity, date or link.
import { DEFAULT_WEIGHTS, type LexicalScores, scoreTerms } from '../bm25f.ts';
import { toDay } from '../document.ts';
import type { ScopedSegment } from '../scope.ts';
import { compareAt, stringAt, tableSize } from '../string-table.ts';
import { type Candidate, candidateOf, ranked, type SearchOptions, type SearchState, type Stage } from './state.ts';

/** Pages that go on to the stages behind. */
const KEPT = 120;

/** What near words count in the order of pages beside the page's own words, whose best places count once more. */
const NEAR_GAIN = 3.3;

/** Which documents of a segment the caller's filters admit; null when nothing is filtered. */
export function admits(segment: ScopedSegment, options: SearchOptions): ((doc: number) => boolean) | null {
  const { types, since, until } = options;
  if (types === undefined && since === undefined && until === undefined) return null;
  const { columns } = segment;
  const wanted = new Uint8Array(tableSize(columns.types)).map((_, i) =>
    types === undefined || types.includes(stringAt(columns.types, i)) ? 1 : 0,
  );
  const from = since === undefined ? Number.NEGATIVE_INFINITY : toDay(since);
  const to = until === undefined ? Number.POSITIVE_INFINITY : toDay(until);
  return (doc) => wanted[columns.typeOf[doc]!] === 1 && columns.days[doc]! >= from && columns.days[doc]! <= to;
}

/**
 * The first pages of one score, as `byRank` orders equals. A word that every page has makes thousands of them, so only
 * those that may stand are made candidates.
 */
class Equals {
  readonly #kept: number;
  readonly first: Candidate[] = [];

  constructor(kept: number) {
    this.#kept = kept;
  }

  #isBehind({ columns }: ScopedSegment, doc: number, other: Candidate): boolean {
    const order = compareAt(columns.slugs, doc, other.slug);
    return order > 0 || (order === 0 && columns.pageIds[doc]! > other.pageId);
  }

  offer(segment: ScopedSegment, doc: number, make: () => Candidate): void {
    const { first } = this;
    if (first.length === this.#kept) {
      if (this.#isBehind(segment, doc, first.at(-1)!)) return;
      first.pop();
    }
    let at = first.length;
    while (at > 0 && !this.#isBehind(segment, doc, first[at - 1]!)) at--;
    first.splice(at, 0, make());
  }
}

/** The best pages of a scoring, at most `kept`; equal scores at the edge are decided by slug, as everywhere. */
function bestPages(scores: LexicalScores, options: SearchOptions, kept: number): Candidate[] {
  const limit = thresholdOf(scores, options, kept);
  const pages: Candidate[] = [];
  const edge = new Equals(kept);
  for (const { segment, scores: own, near, matched, touched, touchedCount } of scores.segments) {
    const admit = admits(segment, options);
    for (let i = 0; i < touchedCount; i++) {
      const doc = touched[i]!;
      const score = own[doc]! + NEAR_GAIN * near[doc]!;
      if (score < limit || (admit && !admit(doc))) continue;
      const base = own[doc]! + near[doc]!;
      const make = (): Candidate => ({ ...candidateOf({ segment, doc }), score, base, matched: matched[doc]! });
      if (score > limit) pages.push(make());
      else edge.offer(segment, doc, make);
    }
  }
  return ranked([...pages, ...edge.first]).slice(0, kept);
}

/** The score of the `kept`-th best page. */
function thresholdOf(scores: LexicalScores, options: SearchOptions, kept: number): number {
  const heap = new Float64Array(kept);
  let size = 0;
  for (const { segment, scores: own, near, touched, touchedCount } of scores.segments) {
    const admit = admits(segment, options);
    for (let i = 0; i < touchedCount; i++) {
      const value = own[touched[i]!]! + NEAR_GAIN * near[touched[i]!]!;
      if (size === kept && value <= heap[0]!) continue;
      if (admit && !admit(touched[i]!)) continue;
      if (size < kept) siftUp(heap, size++, value);
      else siftDown(heap, size, value);
    }
  }
  return size < kept ? 0 : heap[0]!;
}

function siftUp(heap: Float64Array, from: number, value: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]! <= value) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = value;
}

function siftDown(heap: Float64Array, size: number, value: number): void {
  let at = 0;
  while (true) {
    let child = at * 2 + 1;
    if (child >= size) break;
    if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= value) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = value;
}

/** Scores every page that holds a term. */
export const lexical: Stage = {
  name: 'lexical',
  run(state: SearchState): SearchState {
    const pass = { view: state.view, weights: DEFAULT_WEIGHTS, room: state.room.scoring, stemmer: state.stemmer };
    return { ...state, scores: scoreTerms(pass, state.scores.segments, state.question.terms) };
  },
};

/** Takes the best pages. */
export const select: Stage = {
  name: 'select',
  run: (state) => ({ ...state, candidates: bestPages(state.scores, state.options, KEPT) }),
};
