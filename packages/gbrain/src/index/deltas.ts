// The segments of an index in the order of arrival: a base, small deltas, and what died in them. A change is visible to
// the next query; merging is work done in slices between queries. Knows no scope and no ranking.
import { SegmentBuilder } from './builder.ts';
import type { IndexChange, IndexDocument } from './document.ts';
import { type LiveSegment, type Merged, type MergeWork, mergeSegments } from './merge.ts';
import { documentCount, type SegmentColumns, segmentBytes } from './segment.ts';
import type { Stemmer } from './stemming.ts';

/** Segments of one size class that are merged together. */
const FAN_IN = 8;
/** A segment with more than this share of dead documents is rewritten. */
const DEAD_SHARE_MAX = 0.3;
/** Documents that one built segment holds at most, so that a bulk load keeps its working memory small. */
const BUILD_MAX = 2048;
/** Pages of a segment that is built in turns, and pages that are analysed in one turn: some milliseconds. */
const GROUP = 128;
const PAGES_A_TURN = 16;
/** Merge work done with every change, so that deltas stay few even when nobody calls `step`. */
const STEP_AT_APPLY = 20_000;

/** Size class: segments of a class are within a factor of FAN_IN of each other. */
const classOfSize = (documents: number): number => Math.floor(Math.log(Math.max(documents, 1)) / Math.log(FAN_IN));

const alive = (columns: SegmentColumns): LiveSegment => ({
  columns,
  dead: new Uint8Array(documentCount(columns)),
  deaths: [],
});

/** Figures of a segment set. */
export interface SegmentFigures {
  readonly documents: number;
  readonly deadDocuments: number;
  readonly segments: number;
  readonly terms: number;
  readonly bytes: number;
  readonly merging: boolean;
}

/** Holds the segments and applies changes to them. */
export class SegmentSet {
  private readonly stemmer: Stemmer;
  private list: LiveSegment[];
  private readonly places = new WeakMap<LiveSegment, ReadonlyMap<number, number>>();
  private merging: { work: MergeWork; sources: LiveSegment[]; deathsBefore: number[] } | null = null;
  /** Counts every change of content; caches of derived figures hang on it. */
  generation = 0;

  constructor(stemmer: Stemmer, segments: readonly LiveSegment[] = []) {
    this.stemmer = stemmer;
    this.list = [...segments];
  }

  /** The segments, oldest first. The array and its segments must not be changed. */
  get segments(): readonly LiveSegment[] {
    return this.list;
  }

  /** Applies changes in order; of several changes of one page the last one counts. */
  apply(changes: readonly IndexChange[]): void {
    const work = this.applySlices(changes, BUILD_MAX);
    while (!work.next().done);
  }

  /** The same, giving way after a few pages each. A page is what it was until its group is built, then what it is. */
  *applySlices(changes: readonly IndexChange[], group = GROUP): Generator<void, void, void> {
    const last = new Map<number, IndexChange>();
    for (const change of changes) {
      const id = change.kind === 'put' ? change.page.pageId : change.pageId;
      last.delete(id);
      last.set(id, change);
    }
    const pages: IndexDocument[] = [];
    for (const [id, change] of last) {
      if (change.kind === 'put') pages.push(change.page);
      else this.bury(id);
    }
    for (let at = 0; at < pages.length; at += group) {
      if (at > 0) yield;
      yield* this.put(pages.slice(at, at + group));
      this.settle();
    }
    if (pages.length === 0) this.settle();
  }

  private settle(): void {
    this.generation++;
    this.plan();
    this.step(STEP_AT_APPLY);
  }

  private *put(pages: readonly IndexDocument[]): Generator<void, void, void> {
    const builder = new SegmentBuilder(this.stemmer);
    for (const [i, page] of pages.entries()) {
      if (i > 0 && i % PAGES_A_TURN === 0) yield;
      builder.add(page);
    }
    const built = alive(builder.build());
    for (const { pageId } of pages) this.bury(pageId);
    this.list.push(built);
  }

