// What a caller may see of the segments, and the statistics of exactly that: counts and lengths of hidden documents
// never enter a score, so a ranking tells nothing about them. Knows no query.

import type { SegmentSet } from './deltas.ts';
import { FIELD_COUNT, type IndexScope } from './document.ts';
import type { LiveSegment } from './merge.ts';
import { documentCount, type SegmentColumns } from './segment.ts';
import { stringAt, tableSize } from './string-table.ts';

/** One segment as a scope sees it. */
export interface ScopedSegment {
  readonly columns: SegmentColumns;
  /** 1 for a document that is alive and in scope. */
  readonly visible: Uint8Array;
  /** True when every document is visible, so that stored counts are right. */
  readonly whole: boolean;
}

/** All segments as a scope sees them, with its statistics. */
export interface ScopeView {
  readonly segments: readonly ScopedSegment[];
  /** Visible documents. */
  readonly documents: number;
  /** Mean length by field over the visible documents that have the field; 1 where none has. */
  readonly meanLengths: Float64Array;
  /** Generation of the segment set that this view shows. */
  readonly generation: number;
  /** The document of a page, or null when it is not there or not visible. */
  locate(pageId: number): DocRef | null;
}

/** A document of a view. */
export interface DocRef {
  readonly segment: ScopedSegment;
  readonly doc: number;
}

/** A segment in one scope with its sums, kept up to date along the segment's deaths. */
class SegmentFigures {
  readonly live: LiveSegment;
  readonly visible: Uint8Array;
  readonly totals = new Float64Array(FIELD_COUNT);
  readonly having = new Float64Array(FIELD_COUNT);
  documents = 0;
  private seenDeaths: number;

  constructor(live: LiveSegment, scope: IndexScope) {
    this.live = live;
    this.seenDeaths = live.deaths.length;
    const { columns, dead } = live;
    const admitted = new Uint8Array(tableSize(columns.sources));
    for (let i = 0; i < admitted.length; i++)
      admitted[i] = scope.sources === 'all' || scope.sources.includes(stringAt(columns.sources, i)) ? 1 : 0;
    this.visible = new Uint8Array(documentCount(columns));
    for (let doc = 0; doc < this.visible.length; doc++) {
      if (dead[doc] === 1 || admitted[columns.sourceOf[doc]!] === 0) continue;
      if (columns.isPrivate[doc] === 1 && !scope.seesPrivate) continue;
      this.visible[doc] = 1;
      this.count(doc, 1);
    }
  }

  private count(doc: number, sign: 1 | -1): void {
    const { lengths } = this.live.columns;
    this.documents += sign;
    for (let field = 0, at = doc * FIELD_COUNT; field < FIELD_COUNT; field++, at++) {
      if (lengths[at] === 0) continue;
      this.totals[field]! += sign * lengths[at]!;
      this.having[field]! += sign;
    }
  }

  /** Takes out what died since the last look. All sums are whole numbers, so the order of deaths leaves no trace. */
  follow(): ScopedSegment {
    const { deaths, columns } = this.live;
    for (; this.seenDeaths < deaths.length; this.seenDeaths++) {
      const doc = deaths[this.seenDeaths]!;
      if (this.visible[doc] === 0) continue;
      this.visible[doc] = 0;
      this.count(doc, -1);
    }
    return { columns, visible: this.visible, whole: this.documents === this.visible.length };
  }
}

/** One scope on one segment set. */
class ScopeFollower {
  private readonly set: SegmentSet;
  private readonly scope: IndexScope;
  private figures = new Map<LiveSegment, SegmentFigures>();
  private view: ScopeView | null = null;

  constructor(set: SegmentSet, scope: IndexScope) {
    this.set = set;
    this.scope = scope;
  }

  /** The view of the content as it is now. */
  open(): ScopeView {
    if (this.view?.generation === this.set.generation) return this.view;
    this.figures = new Map(
      this.set.segments.map((live) => [live, this.figures.get(live) ?? new SegmentFigures(live, this.scope)]),
    );
    const segments = [...this.figures.values()].map((one) => one.follow());
    const sum = (of: (one: SegmentFigures) => number): number =>
      [...this.figures.values()].reduce((total, one) => total + of(one), 0);
    const meanLengths = new Float64Array(FIELD_COUNT);
    for (let field = 0; field < FIELD_COUNT; field++) {
      const having = sum((one) => one.having[field]!);
      meanLengths[field] = having > 0 ? sum((one) => one.totals[field]!) / having : 1;
    }
    // Looked for in the view's own segments: a merge may replace them in the set while a search waits for links.
    const lives = [...this.figures.keys()];
    const locate = (pageId: number): DocRef | null => {
      for (let i = lives.length - 1; i >= 0; i--) {
        const doc = this.set.docIn(lives[i]!, pageId);
        const segment = segments[i]!;
        if (doc !== undefined && segment.visible[doc] === 1) return { segment, doc };
      }
      return null;
    };
    this.view = {
      segments,
      documents: sum((one) => one.documents),
      meanLengths,
      generation: this.set.generation,
      locate,
    };
    return this.view;
  }
}

const VIEWS_MAX = 16;

/** Gives views of a segment set; a scope once opened follows the content at the cost of the changes alone. */
export class ScopeViews {
  private readonly set: SegmentSet;
  private readonly followers = new Map<string, ScopeFollower>();

  constructor(set: SegmentSet) {
    this.set = set;
  }

  /** The view of a scope on the content as it is now. */
  open(scope: IndexScope): ScopeView {
    const key = JSON.stringify([scope.sources === 'all' ? 'all' : [...scope.sources].sort(), scope.seesPrivate]);
    let follower = this.followers.get(key);
    if (!follower) {
      if (this.followers.size >= VIEWS_MAX) this.followers.delete(this.followers.keys().next().value!);
      follower = new ScopeFollower(this.set, scope);
      this.followers.set(key, follower);
    }
    return follower.open();
  }
}
