// One immutable piece of the inverted index in typed arrays: dictionary, postings, token streams and document columns.
// Knows how to look up and decode; never scores, and never changes after it was built.
import { FIELD_COUNT } from './document.ts';
import { indexOf, lowerBound, type StringTable, stringAt, tableSize } from './string-table.ts';

/**
 * The columns of a segment. Every one is a typed array, so a snapshot is these arrays in a row.
 * Terms have ids by falling frequency, so that frequent terms are short integers; `terms` is sorted, `termIds` leads
 * to the id.
 */
export interface SegmentColumns {
  /** Spellings in order; index i is the term `termIds[i]`. */
  readonly terms: StringTable;
  readonly termIds: Uint32Array;
  /** By term id: where its postings begin. */
  readonly postingsAt: Uint32Array;
  /** By term id: number of postings. */
  readonly counts: Uint32Array;
  /** Gap to the last document and packed field frequencies, both as varints. */
  readonly postings: Uint8Array;
  /** Group keys in order (plain spellings, stems), and the term ids of each. */
  readonly keys: StringTable;
  readonly keyAt: Uint32Array;
  readonly keyTerms: Uint32Array;
  /** By document, one more than documents: where its stream of term ids begins. */
  readonly streamAt: Uint32Array;
  readonly stream: Uint8Array;
  /** By document, one more: where its spans begin; a span is (first position, field, chunk index). */
  readonly spanAt: Uint32Array;
  readonly spans: Uint32Array;
  /** By document and field: number of tokens. */
  readonly lengths: Uint32Array;
  readonly pageIds: Float64Array;
  readonly sources: StringTable;
  readonly sourceOf: Uint16Array;
  readonly types: StringTable;
  readonly typeOf: Uint16Array;
  /** 1 for a private page. */
  readonly isPrivate: Uint8Array;
  /** Effective date as day number, or NO_DAY. */
  readonly days: Int32Array;
  readonly timelineAt: Uint32Array;
  /** Days of timeline entries, each page's in order. */
  readonly timelineDays: Int32Array;
  readonly slugs: StringTable;
  readonly titles: StringTable;
  /** Places in `terms` of words that occur in titles or aliases: where a misspelt name is looked for. */
  readonly nameTerms: Uint32Array;
}

/**
 * Words of packed frequencies: bits of each field, lowest first. Frequent fields come first so that they stay
 * short.
 */
const LAYOUT = [
  { field: 2, bits: 7 },
  { field: 5, bits: 6 },
  { field: 6, bits: 6 },
  { field: 3, bits: 5 },
  { field: 0, bits: 2 },
  { field: 1, bits: 2 },
  { field: 4, bits: 4 },
] as const;

/** By field id: lowest bit of its frequency in a packed word. */
export const TF_SHIFT = new Uint8Array(FIELD_COUNT);
/** By field id: greatest frequency that a posting holds; BM25 saturates far below. */
export const TF_MAX = new Uint8Array(FIELD_COUNT);
{
  let shift = 0;
  for (const { field, bits } of LAYOUT) {
    TF_SHIFT[field] = shift;
    TF_MAX[field] = 2 ** bits - 1;
    shift += bits;
  }
}

/** `packed` with one more occurrence in a field. */
export function addOccurrence(packed: number, field: number): number {
  const shift = TF_SHIFT[field]!;
  const max = TF_MAX[field]!;
  return ((packed >>> shift) & max) < max ? (packed + 2 ** shift) >>> 0 : packed;
}

/** Occurrences in one field. */
export const occurrences = (packed: number, field: number): number => (packed >>> TF_SHIFT[field]!) & TF_MAX[field]!;

/** A posting list, decoded: the first `count` entries of both arrays are valid until the next decode. */
export interface Postings {
  docs: Uint32Array;
  packed: Uint32Array;
  count: number;
}

/** Room for decoded postings. */
export const emptyPostings = (): Postings => ({ docs: new Uint32Array(1024), packed: new Uint32Array(1024), count: 0 });

/** Number of documents. */
export const documentCount = (segment: SegmentColumns): number => segment.pageIds.length;

/** Id of a term by its exact spelling, or -1. */
export function findTerm(segment: SegmentColumns, term: string): number {
  const at = indexOf(segment.terms, term);
  return at < 0 ? -1 : segment.termIds[at]!;
}

/** Term ids listed under a group key. */
export function termsOfKey(segment: SegmentColumns, key: string): Uint32Array {
  const at = indexOf(segment.keys, key);
  return at < 0 ? NONE : segment.keyTerms.subarray(segment.keyAt[at]!, segment.keyAt[at + 1]!);
}

const NONE = new Uint32Array(0);

/** Term ids whose spelling begins with `prefix`, in order of spelling, at most `max`. */
export function termsWithPrefix(segment: SegmentColumns, prefix: string, max: number): number[] {
  const ids: number[] = [];
  for (let at = lowerBound(segment.terms, prefix); at < tableSize(segment.terms) && ids.length < max; at++) {
    if (segment.terms.offsets[at + 1]! - segment.terms.offsets[at]! < prefix.length) break;
    if (!stringAt(segment.terms, at).startsWith(prefix)) break;
    ids.push(segment.termIds[at]!);
  }
  return ids;
}

/** Decodes the postings of a term into `into`. */
export function decodePostings(segment: SegmentColumns, term: number, into: Postings): void {
  const count = segment.counts[term]!;
  if (into.docs.length < count) {
    const room = 2 ** Math.ceil(Math.log2(count));
    into.docs = new Uint32Array(room);
    into.packed = new Uint32Array(room);
  }
  const { postings } = segment;
  const { docs, packed } = into;
  let at = segment.postingsAt[term]!;
  let doc = -1;
  for (let i = 0; i < count; i++) {
    let byte = postings[at++]!;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!;
      value |= (byte & 127) << shift;
    }
    doc += value;
    docs[i] = doc;
    byte = postings[at++]!;
    value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!;
      value |= (byte & 127) << shift;
    }
    packed[i] = value >>> 0;
  }
  into.count = count;
}

/** Decodes the token stream of a document into `into` (grown when it is too small); gives the array and its length. */
export function decodeStream(
  segment: SegmentColumns,
  doc: number,
  into: Uint32Array,
): { ids: Uint32Array; length: number } {
  const end = segment.streamAt[doc + 1]!;
  let at = segment.streamAt[doc]!;
  const ids = into.length >= end - at ? into : new Uint32Array(end - at);
  const { stream } = segment;
  let length = 0;
  while (at < end) {
    let byte = stream[at++]!;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = stream[at++]!;
      value |= (byte & 127) << shift;
    }
    ids[length++] = value;
  }
  return { ids, length };
}

const tableBytes = (table: StringTable): number => table.units.byteLength + table.offsets.byteLength;

/** Bytes that a segment holds in memory. */
export function segmentBytes(segment: SegmentColumns): number {
  let bytes = 0;
  for (const column of Object.values(segment) as (ArrayBufferView | StringTable)[])
    bytes += 'units' in column ? tableBytes(column) : column.byteLength;
  return bytes;
}
