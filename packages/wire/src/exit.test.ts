// The published exit codes, and the few choices about them.
import { expect, test } from 'vitest';
import { decidePendingExit, EXIT, EXIT_ROWS, exitOfSignal, signalOfExit } from './exit.ts';

test('the numbers are those of the contract', () => {
  expect(Object.values(EXIT)).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 14, 75, 124, 129, 130, 143]);
});

test('every code has one row, in order, with something to read and to do', () => {
  expect(EXIT_ROWS.map(({ exit }) => exit)).toEqual(Object.values(EXIT));
  for (const { meaning, action } of EXIT_ROWS)
    expect([meaning.endsWith('.'), action.endsWith('.')]).toEqual([true, true]);
});

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s is %d and back', (signal, exit) => {
  expect(exitOfSignal(signal)).toBe(exit);
  expect(signalOfExit(exit)).toBe(signal);
});

test('other codes are no signal', () => {
  expect([0, 1, 2, 124, 128, 137].map(signalOfExit)).toEqual(Array.from({ length: 6 }, () => undefined));
});

test.each<[number, boolean | undefined, boolean, number]>([
  [10, undefined, false, 10],
  [10, undefined, true, 0],
  [10, true, false, 0],
  [10, false, true, 10],
  [1, true, true, 1],
  [0, false, false, 0],
])('exit %d with flag %s and variable %s ends as %d', (exit, flag, environment, expected) => {
  expect(decidePendingExit(exit, flag === undefined ? { environment } : { flag, environment })).toBe(expected);
});
