// Reads a candidate's token stream once: where the query's terms stand, which chunk answers best, whether its words
// stand together. Knows positions, never postings or other documents.
import { DEFAULT_WEIGHTS } from './bm25f.ts';
import { FIELD_COUNT, FIELD_ID } from './document.ts';
import { type Spread, withNeighbours } from './neighbours.ts';
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
  /** What its best places say, on the scale of a page's score: chunks by their own words and by those around them. */
  readonly best: number;
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
/** How far the chunks around one count for it, and what its own words count beside them. */
const AROUND: Spread = { reach: 6, scale: 30, before: 1.5, after: 0.5 };
const OWN_SHARE = 1 / 3;
/** Best places of a page that speak for it. */
const BEST = 2;
/** Where a word of the query opens chunks (who speaks), what the others say counts this share. */
const OTHERS_SHARE = 0.6;
/** Chunks that a word of the query opens before it is who speaks. */
const SPEAKS_FROM = 2;

/** Working memory of a reader; `marks` holds, by term id, one more than the place of its query term. */
export class PassageRoom {
  private ids: Uint32Array = new Uint32Array(8192);
  private marks = new Uint8Array(0);

  /**
   * Reads one document, of which `matched` says by bits which terms (below 32) its postings hold. `sequence` are the
   * query's words by position as term ids of this segment (-1: not in it).
   */
  read(
    { columns, doc, matched }: { columns: SegmentColumns; doc: number; matched: number },
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
    const { chunks, named } = readChunks({ columns, doc, stream }, this.marks, terms.length);
    addUnread(named, chunks, matched);
    const figures = {
      chunks: rankChunks(chunks, terms),
      best: bestPlaces(chunks, named, terms),
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

/** One chunk of a page with the query's terms in it. */
interface ReadChunk {
  readonly index: number;
  /** Occurrences by term, plain and by the weights of their fields. */
  readonly counts: Float64Array;
  readonly held: Float64Array;
  /** Words in it. */
  size: number;
  /** It begins with a word of the query. */
  readonly opens: boolean;
}

/** The chunks of a page in their order, and what its title and aliases hold of each term by their weights. */
function readChunks(
  { columns, doc, stream }: ReadPage,
  marks: Uint8Array,
  terms: number,
): { chunks: ReadChunk[]; named: Float64Array } {
  const chunks = new Map<number, ReadChunk>();
  const named = new Float64Array(terms);
  const { ids } = stream;
  const spanEnd = columns.spanAt[doc + 1]!;
  for (let at = columns.spanAt[doc]!; at < spanEnd; at += 3) {
    const field = columns.spans[at + 1]!;
    const weight = DEFAULT_WEIGHTS.weights[field]!;
    const from = columns.spans[at]!;
    const end = at + 3 < spanEnd ? columns.spans[at + 3]! : stream.length;
    if (field <= FIELD_ID.aliases) {
      for (let position = from; position < end; position++) {
        const place = marks[ids[position]!]!;
        if (place > 0) named[place - 1]! += weight;
      }
      continue;
    }
    const index = columns.spans[at + 2]!;
    let chunk = chunks.get(index);
    if (!chunk) {
      const opens = from < end && marks[ids[from]!]! > 0;
      chunk = { index, counts: new Float64Array(terms), held: new Float64Array(terms), size: 0, opens };
      chunks.set(index, chunk);
    }
    chunk.size += end - from;
    for (let position = from; position < end; position++) {
      const place = marks[ids[position]!]!;
      if (place === 0) continue;
      chunk.counts[place - 1]!++;
      chunk.held[place - 1]! += weight;
    }
  }
  return { chunks: [...chunks.values()].sort((a, b) => a.index - b.index), named };
}

/** Terms that stand in no stream (identifiers as a whole, pairs with a gap) count for the whole page. */
function addUnread(named: Float64Array, chunks: readonly ReadChunk[], matched: number): void {
  for (let place = 0; place < Math.min(named.length, 32); place++) {
    const isHeld = (matched & (2 ** place)) !== 0;
    if (isHeld && named[place] === 0 && chunks.every(({ held }) => held[place] === 0)) named[place] = 1;
  }
}

/** Score of a piece of text by what it, and the name over it, hold of each term. */
function scoreOf(held: Float64Array, named: Float64Array | null, terms: readonly SegmentTerm[]): number {
  let sum = 0;
  for (let i = 0; i < held.length; i++) {
    const frequency = held[i]! + (named === null ? 0 : named[i]!);
    if (frequency === 0) continue;
    const { idf, term } = terms[i]!;
    sum += (idf * term.weight * frequency * (CHUNK_K1 + 1)) / (CHUNK_K1 + frequency);
  }
  return sum;
}

function rankChunks(chunks: readonly ReadChunk[], terms: readonly SegmentTerm[]): ChunkScore[] {
  const scored = chunks.map(({ index, counts }) => ({ index, score: scoreOf(counts, null, terms) }));
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.index - b.index);
}

/** Mean score of the best places of a page. Its name stands over each of them. */
function bestPlaces(chunks: readonly ReadChunk[], named: Float64Array, terms: readonly SegmentTerm[]): number {
  const hasSpeaker = chunks.reduce((count, { opens }) => count + (opens ? 1 : 0), 0) >= SPEAKS_FROM;
  const around = withNeighbours(chunks, AROUND);
  const scores = chunks.map(({ held, opens }, at) => {
    const score = OWN_SHARE * scoreOf(held, named, terms) + (1 - OWN_SHARE) * scoreOf(around[at]!, named, terms);
    return hasSpeaker && !opens ? OTHERS_SHARE * score : score;
  });
  const best = scores.sort((a, b) => b - a).slice(0, BEST);
  return best.length === 0 ? scoreOf(named, null, terms) : best.reduce((sum, score) => sum + score, 0) / best.length;
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
