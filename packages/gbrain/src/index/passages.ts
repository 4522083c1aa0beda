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

/** Marks a word of the query's sequence; the bits below hold one more than the place of a term. */
const IN_SEQUENCE = 0x8000;
const PLACE = 0x7fff;

/** Working memory of a reader; `marks` holds by term id what the query has of it. */
export class PassageRoom {
  private ids: Uint32Array = new Uint32Array(8192);
  private positions: Uint32Array = new Uint32Array(8192);
  private marks = new Uint16Array(0);

  /** Reads one document. `sequence` are the query's words by position as term ids of this segment (-1: not in it). */
  read(
    columns: SegmentColumns,
    doc: number,
    terms: readonly SegmentTerm[],
    sequence: readonly number[],
  ): PassageFigures {
    const stream = decodeStream(columns, doc, this.ids);
    this.ids = stream.ids;
    if (this.marks.length < columns.termIds.length) this.marks = new Uint16Array(columns.termIds.length);
    const { marks } = this;
    terms.forEach((one, place) => {
      for (const form of one.forms) marks[form.term] = place + 1;
    });
    for (const id of sequence) if (id >= 0) marks[id]! |= IN_SEQUENCE;
    const hits = this.hitsOf(stream);
    const total = terms.reduce((sum, one) => sum + one.idf * one.term.weight, 0);
    const page = { columns, doc, stream, hits, marks };
    const figures = {
      chunks: scoreChunks(page, terms),
      run: longestRun(page, sequence),
      closeness: total > 0 ? closest(page, terms) / total : 0,
      titleMatched: namedTerms(page, nameLength(columns, doc)),
    };
    for (const one of terms) for (const form of one.forms) marks[form.term] = 0;
    for (const id of sequence) if (id >= 0) marks[id] = 0;
    return figures;
  }

  /** Positions of the tokens that the query has; most tokens of a page are none, and are looked at this once. */
  private hitsOf({ ids, length }: Stream): Uint32Array {
    if (this.positions.length < length) this.positions = new Uint32Array(ids.length);
    const { marks, positions } = this;
    let count = 0;
    for (let at = 0; at < length; at++) if (marks[ids[at]!]! !== 0) positions[count++] = at;
    return positions.subarray(0, count);
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

/** A document with its decoded stream and the positions in it that the query has. */
interface ReadPage {
  readonly columns: SegmentColumns;
  readonly doc: number;
  readonly stream: Stream;
  readonly hits: Uint32Array;
  readonly marks: Uint16Array;
}

type Stream = { readonly ids: Uint32Array; readonly length: number };

/** The place of the query term at a position, from 1; 0 for a word that is only in the sequence. */
const placeAt = ({ stream, marks }: ReadPage, position: number): number => marks[stream.ids[position]!]! & PLACE;

function namedTerms(page: ReadPage, length: number): number {
  let bits = 0;
  for (const position of page.hits) {
    if (position >= length) break;
    const place = placeAt(page, position);
    if (place > 0 && place <= 32) bits |= 2 ** (place - 1);
  }
  return bits;
}

function scoreChunks(page: ReadPage, terms: readonly SegmentTerm[]): ChunkScore[] {
  const { columns, doc, stream, hits } = page;
  const found = new Map<number, Float64Array>();
  const spanEnd = columns.spanAt[doc + 1]!;
  let next = 0;
  for (let at = columns.spanAt[doc]!; at < spanEnd; at += 3) {
    const begin = columns.spans[at]!;
    const end = at + 3 < spanEnd ? columns.spans[at + 3]! : stream.length;
    const isName = columns.spans[at + 1]! <= FIELD_ID.aliases;
    const index = columns.spans[at + 2]!;
    for (; next < hits.length && hits[next]! < end; next++) {
      const place = isName || hits[next]! < begin ? 0 : placeAt(page, hits[next]!);
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
function longestRun({ stream, hits, marks }: ReadPage, sequence: readonly number[]): number {
  let best = 0;
  if (sequence.length < 2) return 0;
  for (const at of hits) {
    const id = stream.ids[at]!;
    if ((marks[id]! & IN_SEQUENCE) === 0) continue;
    for (let place = sequence.indexOf(id); place >= 0; place = sequence.indexOf(id, place + 1)) {
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
function closest(page: ReadPage, terms: readonly SegmentTerm[]): number {
  const { hits } = page;
  const inside = new Uint32Array(terms.length);
  let weight = 0;
  let best = 0;
  let from = 0;
  for (const position of hits) {
    const place = placeAt(page, position) - 1;
    if (place < 0) continue;
    const term = terms[place]!;
    if (inside[place]!++ === 0) weight += term.idf * term.term.weight;
    for (; position - hits[from]! >= WINDOW; from++) {
      const gone = placeAt(page, hits[from]!) - 1;
      if (gone >= 0 && --inside[gone]! === 0) weight -= terms[gone]!.idf * terms[gone]!.term.weight;
    }
    if (weight > best) best = weight;
  }
  return best;
}
