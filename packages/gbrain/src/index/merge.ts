// Merges segments into one without their dead documents, in slices: a generator that gives way after a bounded amount
// of work. Reads finished segments only, so queries go on over them meanwhile.
import { ByteWriter, UnitWriter, WordWriter } from './bytes.ts';
import { FIELD_COUNT } from './document.ts';
import { decodePostings, decodeStream, documentCount, emptyPostings, type SegmentColumns } from './segment.ts';
import { packStrings, type StringTable, stringAt, tableSize } from './string-table.ts';

/** A segment with the documents that were replaced or removed after it was built. */
export interface LiveSegment {
  readonly columns: SegmentColumns;
  /** 1 for a dead document. */
  readonly dead: Uint8Array;
  /** The dead documents in the order in which they died: what was derived before follows along it. */
  readonly deaths: number[];
}

/** What a merge gives. */
export interface Merged {
  readonly columns: SegmentColumns;
  /** By source and its document: the new number plus one, 0 for one that was dead when the merge began. */
  readonly docMaps: readonly Uint32Array[];
  /** Page ids of the merged segment with their documents. */
  readonly places: ReadonlyMap<number, number>;
}

/** Yields the work units (postings, tokens, strings) done since the last yield; returns the merged segment. */
export type MergeWork = Generator<number, Merged, void>;

const SLICE = 4096;
/** Entries of plain passes over columns between two yields. */
const PASS_SLICE = 65_536;
/** Room for a merged column, by the size of its parts. */
const ROOM_FACTOR = 1.25;

interface Plan {
  readonly sources: readonly LiveSegment[];
  /** By source and old document: its new number plus one, 0 when it is dead. */
  readonly docMaps: readonly Uint32Array[];
  /** By source and old term id: place in the merged order of spellings plus one. */
  readonly termMaps: readonly Uint32Array[];
  readonly documents: number;
}

/** Starts a merge. What dies while it runs must be marked again in the result. */
export function* mergeSegments(sources: readonly LiveSegment[]): MergeWork {
  const docMaps = sources.map((source) => new Uint32Array(documentCount(source.columns)));
  let documents = 0;
  for (const [i, { dead }] of sources.entries()) {
    const map = docMaps[i]!;
    for (let doc = 0; doc < dead.length; doc++) if (dead[doc] === 0) map[doc] = ++documents;
    yield dead.length;
  }
  const termMaps = sources.map((source) => new Uint32Array(source.columns.termIds.length));
  const names = yield* mergeTables(
    sources.map((source) => source.columns.terms),
    (source, index, merged) => {
      termMaps[source]![sources[source]!.columns.termIds[index]!] = merged + 1;
    },
  );
  const plan: Plan = { sources, docMaps, termMaps, documents };
  const inverted = yield* mergePostings(plan, names.length);
  const kept = yield* keptTerms(inverted.counts);
  const terms = {
    terms: yield* packSlices(kept.sorted, (at) => names[at]!),
    termIds: yield* mapSlices(kept.sorted, (at) => kept.newIds[at]! - 1),
    counts: yield* mapSlices(kept.byId, (at) => inverted.counts[at]!),
    postingsAt: yield* mapSlices(kept.byId, (at) => inverted.starts[at]!),
    postings: inverted.postings,
  };
  const forward = yield* mergeStreams(plan, kept.newIds);
  const keys = yield* mergeKeys(plan, kept.newIds);
  const { columns, places } = yield* mergeDocuments(plan);
  const named = yield* nameTerms(terms.termIds, { ...forward, ...columns });
  return { columns: { ...terms, ...forward, ...keys, ...columns, nameTerms: named }, docMaps, places };
}

/** Entries between two yields of a pass that jumps about in another column; each may wait for memory. */
const JUMPS_SLICE = 8_192;

/** A column made from another one, in slices. */
function* mapSlices(column: Uint32Array, of: (one: number) => number): Generator<number, Uint32Array, void> {
  const made = new Uint32Array(column.length);
  for (let i = 0; i < column.length; i++) {
    made[i] = of(column[i]!);
    if (i % JUMPS_SLICE === JUMPS_SLICE - 1) yield JUMPS_SLICE;
  }
  return made;
}

