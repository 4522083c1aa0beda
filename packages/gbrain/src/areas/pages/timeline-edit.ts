// Adds one entry to the timeline of a page's text, in date order, without touching another line. Knows no store.
import { keepsFences } from './fences.ts';
import { findBody } from './frontmatter.ts';
import { walkLines } from './markdown-lines.ts';
import { type BodyParts, splitBody } from './page-body.ts';
import { spliceView, toView } from './text-edge.ts';
import {
  calendarDate,
  DEFAULT_SOURCE,
  isHeading,
  parseTimeline,
  parseTimelineBullet,
  type TimelineEntry,
} from './timeline.ts';

/** What to add. `date` is YYYY-MM-DD; without a source the entry's source is `markdown`; `detail` may have lines. */
export interface NewTimelineEntry {
  date: string;
  summary: string;
  source?: string;
  detail?: string;
}

/** `changed` is false when the timeline has an entry of this date, source and summary already. */
export type TimelineEdit =
  | { ok: true; text: string; changed: boolean }
  | { ok: false; reason: 'invalid_date' | 'empty_summary' | 'unwritable_entry'; message: string };

/**
 * The text with the entry as a bullet: before the first entry that is not younger where the timeline is sorted newest
 * first, else after the last entry that is not younger. A page without a timeline gets a
 * `<!-- timeline -->` section at its end.
 */
export function addTimelineEntry(text: string, entry: NewTimelineEntry): TimelineEdit {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(entry.date) ?? [];
  const date = calendarDate(year, month, day);
  if (date === undefined)
    return { ok: false, reason: 'invalid_date', message: 'a timeline date is YYYY-MM-DD and in the calendar' };
  const summary = oneLine(entry.summary);
  if (summary === '') return { ok: false, reason: 'empty_summary', message: 'a timeline entry needs a summary' };

  const view = toView(text);
  const body = partsOf(view);
  const entries = parseTimeline(body.timeline, body.timelineLine);
  const { bullet, source } = writeBullet(date, oneLine(entry.source ?? ''), summary);
  const wanted: TimelineEntry = { date, source, summary, detail: toDetail(entry.detail ?? ''), line: 0 };
  if (entries.some((one) => toKey(one) === toKey(wanted))) return { ok: true, text, changed: false };

  const detail = wanted.detail.split('\n').map((line) => (line === '' ? '\n' : `  ${line}\n`));
  const lines = bullet + (wanted.detail === '' ? '' : detail.join(''));
  const { at, lead } = findPlace(view, body, entries, date);
  const added = spliceView(text, [{ start: at, end: at, text: lead + lines }]);
  if (isAsMeant(view, toView(added), wanted)) return { ok: true, text: added, changed: true };
  return {
    ok: false,
    reason: 'unwritable_entry',
    message: 'this entry would be read as something else where it belongs',
  };
}

function partsOf(view: string): BodyParts {
  const body = findBody(view);
  return splitBody(view, body.offset, body.line);
}

/** A source has no dash of its own between spaces, because the first such dash ends it. */
function writeBullet(date: string, source: string, summary: string): { bullet: string; source: string } {
  const plain = source
    .replace(/(^|\s)[-–—]+(?=\s|$)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  for (const one of [plain, plain.replace(/[[\]()]/g, '').trim()]) {
    if (one === '' || one === DEFAULT_SOURCE) break;
    const bullet = `- **${date}** | ${one} — ${summary}`;
    const read = parseTimelineBullet(bullet);
    if (read?.source === one && read.summary === summary) return { bullet: `${bullet}\n`, source: one };
  }
  return { bullet: `- **${date}** — ${summary}\n`, source: DEFAULT_SOURCE };
}

function findPlace(
  view: string,
  body: BodyParts,
  entries: readonly TimelineEntry[],
  date: string,
): { at: number; lead: string } {
  if (body.range === null) {
    const gap = view === '' || view.endsWith('\n\n') ? '' : view.endsWith('\n') ? '\n' : '\n\n';
    return { at: view.length, lead: `${gap}<!-- timeline -->\n\n` };
  }
  const end = body.range.end;
  const start = end - body.timeline.length;
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) {
    const blank = body.timeline.trim() === '';
    const head = view.charAt(start - 1) === '\n' ? '\n' : '\n\n';
    return blank ? { at: start, lead: head } : { at: end, lead: view.endsWith('\n') ? '\n' : '\n\n' };
  }
  const newestFirst = first.date > last.date;
  const next = newestFirst
    ? entries.find((one) => one.date <= date)
    : entries[entries.findLastIndex((one) => one.date <= date) + 1];
  if (next !== undefined) return { at: lineOffset(view, start, body.timelineLine, next.line), lead: '' };
  return afterLast(view, start, body.timelineLine, last.line);
}

function lineOffset(view: string, start: number, firstLine: number, wanted: number): number {
  for (const line of walkLines(view, start, firstLine)) if (line.number === wanted) return line.start;
  return view.length;
}

/** Behind the last line of the last entry, its detail included. */
function afterLast(view: string, start: number, firstLine: number, last: number): { at: number; lead: string } {
  let at = view.length;
  let ended = true;
  for (const line of walkLines(view, start, firstLine)) {
    if (line.number > last && (line.kind === 'comment' || isHeading(line))) break;
    if (line.number < last || line.kind === 'blank') continue;
    at = line.next;
    ended = line.next > line.end;
  }
  return { at, lead: ended ? '' : '\n' };
}

/** Whether the new text is the old one with this entry and nothing else that is read differently. */
function isAsMeant(before: string, after: string, wanted: TimelineEntry): boolean {
  const [was, is] = [partsOf(before), partsOf(after)];
  const keys = (body: BodyParts): string[] => parseTimeline(body.timeline).map((one) => toKey(one) + one.detail);
  const expected = [...keys(was), toKey(wanted) + wanted.detail].sort();
  const found = keys(is).sort();
  const same = found.length === expected.length && found.every((key, index) => key === expected[index]);
  return same && was.compiledTruth.trim() === is.compiledTruth.trim() && keepsFences(before, after);
}

function toKey(entry: TimelineEntry): string {
  return JSON.stringify([entry.date, entry.source, entry.summary]);
}

function oneLine(text: string): string {
  return text.replace(/\0/g, '').toWellFormed().replace(/\s+/g, ' ').trim();
}

/** Detail as it reads back: without indentation that all lines share and without blank lines around it. */
function toDetail(text: string): string {
  const lines = toView(text)
    .replace(/\0/g, '')
    .toWellFormed()
    .split('\n')
    .map((line) => line.trimEnd());
  const depth = (line: string): number => line.length - line.trimStart().length;
  const shared = lines.reduce(
    (least, line) => (line === '' ? least : Math.min(least, depth(line))),
    Number.POSITIVE_INFINITY,
  );
  return lines
    .map((line) => line.slice(shared))
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
