// The index as one buffer and back. Columns are written as they are and read as views, so loading creates no object a
// term. Knows no file: who reads and writes the bytes decides where they live.
import { crc32 } from 'node:zlib';
import { FIELD_COUNT } from './document.ts';
import type { LiveSegment } from './merge.ts';
import type { SegmentColumns } from './segment.ts';
import type { StringTable } from './string-table.ts';

/** What a snapshot belongs to; a reader compares it with what the database says. */
export interface SnapshotStamp {
  /** Incarnation of the brain whose pages these are. */
  readonly incarnation: string;
  /** Position in the change feed of the last change seen. */
  readonly position: string;
  /** Hash of that change. */
  readonly lastChangeHash: string;
  /** Language of the stemmed stream. */
  readonly language: string;
}

/** Why a buffer was refused; the index is then built from the database. */
export type SnapshotRefusal =
  | 'not_a_snapshot'
  | 'other_version'
  | 'truncated'
  | 'checksum'
  | 'other_brain'
  | 'other_language'
  | 'malformed';

/** A snapshot that was read, or why not. */
export type SnapshotReading =
  | { readonly ok: true; readonly stamp: SnapshotStamp; readonly segments: LiveSegment[] }
  | { readonly ok: false; readonly reason: SnapshotRefusal };

/** Format version: raised with every change of columns, analysis or grouping. */
export const SNAPSHOT_VERSION = 2;

const MAGIC = 0x58424c47;
const HEAD_BYTES = 32;
const ALIGNMENT = 8;

const KINDS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;
type Kind = keyof typeof KINDS;
type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const TABLES = ['terms', 'keys', 'sources', 'types', 'slugs', 'titles'] as const;
const COLUMNS: readonly (readonly [Exclude<keyof SegmentColumns, (typeof TABLES)[number]>, Kind])[] = [
  ['termIds', 'u32'],
  ['postingsAt', 'u32'],
  ['counts', 'u32'],
  ['postings', 'u8'],
  ['keyAt', 'u32'],
  ['keyTerms', 'u32'],
  ['streamAt', 'u32'],
  ['stream', 'u8'],
  ['spanAt', 'u32'],
  ['spans', 'u32'],
  ['lengths', 'u32'],
  ['pageIds', 'f64'],
  ['sourceOf', 'u16'],
  ['typeOf', 'u16'],
  ['isPrivate', 'u8'],
  ['days', 'i32'],
  ['timelineAt', 'u32'],
  ['timelineDays', 'i32'],
  ['nameTerms', 'u32'],
];

/** The columns of a segment in the order of the format. */
function columnsOf(segment: LiveSegment): Column[] {
  const { columns } = segment;
  const list: Column[] = TABLES.flatMap((name) => [columns[name].units, columns[name].offsets]);
  for (const [name] of COLUMNS) list.push(columns[name]);
  list.push(segment.dead);
  return list;
}

const KIND_ORDER: readonly Kind[] = [
  ...TABLES.flatMap((): Kind[] => ['u16', 'u32']),
  ...COLUMNS.map(([, kind]) => kind),
  'u8',
];

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const bytesOf = (column: Column): Uint8Array => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

/** Writes the segments and their stamp into one buffer. */
export function writeSnapshot(segments: readonly LiveSegment[], stamp: SnapshotStamp): Uint8Array<ArrayBuffer> {
  const columns = segments.map(columnsOf);
  const header = { stamp, segments: columns.map((list) => list.map((column) => column.length)) };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bodyAt = aligned(HEAD_BYTES + json.length);
  const total = columns.flat().reduce((sum, column) => sum + aligned(column.byteLength), bodyAt);
  const buffer = new Uint8Array(total);
  buffer.set(json, HEAD_BYTES);
  let at = bodyAt;
  for (const column of columns.flat()) {
    buffer.set(bytesOf(column), at);
    at += aligned(column.byteLength);
  }
  const head = new DataView(buffer.buffer);
  head.setUint32(0, MAGIC, true);
  head.setUint32(4, SNAPSHOT_VERSION, true);
  head.setUint32(8, json.length, true);
  head.setUint32(12, crc32(buffer.subarray(HEAD_BYTES)), true);
  head.setFloat64(16, total, true);
  head.setUint32(24, crc32(buffer.subarray(0, 24)), true);
  return buffer;
}

