// The vector arm: chunks nearest to a query by cosine. A first pass over one bit a dimension orders every row; a second
// over nine bits reads as many of them, nearest first, as it takes to be sure. Knows pages by id, never their words.
import { type Column, type ColumnFormat, type ColumnRefusal, readColumns, writeColumns } from '../column-file.ts';
import { isCode, type VectorCode } from './code.ts';
import { isQuery, VectorRows } from './rows.ts';

/** The vector of one chunk. */
export interface StoredVector {
  readonly pageId: number;
  /** The database's chunk index inside the page. */
  readonly chunkIndex: number;
  readonly code: VectorCode;
}

/** A chunk that is near. */
export interface VectorHit {
  readonly pageId: number;
  readonly chunk: number;
  readonly cosine: number;
}

/** What is near to a query. */
export interface VectorAnswer {
  /** Nearest first; of equals the smaller page id, then the smaller chunk. */
  readonly hits: readonly VectorHit[];
  /** Rows that were compared by nine bits. */
  readonly compared: number;
}

/** How cosines of a query with what a scope may see are spread. */
export interface VectorSpread {
  readonly mean: number;
  readonly deviation: number;
  /** Chunks that were looked at. */
  readonly count: number;
}

/** What a snapshot of vectors belongs to. */
export interface VectorStamp {
  readonly incarnation: string;
  readonly position: string;
  /** Provider, model, size and role rules of the profile that made the vectors. */
  readonly signature: string;
  readonly dimensions: number;
}

/** An index from a snapshot, or why there is none. */
export type LoadedVectors =
  | { readonly ok: true; readonly stamp: VectorStamp; readonly index: VectorIndex }
  | { readonly ok: false; readonly reason: ColumnRefusal | 'other_brain' | 'other_profile' };

/** Figures of the arm. */
export interface VectorFigures {
  readonly vectors: number;
  readonly pages: number;
  readonly bytes: number;
  readonly bytesPerVector: number;
}

/** Rows of the first round of the second pass: at least this, and this many for each wanted hit. */
const FIRST_ROUND = 256;
const ROUND_FACTOR = 8;
/** The second pass ends when at most this share of the wanted hits is expected among the rows that it has not read. */
const MISSED_SHARE_MAX = 0.002;
/** Chunks from which the spread of cosines is taken. */
const SAMPLE = 2048;
/** Cosines are summed as whole multiples of this, so that the sum does not depend on the order of rows. */
const GRAIN = 2 ** 30;

const NOBODY = -1;
const NONE = -1;
const FORMAT: ColumnFormat = { magic: 0x56424c47, version: 2, kinds: ['f64', 'u32', 'f32', 'u8', 'u8'] };

type Admits = (pageId: number) => boolean;

/** Mixes an id to 32 bits: a sample by it is the same whatever the order of rows. */
function mix(pageId: number, chunk: number): number {
  let value = (Math.imul(pageId % 0x7fffffff, 0x9e3779b1) ^ Math.imul(chunk + 1, 0x85ebca6b)) >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b) >>> 0;
  return (value ^ (value >>> 16)) >>> 0;
}

