// Typed arrays as one buffer and back: a checked head, a stamp as JSON, then columns in a row, read as views. Knows no
// file and nothing of what the columns mean.
import { crc32 } from 'node:zlib';

/** Why a buffer is refused. */
export type ColumnRefusal = 'not_a_snapshot' | 'other_version' | 'truncated' | 'checksum' | 'malformed';

/** A column of a file. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const KINDS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** Element kind of a column. */
export type ColumnKind = keyof typeof KINDS;

/** What kind of file it is: a number at its head, and the version of its columns. */
export interface ColumnFormat {
  readonly magic: number;
  readonly version: number;
  /** The columns of a group in their order. */
  readonly kinds: readonly ColumnKind[];
}

/** A file that was read, or why not. The columns are views of the buffer. */
export type ColumnReading =
  | { readonly ok: true; readonly stamp: Readonly<Record<string, unknown>>; readonly groups: readonly Column[][] }
  | { readonly ok: false; readonly reason: ColumnRefusal };

const HEAD_BYTES = 32;
const ALIGNMENT = 8;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const bytesOf = (column: Column): Uint8Array<ArrayBuffer> =>
  new Uint8Array(column.buffer as ArrayBuffer, column.byteOffset, column.byteLength);

/** The bytes of a file as pieces in a row: the columns themselves are among them, so nothing is held twice. */
export type FileParts = readonly Uint8Array[];

/** A file that is prepared in slices: gives way after each. */
export type SlicedParts = Generator<void, FileParts, void>;

/** Bytes that are summed up between two yields. */
const SUM_SLICE = 1 << 21;

/** All slices at once, in one buffer. */
export function drained(work: SlicedParts): Uint8Array<ArrayBuffer> {
  for (;;) {
    const step = work.next();
    if (step.done) return joined(step.value);
  }
}

function joined(parts: FileParts): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Writes groups of columns and a stamp into one buffer. */
export const writeColumns = (
  format: ColumnFormat,
  stamp: object,
  groups: readonly (readonly Column[])[],
): Uint8Array<ArrayBuffer> => drained(columnParts(format, stamp, groups));

/** The same as pieces, made in slices. The columns must not change before the pieces are written. */
export function* columnParts(format: ColumnFormat, stamp: object, groups: readonly (readonly Column[])[]): SlicedParts {
  const header = { stamp, segments: groups.map((list) => list.map((column) => column.length)) };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const front = new Uint8Array(aligned(HEAD_BYTES + json.length));
  front.set(json, HEAD_BYTES);
  const parts = [front];
  let total = front.length;
  let sum = crc32(front.subarray(HEAD_BYTES));
  for (const column of groups.flat()) {
    const bytes = bytesOf(column);
    for (let from = 0; from < bytes.length; from += SUM_SLICE) {
      sum = crc32(bytes.subarray(from, from + SUM_SLICE), sum);
      if (from + SUM_SLICE <= bytes.length) yield;
    }
    const rest = new Uint8Array(aligned(bytes.length) - bytes.length);
    sum = crc32(rest, sum);
    parts.push(bytes, rest);
    total += bytes.length + rest.length;
  }
  const head = new DataView(front.buffer);
  head.setUint32(0, format.magic, true);
  head.setUint32(4, format.version, true);
  head.setUint32(8, json.length, true);
  head.setUint32(12, sum, true);
  head.setFloat64(16, total, true);
  head.setUint32(24, crc32(front.subarray(0, 24)), true);
  return parts;
}

/** Reads a buffer that `writeColumns` made of this format; anything else is refused with its reason. Never throws. */
export function readColumns(format: ColumnFormat, source: Uint8Array): ColumnReading {
  const refused = (reason: ColumnRefusal): ColumnReading => ({ ok: false, reason });
  const buffer = source.byteOffset % ALIGNMENT === 0 ? source : source.slice();
  if (buffer.length < HEAD_BYTES) return refused('not_a_snapshot');
  const head = new DataView(buffer.buffer, buffer.byteOffset, HEAD_BYTES);
  if (head.getUint32(0, true) !== format.magic) return refused('not_a_snapshot');
  if (head.getUint32(4, true) !== format.version) return refused('other_version');
  if (head.getUint32(24, true) !== crc32(buffer.subarray(0, 24))) return refused('checksum');
  if (head.getFloat64(16, true) !== buffer.length) return refused('truncated');
  if (head.getUint32(12, true) !== crc32(buffer.subarray(HEAD_BYTES))) return refused('checksum');
  const bodyAt = HEAD_BYTES + head.getUint32(8, true);
  const header = parseHeader(buffer.subarray(HEAD_BYTES, bodyAt), format.kinds.length);
  const groups = header && readGroups(format, buffer, aligned(bodyAt), header.segments);
  return header && groups ? { ok: true, stamp: header.stamp, groups } : refused('malformed');
}

interface Header {
  readonly stamp: Readonly<Record<string, unknown>>;
  readonly segments: readonly (readonly number[])[];
}

function parseHeader(bytes: Uint8Array, columns: number): Header | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
  const { stamp, segments } = (value ?? {}) as Partial<Header>;
  if (typeof stamp !== 'object' || stamp === null || !Array.isArray(segments)) return null;
  const fits = segments.every((list) => Array.isArray(list) && list.length === columns && list.every(isLength));
  return fits ? { stamp, segments } : null;
}

const isLength = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;

function readGroups(
  format: ColumnFormat,
  buffer: Uint8Array,
  from: number,
  lengths: Header['segments'],
): Column[][] | null {
  const groups: Column[][] = [];
  let at = from;
  for (const list of lengths) {
    const columns: Column[] = [];
    for (const [i, length] of list.entries()) {
      const View = KINDS[format.kinds[i]!];
      const size = length * View.BYTES_PER_ELEMENT;
      if (at + size > buffer.length) return null;
      columns.push(new View(buffer.buffer as ArrayBuffer, buffer.byteOffset + at, length));
      at += aligned(size);
    }
    groups.push(columns);
  }
  return groups;
}
