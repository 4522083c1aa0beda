// What a caller may see of the segments, and the statistics of exactly that: counts and lengths of hidden documents never
// enter a score, so a ranking tells nothing about them. Knows no query.

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

function scopeSegment(live: LiveSegment, scope: IndexScope): ScopedSegment {
  const { columns, dead } = live;
  const admitted = new Uint8Array(tableSize(columns.sources));
  for (let i = 0; i < admitted.length; i++)
    admitted[i] = scope.sources === 'all' || scope.sources.includes(stringAt(columns.sources, i)) ? 1 : 0;
  const visible = new Uint8Array(documentCount(columns));
  let seen = 0;
  for (let doc = 0; doc < visible.length; doc++) {
    if (dead[doc] === 1 || admitted[columns.sourceOf[doc]!] === 0) continue;
    if (columns.isPrivate[doc] === 1 && !scope.seesPrivate) continue;
    visible[doc] = 1;
    seen++;
  }
  return { columns, visible, whole: seen === visible.length };
}

function buildView(set: SegmentSet, scope: IndexScope): ScopeView {
  const segments = set.segments.map((live) => scopeSegment(live, scope));
  const totals = new Float64Array(FIELD_COUNT);
  const having = new Float64Array(FIELD_COUNT);
  let documents = 0;
  for (const { columns, visible } of segments) {
    for (let doc = 0; doc < visible.length; doc++) {
      if (visible[doc] === 0) continue;
      documents++;
      for (let field = 0, at = doc * FIELD_COUNT; field < FIELD_COUNT; field++, at++) {
        const length = columns.lengths[at]!;
        if (length > 0) {
          totals[field]! += length;
          having[field]!++;
        }
      }
    }
  }
  const meanLengths = totals.map((total, field) => (having[field]! > 0 ? total / having[field]! : 1));
  const scoped = new Map(segments.map((segment) => [segment.columns, segment] as const));
  const locate = (pageId: number): DocRef | null => {
    const place = set.locate(pageId);
    const segment = place && scoped.get(place.columns);
    return segment && segment.visible[place.doc] === 1 ? { segment, doc: place.doc } : null;
  };
  return { segments, documents, meanLengths, generation: set.generation, locate };
}

const VIEWS_MAX = 16;

/** Gives views of a segment set, remembered by scope until the content changes. */
export class ScopeViews {
  private readonly set: SegmentSet;
  private readonly views = new Map<string, ScopeView>();

  constructor(set: SegmentSet) {
    this.set = set;
  }

  /** The view of a scope on the content as it is now. */
  open(scope: IndexScope): ScopeView {
    const key = JSON.stringify([scope.sources === 'all' ? 'all' : [...scope.sources].sort(), scope.seesPrivate]);
    const known = this.views.get(key);
    if (known && known.generation === this.set.generation) return known;
    if (!known && this.views.size >= VIEWS_MAX) this.views.delete(this.views.keys().next().value!);
    const view = buildView(this.set, scope);
    this.views.set(key, view);
    return view;
  }
}