/** Vectors of one brain in memory. */
export class VectorIndex {
  readonly dimensions: number;
  private readonly rows: VectorRows;
  private pageIds = new Float64Array(0);
  private chunks = new Uint32Array(0);
  /** By row: the next row of its page, or NONE. */
  private next = new Int32Array(0);
  private readonly firstOf = new Map<number, number>();
  private readonly free: number[] = [];
  private living = 0;
  private differences = new Uint16Array(0);

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.rows = new VectorRows(dimensions);
  }

  /** Puts vectors in the place of those that their chunks had. Gives how many were unusable and left out. */
  put(vectors: readonly StoredVector[]): { readonly refused: number } {
    let refused = 0;
    for (const { pageId, chunkIndex, code } of vectors) {
      if (!isCode(code, this.dimensions)) {
        refused++;
        continue;
      }
      const known = this.rowOf(pageId, chunkIndex);
      const row = known === NONE ? (this.free.pop() ?? this.rows.length) : known;
      this.rows.write(row, code);
      if (known === NONE) this.place(row, pageId, chunkIndex);
    }
    return { refused };
  }

  /** Takes away all vectors of some pages. */
  remove(pageIds: readonly number[]): void {
    for (const pageId of pageIds) {
      for (let row = this.firstOf.get(pageId) ?? NONE; row !== NONE; row = this.next[row]!) {
        this.pageIds[row] = NOBODY;
        this.free.push(row);
        this.living--;
      }
      this.firstOf.delete(pageId);
    }
  }

  private rowOf(pageId: number, chunk: number): number {
    let row = this.firstOf.get(pageId) ?? NONE;
    while (row !== NONE && this.chunks[row] !== chunk) row = this.next[row]!;
    return row;
  }

  private place(row: number, pageId: number, chunk: number): void {
    if (row >= this.pageIds.length) this.grow(Math.max(1024, row * 2));
    this.pageIds[row] = pageId;
    this.chunks[row] = chunk;
    this.next[row] = this.firstOf.get(pageId) ?? NONE;
    this.firstOf.set(pageId, row);
    this.living++;
  }

  private grow(rows: number): void {
    const { pageIds, chunks, next } = this;
    this.pageIds = new Float64Array(rows).fill(NOBODY);
    this.chunks = new Uint32Array(rows);
    this.next = new Int32Array(rows);
    this.differences = new Uint16Array(rows);
    this.pageIds.set(pageIds);
    this.chunks.set(chunks);
    this.next.set(next);
  }

  /** Whether a query vector can be compared with what is here. */
  takes(query: Float32Array): boolean {
    return isQuery(query, this.dimensions);
  }

  /** The `k` chunks nearest to a query that `takes`, among the pages admitted. */
  search(query: Float32Array, k: number, admits: Admits): VectorAnswer {
    const set = this.rows.setQuery(query);
    this.rows.differences(this.differences);
    const queue = this.byDifference();
    const buckets = queue.starts.length - 1;
    const pass = new SecondPass(k, this.dimensions);
    for (let bucket = 0, wanted = Math.max(FIRST_ROUND, k * ROUND_FACTOR); bucket < buckets; wanted *= 2) {
      // Whole buckets only, and packed in place, so that what is read does not depend on the order of rows.
      const from = queue.starts[bucket]!;
      let count = 0;
      for (; bucket < buckets && count < wanted; bucket++) {
        for (let at = queue.starts[bucket]!; at < queue.starts[bucket + 1]!; at++) {
          const row = queue.rows[at]!;
          if (admits(this.pageIds[row]!)) queue.rows[from + count++] = row;
        }
      }
      const rows = queue.rows.subarray(from, from + count);
      const cosines = new Float64Array(count);
      this.rows.cosines(set, rows, cosines);
      pass.take(rows, this.differences, cosines);
      if (pass.expectedBelow(queue.starts, bucket) <= k * MISSED_SHARE_MAX) break;
    }
    return { hits: this.hitsOf(pass), compared: pass.compared };
  }

  private hitsOf(pass: SecondPass): VectorHit[] {
    return pass
      .best((row) => [this.pageIds[row]!, this.chunks[row]!])
      .map(({ row, cosine }) => ({ pageId: this.pageIds[row]!, chunk: this.chunks[row]!, cosine }));
  }

  /** Living rows in the order of their difference; `starts[d]` is where those of difference d begin. */
  private byDifference(): { readonly rows: Uint32Array; readonly starts: Uint32Array } {
    const { differences, pageIds } = this;
    const { length } = this.rows;
    const starts = new Uint32Array(this.rows.dimensions + 2);
    for (let row = 0; row < length; row++) if (pageIds[row] !== NOBODY) starts[differences[row]! + 1]!++;
    for (let d = 1; d < starts.length; d++) starts[d]! += starts[d - 1]!;
    const at = starts.slice();
    const rows = new Uint32Array(this.living);
    for (let row = 0; row < length; row++) if (pageIds[row] !== NOBODY) rows[at[differences[row]!]!++] = row;
    return { rows, starts };
  }

  /** Chunks of a page that have a vector. */
  chunksOf(pageId: number): number {
    let count = 0;
    for (let row = this.firstOf.get(pageId) ?? NONE; row !== NONE; row = this.next[row]!) count++;
    return count;
  }

  /** The nearest chunk of each of some pages that have vectors. */
  nearestOf(query: Float32Array, pageIds: readonly number[]): Map<number, VectorHit> {
    const best = new Map<number, VectorHit>();
    for (const hit of this.chunksOfPages(query, pageIds)) {
      const known = best.get(hit.pageId);
      if (!known || hit.cosine > known.cosine || (hit.cosine === known.cosine && hit.chunk < known.chunk))
        best.set(hit.pageId, hit);
    }
    return best;
  }

  /** Every chunk of some pages that has a vector, in no order. */
  chunksOfPages(query: Float32Array, pageIds: readonly number[]): VectorHit[] {
    const rows: number[] = [];
    for (const pageId of pageIds)
      for (let row = this.firstOf.get(pageId) ?? NONE; row !== NONE; row = this.next[row]!) rows.push(row);
    const cosines = this.cosines(query, rows);
    return rows.map((row, i) => ({ pageId: this.pageIds[row]!, chunk: this.chunks[row]!, cosine: cosines[i]! }));
  }

  /** How cosines of a query are spread over the admitted chunks, from a sample that depends on their ids alone. */
  spread(query: Float32Array, admits: Admits): VectorSpread {
    const below = Math.min(1, SAMPLE / Math.max(1, this.living)) * 2 ** 32;
    const rows: number[] = [];
    for (let row = 0; row < this.rows.length; row++) {
      const pageId = this.pageIds[row]!;
      if (pageId !== NOBODY && mix(pageId, this.chunks[row]!) < below && admits(pageId)) rows.push(row);
    }
    let sum = 0;
    let squares = 0;
    for (const cosine of this.cosines(query, rows)) {
      sum += Math.round(cosine * GRAIN);
      squares += Math.round(cosine * cosine * GRAIN);
    }
    const mean = rows.length > 0 ? sum / GRAIN / rows.length : 0;
    const variance = rows.length > 0 ? Math.max(0, squares / GRAIN / rows.length - mean * mean) : 0;
    return { mean, deviation: Math.sqrt(variance), count: rows.length };
  }

  private cosines(query: Float32Array, rows: readonly number[]): Float64Array {
    const cosines = new Float64Array(rows.length);
    this.rows.cosines(this.rows.setQuery(query), Uint32Array.from(rows), cosines);
    return cosines;
  }

  /** Sizes. */
  stats(): VectorFigures {
    const ids = this.pageIds.byteLength + this.chunks.byteLength + this.next.byteLength + this.differences.byteLength;
    const bytes = this.rows.size + ids;
    return {
      vectors: this.living,
      pages: this.firstOf.size,
      bytes,
      bytesPerVector: this.living > 0 ? Math.round(bytes / this.living) : 0,
    };
  }

  /** The living rows as bytes, in the order of pages and chunks; `load` gives them back. */
  snapshot(stamp: Omit<VectorStamp, 'dimensions'>): Uint8Array<ArrayBuffer> {
    const living = Uint32Array.from(Array.from({ length: this.rows.length }, (_, row) => row)).filter(
      (row) => this.pageIds[row] !== NOBODY,
    );
    living.sort((a, b) => this.pageIds[a]! - this.pageIds[b]! || this.chunks[a]! - this.chunks[b]!);
    const { bits, codes, scales } = this.rows.pack(living);
    const pageIds = Float64Array.from(living, (row) => this.pageIds[row]!);
    const chunks = living.map((row) => this.chunks[row]!);
    return writeColumns(FORMAT, { ...stamp, dimensions: this.dimensions }, [[pageIds, chunks, scales, bits, codes]]);
  }

  /** An index from bytes of `snapshot`, or why they are refused. The bytes are copied. */
  static load(bytes: Uint8Array, expected: Omit<VectorStamp, 'position'>): LoadedVectors {
    const reading = readColumns(FORMAT, bytes);
    if (!reading.ok) return reading;
    const stamp = reading.stamp as unknown as VectorStamp;
    const [columns, ...more] = reading.groups;
    if (stamp.incarnation !== expected.incarnation) return { ok: false, reason: 'other_brain' };
    if (stamp.signature !== expected.signature || stamp.dimensions !== expected.dimensions)
      return { ok: false, reason: 'other_profile' };
    if (!columns || more.length > 0 || typeof stamp.position !== 'string') return { ok: false, reason: 'malformed' };
    const index = new VectorIndex(expected.dimensions);
    return index.restore(columns) ? { ok: true, stamp, index } : { ok: false, reason: 'malformed' };
  }

  private restore(columns: readonly Column[]): boolean {
    const [pageIds, chunks, scales, bits, codes] = columns as [
      Float64Array,
      Uint32Array,
      Float32Array,
      Uint8Array,
      Uint8Array,
    ];
    const count = pageIds.length;
    const fits =
      chunks.length === count &&
      scales.length === count &&
      bits.length === (count * this.rows.width) / 8 &&
      codes.length === count * this.rows.width;
    if (!fits) return false;
    this.rows.unpack(bits, codes, scales);
    this.grow(Math.max(count, 1));
    for (let row = 0; row < count; row++) this.place(row, pageIds[row]!, chunks[row]!);
    return true;
  }
}

