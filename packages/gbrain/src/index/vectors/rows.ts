// Vectors of chunks as rows of fixed size in one memory: a bit a dimension and a byte a dimension. A row that is
// taken away is a free place for the next one, so there is nothing to merge and a change costs the same at any size.
// Knows bytes, never cosines of a ranking.
import { turn, type VectorCode } from './code.ts';
import { type Kernel, openKernel } from './kernel.ts';

/** Most dimensions that are taken. */
export const DIMENSIONS_MAX = 8192;

const PAGE_BYTES = 65_536;
/** Rows that memory grows by. */
const BLOCK_ROWS = 1024;
const QUERY_BITS_AT = 0;
const QUERY_AT = 4096;
const ADDRESSES_AT = 32_768;
const PRODUCTS_AT = 49_152;
/** Products that one call of the kernel gives. */
const BATCH = 2048;
const INT_16_MAX = 32_767;

/** A query as the rows take it; valid until the next one is set. */
export interface SetQuery {
  /** Cosine of one unit of a product with a row of scale 1. */
  readonly scale: number;
  /** What the half that a row's whole numbers leave out adds to each product, doubled as they are. */
  readonly sum: number;
}

/** Whether a query can be compared: of this size, numbers only, not all zero. */
export function isQuery(vector: Float32Array, dimensions: number): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return vector.length === dimensions && Number.isFinite(sum) && sum > 1e-20;
}

/** Rows of one dimension count. */
export class VectorRows {
  readonly dimensions: number;
  /** Dimensions padded to whole 128-bit words. */
  readonly width: number;
  private readonly kernel: Kernel;
  private bytes: Uint8Array;
  private scales = new Float32Array(0);
  private blocks = 0;
  /** Rows that were ever in use; those taken away among them are reused first. */
  length = 0;

