// Reads a candidate's token stream once: where the query's terms stand, which chunk answers best, whether its words
// stand together. Knows positions, never postings or other documents.
import { FIELD_COUNT, FIELD_ID } from './document.ts';
import type { Form, QueryTerm } from './query-terms.ts';
import type { SegmentColumns } from './segment.ts';
import { decodeStream } from './segment.ts';

/** A query term as one segment spells it. */
export interface SegmentTerm {
  readonly term: QueryTerm;
  readonly idf: number;
  readonly forms: readonly Form[];
}

/** One chunk of a page with what it has of a query. */
export interface ChunkScore {
  readonly index: number;
  readonly score: number;
}

/** What a page's text shows of a query. */
export interface PassageFigures {
  /** Chunks with any term, best first; ties by index. */
  readonly chunks: readonly ChunkScore[];
  /** Longest run of the query's consecutive words that stands in the page in order, in words. */
  readonly run: number;
  /** Share of the query's weight that stands within one window of WINDOW words, 0 to 1. */
  readonly closeness: number;
  /** Bit i is set when term i (below 32) stands in the title or an alias. */
  readonly titleMatched: number;
}

/** Words of a proximity window. */
const WINDOW = 24;
/** A chunk's frequency saturates as a page's does. */
const CHUNK_K1 = 0.9;

/** Working memory of a reader; `marks` holds, by term id, one more than the place of its query term. */
export class PassageRoom {
  private ids: Uint32Array = new Uint32Array(8192);
  private marks = new Uint8Array(0);

  /** Reads one document. `sequence` are the query's words by position as term ids of this segment (-1: not in it). */
  read(
    columns: SegmentColumns,
    doc: number,
    terms: readonly SegmentTerm[],
    sequence: readonly number[],
  ): PassageFigures {
    const stream = decodeStream(columns, doc, this.ids);
    this.ids = stream.ids;
    if (this.marks.length < columns.termIds.length) this.marks = new Uint8Array(columns.termIds.length);
    terms.forEach((one, place) => {
      for (const form of one.forms) this.marks[form.term] = place + 1;
    });
    const total = terms.reduce((sum, one) => sum + one.idf * one.term.weight, 0);
    const figures = {
      chunks: scoreChunks({ columns, doc, stream }, this.marks, terms),
      run: longestRun(stream, sequence),
      closeness: total > 0 ? closest(stream, this.marks, terms) / total : 0,
      titleMatched: namedTerms(stream.ids, nameLength(columns, doc), this.marks),
    };
    for (const one of terms) for (const form of one.forms) this.marks[form.term] = 0;
    return figures;
  }

  /** Ids of the terms in a document's title and aliases. */
  titleTerms(columns: SegmentColumns, doc: number): Set<number> {
    const stream = decodeStream(columns, doc, this.ids);
    this.ids = stream.ids;
    return new Set(stream.ids.subarray(0, nameLength(columns, doc)));
  }
}

/** Number of tokens in title and aliases: they begin every stream. */
const nameLength = (columns: SegmentColumns, doc: number): number =>
  columns.lengths[doc * FIELD_COUNT + FIELD_ID.title]! + columns.lengths[doc * FIELD_COUNT + FIELD_ID.aliases]!;

function namedTerms(ids: Uint32Array, length: number, marks: Uint8Array): number {
  let bits = 0;
  for (let at = 0; at < length; at++) {
    const place = marks[ids[at]!]!;
    if (place > 0 && place <= 32) bits |= 2 ** (place - 1);
  }
  return bits;
}

/** A document with its decoded stream. */
interface ReadPage {
  readonly columns: SegmentColumns;
  readonly doc: number;
  readonly stream: Stream;
}

type Stream = { readonly ids: Uint32Array; readonly length: number };

function scoreChunks(page: ReadPage, marks: Uint8Array, terms: readonly SegmentTerm[]): ChunkScore[] {
  const { columns, doc, stream } = page;
  const found = new Map<number, Float64Array>();
  const spanEnd = columns.spanAt[doc + 1]!;
  for (let at = columns.spanAt[doc]!; at < spanEnd; at += 3) {
    if (columns.spans[at + 1]! <= FIELD_ID.aliases) continue;
    const end = at + 3 < spanEnd ? columns.spans[at + 3]! : stream.length;
    const index = columns.spans[at + 2]!;
    for (let position = columns.spans[at]!; position < end; position++) {
      const place = marks[stream.ids[position]!]!;
      if (place === 0) continue;
      let counts = found.get(index);
      if (!counts) {
        counts = new Float64Array(terms.length);
        found.set(index, counts);
      }
      counts[place - 1]!++;
    }
  }
  const scored = [...found].map(([index, counts]) => ({
    index,
    score: terms.reduce(
      (sum, one, i) => sum + (one.idf * one.term.weight * counts[i]! * (CHUNK_K1 + 1)) / (CHUNK_K1 + counts[i]!),
      0,
    ),
  }));
  return scored.sort((a, b) => b.score - a.score || a.index - b.index);
}

/** Longest run of consecutive query words that stands in order in the stream. */
function longestRun(stream: Stream, sequence: readonly number[]): number {
  let best = 0;
  if (sequence.length < 2) return 0;
  const starts = new Map<number, number[]>();
  sequence.forEach((id, i) => {
    if (id >= 0) starts.set(id, [...(starts.get(id) ?? []), i]);
  });
  for (let at = 0; at < stream.length; at++) {
    const places = starts.get(stream.ids[at]!);
    if (!places) continue;
    for (const place of places) {
      let length = 1;
      while (place + length < sequence.length && at + length < stream.length) {
        if (stream.ids[at + length] !== sequence[place + length]) break;
        length++;
      }
      if (length > best) best = length;
    }
  }
  return best;
}

/** Greatest weight of distinct terms within one window. */
function closest(stream: Stream, marks: Uint8Array, terms: readonly SegmentTerm[]): number {
  const places: number[] = [];
  const positions: number[] = [];
  for (let at = 0; at < stream.length; at++) {
    const place = marks[stream.ids[at]!]!;
    if (place === 0) continue;
    places.push(place - 1);
    positions.push(at);
  }
  const inside = new Uint32Array(terms.length);
  let weight = 0;
  let best = 0;
  let from = 0;
  for (let to = 0; to < places.length; to++) {
    const term = terms[places[to]!]!;
    if (inside[places[to]!]!++ === 0) weight += term.idf * term.term.weight;
    while (positions[to]! - positions[from]! >= WINDOW) {
      const gone = terms[places[from]!]!;
      if (--inside[places[from]!]! === 0) weight -= gone.idf * gone.term.weight;
      from++;
    }
    if (weight > best) best = weight;
  }
  return best;
}
