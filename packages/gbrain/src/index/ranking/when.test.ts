// Times in questions, against a calendar by hand. Today is Tuesday, 2026-05-26.
import { describe, expect, it } from 'vitest';
import { tokensOf } from '../analysis.ts';
import { fromDay, toDay } from '../document.ts';
import { readWhen } from './when.ts';

const TODAY = toDay('2026-05-26');

function read(query: string, today: number | null = TODAY): string {
  const words = tokensOf(query).words;
  const when = readWhen(query, words, today);
  const span =
    when.span === null
      ? '-'
      : when.span.from > when.span.to
        ? 'never'
        : `${fromDay(when.span.from)}..${fromDay(when.span.to)}`;
  const left = words.filter((_, at) => !when.words.has(at)).join(' ');
  return `${span} ${when.order ?? '-'} | ${left}`;
}

describe('times in questions', () => {
  it.each([
    ['meetings on 2025-10-24', '2025-10-24..2025-10-24 - | meetings on'],
    ['what happened on May 7, 2024', '2024-05-07..2024-05-07 - | what happened on'],
    ['what happened on 7th of May 2024', '2024-05-07..2024-05-07 - | what happened on'],
    ['Quill meetings in October 2025', '2025-10-01..2025-10-31 - | quill meetings in'],
    ['notes from Q3 2025', '2025-07-01..2025-09-30 - | notes from'],
    ['what changed in 2024', '2024-01-01..2024-12-31 - | what changed in'],
    ['meetings on 1997-02-30', 'never - | meetings on'],
    ['who spoke in March', '2026-03-01..2026-03-31 - | who spoke in'],
    ['who spoke in August', '2025-08-01..2025-08-31 - | who spoke in'],
    ['call on June 3', '2025-06-03..2025-06-03 - | call on'],
    ['what did we do yesterday', '2026-05-25..2026-05-25 - | what did we do'],
    ['meetings this week', '2026-05-25..2026-05-31 - | meetings'],
    ['meetings last week', '2026-05-18..2026-05-24 - | meetings'],
    ['notes last month', '2026-04-01..2026-04-30 - | notes'],
    ['notes of last quarter', '2026-01-01..2026-03-31 - | notes of'],
    ['calls last Tuesday', '2026-05-19..2026-05-19 - | calls'],
    ['calls in the past two weeks', '2026-05-12..2026-05-26 - | calls in the'],
    ['three days ago', '2026-05-23..2026-05-23 - | '],
    ['2 weeks ago', '2026-05-11..2026-05-17 - | '],
    ['two months ago', '2026-03-01..2026-03-31 - | '],
    ['most recent meeting with Quill', '- latest | meeting with quill'],
    ['the last call with Mira', '- latest | the call with mira'],
    ['when did we last meet Mira', '- latest | when did we meet mira'],
    ['first meeting with Mira', '- earliest | meeting with mira'],
    ['2025年10月24日の会議', '2025-10-24..2025-10-24 - | 2025 年 10 月 24 日の の会 会議'],
    ['上周的会议', '2026-05-18..2026-05-24 - | 上周 周的 的会 会议'],
  ])('%s', (query, expected) => expect(read(query)).toBe(expected));

  it.each([
    'may I see the plan',
    'march of the kilns',
    'the room 2024 seats',
    'first aid kit',
    'version 12.5',
    'past 3 constructor',
    'the valueOf constructor ago',
  ])('sees no time in "%s"', (query) => expect(read(query)).toMatch(/^- - /));

  it('reads no relative time without a today', () => {
    expect(read('meetings last week', null)).toBe('- latest | meetings week');
    expect(read('call on June 3', null)).toBe('- - | call on june 3');
  });
});
