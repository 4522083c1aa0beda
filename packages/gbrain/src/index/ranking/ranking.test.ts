// Ranking by example: a small brain, questions, and what must stand first and why.
import { beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../document.ts';
import { LexicalIndex, type SearchReply } from '../lexical-index.ts';
import { WordTable, writeWordTable } from '../meaning/word-table.ts';
import { openStemmer } from '../stemming.ts';
import type { Edge, SearchOptions } from './state.ts';

const ALL = { sources: 'all', seesPrivate: true } as const;
const REMOTE = { sources: ['default'], seesPrivate: false } as const;

let nextId = 1;
const page = (slug: string, title: string, text: string, more: Partial<IndexDocument> = {}): IndexDocument => ({
  pageId: nextId++,
  sourceId: 'default',
  visibility: 'world',
  slug,
  title,
  aliases: [],
  type: slug.startsWith('people/') ? 'person' : slug.startsWith('meetings/') ? 'meeting' : 'note',
  effectiveDate: null,
  chunks: [{ index: 0, field: 'body', text }],
  timeline: [],
  ...more,
});

const PAGES: IndexDocument[] = [
  page('people/zoe-hakansson', 'Zoë Håkansson', 'Zoë is an engineer at Quill Optics.', { aliases: ['the Falconer'] }),
  page('people/nadim-penhaligon', 'Nadim Penhaligon', 'Nadim is a designer. He likes kilns.'),
  page('people/nadim-kettering', 'Nadim Kettering', 'Nadim keeps bees and invested in Quill Optics.'),
  page('companies/quill-optics', 'Quill Optics', 'A maker of lenses in Ghent.', {
    aliases: ['QUOPX10'],
    type: 'company',
  }),
  page('meetings/2025-03-01-quill-kickoff', 'Quill Optics kickoff', 'We met Quill Optics in Ghent.', {
    effectiveDate: '2025-03-01',
  }),
  page('meetings/2025-06-06-quill-review', 'Quill Optics pricing review', 'Pricing of lenses was discussed.', {
    effectiveDate: '2025-06-06',
  }),
  page(
    'meetings/2025-09-09-other',
    'Birch Foods roadmap sync',
    'Someone mentioned Quill Optics and its lenses in passing.',
    { effectiveDate: '2025-09-09' },
  ),
  page('notes/cold', '浦东冷链', '双方同意在浦东新区的冷链仓库存放货物。'),
  page('notes/invoice', 'Open items', 'Payment of INV-20931 is outstanding. Fees appeared after the address form.', {
    timeline: ['2025-06-06'],
  }),
  page('notes/order', 'Other items', 'The address form appeared before any fees, after lunch.'),
  page('notes/secret', 'Hidden Orchard', 'The Hidden Orchard is Zebrafisch.', { visibility: 'private' }),
];
const id = (slug: string): number => PAGES.find((one) => one.slug === slug)!.pageId;
const EDGES: Edge[] = [
  { fromPageId: id('people/zoe-hakansson'), toPageId: id('companies/quill-optics'), type: 'works_at' },
  { fromPageId: id('people/nadim-kettering'), toPageId: id('companies/quill-optics'), type: 'invested_in' },
  { fromPageId: id('people/zoe-hakansson'), toPageId: id('meetings/2025-06-06-quill-review'), type: 'attended' },
  { fromPageId: id('notes/secret'), toPageId: id('companies/quill-optics'), type: 'works_at' },
];
const OPTIONS: SearchOptions = {
  today: '2026-01-15',
  edges: (ids, types, direction) =>
    EDGES.filter(
      (edge) => types.includes(edge.type) && ids.includes(direction === 'out' ? edge.fromPageId : edge.toPageId),
    ),
};

let index: LexicalIndex;
beforeAll(async () => {
  index = new LexicalIndex(await openStemmer('english'));
  index.apply(PAGES.map((one) => ({ kind: 'put', page: one })));
});

const ask = (
  query: string,
  scope: Parameters<LexicalIndex['search']>[1] = ALL,
  options: SearchOptions = {},
): Promise<SearchReply> => index.search(query, scope, { ...OPTIONS, ...options });
const slugs = (reply: SearchReply): string[] => reply.pages.map((one) => one.slug);

describe('identity', () => {
  it.each([
    ['Zoë Håkansson', 'people/zoe-hakansson', 'exact_title_match'],
    ['zoe hakansson', 'people/zoe-hakansson', 'exact_title_match'],
    ['who is Zoe Hakansson?', 'people/zoe-hakansson', 'exact_title_match'],
    ['The Falconer', 'people/zoe-hakansson', 'alias_hit'],
    ['QUOPX10', 'companies/quill-optics', 'alias_hit'],
    ['companies/quill-optics', 'companies/quill-optics', 'alias_hit'],
    ['quill-optics', 'companies/quill-optics', 'exact_title_match'],
    ['Quill Optics', 'companies/quill-optics', 'exact_title_match'],
  ])('%s finds %s first', async (query, slug, evidence) => {
    const reply = await ask(query);
    expect(reply.pages[0]).toMatchObject({ slug, evidence, createSafety: 'exists', score: 1 });
    expect(reply.confidence).toBe('strong');
  });
});

describe('text', () => {
  it('finds an identifier whole', async () => {
    const reply = await ask('invoice INV-20931');
    expect(reply.pages[0]?.slug).toBe('notes/invoice');
    expect((await ask('INV-20931')).pages[0]).toMatchObject({
      evidence: 'keyword_exact',
      createSafety: 'probable',
      chunks: [0],
    });
  });
  it('puts words in the order asked before the same words elsewhere', async () =>
    expect(slugs(await ask('fees appeared after the address form')).slice(0, 2)).toEqual([
      'notes/invoice',
      'notes/order',
    ]));
  it('finds a compound that is split in the text', async () =>
    expect(slugs(await ask('浦东冷链仓库'))[0]).toBe('notes/cold'));
  it('finds pairs from one character', async () => expect(slugs(await ask('仓'))).toEqual(['notes/cold']));
  it('keeps scores falling and between 0 and 1', async () => {
    const { pages } = await ask('who works at Quill Optics?');
    for (const [i, row] of pages.entries()) {
      expect(row.score).toBeGreaterThan(0);
      expect(row.score).toBeLessThanOrEqual(pages[i - 1]?.score ?? 1);
    }
  });
});

describe('misspelt names', () => {
  it.each(['Nadim Penhaaligon', 'Nadim Penahligon', 'Nadim Penhalgon'])('%s', async (query) => {
    const reply = await ask(query);
    expect(reply.pages[0]).toMatchObject({ slug: 'people/nadim-penhaligon', evidence: 'weak_semantic' });
  });
  it('leaves identifiers and known words alone', async () => {
    expect((await ask('INV-20932')).terms.some((term) => term.kind === 'correction')).toBe(false);
    expect((await ask('kilns')).terms.some((term) => term.kind === 'correction')).toBe(false);
  });
  it('never takes a hidden name', async () => {
    expect(slugs(await ask('Hidden Orchrad'))[0]).toBe('notes/secret');
    const remote = await ask('Hidden Orchrad', REMOTE);
    expect(remote.pages).toEqual([]);
    expect(remote.terms.some((term) => term.kind === 'correction')).toBe(false);
  });
});

describe('time', () => {
  it.each([
    ['what happened on June 6, 2025', ['meetings/2025-06-06-quill-review', 'notes/invoice']],
    ['Quill Optics meetings in March 2025', ['meetings/2025-03-01-quill-kickoff']],
    [
      'most recent meeting with Quill Optics',
      ['meetings/2025-06-06-quill-review', 'meetings/2025-03-01-quill-kickoff'],
    ],
    ['first meeting with Quill Optics', ['meetings/2025-03-01-quill-kickoff']],
  ])('%s', async (query, first) => expect(slugs(await ask(query)).slice(0, first.length)).toEqual(first));
  it('says weak for a day that no calendar has', async () =>
    expect((await ask('meetings on 1997-02-30')).confidence).toBe('weak'));
  it('keeps to the days of a filter', async () =>
    expect(slugs(await ask('Quill Optics', ALL, { since: '2025-03-01', until: '2025-06-30' })).sort()).toEqual([
      'meetings/2025-03-01-quill-kickoff',
      'meetings/2025-06-06-quill-review',
    ]));
  it('keeps to the types of a filter', async () =>
    expect(slugs(await ask('Quill Optics', ALL, { types: ['company'] }))).toEqual(['companies/quill-optics']));
});

describe('links', () => {
  it('answers by links, then the page asked about', async () => {
    const reply = await ask('who works at Quill Optics?', REMOTE);
    expect(slugs(reply).slice(0, 2)).toEqual(['people/zoe-hakansson', 'companies/quill-optics']);
    expect(reply.pages[0]!.marks).toContainEqual({ stage: 'relation', note: 'works_at of companies/quill-optics' });
    expect(reply.confidence).toBe('strong');
  });
  it('drops what the caller may not see', async () => {
    expect(slugs(await ask('who works at Quill Optics?'))).toContain('notes/secret');
    expect(slugs(await ask('who works at Quill Optics?', REMOTE))).not.toContain('notes/secret');
  });
  it('walks two links', async () =>
    expect(slugs(await ask('who invested in the company where Zoe Hakansson works'))[0]).toBe(
      'people/nadim-kettering',
    ));
  it('finds a meeting by its words', async () =>
    expect(slugs(await ask('who attended the Quill Optics pricing review?')).slice(0, 2)).toEqual([
      'meetings/2025-06-06-quill-review',
      'people/zoe-hakansson',
    ]));
  it('corrects the name it starts from', async () =>
    expect(slugs(await ask('who works at Quill Optcis?'))[0]).toBe('people/zoe-hakansson'));
  it('falls back to the text without links', async () =>
    expect(slugs(await ask('who works at Quill Optics?', ALL, { edges: () => [] })).length).toBeGreaterThan(0));
});

describe('near words', () => {
  const table = WordTable.read(
    writeWordTable({
      language: 'english',
      words: ['barge', 'lens', 'insects', 'bees', 'investor', 'glass'],
      neighbours: 1,
      near: Uint16Array.from([5, 5, 3, 2, 0, 1]),
      nearness: Uint8Array.from([0, 200, 200, 200, 0, 200]),
    }),
  );
  it('finds by meaning what no word finds, and says that it is unsure', async () => {
    expect(slugs(await ask('insects glass'))).toEqual([]);
    const reply = await ask('insects glass', ALL, { words: () => table });
    expect(slugs(reply)).toContain('people/nadim-kettering');
    expect(reply.pages[0]!.evidence).toBe('weak_semantic');
    expect(reply.confidence).toBe('weak');
  });
  it('takes no page for an answer by what every page holds', async () => {
    const brain = new LexicalIndex(await openStemmer('english'));
    const hives = Array.from({ length: 12 }, (_, i) => page(`notes/hive-${i}`, `Hive ${i}`, 'The bees are here.'));
    const pages = [...hives, page('notes/lens', 'Desk', 'One lens.')];
    brain.apply(pages.map((one) => ({ kind: 'put', page: one })));
    expect(slugs(await brain.search('insects glass', ALL, { words: () => table }))).toEqual(['notes/lens']);
  });
  it.each(['INV-20931 insects', 'Quill Optics'])('is not asked for %s', async (query) => {
    const refuse = (): never => {
      throw new Error('the table was asked for');
    };
    await expect(ask(query, ALL, { words: refuse })).resolves.toBeDefined();
  });
  it('is left alone in another language', async () => {
    const german = new LexicalIndex(await openStemmer('german'));
    german.apply(PAGES.map((one) => ({ kind: 'put', page: one })));
    expect(slugs(await german.search('insects glass', ALL, { words: () => table }))).toEqual([]);
  });
});

describe('absence', () => {
  it.each(['invoice INV-99999', 'who works at Qworvex Dynamics?', 'meetings on 1997-02-30'])(
    'answers nothing to %s',
    async (query) => expect(slugs(await ask(query))).toEqual([]),
  );
  it('answers a question that has more than the missing identifier', async () =>
    expect(slugs(await ask('which fees appeared after the address form INV-99999'))).toContain('notes/invoice'));
});

describe('nothing is there', () => {
  it.each([
    'who works at Qworvex Dynamics?',
    'invoice INV-99999',
    'quantum chromodynamics lattice gauge',
    '火星移民计划',
    'Mxyzptlk',
    '',
  ])('%s', async (query) => {
    const reply = await ask(query);
    expect(reply.pages.length === 0 || reply.confidence === 'weak').toBe(true);
  });
});