  /** The documents of a segment by page id; made when a change or a link first asks for it. */
  private placesOf(segment: LiveSegment): ReadonlyMap<number, number> {
    let places = this.places.get(segment);
    if (!places) {
      const found = new Map<number, number>();
      segment.columns.pageIds.forEach((id, doc) => {
        found.set(id, doc);
      });
      places = found;
      this.places.set(segment, places);
    }
    return places;
  }

  /** The living document of a page: only one segment has one. */
  private find(pageId: number): { segment: LiveSegment; doc: number } | null {
    for (let i = this.list.length - 1; i >= 0; i--) {
      const segment = this.list[i]!;
      const doc = this.docIn(segment, pageId);
      if (doc !== undefined && segment.dead[doc] === 0) return { segment, doc };
    }
    return null;
  }

  /** The document that a page has in a segment, living or dead. */
  docIn(segment: LiveSegment, pageId: number): number | undefined {
    return this.placesOf(segment).get(pageId);
  }

  private bury(pageId: number): void {
    const place = this.find(pageId);
    if (!place) return;
    place.segment.dead[place.doc] = 1;
    place.segment.deaths.push(place.doc);
  }

  /** Chooses the next merge: the newest full size class, or a segment with too many dead documents. */
  private plan(): void {
    if (this.merging) return;
    this.list = this.list.filter((segment) => segment.deaths.length < segment.dead.length);
    for (let end = this.list.length; end > 0; end--) {
      const size = classOfSize(this.list[end - 1]!.dead.length);
      let from = end;
      while (from > 0 && classOfSize(this.list[from - 1]!.dead.length) <= size) from--;
      if (end - from < FAN_IN) continue;
      this.start(this.list.slice(from, end));
      return;
    }
    const wasteful = this.list.find((segment) => segment.deaths.length > segment.dead.length * DEAD_SHARE_MAX);
    if (wasteful && wasteful.dead.length >= FAN_IN) this.start([wasteful]);
  }

  private start(sources: LiveSegment[]): void {
    this.merging = {
      work: mergeSegments(sources),
      sources,
      deathsBefore: sources.map((source) => source.deaths.length),
    };
  }

  /**
   * Does about `units` of merge work (a unit is a posting, a token or a spelling: some hundred thousand take a few
   * milliseconds). True while there is more to do.
   */
  step(units: number): boolean {
    let left = units;
    while (this.merging && left > 0) {
      const next = this.merging.work.next();
      if (next.done) this.finish(next.value);
      else left -= next.value;
    }
    return this.merging !== null;
  }

  /** Begins to merge everything into one segment, where no other merge runs; `step` does the work. */
  beginCompaction(): void {
    if (this.merging) return;
    if (this.list.length > 1 || this.list.some((segment) => segment.deaths.length > 0)) this.start([...this.list]);
  }

  /** Merges everything into one segment at once: for bulk loads and before a snapshot that should load fast. */
  compact(): void {
    while (this.step(Number.MAX_SAFE_INTEGER));
    this.beginCompaction();
    while (this.step(Number.MAX_SAFE_INTEGER));
  }

  private finish({ columns, docMaps, places }: Merged): void {
    const { sources, deathsBefore } = this.merging!;
    this.merging = null;
    const merged = alive(columns);
    this.places.set(merged, places);
    sources.forEach((source, s) => {
      for (const doc of source.deaths.slice(deathsBefore[s])) {
        const now = docMaps[s]![doc]!;
        if (now === 0) continue;
        merged.dead[now - 1] = 1;
        merged.deaths.push(now - 1);
      }
    });
    const at = this.list.indexOf(sources[0]!);
    this.list.splice(at, sources.length, ...(merged.dead.length > 0 ? [merged] : []));
    this.generation++;
    this.plan();
  }

  /** Sizes, for `stats`. */
  figures(): SegmentFigures {
    const sum = (of: (segment: LiveSegment) => number): number => this.list.reduce((total, one) => total + of(one), 0);
    const dead = sum((segment) => segment.deaths.length);
    return {
      documents: sum((segment) => segment.dead.length) - dead,
      deadDocuments: dead,
      segments: this.list.length,
      terms: sum((segment) => segment.columns.termIds.length),
      bytes: sum((segment) => segmentBytes(segment.columns) + segment.dead.length),
      merging: this.merging !== null,
    };
  }
}
