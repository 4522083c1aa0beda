// Dates in a question: a day, a month, a span relative to today, "the latest". Pure text to calendar; knows no page.
import { dayOfMonth, monthOf, numericDates, yearOf } from '../calendar.ts';
import { NO_DAY, toDay } from '../document.ts';

/** What a question says about time. */
export interface When {
  /** Day numbers, both included; null when only an order is asked. */
  readonly span: { readonly from: number; readonly to: number } | null;
  /** `latest` for "most recent", `earliest` for "first". */
  readonly order: 'latest' | 'earliest' | null;
  /** Positions of the words that said so. */
  readonly words: ReadonlySet<number>;
}

type Span = { from: number; to: number };
type Found = { span: Span; words: number[] };

const dayNumber = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / 86_400_000;
const monthSpan = (year: number, month: number): Span => ({
  from: dayNumber(year, month, 1),
  to: dayNumber(year, month + 1, 0),
});
const yearSpan = (year: number): Span => ({ from: dayNumber(year, 1, 1), to: dayNumber(year, 12, 31) });
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

/** A real day of the calendar, else null (February 30 is no day and matches nothing). */
function daySpan(year: number, month: number, day: number): Span | null {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const number = toDay(text);
  return number === NO_DAY ? null : { from: number, to: number };
}

/** A span that no page can lie in: the date was said, but there is no such day. */
const IMPOSSIBLE: Span = { from: 1, to: 0 };

function absolute(words: readonly string[], at: number): Found | null {
  const year = yearOf(words[at]!);
  if (year > 0) {
    const month = Number(words[at + 1]);
    const day = Number(words[at + 2]);
    if (/^\d\d$/.test(words[at + 1] ?? '') && /^\d\d$/.test(words[at + 2] ?? '') && month >= 1 && month <= 12)
      return { span: daySpan(year, month, day) ?? IMPOSSIBLE, words: range(at, 3) };
    if (/^q[1-4]$/.test(words[at - 1] ?? '') || /^q[1-4]$/.test(words[at + 1] ?? '')) {
      const other = /^q[1-4]$/.test(words[at - 1] ?? '') ? at - 1 : at + 1;
      const first = (Number(words[other]![1]) - 1) * 3 + 1;
      return { span: { from: dayNumber(year, first, 1), to: dayNumber(year, first + 3, 0) }, words: [at, other] };
    }
    return /^(in|during|from|of|since|for|en|im|dans|durante)$/.test(words[at - 1] ?? '')
      ? { span: yearSpan(year), words: [at] }
      : null;
  }
  return null;
}

/** `March 8 2024`, `8 (of) March 2024`, `March 2024`, and without a year the last such time before today. */
function named(words: readonly string[], at: number, today: number | null): Found | null {
  const month = monthOf(words[at]!);
  if (month === 0) return null;
  const after = dayOfMonth(words[at + 1]);
  const of = words[at - 1] === 'of' ? 1 : 0;
  const before = dayOfMonth(words[at - 1 - of]);
  const day = after > 0 ? after : before;
  const yearAt = after > 0 ? at + 2 : at + 1;
  const said = yearOf(words[yearAt] ?? '');
  const used =
    after > 0
      ? range(at, said > 0 ? 3 : 2)
      : range(at - (before > 0 ? 1 + of : 0), (before > 0 ? 1 + of : 0) + (said > 0 ? 2 : 1));
  const year = said > 0 ? said : today === null ? 0 : lastYear(month, Math.max(day, 1), today);
  if (year === 0 || (said === 0 && day === 0 && !mayStandAlone(words, at))) return null;
  return { span: day > 0 ? (daySpan(year, month, day) ?? IMPOSSIBLE) : monthSpan(year, month), words: used };
}

/** A bare month name is a date only behind "in", "during", "since": `may` and `march` are other words too. */
const mayStandAlone = (words: readonly string[], at: number): boolean =>
  /^(in|during|since|im|en)$/.test(words[at - 1] ?? '') || (words[at - 1] === 'last' && words[at]!.length > 3);

function lastYear(month: number, day: number, today: number): number {
  const year = new Date(today * 86_400_000).getUTCFullYear();
  return dayNumber(year, month, day) <= today ? year : year - 1;
}

/** Days of a unit. A map: words of a question are asked for, and `constructor` is one. */
const UNITS = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['quarter', 91],
  ['year', 365],
]);
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const COUNTS = new Map([
  ['a', 1],
  ['an', 1],
  ['one', 1],
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['six', 6],
  ['seven', 7],
  ['ten', 10],
  ['couple', 2],
  ['few', 3],
]);

const unitOf = (word: string | undefined): string => (word ?? '').replace(/s$/, '');

