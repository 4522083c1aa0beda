// A page's text, made ready once for everything that is derived from it: hidden stretches gone, lines told apart. It
// knows no page row and decides nothing about links or chunks.

import type { Page } from '../pages/page.ts';
import { type Structure, scanLines } from './lines.ts';
import { hideSpans, type Span, type VisibleText } from './visible.ts';

/** A stretch of a page's text and what it is. */
export interface BodyRegion extends Span {
  readonly source: 'compiled_truth' | 'timeline';
}

/**
 * A page's text with the stretches that are its body. What no region covers (frontmatter, a split marker) is not
 * read. Regions come in order and do not overlap; offsets are UTF-16 units into `text`.
 */
export interface PageBody {
  readonly text: string;
  readonly regions: readonly BodyRegion[];
  /** Stretches that nothing derived may hold: takes, and fact rows that are not `world`. */
  readonly hidden?: readonly Span[];
}

/** The visible body and its block structure; the regions are in units of the visible text. */
export interface ScannedBody {
  readonly visible: VisibleText;
  readonly structure: Structure;
  readonly regions: readonly BodyRegion[];
}

/** Reads a body once; chunks, mentions and edges all work from the result. Linear. */
export function scanBody(body: PageBody): ScannedBody {
  const outside: Span[] = [];
  let at = 0;
  for (const { start, end } of body.regions) {
    outside.push({ start: at, end: start });
    at = end;
  }
  outside.push({ start: at, end: body.text.length });
  const visible = hideSpans(body.text, [...outside, ...(body.hidden ?? [])]);
  const regions = body.regions.map(({ source, start, end }) => {
    return { source, start: visible.toVisible(start), end: visible.toVisible(end) };
  });
  return { visible, structure: scanLines(visible.text), regions };
}

/** The body of a page that was read from its text: what stands below the frontmatter, with its timeline told apart. */
export function bodyOfPage(
  page: Pick<Page, 'view' | 'bodyLine' | 'timelineRange'>,
  hidden: readonly Span[] = [],
): PageBody {
  const { view, timelineRange } = page;
  let start = 0;
  for (let line = 1; line < page.bodyLine; line++) start = view.indexOf('\n', start) + 1;
  const truth = (from: number, to: number): BodyRegion => ({ source: 'compiled_truth', start: from, end: to });
  if (timelineRange === null) return { text: view, regions: [truth(start, view.length)], hidden };
  const timeline: BodyRegion = { source: 'timeline', ...timelineRange };
  const regions = [truth(start, timelineRange.start), timeline, truth(timelineRange.end, view.length)];
  return { text: view, regions: regions.filter((region) => region.start < region.end), hidden };
}
