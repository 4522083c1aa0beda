// What the best places of a page say beside the whole of it: small brains, and which page must stand first.
import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../document.ts';
import { LexicalIndex } from '../lexical-index.ts';
import { openStemmer } from '../stemming.ts';

const ALL = { sources: 'all', seesPrivate: true } as const;
const stemmer = await openStemmer('english');

function page(pageId: number, slug: string, chunks: readonly string[], title = `Page ${pageId}`): IndexDocument {
  return {
    pageId,
    sourceId: 'default',
    visibility: 'world',
    slug,
    title,
    aliases: [],
    type: 'conversation',
    effectiveDate: null,
    chunks: chunks.map((text, index) => ({ index, field: 'body', text })),
    timeline: [],
  };
}

async function firstOf(pages: readonly IndexDocument[], query: string): Promise<string | undefined> {
  const index = new LexicalIndex(stemmer);
  index.apply(pages.map((one) => ({ kind: 'put', page: one })));
  return (await index.search(query, ALL)).pages[0]?.slug;
}

const talk = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${i % 2 === 0 ? 'Ada' : 'Ben'}: we spoke of the garden and the rain today.`);

describe('best places', () => {
  it('puts the page first in which question and answer stand together, not over which they are spread', async () => {
    const together = [...talk(10), 'Ada: which kiln did you buy?', 'Ben: a small one, for porcelain.', ...talk(10)];
    const spread = ['Ada: which kiln is yours?', ...talk(20), 'Ben: he has porcelain.'];
    const pages = [page(1, 'a-spread', spread), page(2, 'b-together', together)];
    expect(await firstOf(pages, 'porcelain kiln')).toBe('b-together');
  });
  it('hears whom the question names', async () => {
    const lines = (who: string, other: string): string[] => [
      `${other}: good morning to the two of us in the house.`,
      `${who}: I repaired the violin.`,
      `${other}: how kind.`,
      `${who}: yes.`,
    ];
    const pages = [page(1, 'a-ben', lines('Ben', 'Ada')), page(2, 'b-ada', lines('Ada', 'Ben'))];
    expect(await firstOf(pages, 'What did Ada do with the violin?')).toBe('b-ada');
    expect(await firstOf(pages, 'What did Ben do with the violin?')).toBe('a-ben');
  });
  it('does not put a page last that is one short text, or only a name', async () => {
    const long = page(1, 'a-long', [...talk(6), 'Ada: a harpsichord.', ...talk(6)]);
    expect(await firstOf([long, page(2, 'b-short', ['The harpsichord is tuned.'])], 'harpsichord')).toBe('b-short');
    expect(await firstOf([long, page(2, 'b-name', [], 'Harpsichord maker')], 'harpsichord')).toBe('b-name');
  });
  it('counts what no place shows, an identifier as a whole, for all of them', async () => {
    const words = page(1, 'a-words', ['One invoice of the inv kind, and an invoice more.']);
    const exact = page(2, 'b-exact', ['Ada: it is about INV-20931.', ...talk(8)], 'Ada');
    const rest = Array.from({ length: 12 }, (_, i) => page(3 + i, `c-${i}`, [...talk(4), 'Ben: inv.']));
    expect(await firstOf([words, exact, ...rest], 'invoice INV-20931')).toBe('b-exact');
  });
});