/** Reads a buffer that `writeSnapshot` made; anything else is refused with its reason. Never throws. */
export function readSnapshot(
  source: Uint8Array,
  expected: Pick<SnapshotStamp, 'incarnation' | 'language'>,
): SnapshotReading {
  const refused = (reason: SnapshotRefusal): SnapshotReading => ({ ok: false, reason });
  const buffer = source.byteOffset % ALIGNMENT === 0 ? source : source.slice();
  if (buffer.length < HEAD_BYTES) return refused('not_a_snapshot');
  const head = new DataView(buffer.buffer, buffer.byteOffset, HEAD_BYTES);
  if (head.getUint32(0, true) !== MAGIC) return refused('not_a_snapshot');
  if (head.getUint32(4, true) !== SNAPSHOT_VERSION) return refused('other_version');
  if (head.getUint32(24, true) !== crc32(buffer.subarray(0, 24))) return refused('checksum');
  if (head.getFloat64(16, true) !== buffer.length) return refused('truncated');
  if (head.getUint32(12, true) !== crc32(buffer.subarray(HEAD_BYTES))) return refused('checksum');
  const header = parseHeader(buffer.subarray(HEAD_BYTES, HEAD_BYTES + head.getUint32(8, true)));
  if (!header) return refused('malformed');
  if (header.stamp.incarnation !== expected.incarnation) return refused('other_brain');
  if (header.stamp.language !== expected.language) return refused('other_language');
  const segments = readSegments(buffer, aligned(HEAD_BYTES + head.getUint32(8, true)), header.segments);
  return segments ? { ok: true, stamp: header.stamp, segments } : refused('malformed');
}

interface Header {
  readonly stamp: SnapshotStamp;
  readonly segments: readonly (readonly number[])[];
}

function parseHeader(bytes: Uint8Array): Header | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
  const { stamp, segments } = (value ?? {}) as Partial<Header>;
  if (typeof stamp !== 'object' || stamp === null || !Array.isArray(segments)) return null;
  const strings = [stamp.incarnation, stamp.position, stamp.lastChangeHash, stamp.language];
  if (!strings.every((text) => typeof text === 'string')) return null;
  const lengthsFit = segments.every(
    (list) => Array.isArray(list) && list.length === KIND_ORDER.length && list.every(isLength),
  );
  return lengthsFit ? { stamp, segments } : null;
}

const isLength = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;

function readSegments(buffer: Uint8Array, from: number, lengths: Header['segments']): LiveSegment[] | null {
  const segments: LiveSegment[] = [];
  let at = from;
  for (const list of lengths) {
    const columns: Column[] = [];
    for (const [i, length] of list.entries()) {
      const View = KINDS[KIND_ORDER[i]!];
      const size = length * View.BYTES_PER_ELEMENT;
      if (at + size > buffer.length) return null;
      columns.push(new View(buffer.buffer as ArrayBuffer, buffer.byteOffset + at, length));
      at += aligned(size);
    }
    const segment = toSegment(columns);
    if (!hasShape(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

function toSegment(columns: readonly Column[]): LiveSegment {
  const named: Record<string, Column | StringTable> = {};
  TABLES.forEach((name, i) => {
    named[name] = { units: columns[i * 2] as Uint16Array, offsets: columns[i * 2 + 1] as Uint32Array };
  });
  COLUMNS.forEach(([name], i) => {
    named[name] = columns[TABLES.length * 2 + i]!;
  });
  const dead = (columns.at(-1) as Uint8Array).slice();
  const deaths: number[] = [];
  dead.forEach((one, doc) => {
    if (one !== 0) deaths.push(doc);
  });
  return { columns: named as unknown as SegmentColumns, dead, deaths };
}

/** Lengths that must agree for lookups to stay inside the columns. */
function hasShape({ columns, dead }: LiveSegment): boolean {
  const documents = columns.pageIds.length;
  const terms = columns.termIds.length;
  return (
    dead.length === documents &&
    columns.streamAt.length === documents + 1 &&
    columns.spanAt.length === documents + 1 &&
    columns.timelineAt.length === documents + 1 &&
    columns.lengths.length === documents * FIELD_COUNT &&
    columns.terms.offsets.length === terms + 1 &&
    columns.counts.length === terms &&
    columns.postingsAt.length === terms &&
    columns.keyAt.length === columns.keys.offsets.length
  );
}
