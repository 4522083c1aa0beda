// All dated entries of a page: its timeline bullets, its inline citations, else one for its own date. Reads no fence.
import type { EffectiveDateSource } from './effective-date.ts';
import type { Page } from './page.ts';
import { DEFAULT_SOURCE, parseInlineCitations, parseTimeline, type TimelineEntry } from './timeline.ts';

/** Dates that the page's author gave; when a file was made or changed says nothing about its subject. */
const STATED: readonly EffectiveDateSource[] = ['event_date', 'date', 'published', 'filename'];

/**
 * The entries in the order of their lines, each (date, source, summary) once. A page with a stated date and no entry at
 * all gets one, with its title as summary, on line 1. Rows of fences never become entries: they may be private.
 */
export function listTimeline(page: Page): TimelineEntry[] {
  const { fences, timelineRange, timelineLine } = page;
  const fenced = (line: number): boolean => fences.some((fence) => line >= fence.beginLine && line <= fence.endLine);
  const timelineLines = timelineRange === null ? 0 : countLines(page.timeline);
  const inTimeline = (line: number): boolean => line >= timelineLine && line < timelineLine + timelineLines;
  const cited = parseInlineCitations(page.view.slice(page.bodyStart), page.bodyLine);
  const entries = [
    ...cited.filter(({ line }) => !fenced(line) && !inTimeline(line)),
    ...parseTimeline(page.timeline, timelineLine).filter(({ line }) => !fenced(line)),
  ].sort((a, b) => a.line - b.line);
  if (entries.length === 0 && page.effectiveDate !== null && STATED.includes(page.effectiveDateSource)) {
    const date = page.effectiveDate.slice(0, 10);
    return [{ date, source: DEFAULT_SOURCE, summary: page.title, detail: '', line: 1 }];
  }
  const byKey = new Map<string, TimelineEntry>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.date, entry.source, entry.summary]);
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
