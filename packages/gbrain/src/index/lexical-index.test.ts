// The laws of the index: the same content ranks alike however it arrived, and what a scope hides leaves no trace.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IndexChange, IndexDocument, IndexScope } from './document.ts';
import { LexicalIndex } from './lexical-index.ts';
import { openStemmer, type Stemmer } from './stemming.ts';

const ALL: IndexScope = { sources: 'all', seesPrivate: true };
const WORDS = [
  'river',
  'rivers',
  'running',
  'run',
  'café',
  'cafe',
  'INV-20931',
  '冷链仓库',
  'zebra',
  'the',
  'Mira',
  'kiln',
  '2024-05-06',
];

const page = (pageId: number, words: readonly string[], more: Partial<IndexDocument> = {}): IndexDocument => ({
  pageId,
  sourceId: 'default',
  visibility: 'world',
  slug: `notes/n${pageId}`,
  title: words.slice(0, 2).join(' '),
  aliases: [],
  type: 'note',
  effectiveDate: null,
  chunks: [{ index: 0, field: 'body', text: words.join(' ') }],
  timeline: [],
  ...more,
});

const put = (one: IndexDocument): IndexChange => ({ kind: 'put', page: one });
const anyWords = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 });

let stemmer: Stemmer;
beforeAll(async () => {
  stemmer = await openStemmer('english');
});

async function rank(index: LexicalIndex, query: string, scope = ALL): Promise<unknown> {
  const reply = await index.search(query, scope, { limit: 100, today: '2026-01-01' });
  const pages = reply.pages.map(({ slug, score, chunks, evidence }) => ({ slug, score, chunks, evidence }));
  return { pages, terms: reply.terms, confidence: reply.confidence };
}

describe('order of arrival', () => {
  it('ranks deltas, merges and one build alike', async () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 30 }),
      words: fc.option(anyWords, { nil: null }),
      steps: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 60 }), anyWords, async (changes, query) => {
        const grown = new LexicalIndex(stemmer);
        const last = new Map<number, IndexDocument>();
        for (const { id, words, steps } of changes) {
          grown.apply([words ? put(page(id, words)) : { kind: 'remove', pageId: id }]);
          for (let i = 0; i < steps; i++) grown.step(50);
          if (words) last.set(id, page(id, words));
          else last.delete(id);
        }
        const built = new LexicalIndex(stemmer);
        built.apply([...last.values()].reverse().map(put));
        const expected = await rank(built, query.join(' '));
        expect(await rank(grown, query.join(' '))).toEqual(expected);
        grown.compact();
        expect(await rank(grown, query.join(' '))).toEqual(expected);
        expect(grown.stats().documents).toBe(last.size);
      }),
      { numRuns: 150 },
    );
  });

  it('takes the first of very many pages that answer equally well by their slugs, from whatever segment', async () => {
    const index = new LexicalIndex(stemmer);
    // 7 and 1,000 have no common factor: every page once, in an order that is not theirs, in changes of 40.
    const pages = Array.from({ length: 1_000 }, (_, i) => {
      const n = (i * 7) % 1_000;
      return page(n + 1, ['zebra'], { slug: `notes/n${String(n).padStart(4, '0')}`, title: '' });
    });
    for (let at = 0; at < pages.length; at += 40) index.apply(pages.slice(at, at + 40).map(put));
    const { pages: found } = await index.search('zebra', ALL, { limit: 100 });
    expect(found.map(({ slug }) => slug)).toEqual(
      Array.from({ length: 100 }, (_, n) => `notes/n${String(n).padStart(4, '0')}`),
    );
  });

  it('shows a write to the next query, and a removal too', async () => {
    const index = new LexicalIndex(stemmer);
    index.apply([put(page(1, ['kiln', 'zebra']))]);
    expect((await index.search('kiln', ALL)).pages.map((row) => row.pageId)).toEqual([1]);
    index.apply([put(page(1, ['river']))]);
    expect((await index.search('kiln', ALL)).pages).toEqual([]);
    index.apply([{ kind: 'remove', pageId: 1 }]);
    expect((await index.search('river', ALL)).pages).toEqual([]);
    expect(index.stats().documents).toBe(0);
  });
});

