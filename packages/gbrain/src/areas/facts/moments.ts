// Moments as callers write them: how long a fact holds, and since when to look. Pure; the clock is handed in.

/** A moment, or what was expected instead. */
export type Moment = { ok: true; at: Date } | { ok: false; expected: string };

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
/** Longest relative time to live. Source: facts/engine E.1. */
const TTL_MAX_MS = 365 * UNIT_MS.d!;

const TTL_EXPECTED = 'a time to live such as 30d, 12h or 45m, at most 365d, or an ISO timestamp in the future';

/** A day or timestamp, undefined for anything else; a day alone and a time without a zone are in UTC. */
export function parseMoment(text: string): Date | undefined {
  if (!ISO.test(text)) return undefined;
  const isDay = text.length === 10;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10));
  const at = new Date(isDay || hasZone ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(at.getTime())) return undefined;
  // A day that does not exist rolls over silently.
  const day = Number(text.slice(8, 10));
  const lastDay = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return day >= 1 && day <= lastDay ? at : undefined;
}

/** When a fact ends: `30d`, `12h`, `45m` from now, or a timestamp that is not past. ISO durations are refused. */
export function parseTtl(text: string, now: Date): Moment {
  const relative = /^([1-9]\d{0,6})([mhd])$/.exec(text.trim());
  if (relative) {
    const ms = Number(relative[1]) * UNIT_MS[relative[2]!]!;
    return ms <= TTL_MAX_MS ? { ok: true, at: new Date(now.getTime() + ms) } : { ok: false, expected: TTL_EXPECTED };
  }
  const at = parseMoment(text.trim());
  return at && at > now ? { ok: true, at } : { ok: false, expected: TTL_EXPECTED };
}

const SINCE_EXPECTED = 'an ISO day or timestamp, or words such as yesterday, 3 days ago, last week';
const AGO = /^(?:last |past |the last )?(\d{1,4}) ?(m|h|d|w|min|minute|hour|day|week|month|year)s?(?: ago)?$/;
const WORD_MS: Record<string, number> = {
  ...UNIT_MS,
  min: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
};

/** Since when: a timestamp, or `yesterday`, `3 days ago`, `7d`, `last week`. */
export function parseSince(text: string, now: Date): Moment {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const iso = parseMoment(text.trim());
  if (iso) return { ok: true, at: iso };
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  if (plain === 'today') return { ok: true, at: new Date(midnight) };
  if (plain === 'yesterday') return { ok: true, at: new Date(midnight - UNIT_MS.d!) };
  if (plain === 'now') return { ok: true, at: now };
  const ago = AGO.exec(plain) ?? AGO.exec(plain.replace(/^(?:last|past|this) (?=week|month|year|day|hour)/, '1 '));
  if (!ago) return { ok: false, expected: SINCE_EXPECTED };
  return { ok: true, at: new Date(now.getTime() - Number(ago[1]) * WORD_MS[ago[2]!]!) };
}

/** The same time to live as an ISO duration of one unit; undefined for anything else. */
export function ttlOfIso(text: string): string | undefined {
  const [, days, hours, minutes] = /^P(?:(\d{1,3})D|T(\d{1,4})H|T(\d{1,6})M)$/i.exec(text.trim()) ?? [];
  if (days) return `${days}d`;
  return hours ? `${hours}h` : minutes && `${minutes}m`;
}
