// Distances between spellings, against a plain table of all edits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, editsAllowed } from './spelling.ts';

/** Optimal string alignment by the book, without bounds. */
function slowDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, table[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, table[i - 2]![j - 2]! + 1);
      table[i]![j] = best;
    }
  return table[a.length]![b.length]!;
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });

describe('edit distance', () => {
  it('equals the full table within its bound, and is just above it outside', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 4 }), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(Math.min(slowDistance(a, b), max + 1));
      }),
    );
  });

  it('counts a swap of neighbours once', () => expect(editDistance('uppnigham', 'uppingham', 2)).toBe(1));
  it('leaves short words alone', () => expect([3, 4, 6, 7].map(editsAllowed)).toEqual([0, 1, 1, 2]));
});
