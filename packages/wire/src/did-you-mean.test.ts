// Slips find their name, noise finds none, and the bounded distance is the true one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closest, closestNames, editDistance } from './did-you-mean.ts';

const TOOLS = ['get_page', 'put_page', 'list_pages', 'search', 'query', 'recall', 'remember', 'forget', 'get_links'];

test.each([
  ['gte_page', 'get_page'],
  ['getpage', 'get_page'],
  ['get-page', 'get_page'],
  ['GET_PAGE', 'get_page'],
  ['list_page', 'list_pages'],
  ['serach', 'search'],
  ['qeury', 'query'],
  ['rember', 'remember'],
  ['rem', 'remember'],
  ['delete_everything', undefined],
  ['xy', undefined],
  ['a', undefined],
  ['', undefined],
  ['search', undefined],
])('%s means %s', (value, expected) => {
  expect(closest(value, TOOLS)).toBe(expected);
});

test.each([
  ['--srot', ['--sort', '--source'], '--sort'],
  ['bogus', ['updated', 'created', 'title'], undefined],
  ['gte', ['get', 'list'], 'get'],
  ['upd', ['updated', 'created'], 'updated'],
  ['a', ['b'], undefined],
  ['cet', ['get', 'cat'], 'cat'],
  ['cet', ['met', 'get'], 'met'],
])('%s among %j', (value, names, expected) => {
  expect(closest(value, names)).toBe(expected);
});

test('several come nearest first, without repeats', () => {
  expect(closestNames('get_pages', [...TOOLS, 'get_page'], 5)).toEqual(['get_page', 'put_page', 'list_pages']);
});

/** The textbook table, unbounded: an oracle for the bounded rows. */
function slowDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(row - 2, column - 2) + 1);
      }
      (table[row] as number[])[column] = cost;
    }
  }
  return at(a.length, b.length);
}

test('the bounded distance is the true one or bound + 1, and symmetrical', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  fc.assert(
    fc.property(word, word, fc.nat(6), (a, b, bound) => {
      const truth = slowDistance(a, b);
      expect(editDistance(a, b)).toBe(truth);
      expect(editDistance(a, b, bound)).toBe(Math.min(truth, bound + 1));
      expect(editDistance(b, a, bound)).toBe(editDistance(a, b, bound));
    }),
    { numRuns: 500 },
  );
});