/** The second pass: the best cosines so far, and how cosines follow from differences. */
class SecondPass {
  compared = 0;
  private readonly k: number;
  /** By number of differing bits: the cosine that it says. */
  private readonly said: Float64Array;
  private found: { row: number; cosine: number }[] = [];
  /** Sums for a regression of the cosines (y) on what the differences say (x): x, y, xx, xy, yy. */
  private sums: readonly [number, number, number, number, number] = [0, 0, 0, 0, 0];

  constructor(k: number, dimensions: number) {
    this.k = k;
    this.said = Float64Array.from({ length: dimensions + 1 }, (_, d) => Math.cos((Math.PI * d) / dimensions));
  }

  take(rows: Uint32Array, differences: Uint16Array, cosines: Float64Array): void {
    const floor = this.found.length >= this.k ? this.found[this.k - 1]!.cosine : Number.NEGATIVE_INFINITY;
    let [sumX, sumY, sumXX, sumXY, sumYY] = this.sums;
    for (let i = 0; i < rows.length; i++) {
      const x = this.said[differences[rows[i]!]!]!;
      const y = cosines[i]!;
      sumX += x;
      sumY += y;
      sumXX += x * x;
      sumXY += x * y;
      sumYY += y * y;
      if (y >= floor) this.found.push({ row: rows[i]!, cosine: y });
    }
    this.sums = [sumX, sumY, sumXX, sumXY, sumYY];
    this.compared += rows.length;
    this.found.sort((a, b) => b.cosine - a.cosine);
    // Equals of the last one are kept: which of them is taken is decided by their ids, at the end.
    const last = this.found[this.k - 1]?.cosine;
    if (last !== undefined) this.found = this.found.filter((one) => one.cosine >= last);
  }

