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

/** Marks a word of the query's sequence; the bits below hold one more than the place of a term. */
const IN_SEQUENCE = 0x8000;
const PLACE = 0x7fff;

/** Working memory of a reader; `marks` holds by term id what the query has of it. */
export class PassageRoom {
  private ids: Uint32Array = new Uint32Array(8192);
  private positions: Uint32Array = new Uint32Array(8192);
  private marks = new Uint16Array(0);

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
    if (this.marks.length < columns.termIds.length) this.marks = new Uint16Array(columns.termIds.length);
    const { marks } = this;
    terms.forEach((one, place) => {
      for (const form of one.forms) marks[form.term] = place + 1;
    });
    for (const id of sequence) if (id >= 0) marks[id]! |= IN_SEQUENCE;
    const hits = this.hitsOf(stream);
    const total = terms.reduce((sum, one) => sum + one.idf * one.term.weight, 0);
    const page = { columns, doc, stream, hits, marks };
    const { chunks, named } = readChunks(page, terms.length);
    addUnread(named, chunks, matched);
    const figures = {
      chunks: rankChunks(chunks, terms),
      best: bestPlaces(chunks, named, terms),
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
function readChunks(page: ReadPage, terms: number): { chunks: ReadChunk[]; named: Float64Array } {
  const { columns, doc, stream, hits } = page;
  const found = new Map<number, ReadChunk>();
  const named = new Float64Array(terms);
  const spanEnd = columns.spanAt[doc + 1]!;
  let next = 0;
  for (let at = columns.spanAt[doc]!; at < spanEnd; at += 3) {
    const begin = columns.spans[at]!;
    const end = at + 3 < spanEnd ? columns.spans[at + 3]! : stream.length;
    const field = columns.spans[at + 1]!;
    const weight = DEFAULT_WEIGHTS.weights[field]!;
    while (next < hits.length && hits[next]! < begin) next++;
    const chunk = field <= FIELD_ID.aliases ? null : chunkAt(page, found, at, terms);
    if (chunk) chunk.size += end - begin;
    for (; next < hits.length && hits[next]! < end; next++) {
      const place = placeAt(page, hits[next]!);
      if (place === 0) continue;
      if (chunk) chunk.counts[place - 1]!++;
      (chunk?.held ?? named)[place - 1]! += weight;
    }
  }
  return { chunks: [...found.values()].sort((a, b) => a.index - b.index), named };
}

/** The chunk of a span, which may have others before it. */
function chunkAt(page: ReadPage, found: Map<number, ReadChunk>, span: number, terms: number): ReadChunk {
  const { spans } = page.columns;
  const index = spans[span + 2]!;
  const known = found.get(index);
  if (known) return known;
  const opens = spans[span]! < page.stream.length && placeAt(page, spans[span]!) > 0;
  const chunk = { index, counts: new Float64Array(terms), held: new Float64Array(terms), size: 0, opens };
  found.set(index, chunk);
  return chunk;
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
    const own = scoreOf(held, named, terms);
    const score = around[at] === held ? own : OWN_SHARE * own + (1 - OWN_SHARE) * scoreOf(around[at]!, named, terms);
    return hasSpeaker && !opens ? OTHERS_SHARE * score : score;
  });
  const best = scores.sort((a, b) => b - a).slice(0, BEST);
  return best.length === 0 ? scoreOf(named, null, terms) : best.reduce((sum, score) => sum + score, 0) / best.length;
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
