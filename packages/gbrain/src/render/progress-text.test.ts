// A bar, a rate and a time left, and what is left out while nobody knows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PaceKeeper, paceBar, paceLine, waitText } from './progress-text.ts';

test('a stage tells its rate and its end once it is old enough, and each stage for itself', () => {
  const keeper = new PaceKeeper();
  const first = keeper.at({ what: 'importing', done: 0, total: 1000 }, 5_000);
  expect(paceBar(first, 100)).toBe(`importing  [${'-'.repeat(30)}]  0/1000 0 %`);
  expect(keeper.at({ what: 'importing', done: 50, total: 1000 }, 5_400)).not.toHaveProperty('rate');
  const later = keeper.at({ what: 'importing', done: 400, total: 1000 }, 7_000);
  expect(later).toMatchObject({ rate: 200, leftMs: 3_000 });
  expect(paceBar(later, 100)).toBe(`importing  [${'#'.repeat(12)}${'-'.repeat(18)}]  400/1000 40 %  200/s  3 s left`);
  expect(paceLine(later)).toBe('importing: 400 of 1000 (40 %), 200/s, 3 s left');
  const over = keeper.at({ what: 'importing', done: 1000, total: 1000 }, 9_000);
  expect(paceLine(over)).toBe('importing: 1000 of 1000 (100 %), 250/s');
  expect(keeper.at({ what: 'wiring links', done: 256 }, 9_100)).not.toHaveProperty('rate');
  expect(paceBar(keeper.at({ what: 'wiring links', done: 300 }, 11_100), 80)).toBe('wiring links  300  22/s');
  expect(paceLine(keeper.at({ what: 'wiring links', done: 261 }, 12_100))).toBe('wiring links: 261, 1.7/s');
});

test('a wait is told in the units of its size', () => {
  expect([1, 59_001, 61_000, 120_000, 3_600_000, 3_900_000].map(waitText)).toEqual([
    '1 s',
    '1 min',
    '1 min 1 s',
    '2 min',
    '1 h',
    '1 h 5 min',
  ]);
});

test('a bar keeps within the terminal, however narrow', () => {
  const pace = fc.record({
    what: fc.constantFrom('importing', 'looking for moved files'),
    done: fc.nat(100_000),
    total: fc.option(fc.nat(100_000), { nil: undefined }),
    rate: fc.option(fc.float({ min: Math.fround(0.01), max: 9_999, noNaN: true }), { nil: undefined }),
    leftMs: fc.option(fc.nat(10_000_000), { nil: undefined }),
  });
  fc.assert(
    fc.property(pace, fc.integer({ min: 1, max: 200 }), ({ total, rate, leftMs, ...rest }, columns) => {
      const known = {
        ...(total !== undefined && { total }),
        ...(rate !== undefined && { rate }),
        ...(leftMs !== undefined && { leftMs }),
      };
      expect(paceBar({ ...rest, ...known }, columns).length).toBeLessThan(Math.max(columns, 1) + 0.5);
    }),
  );
});
