// When a file is a page that moved, when it is not, and that every page and file ends in exactly one place.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideMoves, type KnownFile } from './moves.ts';

/** `path hash id`, with `-` for an empty body. */
const file = (line: string): KnownFile => {
  const [path, hash, id] = line.split(' ') as [string, string, string | undefined];
  const base = { path, slug: path.replace(/\.md$/, ''), contentHash: hash, empty: hash === '-' };
  return id === undefined ? base : { ...base, id };
};
const files = (text: string) =>
  text
    .split(',')
    .map((line) => line.trim())
    .filter(Boolean)
    .map(file);

function decide(known: string, seen: string): string {
  const { kept, moved, added, gone, ambiguousIds } = decideMoves(files(known), files(seen));
  return [
    ...kept.map(({ from, to }) => `${from.contentHash === to.contentHash ? 'same' : 'edited'} ${to.path}`),
    ...moved.map(({ from, to, by }) => `${from.path} -> ${to.path} by ${by}`),
    ...added.map(({ path }) => `added ${path}`),
    ...gone.map(({ path }) => `gone ${path}`),
    ...ambiguousIds.map((id) => `ambiguous ${id}`),
  ].join('; ');
}

describe('decideMoves', () => {
  test.each([
    ['nothing happened', 'a.md 1', 'a.md 1', 'same a.md'],
    ['an edit', 'a.md 1', 'a.md 2', 'edited a.md'],
    ['a move', 'a.md 1', 'b/a.md 1', 'a.md -> b/a.md by content'],
    ['a rename', 'a.md 1', 'z.md 1', 'a.md -> z.md by content'],
    ['a move with an edit, by id', 'a.md 1 x', 'z.md 2 x', 'a.md -> z.md by id'],
    ['a move with an edit, without id', 'a.md 1', 'z.md 2', 'added z.md; gone a.md'],
    ['a copy is no move', 'a.md 1', 'a.md 1, b.md 1', 'same a.md; added b.md'],
    ['two copies of a gone page', 'a.md 1', 'b.md 1, c.md 1', 'added b.md; added c.md; gone a.md'],
    [
      'a folder of equal files, by their names',
      'o/a.md 1, o/b.md 1',
      'n/a.md 1, n/b.md 1',
      'o/a.md -> n/a.md by content_and_name; o/b.md -> n/b.md by content_and_name',
    ],
    ['empty pages are not one page', 'a.md -', 'b.md -', 'added b.md; gone a.md'],
    ['empty pages with an id are', 'a.md - x', 'b.md - x', 'a.md -> b.md by id'],
    ['other ids are other pages', 'a.md 1 x', 'b.md 1 y', 'added b.md; gone a.md'],
    ['id before content', 'a.md 1 x, b.md 2', 'c.md 2 x, d.md 1', 'a.md -> c.md by id; added d.md; gone b.md'],
    [
      'an id declared twice decides nothing',
      'a.md 1 x',
      'b.md 2 x, c.md 3 x',
      'added b.md; added c.md; gone a.md; ambiguous x',
    ],
    ['a copied id does not take the page away', 'a.md 1 x', 'a.md 1 x, b.md 1 x', 'same a.md; added b.md; ambiguous x'],
    ['two pages swap places', 'a.md 1, b.md 2', 'a.md 2, b.md 1', 'edited a.md; edited b.md'],
    ['a chain', 'a.md 1, b.md 2', 'b.md 1, c.md 2', 'edited b.md; added c.md; gone a.md'],
  ])('%s', (_, known, seen, expected) => expect(decide(known, seen)).toBe(expected));

  const list = fc
    .uniqueArray(
      fc.record({
        path: fc.constantFrom(...'a b c d e f x/a x/b y/a y/b'.split(' ')),
        contentHash: fc.constantFrom('1', '2', '3'),
        id: fc.option(fc.constantFrom('i', 'j'), { nil: undefined }),
      }),
      { selector: ({ path }) => path },
    )
    .map((all) => all.map(({ path, contentHash, id }) => file(`${path} ${contentHash}${id ? ` ${id}` : ''}`)));

  test('everything ends in exactly one place, and the order of the input does not matter', () => {
    fc.assert(
      fc.property(list, list, (known, seen) => {
        const result = decideMoves(known, seen);
        const froms = [...result.kept, ...result.moved].map(({ from }) => from).concat(result.gone);
        const tos = [...result.kept, ...result.moved].map(({ to }) => to).concat(result.added);
        const paths = (all: readonly KnownFile[]) => all.map(({ path }) => path).sort();
        expect(paths(froms)).toEqual(paths(known));
        expect(paths(tos)).toEqual(paths(seen));
        for (const { from, to } of result.moved) {
          expect(seen.some(({ path }) => path === from.path)).toBe(false);
          expect(known.some(({ path }) => path === to.path)).toBe(false);
          expect(from.id === to.id || from.contentHash === to.contentHash).toBe(true);
        }
        const again = decideMoves([...known].reverse(), [...seen].reverse());
        const told = (all: typeof result.moved) =>
          all.map(({ from, to, by }) => `${from.path} ${to.path} ${by}`).sort();
        expect(told(again.moved)).toEqual(told(result.moved));
        expect(again.gone).toEqual(result.gone);
        expect(again.added).toEqual(result.added);
      }),
    );
  });
});
