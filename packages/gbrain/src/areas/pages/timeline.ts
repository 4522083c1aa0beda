// The dated evidence of a page: reads timeline bullets and inline citations. Knows no page and writes nothing.
import { type Line, walkLines } from './markdown-lines.ts';

/** One dated entry. `date` is YYYY-MM-DD; `line` counts in the text that was read; `detail` may be empty. */
export interface TimelineEntry {
  date: string;
  source: string;
  summary: string;
  detail: string;
  line: number;
}

/** What a bullet has for a source when it names none. */
export const DEFAULT_SOURCE = 'markdown';

const BULLET_HEAD = /^ ?(?:[-*+][ \t]+)?\*\*(?:(\d{4})-(\d{2})-(\d{2})|(\d{4})年(\d{1,2})月(\d{1,2})日)\*\*[ \t]*/;

/** The parts of a bullet's first line; undefined for anything else, a day that no calendar has included. */
export function parseTimelineBullet(text: string): Omit<TimelineEntry, 'detail' | 'line'> | undefined {
  const head = BULLET_HEAD.exec(text);
  if (head === null) return undefined;
  const date = calendarDate(head[1] ?? head[4], head[2] ?? head[5], head[3] ?? head[6]);
  const separator = text.charAt(head[0].length);
  if (date === undefined || !'|-–—'.includes(separator) || separator === '') return undefined;
  const rest = text.slice(head[0].length + 1).trim();
  if (rest === '') return undefined;
  const dash = separator === '|' ? findSourceDash(rest) : -1;
  if (dash <= 0) return { date, source: DEFAULT_SOURCE, summary: rest };
  return { date, source: rest.slice(0, dash).trim(), summary: rest.slice(dash + 1).trim() };
}

/** The entries of a timeline. Lines after a bullet, indented or plain, are its detail, up to the next or a heading. */
export function parseTimeline(text: string, firstLine = 1): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let detail: string[] = [];
  let open = false;
  const close = (): void => {
    const last = entries.at(-1);
    if (open && last !== undefined) last.detail = joinDetail(detail);
    detail = [];
  };
  for (const line of walkLines(text, 0, firstLine)) {
    const bullet = line.kind === 'text' ? parseTimelineBullet(line.text) : undefined;
    const ends = bullet !== undefined || isHeading(line) || line.kind === 'comment';
    if (ends) close();
    if (ends) open = bullet !== undefined;
    else if (open) detail.push(line.text);
    if (bullet !== undefined) entries.push({ ...bullet, detail: '', line: line.number });
  }
  close();
  return entries;
}

const CITATION = /\[Source:[ \t]*([^[\]\n]{1,300}?),[ \t]*(\d{4})-(\d{2})-(\d{2})\]/gi;

/** Entries for inline citations in prose: `text [Source: where, YYYY-MM-DD]`. The summary is the line without them. */
export function parseInlineCitations(text: string, firstLine = 1): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (const line of walkLines(text, 0, firstLine)) {
    if (line.kind !== 'text' || !line.text.includes('[')) continue;
    const matches = [...line.text.matchAll(CITATION)];
    if (matches.length === 0) continue;
    const bare = line.text.replace(CITATION, '').replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/, '');
    const summary = bare.trim().slice(0, 500).toWellFormed();
    for (const match of matches) {
      const date = calendarDate(match[2], match[3], match[4]);
      const source = match[1]?.trim();
      if (date === undefined || !source || summary === '') continue;
      entries.push({ date, source, summary, detail: '', line: line.number });
    }
  }
  return entries;
}

/** YYYY-MM-DD of a day that exists, else undefined. */
export function calendarDate(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): string | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? undefined : date;
}

/** Index of the first dash that has white space on both sides and is outside the brackets of links, -1 without one. */
function findSourceDash(text: string): number {
  let square = 0;
  let target = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (target) target = char !== ')';
    else if (char === '[') square += 1;
    else if (char === ']') square = Math.max(0, square - 1);
    else if (char === '(') target = text.charAt(index - 1) === ']';
    else if (square === 0 && '-–—'.includes(char) && isSpace(text, index - 1) && isSpace(text, index + 1)) return index;
  }
  return -1;
}

function isSpace(text: string, index: number): boolean {
  const char = text.charAt(index);
  return char === ' ' || char === '\t';
}

/** A heading at the margin; an indented one belongs to the entry above it. */
export function isHeading(line: Line): boolean {
  return line.kind === 'text' && /^ ?#{1,6}(?:[ \t]|$)/.test(line.text);
}

/** Detail without the indentation that all of its lines share, and without blank lines around it. */
function joinDetail(lines: readonly string[]): string {
  let shared = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (line.trim() !== '') shared = Math.min(shared, line.length - line.trimStart().length);
  }
  const bare = lines.map((line) => line.slice(shared)).join('\n');
  return bare.replace(/^\n+/, '').trimEnd();
}
