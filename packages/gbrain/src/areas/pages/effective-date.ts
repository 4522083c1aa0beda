// The date that a page speaks of, from its fields and its name, by a fixed precedence. Never a legal date. Pure.
import type { Json } from './frontmatter-yaml.ts';
import type { Slug } from './slug.ts';
import { calendarDate } from './timeline.ts';

/** Where an effective date came from; `fallback` means that the page says nothing and its row's time stands in. */
export type EffectiveDateSource = 'event_date' | 'date' | 'published' | 'filename' | 'created' | 'fallback';

/** `date`: ISO instant in UTC (midnight for a day), null for `fallback`. `ignored`: fields with an unusable date. */
export interface EffectiveDate {
  date: string | null;
  source: EffectiveDateSource;
  ignored: string[];
}

const EARLIEST = Date.UTC(1990, 0, 1);
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
const DATE =
  /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2})(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)? ?(Z|[+-]\d\d:?\d\d)?)?)?$/;
const FIELDS: readonly (readonly [string, EffectiveDateSource])[] = [
  ['event_date', 'event_date'],
  ['date', 'date'],
  ['published', 'published'],
];
const LATE_FIELDS: readonly (readonly [string, EffectiveDateSource])[] = [
  ['updated_at', 'created'],
  ['updated', 'created'],
  ['created_at', 'created'],
  ['created', 'created'],
];

/**
 * `event_date`, then `date`, `published`, a date at the head of the file name, the page's own update and creation
 * fields. Under `daily/` and `meetings/` the file name comes first. Valid from 1990-01-01 to a year after `now`.
 */
export function decideEffectiveDate(fields: { [key: string]: Json }, slug: Slug, now?: Date): EffectiveDate {
  const latest = now === undefined ? Number.POSITIVE_INFINITY : now.getTime() + YEAR_MS;
  const ignored: string[] = [];
  const named = parseDate(fileNameDate(slug), latest);
  const fileName: readonly [string, EffectiveDateSource] = ['', 'filename'];
  const dated = slug
    .split('/')
    .slice(0, -1)
    .some((segment) => segment === 'daily' || segment === 'meetings');
  const order = dated ? [fileName, ...FIELDS, ...LATE_FIELDS] : [...FIELDS, fileName, ...LATE_FIELDS];
  let found: Pick<EffectiveDate, 'date' | 'source'> | undefined;
  for (const [field, source] of order) {
    const value = source === 'filename' ? undefined : fields[field];
    const date = source === 'filename' ? named : parseDate(value, latest);
    if (date === undefined && value !== undefined && value !== null && value !== '') ignored.push(field);
    if (date !== undefined) found ??= { date, source };
  }
  return { ...(found ?? { date: null, source: 'fallback' }), ignored };
}

/** An ISO instant from YYYY-MM, YYYY-MM-DD or a date with a time (UTC unless it says otherwise). */
function parseDate(value: Json | undefined, latest: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = DATE.exec(value.trim());
  if (match === null) return undefined;
  const [, year, month, day = '1', hour = '00', minute = '00', second = '00', zone = 'Z'] = match;
  const date = calendarDate(year, month, day);
  if (date === undefined) return undefined;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const time = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(time) || time < EARLIEST || time > latest ? undefined : new Date(time).toISOString();
}

function fileNameDate(slug: Slug): string | undefined {
  return /^(\d{4}-\d{2}-\d{2})(?!\d)/.exec(slug.slice(slug.lastIndexOf('/') + 1))?.[1];
}
