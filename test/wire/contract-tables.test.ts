// The tables of the contract as literals: a number or a name that changes here changes what every client was told.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '@gbrain/wire/action';
import { SHARED_CODES } from '@gbrain/wire/codes';
import { EXIT_ROWS } from '@gbrain/wire/exit';
import { NOTICE_KINDS } from '@gbrain/wire/notice';
import { PER_CALL_CODES } from '@gbrain/wire/notice-ledger';
import { planHash } from '@gbrain/wire/plan-hash';
import { expect, test } from 'vitest';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'contract-tables.json'), 'utf8'));

test('codes of every server', () => {
  const rows = Object.entries(SHARED_CODES).map(([code, row]) => [
    code,
    [row.class, row.exit, row.httpStatus, row.rpcCode],
  ]);
  expect(Object.fromEntries(rows)).toEqual(golden.codes);
});

test('exit codes', () => {
  expect(EXIT_ROWS.map(({ exit }) => exit)).toEqual(golden.exits);
});

test('notices: the order of kinds, and what describes one call', () => {
  expect(NOTICE_KINDS).toEqual(golden.kinds);
  expect([...PER_CALL_CODES].sort()).toEqual(golden.per_call);
});

test('a plan hash takes every effect of the contract', () => {
  const effects = golden.effects as Effect[];
  const plan = { brain: 'host', source: null, operation: 'x', records: [], parameters: {}, effects };
  let text = '';
  planHash(plan, (canonical) => {
    text = canonical;
    return '0'.repeat(64);
  });
  expect(JSON.parse(text).effects).toEqual([...effects].sort());
});