  constructor(dimensions: number) {
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS_MAX)
      throw new RangeError(`dimensions ${dimensions}`);
    this.dimensions = dimensions;
    this.width = Math.ceil(dimensions / 128) * 128;
    this.kernel = openKernel();
    this.bytes = new Uint8Array(this.kernel.memory.buffer);
  }

  private get blockBytes(): number {
    return BLOCK_ROWS * (this.width / 8 + this.width + 2);
  }

  private blockAt(block: number): number {
    return PAGE_BYTES + block * this.blockBytes;
  }

  private bitsAt(row: number): number {
    return this.blockAt(Math.floor(row / BLOCK_ROWS)) + (row % BLOCK_ROWS) * (this.width / 8);
  }

  private codesAt(row: number): number {
    const block = this.blockAt(Math.floor(row / BLOCK_ROWS)) + BLOCK_ROWS * (this.width / 8);
    return block + (row % BLOCK_ROWS) * this.width;
  }

  private differencesAt(block: number): number {
    return this.blockAt(block) + BLOCK_ROWS * (this.width / 8 + this.width);
  }

  /** Makes room for `rows` rows. */
  reserve(rows: number): void {
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    if (blocks <= this.blocks) return;
    const wanted = Math.ceil(this.blockAt(blocks) / PAGE_BYTES) - this.kernel.memory.buffer.byteLength / PAGE_BYTES;
    if (wanted > 0) this.kernel.memory.grow(wanted);
    this.bytes = new Uint8Array(this.kernel.memory.buffer);
    this.blocks = blocks;
    const scales = new Float32Array(blocks * BLOCK_ROWS);
    scales.set(this.scales);
    this.scales = scales;
  }

  /** Writes a row, a code of these dimensions. */
  write(row: number, { scale, signs, lows }: VectorCode): void {
    this.reserve(row + 1);
    this.length = Math.max(this.length, row + 1);
    this.bytes
      .subarray(this.codesAt(row), this.codesAt(row) + this.width)
      .fill(0, lows.length)
      .set(lows);
    this.bytes
      .subarray(this.bitsAt(row), this.bitsAt(row) + this.width / 8)
      .fill(0, signs.length)
      .set(signs);
    this.scales[row] = scale;
  }

  /** Sets the query (one that `isQuery` takes) that `differences` and `cosines` compare with. */
  setQuery(vector: Float32Array): SetQuery {
    const turned = turn(vector);
    let square = 0;
    let most = 0;
    for (const value of turned) {
      square += value * value;
      most = Math.max(most, Math.abs(value));
    }
    // As many steps as 16 bits hold, and as keep a product with the longest row below 2^31: |a b| <= |a| |b|.
    const longest = 256 * Math.sqrt(this.width);
    const steps = Math.min(INT_16_MAX / most, (2 ** 31 - 1) / longest / Math.sqrt(square) - 1);
    const bits = this.bytes.subarray(QUERY_BITS_AT, QUERY_BITS_AT + this.width / 8).fill(0);
    const codes = new Int16Array(this.bytes.buffer, QUERY_AT, this.width).fill(0);
    let sum = 0;
    for (let i = 0; i < turned.length; i++) {
      codes[i] = Math.round(turned[i]! * steps);
      sum += codes[i]!;
      if (turned[i]! > 0) bits[i >> 3]! |= 1 << (i & 7);
    }
    return { scale: 1 / steps / Math.sqrt(square), sum };
  }

  /** Bits in which each row differs from the query, into `into` (at least `length` long). */
  differences(into: Uint16Array): void {
    for (let block = 0, from = 0; from < this.length; block++, from += BLOCK_ROWS) {
      const rows = Math.min(BLOCK_ROWS, this.length - from);
      const out = this.differencesAt(block);
      this.kernel.differences(this.blockAt(block), QUERY_BITS_AT, out, rows, this.width / 8);
      into.set(new Uint16Array(this.bytes.buffer, out, rows), from);
    }
  }

  /** Cosines of chosen rows with the query, into `into` by place in `rows`. */
  cosines(query: SetQuery, rows: Uint32Array, into: Float64Array): void {
    for (let from = 0; from < rows.length; from += BATCH) {
      const count = Math.min(BATCH, rows.length - from);
      const addresses = new Uint32Array(this.bytes.buffer, ADDRESSES_AT, 2 * count);
      for (let i = 0; i < count; i++) {
        addresses[2 * i] = this.codesAt(rows[from + i]!);
        addresses[2 * i + 1] = this.bitsAt(rows[from + i]!);
      }
      this.kernel.products(ADDRESSES_AT, QUERY_AT, PRODUCTS_AT, count, this.width);
      const products = new Int32Array(this.bytes.buffer, PRODUCTS_AT, count);
      for (let i = 0; i < count; i++)
        into[from + i] = (2 * products[i]! + query.sum) * query.scale * this.scales[rows[from + i]!]!;
    }
  }

  /** The rows named, one after the other, as columns of a snapshot. */
  pack(rows: Uint32Array): { readonly bits: Uint8Array; readonly codes: Uint8Array; readonly scales: Float32Array } {
    const bits = new Uint8Array(rows.length * (this.width / 8));
    const codes = new Uint8Array(rows.length * this.width);
    const scales = new Float32Array(rows.length);
    rows.forEach((row, i) => {
      bits.set(this.bytes.subarray(this.bitsAt(row), this.bitsAt(row) + this.width / 8), i * (this.width / 8));
      codes.set(this.bytes.subarray(this.codesAt(row), this.codesAt(row) + this.width), i * this.width);
      scales[i] = this.scales[row]!;
    });
    return { bits, codes, scales };
  }

  /** Takes columns of `pack` as the rows from 0; only in empty rows. */
  unpack(bits: Uint8Array, codes: Uint8Array, scales: Float32Array): void {
    this.reserve(scales.length);
    this.length = scales.length;
    this.scales.set(scales);
    for (let from = 0; from < scales.length; from += BLOCK_ROWS) {
      const rows = Math.min(BLOCK_ROWS, scales.length - from);
      const bitBytes = this.width / 8;
      this.bytes.set(bits.subarray(from * bitBytes, (from + rows) * bitBytes), this.bitsAt(from));
      this.bytes.set(codes.subarray(from * this.width, (from + rows) * this.width), this.codesAt(from));
    }
  }

  /** Bytes held. */
  get size(): number {
    return this.bytes.length + this.scales.byteLength;
  }
}
