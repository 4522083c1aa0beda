// Times as callers write them: what is taken, what is refused, and what each means.
import { describe, expect, test } from 'vitest';
import { parseSince, parseTtl } from './moments.ts';

const NOW = new Date('2026-03-10T12:00:00.000Z');

describe('time to live', () => {
  test.each([
    ['30d', '2026-04-09T12:00:00.000Z'],
    ['12h', '2026-03-11T00:00:00.000Z'],
    ['45m', '2026-03-10T12:45:00.000Z'],
    ['365d', '2027-03-10T12:00:00.000Z'],
    ['2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01T10:00:00+02:00', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01 10:00', '2026-12-01T10:00:00.000Z'],
  ])('%s', (text, at) => {
    expect(parseTtl(text, NOW)).toEqual({ ok: true, at: new Date(at) });
  });

  test.each(['P30D', 'PT5M', '0d', '-3d', '366d', '30', 'd', '2026-03-09', '2026-02-30', '2026-13-01', 'soon', ''])(
    'refuses %j',
    (text) => {
      expect(parseTtl(text, NOW).ok).toBe(false);
    },
  );
});

describe('since', () => {
  test.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['today', '2026-03-10T00:00:00.000Z'],
    ['yesterday', '2026-03-09T00:00:00.000Z'],
    ['3 days ago', '2026-03-07T12:00:00.000Z'],
    ['last week', '2026-03-03T12:00:00.000Z'],
    ['last 2 weeks', '2026-02-24T12:00:00.000Z'],
    ['7d', '2026-03-03T12:00:00.000Z'],
    ['30 minutes ago', '2026-03-10T11:30:00.000Z'],
  ])('%s', (text, at) => {
    expect(parseSince(text, NOW)).toEqual({ ok: true, at: new Date(at) });
  });

  test.each(['whenever', '', '99999 days ago', '2026-02-31'])('refuses %j', (text) => {
    expect(parseSince(text, NOW).ok).toBe(false);
  });
});