/** What a merged column may need: its numbers are larger than those of the parts. Unused room costs nothing. */
const roomFor = (plan: Plan, column: 'postings' | 'stream'): number =>
  Math.ceil(plan.sources.reduce((sum, source) => sum + source.columns[column].length, 16) * ROOM_FACTOR);

/** Packs chosen strings in slices. */
function* packSlices(chosen: Uint32Array, textOf: (one: number) => string): Generator<number, StringTable, void> {
  let size = 0;
  for (let i = 0; i < chosen.length; i++) {
    size += textOf(chosen[i]!).length;
    if (i % JUMPS_SLICE === JUMPS_SLICE - 1) yield JUMPS_SLICE;
  }
  const units = new UnitWriter(size);
  const offsets = new Uint32Array(chosen.length + 1);
  for (let i = 0; i < chosen.length; i++) {
    units.push(textOf(chosen[i]!));
    offsets[i + 1] = units.length;
    if (i % SLICE === SLICE - 1) yield SLICE;
  }
  return { units: units.finish(), offsets };
}

/** Unites sorted tables; `place` learns where each entry went. */
function* mergeTables(
  tables: readonly StringTable[],
  place: (source: number, index: number, merged: number) => void,
): Generator<number, string[], void> {
  const at = tables.map(() => 0);
  const heads = tables.map((table) => (tableSize(table) > 0 ? stringAt(table, 0) : undefined));
  const merged: string[] = [];
  let work = 0;
  while (true) {
    let least: string | undefined;
    for (const head of heads) if (head !== undefined && (least === undefined || head < least)) least = head;
    if (least === undefined) break;
    for (let i = 0; i < tables.length; i++) {
      if (heads[i] !== least) continue;
      place(i, at[i]!, merged.length);
      const next = ++at[i]!;
      heads[i] = next < tableSize(tables[i]!) ? stringAt(tables[i]!, next) : undefined;
    }
    merged.push(least);
    work += tables.length;
    if (work >= SLICE) {
      yield work;
      work = 0;
    }
  }
  return merged;
}

/** Postings by place in the merged order, of live documents only. */
function* mergePostings(
  plan: Plan,
  terms: number,
): Generator<number, { counts: Uint32Array; starts: Uint32Array; postings: Uint8Array }, void> {
  const counts = new Uint32Array(terms);
  const starts = new Uint32Array(terms);
  const inverse: Uint32Array[] = [];
  for (const map of plan.termMaps) {
    const back = new Uint32Array(terms);
    for (let id = 0; id < map.length; id++) {
      if (map[id]! > 0) back[map[id]! - 1] = id + 1;
      if (id % JUMPS_SLICE === JUMPS_SLICE - 1) yield JUMPS_SLICE;
    }
    inverse.push(back);
    yield SLICE;
  }
  const out = new ByteWriter(roomFor(plan, 'postings'));
  const scratch = emptyPostings();
  let work = 0;
  for (let term = 0; term < terms; term++) {
    starts[term] = out.length;
    let last = 0;
    for (let s = 0; s < plan.sources.length; s++) {
      const id = inverse[s]![term]!;
      if (id === 0) continue;
      decodePostings(plan.sources[s]!.columns, id - 1, scratch);
      const docs = plan.docMaps[s]!;
      for (let i = 0; i < scratch.count; i++) {
        const doc = docs[scratch.docs[i]!]!;
        if (doc === 0) continue;
        out.varint(doc - last);
        out.varint(scratch.packed[i]!);
        last = doc;
        counts[term]!++;
      }
      work += scratch.count + 1;
    }
    if (work >= SLICE) {
      yield work;
      work = 0;
    }
  }
  return { counts, starts, postings: out.view() };
}

interface Kept {
  /** Places in the merged order of terms that still have postings, in order of spelling. */
  readonly sorted: Uint32Array;
  /** The same by new id: by falling number of postings, then by spelling. */
  readonly byId: Uint32Array;
  /** By place: new id plus one, 0 for a term that died. */
  readonly newIds: Uint32Array;
}

