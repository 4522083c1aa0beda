// The index as one buffer and back. Columns are written as they are and read as views, so loading creates no object a
// term. Knows no file: who reads and writes the bytes decides where they live.
import {
  type Column,
  type ColumnKind,
  type ColumnRefusal,
  columnParts,
  readColumns,
  type SlicedParts,
} from './column-file.ts';
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
export type SnapshotRefusal = ColumnRefusal | 'other_brain' | 'other_language';

/** A snapshot that was read, or why not. */
export type SnapshotReading =
  | { readonly ok: true; readonly stamp: SnapshotStamp; readonly segments: LiveSegment[] }
  | { readonly ok: false; readonly reason: SnapshotRefusal };

/** Format version: raised with every change of columns, analysis or grouping. */
export const SNAPSHOT_VERSION = 3;

const MAGIC = 0x58424c47;

const TABLES = ['terms', 'keys', 'sources', 'types', 'slugs', 'titles'] as const;
const COLUMNS: readonly (readonly [Exclude<keyof SegmentColumns, (typeof TABLES)[number]>, ColumnKind])[] = [
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
  list.push(segment.dead.slice());
  return list;
}

const KIND_ORDER: readonly ColumnKind[] = [
  ...TABLES.flatMap((): ColumnKind[] => ['u16', 'u32']),
  ...COLUMNS.map(([, kind]) => kind),
  'u8',
];

const FORMAT = { magic: MAGIC, version: SNAPSHOT_VERSION, kinds: KIND_ORDER } as const;

/**
 * The segments and their stamp as the pieces of a file, in slices. Segments do not change but for what dies in them,
 * and that is copied at once.
 */
export const writeSnapshot = (segments: readonly LiveSegment[], stamp: SnapshotStamp): SlicedParts =>
  columnParts(FORMAT, stamp, segments.map(columnsOf));

/** Reads a buffer that `writeSnapshot` made; anything else is refused with its reason. Never throws. */
export function readSnapshot(
  source: Uint8Array,
  expected: Pick<SnapshotStamp, 'incarnation' | 'language'>,
): SnapshotReading {
  const refused = (reason: SnapshotRefusal): SnapshotReading => ({ ok: false, reason });
  const reading = readColumns(FORMAT, source);
  if (!reading.ok) return reading;
  const stamp = reading.stamp as unknown as SnapshotStamp;
  const strings = [stamp.incarnation, stamp.position, stamp.lastChangeHash, stamp.language];
  if (!strings.every((text) => typeof text === 'string')) return refused('malformed');
  if (stamp.incarnation !== expected.incarnation) return refused('other_brain');
  if (stamp.language !== expected.language) return refused('other_language');
  const segments = reading.groups.map(toSegment);
  return segments.every(hasShape) ? { ok: true, stamp, segments } : refused('malformed');
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
