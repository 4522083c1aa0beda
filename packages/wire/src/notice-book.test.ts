// Sessions do not see each other's ledgers, and the book stays within its bounds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Notice } from './notice.ts';
import { createNoticeBook, sessionKey } from './notice-book.ts';
import type { LedgerPolicy } from './notice-ledger.ts';

const HTTP: LedgerPolicy = { transport: 'http', muted: new Set() };
const INFO: Notice[] = [{ code: 'a', kind: 'info', why: '' }];

test('each session has its own ledger', () => {
  const book = createNoticeBook();
  const count = (key: string): number => book.admit(key, INFO, HTTP, 0).admitted.length;
  const [one, two] = [sessionKey('alice', 's1'), sessionKey('alice', 's2')];
  expect([count(one), count(one), count(two), count(two), count(one)]).toEqual([1, 0, 1, 0, 0]);
});

test('no two pairs of principal and session share a key', () => {
  const id = fc.string({ maxLength: 6 });
  const pair = fc.tuple(id, fc.option(id, { nil: undefined }));
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      expect(sessionKey(...a) === sessionKey(...b)).toBe(a[0] === b[0] && a[1] === b[1]);
    }),
  );
});

test('a silent session is forgotten after its time, one in use is not', () => {
  const book = createNoticeBook({ maxSessions: 10, ttlMs: 100 });
  const count = (nowMs: number): number => book.admit('s', INFO, HTTP, nowMs).admitted.length;
  expect([count(0), count(99), count(198), count(298)]).toEqual([1, 0, 0, 1]);
  book.admit('other', INFO, HTTP, 1_000);
  expect(book.size).toBe(1);
});

test('when it is full the session that was silent longest goes first', () => {
  const book = createNoticeBook({ maxSessions: 2, ttlMs: 1_000 });
  const count = (key: string): number => book.admit(key, INFO, HTTP, 0).admitted.length;
  expect([count('a'), count('b'), count('a'), count('c'), count('a'), count('b')]).toEqual([1, 1, 0, 1, 0, 1]);
  expect(book.size).toBe(2);
});

test('a session without notices takes no room', () => {
  const book = createNoticeBook();
  book.admit('s', [], HTTP, 0);
  expect(book.size).toBe(0);
});