function* keptTerms(counts: Uint32Array): Generator<number, Kept, void> {
  let most = 0;
  let alive = 0;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! > most) most = counts[at]!;
    if (counts[at]! > 0) alive++;
    if (at % PASS_SLICE === PASS_SLICE - 1) yield SLICE;
  }
  // A counting sort: `next[count]` is the first free id of terms with that many postings.
  const next = new Uint32Array(most + 2);
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! > 0) next[counts[at]! - 1]!++;
    if (at % PASS_SLICE === PASS_SLICE - 1) yield SLICE;
  }
  for (let count = most - 1; count >= 0; count--) next[count]! += next[count + 1]!;
  const sorted = new Uint32Array(alive);
  const byId = new Uint32Array(alive);
  const newIds = new Uint32Array(counts.length);
  let place = 0;
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at]!;
    if (at % JUMPS_SLICE === JUMPS_SLICE - 1) yield JUMPS_SLICE;
    if (count === 0) continue;
    const id = next[count]!++;
    sorted[place++] = at;
    byId[id] = at;
    newIds[at] = id + 1;
  }
  return { sorted, byId, newIds };
}

function* mergeStreams(
  plan: Plan,
  newIds: Uint32Array,
): Generator<number, Pick<SegmentColumns, 'streamAt' | 'stream' | 'spanAt' | 'spans'>, void> {
  const out = new ByteWriter(roomFor(plan, 'stream'));
  const streamAt = new Uint32Array(plan.documents + 1);
  const spanAt = new Uint32Array(plan.documents + 1);
  const spans = new WordWriter();
  let room = new Uint32Array(4096);
  let work = 0;
  for (let s = 0; s < plan.sources.length; s++) {
    const { columns } = plan.sources[s]!;
    const terms = plan.termMaps[s]!;
    for (let doc = 0; doc < documentCount(columns); doc++) {
      const next = plan.docMaps[s]![doc]!;
      if (next === 0) continue;
      const { ids, length } = decodeStream(columns, doc, room);
      room = ids as Uint32Array<ArrayBuffer>;
      for (let i = 0; i < length; i++) out.varint(newIds[terms[ids[i]!]! - 1]! - 1);
      for (let i = columns.spanAt[doc]!; i < columns.spanAt[doc + 1]!; i++) spans.push(columns.spans[i]!);
      streamAt[next] = out.length;
      spanAt[next] = spans.length;
      work += length;
      if (work >= SLICE) {
        yield work;
        work = 0;
      }
    }
  }
  return { streamAt, stream: out.view(), spanAt, spans: spans.finish() };
}

function* mergeKeys(
  plan: Plan,
  newIds: Uint32Array,
): Generator<number, Pick<SegmentColumns, 'keys' | 'keyAt' | 'keyTerms'>, void> {
  const groups: number[][] = [];
  const names = yield* mergeTables(
    plan.sources.map((source) => source.columns.keys),
    (s, index, merged) => {
      groups[merged] ??= [];
      const group = groups[merged];
      const { columns } = plan.sources[s]!;
      for (let i = columns.keyAt[index]!; i < columns.keyAt[index + 1]!; i++) {
        const place = plan.termMaps[s]![columns.keyTerms[i]!]! - 1;
        if (newIds[place]! > 0 && !group.includes(place)) group.push(place);
      }
    },
  );
  const alive = new WordWriter();
  for (let i = 0; i < names.length; i++) {
    if (groups[i]!.length > 0) alive.push(i);
    if (i % PASS_SLICE === PASS_SLICE - 1) yield SLICE;
  }
  const kept = alive.finish();
  const keyAt = new Uint32Array(kept.length + 1);
  const keyTerms = new WordWriter();
  for (let i = 0; i < kept.length; i++) {
    for (const place of groups[kept[i]!]!.sort((a, b) => a - b)) keyTerms.push(newIds[place]! - 1);
    keyAt[i + 1] = keyTerms.length;
    if (i % SLICE === SLICE - 1) yield SLICE;
  }
  return { keys: yield* packSlices(kept, (i) => names[i]!), keyAt, keyTerms: keyTerms.finish() };
}

type Documents = Pick<
  SegmentColumns,
  | 'lengths'
  | 'pageIds'
  | 'sources'
  | 'sourceOf'
  | 'types'
  | 'typeOf'
  | 'isPrivate'
  | 'days'
  | 'timelineAt'
  | 'timelineDays'
  | 'slugs'
  | 'titles'
>;