/** The week (Monday first), month, quarter or year around a day, moved by `offset` of them. */
function calendarSpan(unit: string, today: number, offset: number): Span | null {
  const date = new Date(today * 86_400_000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  if (unit === 'day') return { from: today + offset, to: today + offset };
  if (unit === 'week') {
    const monday = today - ((date.getUTCDay() + 6) % 7) + 7 * offset;
    return { from: monday, to: monday + 6 };
  }
  if (unit === 'month') return monthSpan(year, month + offset);
  if (unit === 'quarter') {
    const first = Math.floor((month - 1) / 3) * 3 + 1 + 3 * offset;
    return { from: dayNumber(year, first, 1), to: dayNumber(year, first + 3, 0) };
  }
  return unit === 'year' ? yearSpan(year + offset) : null;
}

function relative(words: readonly string[], at: number, today: number): Found | null {
  const word = words[at]!;
  if (word === 'today') return { span: { from: today, to: today }, words: [at] };
  if (word === 'yesterday') return { span: { from: today - 1, to: today - 1 }, words: [at] };
  const offset = word === 'last' || word === 'previous' ? -1 : word === 'this' ? 0 : word === 'next' ? 1 : null;
  if (offset !== null) {
    const span = calendarSpan(unitOf(words[at + 1]), today, offset);
    if (span && words[at + 1] === unitOf(words[at + 1])) return { span, words: range(at, 2) };
    const weekday = WEEKDAYS.indexOf(words[at + 1] ?? '');
    if (weekday >= 0) {
      const ago = (new Date(today * 86_400_000).getUTCDay() - weekday + 7) % 7 || 7;
      const day = offset > 0 ? today + (7 - ago || 7) : today - ago;
      return { span: { from: day, to: day }, words: range(at, 2) };
    }
  }
  const count = COUNTS.get(words[at + 1] ?? '') ?? Number(words[at + 1]);
  const unit = UNITS.get(unitOf(words[at + 2]));
  if (/^(last|past|previous)$/.test(word) && count > 0 && unit)
    return { span: { from: today - count * unit, to: today }, words: range(at, 3) };
  return ago(words, at, today);
}

/** `three weeks ago`, `2 months ago`: the time around that day. */
function ago(words: readonly string[], at: number, today: number): Found | null {
  const count = COUNTS.get(words[at]!) ?? Number(words[at]);
  const unit = unitOf(words[at + 1]);
  if (words[at + 2] !== 'ago' || !(count > 0) || !UNITS.has(unit)) return null;
  const span = calendarSpan(
    unit,
    unit === 'day' ? today : today - (unit === 'week' ? 7 * count : 0),
    unit === 'week' ? 0 : -count,
  );
  return span && { span, words: range(at, 3) };
}

function orderOf(words: readonly string[], used: ReadonlySet<number>): { order: When['order']; words: number[] } {
  for (const [at, word] of words.entries()) {
    if (used.has(at)) continue;
    if (word === 'most' && words[at + 1] === 'recent') return { order: 'latest', words: [at, at + 1] };
    if (word === 'latest' || word === 'newest') return { order: 'latest', words: [at] };
    if (word === 'last') return { order: 'latest', words: words[at + 1] === 'time' ? [at, at + 1] : [at] };
    if (word === 'earliest' || word === 'oldest') return { order: 'earliest', words: [at] };
    if (word === 'first' && /^(meeting|call|note|time|contact|mention|visit|session)s?$/.test(words[at + 1] ?? ''))
      return { order: 'earliest', words: [at] };
  }
  return { order: null, words: [] };
}

const EAST_ASIAN: readonly (readonly [RegExp, string, number])[] = [
  [/今天|今日|오늘/u, 'day', 0],
  [/昨天|昨日|어제/u, 'day', -1],
  [/上周|上星期|先週|지난\s?주/u, 'week', -1],
  [/本周|这周|今週|이번\s?주/u, 'week', 0],
  [/上个?月|先月|지난\s?달/u, 'month', -1],
  [/去年|昨年|작년/u, 'year', -1],
];

function eastAsian(query: string, today: number | null): Span | null {
  const [first] = numericDates(query);
  if (first && /[年년]/.test(query)) {
    const [year, month, day] = first.split('-').map(Number) as [number, number, number | undefined];
    return day === undefined ? monthSpan(year, month) : (daySpan(year, month, day) ?? IMPOSSIBLE);
  }
  if (today === null) return null;
  for (const [pattern, unit, offset] of EAST_ASIAN) if (pattern.test(query)) return calendarSpan(unit, today, offset);
  return null;
}

/** Reads the time out of a question. `today` is a day number, or null when relative words cannot be read. */
export function readWhen(query: string, words: readonly string[], today: number | null): When {
  const used = new Set<number>();
  let span: Span | null = null;
  for (let at = 0; at < words.length && span === null; at++) {
    const found =
      absolute(words, at) ?? named(words, at, today) ?? (today === null ? null : relative(words, at, today));
    if (!found) continue;
    span = found.span;
    for (const place of found.words) used.add(place);
  }
  span ??= eastAsian(query, today);
  const order = orderOf(words, used);
  for (const place of order.words) used.add(place);
  return { span, order: order.order, words: used };
}