  /** How many of the rows from a difference on are expected to be nearer than the last hit. */
  expectedBelow(starts: Uint32Array, from: number): number {
    const n = this.compared;
    if (this.found.length < this.k) return starts.at(-1)! - starts[from]!;
    const [x, y, xx, xy, yy] = this.sums;
    const spreadX = xx - (x * x) / n;
    const slope = spreadX > 0 ? Math.max(0, (xy - (x * y) / n) / spreadX) : 0;
    const base = (y - slope * x) / n;
    const residual = Math.sqrt(Math.max(0, (yy - (y * y) / n - slope * slope * spreadX) / n)) || 1e-9;
    const bar = this.found[this.k - 1]!.cosine;
    let expected = 0;
    for (let d = from; d < starts.length - 1; d++) {
      const rows = starts[d + 1]! - starts[d]!;
      if (rows === 0) continue;
      const distance = (bar - base - slope * this.said[d]!) / residual;
      expected += rows * upperTail(distance);
      if (distance > 8) break;
    }
    return expected;
  }

  best(idOf: (row: number) => [number, number]): { row: number; cosine: number }[] {
    return this.found
      .sort((a, b) => {
        const [[pageA, chunkA], [pageB, chunkB]] = [idOf(a.row), idOf(b.row)];
        return b.cosine - a.cosine || pageA - pageB || chunkA - chunkB;
      })
      .slice(0, this.k);
  }
}

/** Share of a normal distribution above a number of deviations (Abramowitz and Stegun 26.2.17, error below 1e-7). */
function upperTail(deviations: number): number {
  if (deviations < 0) return 1 - upperTail(-deviations);
  const t = 1 / (1 + 0.2316419 * deviations);
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-deviations * deviations) / 2) / Math.sqrt(2 * Math.PI)) * poly;
}