/** The names that live documents use of one small table, in order, and where each source's names went. */
function* uniteNames(
  plan: Plan,
  table: 'sources' | 'types',
  of: 'sourceOf' | 'typeOf',
): Generator<number, { names: string[]; maps: Uint16Array[] }, void> {
  const used: (string | null)[][] = [];
  for (const [s, { columns }] of plan.sources.entries()) {
    const [docs, nameOf] = [plan.docMaps[s]!, columns[of]];
    const seen = new Uint8Array(tableSize(columns[table]));
    for (let doc = 0; doc < docs.length; doc++) if (docs[doc]! > 0) seen[nameOf[doc]!] = 1;
    used.push([...seen.keys()].map((i) => (seen[i] === 1 ? stringAt(columns[table], i) : null)));
    yield docs.length;
  }
  const names = [...new Set(used.flat().filter((name) => name !== null))].sort();
  return {
    names,
    maps: used.map((list) => Uint16Array.from(list, (name) => (name === null ? 0 : names.indexOf(name)))),
  };
}

function* mergeDocuments(plan: Plan): Generator<number, { columns: Documents; places: Map<number, number> }, void> {
  const sources = yield* uniteNames(plan, 'sources', 'sourceOf');
  const types = yield* uniteNames(plan, 'types', 'typeOf');
  const size = plan.documents;
  const out = {
    lengths: new Uint32Array(size * FIELD_COUNT),
    pageIds: new Float64Array(size),
    sourceOf: new Uint16Array(size),
    typeOf: new Uint16Array(size),
    isPrivate: new Uint8Array(size),
    days: new Int32Array(size),
    timelineAt: new Uint32Array(size + 1),
  };
  const places = new Map<number, number>();
  const timeline = new WordWriter();
  const slugs = { units: new UnitWriter(), offsets: new Uint32Array(size + 1) };
  const titles = { units: new UnitWriter(), offsets: new Uint32Array(size + 1) };
  let next = 0;
  for (let s = 0; s < plan.sources.length; s++) {
    const { columns } = plan.sources[s]!;
    for (let doc = 0; doc < documentCount(columns); doc++) {
      if (plan.docMaps[s]![doc] === 0) continue;
      out.lengths.set(columns.lengths.subarray(doc * FIELD_COUNT, (doc + 1) * FIELD_COUNT), next * FIELD_COUNT);
      out.pageIds[next] = columns.pageIds[doc]!;
      out.sourceOf[next] = sources.maps[s]![columns.sourceOf[doc]!]!;
      out.typeOf[next] = types.maps[s]![columns.typeOf[doc]!]!;
      out.isPrivate[next] = columns.isPrivate[doc]!;
      out.days[next] = columns.days[doc]!;
      for (let i = columns.timelineAt[doc]!; i < columns.timelineAt[doc + 1]!; i++)
        timeline.push(columns.timelineDays[i]!);
      places.set(columns.pageIds[doc]!, next++);
      out.timelineAt[next] = timeline.length;
      slugs.units.copy(columns.slugs, doc);
      titles.units.copy(columns.titles, doc);
      slugs.offsets[next] = slugs.units.length;
      titles.offsets[next] = titles.units.length;
      if (next % 512 === 0) yield SLICE;
    }
  }
  const columns: Documents = {
    ...out,
    sources: packStrings(sources.names),
    types: packStrings(types.names),
    timelineDays: new Int32Array(timeline.finish().buffer),
    slugs: { units: slugs.units.finish(), offsets: slugs.offsets },
    titles: { units: titles.units.finish(), offsets: titles.offsets },
  };
  return { columns, places };
}

/** Dictionary places of terms that occur in a title or an alias: those fields begin every stream. */
function* nameTerms(
  termIds: Uint32Array,
  documents: Pick<SegmentColumns, 'streamAt' | 'stream' | 'lengths'>,
): Generator<number, Uint32Array, void> {
  const named = new Uint8Array(termIds.length);
  const { streamAt, stream, lengths } = documents;
  for (let doc = 0; doc + 1 < streamAt.length; doc++) {
    let left = lengths[doc * FIELD_COUNT]! + lengths[doc * FIELD_COUNT + 1]!;
    for (let at = streamAt[doc]!; left > 0; left--) {
      let byte = stream[at++]!;
      let id = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = stream[at++]!;
        id |= (byte & 127) << shift;
      }
      named[id] = 1;
    }
    if (doc % 1024 === 1023) yield SLICE;
  }
  const places = new WordWriter();
  for (let place = 0; place < termIds.length; place++) if (named[termIds[place]!] === 1) places.push(place);
  return places.finish();
}
