// Merges segments into one without their dead documents, in slices: a generator that gives way after a bounded amount
// of work. Reads finished segments only, so queries go on over them meanwhile.
import { ByteWriter, WordWriter } from './bytes.ts';
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

/** Yields the work units (postings, tokens, strings) done since the last yield; returns the merged segment. */
export type MergeWork = Generator<number, SegmentColumns, void>;

const SLICE = 4096;

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
  sources.forEach((source, i) => {
    for (let doc = 0; doc < source.dead.length; doc++) if (source.dead[doc] === 0) docMaps[i]![doc] = ++documents;
  });
  const termMaps = sources.map((source) => new Uint32Array(source.columns.termIds.length));
  const names = yield* mergeTables(
    sources.map((source) => source.columns.terms),
    (source, index, merged) => {
      termMaps[source]![sources[source]!.columns.termIds[index]!] = merged + 1;
    },
  );
  const plan: Plan = { sources, docMaps, termMaps, documents };
  const inverted = yield* mergePostings(plan, names.length);
  const kept = keptTerms(names, inverted.counts);
  const forward = yield* mergeStreams(plan, kept.newIds);
  const keys = yield* mergeKeys(plan, kept.newIds);
  const columns = mergeDocuments(plan);
  const terms = {
    terms: packStrings(kept.sorted.map((at) => names[at]!)),
    termIds: Uint32Array.from(kept.sorted, (at) => kept.newIds[at]! - 1),
    counts: Uint32Array.from(kept.byId, (at) => inverted.counts[at]!),
    postingsAt: Uint32Array.from(kept.byId, (at) => inverted.starts[at]!),
    postings: inverted.postings,
  };
  return { ...terms, ...forward, ...keys, ...columns, nameTerms: nameTerms(terms.termIds, { ...forward, ...columns }) };
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
  const inverse = plan.termMaps.map((map) => {
    const back = new Uint32Array(terms);
    map.forEach((merged, id) => {
      if (merged > 0) back[merged - 1] = id + 1;
    });
    return back;
  });
  const out = new ByteWriter(plan.sources.reduce((sum, source) => sum + source.columns.postings.length, 16));
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
  return { counts, starts, postings: out.finish() };
}

interface Kept {
  /** Places in the merged order of terms that still have postings, in order of spelling. */
  readonly sorted: number[];
  /** The same by new id. */
  readonly byId: number[];
  /** By place: new id plus one, 0 for a term that died. */
  readonly newIds: Uint32Array;
}

function keptTerms(names: readonly string[], counts: Uint32Array): Kept {
  const sorted: number[] = [];
  for (let at = 0; at < names.length; at++) if (counts[at]! > 0) sorted.push(at);
  const byId = sorted.slice().sort((a, b) => counts[b]! - counts[a]! || a - b);
  const newIds = new Uint32Array(names.length);
  byId.forEach((at, id) => {
    newIds[at] = id + 1;
  });
  return { sorted, byId, newIds };
}

function* mergeStreams(
  plan: Plan,
  newIds: Uint32Array,
): Generator<number, Pick<SegmentColumns, 'streamAt' | 'stream' | 'spanAt' | 'spans'>, void> {
  const out = new ByteWriter(plan.sources.reduce((sum, source) => sum + source.columns.stream.length, 16));
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
  return { streamAt, stream: out.finish(), spanAt, spans: spans.finish() };
}

function* mergeKeys(
  plan: Plan,
  newIds: Uint32Array,
): Generator<number, Pick<SegmentColumns, 'keys' | 'keyAt' | 'keyTerms'>, void> {
  const groups: Set<number>[] = [];
  const names = yield* mergeTables(
    plan.sources.map((source) => source.columns.keys),
    (s, index, merged) => {
      groups[merged] ??= new Set();
      const { columns } = plan.sources[s]!;
      for (let i = columns.keyAt[index]!; i < columns.keyAt[index + 1]!; i++) {
        const place = plan.termMaps[s]![columns.keyTerms[i]!]! - 1;
        if (newIds[place]! > 0) groups[merged]!.add(place);
      }
    },
  );
  const kept = [...names.keys()].filter((i) => groups[i]!.size > 0);
  const keyAt = new Uint32Array(kept.length + 1);
  const keyTerms = new WordWriter();
  kept.forEach((from, i) => {
    for (const place of [...groups[from]!].sort((a, b) => a - b)) keyTerms.push(newIds[place]! - 1);
    keyAt[i + 1] = keyTerms.length;
  });
  return { keys: packStrings(kept.map((i) => names[i]!)), keyAt, keyTerms: keyTerms.finish() };
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

function mergeDocuments(plan: Plan): Documents {
  const live: [SegmentColumns, number][] = [];
  plan.sources.forEach(({ columns }, s) => {
    for (let doc = 0; doc < documentCount(columns); doc++) if (plan.docMaps[s]![doc]! > 0) live.push([columns, doc]);
  });
  const sourceNames = live.map(([columns, doc]) => stringAt(columns.sources, columns.sourceOf[doc]!));
  const typeNames = live.map(([columns, doc]) => stringAt(columns.types, columns.typeOf[doc]!));
  const sources = [...new Set(sourceNames)].sort();
  const types = [...new Set(typeNames)].sort();
  const lengths = new Uint32Array(live.length * FIELD_COUNT);
  const timelineAt = new Uint32Array(live.length + 1);
  const timeline: number[] = [];
  live.forEach(([columns, doc], next) => {
    lengths.set(columns.lengths.subarray(doc * FIELD_COUNT, (doc + 1) * FIELD_COUNT), next * FIELD_COUNT);
    for (let i = columns.timelineAt[doc]!; i < columns.timelineAt[doc + 1]!; i++)
      timeline.push(columns.timelineDays[i]!);
    timelineAt[next + 1] = timeline.length;
  });
  return {
    lengths,
    pageIds: Float64Array.from(live, ([columns, doc]) => columns.pageIds[doc]!),
    sources: packStrings(sources),
    sourceOf: Uint16Array.from(sourceNames, (name) => sources.indexOf(name)),
    types: packStrings(types),
    typeOf: Uint16Array.from(typeNames, (name) => types.indexOf(name)),
    isPrivate: Uint8Array.from(live, ([columns, doc]) => columns.isPrivate[doc]!),
    days: Int32Array.from(live, ([columns, doc]) => columns.days[doc]!),
    timelineAt,
    timelineDays: Int32Array.from(timeline),
    slugs: packStrings(live.map(([columns, doc]) => stringAt(columns.slugs, doc))),
    titles: packStrings(live.map(([columns, doc]) => stringAt(columns.titles, doc))),
  };
}

/** Dictionary places of terms that occur in a title or an alias: those fields begin every stream. */
export function nameTerms(
  termIds: Uint32Array,
  documents: Pick<SegmentColumns, 'streamAt' | 'stream' | 'lengths'>,
): Uint32Array {
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
  }
  const places: number[] = [];
  termIds.forEach((id, place) => {
    if (named[id] === 1) places.push(place);
  });
  return Uint32Array.from(places);
}