describe('a merge that ends while a question waits for links', () => {
  it('changes nothing of the answer', async () => {
    const index = new LexicalIndex(stemmer);
    index.apply([put(page(1, ['Kiln', 'Works'], { slug: 'companies/kiln-works', title: 'Kiln Works' }))]);
    // Few enough that nothing is merged on the way, and more than one segment.
    for (const pageId of [2, 3, 4]) index.apply([put(page(pageId, ['zebra', 'river'], { slug: `people/p${pageId}` }))]);
    const ask = (meanwhile: () => void) => {
      const edges = async () => {
        meanwhile();
        return [2, 3].map((fromPageId) => ({ fromPageId, toPageId: 1, type: 'works_at' }));
      };
      return index.search('who works at Kiln Works', ALL, { limit: 10, edges });
    };
    const before = await ask(() => undefined);
    expect(before.pages.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['people/p2', 'people/p3']));
    expect(index.stats().segments).toBeGreaterThan(1);
    const during = await ask(() => index.compact());
    expect(index.stats().segments).toBe(1);
    expect(during.pages).toEqual(before.pages);
  });
});

describe('questions that wait for links at the same time', () => {
  it('are each answered as one alone', async () => {
    const index = new LexicalIndex(stemmer);
    const people = Array.from({ length: 40 }, (_, i) =>
      page(i + 10, [WORDS[i % WORDS.length]!, WORDS[(i * 5) % WORDS.length]!, 'works'], { slug: `people/p${i}` }),
    );
    const firms = ['Kiln Works', 'River Mills', 'Zebra Foods'].map((title, i) =>
      page(i + 1, title.split(' '), { slug: `companies/c${i}`, title }),
    );
    index.apply([...firms, ...people].map(put));
    const questions = [
      'who works at Kiln Works',
      'river running',
      'who works at Zebra Foods',
      'who works at River Mills',
    ];
    const ask = (question: string, turns: number) =>
      index.search(question, ALL, {
        limit: 30,
        edges: async ([toPageId]) => {
          for (let turn = 0; turn < turns; turn++) await new Promise((done) => setImmediate(done));
          return people.slice(toPageId! * 5, toPageId! * 5 + 4).map(({ pageId }) => {
            return { fromPageId: pageId, toPageId: toPageId!, type: 'works_at' };
          });
        },
      });
    const alone = [];
    for (const question of questions) alone.push((await ask(question, 0)).pages);
    const together = await Promise.all(questions.map((question, i) => ask(question, questions.length - i)));
    expect(together.map(({ pages }) => pages)).toEqual(alone);
  });
});

describe('scope', () => {
  it('gives exactly what an index without the hidden pages gives', async () => {
    const many = fc.array(fc.record({ words: anyWords, hidden: fc.boolean(), source: fc.constantFrom('a', 'b') }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(many, anyWords, async (rows, query) => {
        const pages = rows.map((row, i) =>
          page(i + 1, row.words, { visibility: row.hidden ? 'private' : 'world', sourceId: row.source }),
        );
        const mixed = new LexicalIndex(stemmer);
        mixed.apply(pages.map(put));
        const seen = new LexicalIndex(stemmer);
        seen.apply(pages.filter((one) => one.visibility === 'world' && one.sourceId === 'a').map(put));
        const scope: IndexScope = { sources: ['a'], seesPrivate: false };
        expect(await rank(mixed, query.join(' '), scope)).toEqual(await rank(seen, query.join(' ')));
      }),
      { numRuns: 150 },
    );
  });
});

describe('any text is a query', () => {
  const index = async (): Promise<LexicalIndex> => {
    const one = new LexicalIndex(stemmer);
    one.apply([
      put(
        page(1, ['river', 'running'], {
          chunks: [{ index: 3, field: 'body', text: 'we reached the river 🎉 by C++' }],
        }),
      ),
    ]);
    return one;
  };

  it('takes operators, quotes, control characters, emoji and very long text', async () => {
    const searched = await index();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        await searched.search(text, ALL);
      }),
    );
    for (const query of ['"river', 'river AND (', '\u0000', 'a'.repeat(100_000), 'river '.repeat(20_000), '-- ??'])
      expect((await searched.search(query, ALL)).hasTerms).toBe(/[a-z]/i.test(query));
    expect((await searched.search('🎉', ALL)).pages[0]?.chunks).toEqual([3]);
    expect((await searched.search('c++', ALL)).pages[0]?.pageId).toBe(1);
  });
});
