// How edges are made of references and relations: guards, fields, places, and references that wait for their page.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Edge, linkKeys, settleLinks } from './edges.ts';
import { BRAIN, deriveMade, lookupOf, showEdge, typedEdges } from './made-brain.fixture.ts';
import type { PageLinks } from './page-links.ts';

const LOOKUP = lookupOf(BRAIN);
const settle = (slug: string, text: string) => settleLinks(deriveMade(slug, text), LOOKUP);
const show = (edges: readonly Edge[]) => edges.map(showEdge).sort();

describe('mentions', () => {
  test('a reference that no relation speaks for is a mention, once for each page', () => {
    const { edges } = settle('notes/plain', 'Ask {Bob}, then {Bob} again, and [[carol]] or people/dan.');
    expect(edges.map((edge) => [showEdge(edge), edge.linkSource, edge.reason])).toEqual([
      ['plain mentions bob', 'markdown', 'reference'],
      ['plain mentions carol', 'wikilink-resolved', 'reference'],
      ['plain mentions dan', 'markdown', 'reference'],
    ]);
  });

  test('a relation of the page takes the place of the mention; an incoming one does not', () => {
    expect(show(settle('people/alice-example', 'She works at {Acme}. We like {Acme}.').edges)).toEqual([
      'alice-example works_at acme',
    ]);
    expect(show(settle('companies/acme', 'Founded by {Bob}.').edges)).toEqual([
      'acme mentions bob',
      'bob founded acme',
    ]);
  });

  test('a page is no neighbour of itself', () => {
    expect(settle('people/alice-example', 'See {Alice Example}, [[#Work]] and people/alice-example.').edges).toEqual(
      [],
    );
  });

  test('context is about 240 characters of the text, on one line, with labels for links', () => {
    const text = `> ${'Before it all. '.repeat(30)}Then {Bob} came\n> to **stay**. ${'After it all. '.repeat(30)}`;
    const [edge] = settle('notes/plain', text).edges;
    expect(edge!.context).toContain('Then Bob came to stay.');
    expect(edge!.context.length).toBeGreaterThan(180);
    expect(edge!.context.length).toBeLessThan(280);
    expect(edge!.context).toMatch(/^(?:Before|it|all\.) [^\n[]* (?:After|it|all\.)$/);
  });
});

describe('guards by type', () => {
  test.each([
    ['nobody works at a person', 'people/alice-example', 'Alice works at {Bob}.', []],
    ['nobody works at a meeting', 'people/alice-example', 'Alice is an engineer at {Sync}.', []],
    ['nobody works at a book', 'people/alice-example', 'Alice is an editor at {Book}.', []],
    [
      'a note may be a company without a type',
      'people/alice-example',
      'Alice is an engineer at {Plain}.',
      ['alice-example works_at plain'],
    ],
    ['a company attends nothing', 'meetings/sync', 'Attendees: {Bob}, {Acme}', ['bob attended sync']],
    ['a media page only mentions', 'media/book', '{Bob} founded {Acme}.', []],
    [
      'one attends meetings, and joins companies',
      'people/alice-example',
      'Alice joined {Sync}. Alice joined {Acme}.',
      ['alice-example attended sync', 'alice-example works_at acme'],
    ],
    [
      'a deal has a lead and investors',
      'deals/acme-seed',
      'Lead: {Vega}\n\nInvestors: {Bob}, {Carol}',
      ['bob invested_in acme-seed', 'carol invested_in acme-seed', 'vega-fund led_round acme-seed'],
    ],
  ])('%s', (_, slug, text, expected) => expect(typedEdges(slug, text)).toEqual(expected));
});

describe('frontmatter', () => {
  const fields = (slug: string, frontmatter: Record<string, unknown>) => {
    return show(settleLinks(deriveMade(slug, '', { frontmatter }), LOOKUP).edges);
  };

  test.each([
    [
      'people/alice-example',
      { company: 'Acme', companies: ['Beta'] },
      ['alice-example works_at acme', 'alice-example works_at beta'],
    ],
    ['people/alice-example', { founded: '[[companies/core]]' }, ['alice-example founded core']],
    [
      'companies/acme',
      { key_people: ['Bob'], investors: ['Vega'], partner: 'Carol' },
      ['bob works_at acme', 'carol yc_partner acme', 'vega-fund invested_in acme'],
    ],
    [
      'deals/acme-seed',
      { investors: 'Bob', lead: ['companies/vega-fund'] },
      ['bob invested_in acme-seed', 'vega-fund led_round acme-seed'],
    ],
    [
      'meetings/sync',
      { attendees: ['Bob', 'Zoe Muller', 'Nobody'] },
      ['bob attended sync', 'zoë-müller attended sync'],
    ],
    [
      'notes/plain',
      { sources: ['[[media/book]]'], source: 'Book', related: 'Bob', see_also: ['people/dan'] },
      ['book discussed_in plain', 'plain related_to bob', 'plain related_to dan', 'plain source book'],
    ],
    ['notes/plain', { company: 'Acme', attendees: ['Bob'], author: '[[people/bob]]' }, []],
  ])('%s %j', (slug, frontmatter, expected) => expect(fields(slug, frontmatter)).toEqual(expected));

  test('an edge of a field names the field and its rule', () => {
    const [edge] = settleLinks(
      deriveMade('people/alice-example', '', { frontmatter: { company: 'Acme' } }),
      LOOKUP,
    ).edges;
    expect(edge).toMatchObject({ linkSource: 'frontmatter', originField: 'company', reason: 'field-company' });
  });

  test('what the frontmatter says a person is gives bare references their type', () => {
    const role = (value: string) =>
      typedEdges('people/alice-example', '{Acme}, {Beta}', { frontmatter: { role: value } });
    expect(role('angel investor')).toEqual(['alice-example invested_in acme', 'alice-example invested_in beta']);
    expect(role('adviser')).toEqual(['alice-example advises acme', 'alice-example advises beta']);
    expect(role('former engineer')).toEqual([]);
    expect(role('gardener of note')).toEqual([]);
  });
});

describe('images and source files', () => {
  const pages = [
    { slug: 'people/bob', type: 'person', title: 'Bob' },
    { slug: 'people/bob.png', type: 'image', title: 'bob.png' },
    { slug: 'src/x.ts', type: 'code', title: 'x.ts' },
  ];
  const edges = (slug: string, text: string, type: string) => {
    return show(settleLinks(deriveMade(slug, text, { type }), lookupOf(pages)).edges);
  };

  test('an image is of the page beside it, of what it links, and of the page that shows it', () => {
    expect(edges('people/bob.png', '', 'image')).toEqual(['bob.png image_of bob']);
    expect(edges('people/other.png', 'A photo of [[people/bob]].', 'image')).toContain('other.png image_of bob');
    expect(edges('people/bob', '![[bob.png]]', 'person')).toContain('bob.png image_of bob');
    expect(edges('people/bob', '![me](bob.png)', 'person')).toContain('bob.png image_of bob');
  });

  test('a path of source code is documented by the page that names it', () => {
    expect(edges('notes/plain', 'The lease is taken in src/x.ts:12.', 'note')).toEqual(['plain documents x.ts']);
  });
});

describe('references that wait', () => {
  const text = 'Alice works at {Acme} with {Bob}. See [[Nowhere]], [[acme|it]], and/or ideas/some-thing.';
  const known = (...slugs: string[]) => lookupOf(BRAIN.filter(({ slug }) => slugs.includes(slug)));

  test('stay open with their keys, and settle to the same edges when their page appears', () => {
    const links = deriveMade('people/alice-example', text);
    const now = settleLinks(links, known('people/alice-example', 'people/bob'));
    expect(show(now.edges)).toEqual(['alice-example mentions bob']);
    expect(now.open.map(({ label, state, wanted }) => [label, state, wanted])).toEqual([
      ['Acme', 'unresolved', true],
      ['Nowhere', 'unresolved', true],
      ['it', 'unresolved', true],
      ['and/or', 'unresolved', false],
      ['ideas/some-thing', 'unresolved', true],
    ]);
    const [acme] = now.open;
    expect(acme!.keys).toContainEqual({ source: 'default', kind: 'slug', key: 'companies/acme' });
    const stored = JSON.parse(JSON.stringify(acme!.links)) as PageLinks;
    const later = settleLinks(stored, LOOKUP);
    expect(show(later.edges)).toEqual(['alice-example works_at acme']);
    expect(later.open).toEqual([]);
  });

  test('a relation between two others waits for both', () => {
    const links = deriveMade('notes/plain', '{Bob} founded {Acme}.');
    const none = settleLinks(links, known('notes/plain'));
    expect(none.open).toHaveLength(2);
    const one = settleLinks(links, known('notes/plain', 'people/bob'));
    expect(show(one.edges)).toEqual(['plain mentions bob']);
    expect(show(settleLinks(one.open[0]!.links, LOOKUP).edges)).toEqual(['bob founded acme', 'plain mentions acme']);
  });

  test('an ambiguous name is open with its candidates', () => {
    const pages = [...BRAIN, { slug: 'companies/bob', type: 'company', title: 'Bob' }];
    const { edges, open } = settleLinks(deriveMade('notes/plain', 'Ask [[Bob]].'), lookupOf(pages));
    expect(edges).toEqual([]);
    expect(open.map(({ state, candidates }) => [state, candidates.map(({ slug }) => slug)])).toEqual([
      ['ambiguous', ['companies/bob', 'people/bob']],
    ]);
  });

  test('settling in any order of appearance gives the edges of settling at once', () => {
    const sample = fc.shuffledSubarray(
      BRAIN.map(({ slug }) => slug),
      { minLength: BRAIN.length },
    );
    const body = '{Bob} founded {Acme}. Alice is an adviser to {Acme} and {Beta}. {Carol}, {Dan}. {Sync} and {Vega}.';
    fc.assert(
      fc.property(sample, (order) => {
        const links = deriveMade('people/alice-example', body);
        let open: readonly PageLinks[] = [links];
        const edges = new Set<string>();
        for (let i = 1; i <= order.length; i++) {
          const settled = open.map((one) => settleLinks(one, known(...order.slice(0, i))));
          for (const edge of settled.flatMap((one) => one.edges)) edges.add(showEdge(edge));
          open = settled.flatMap((one) => one.open.map((reference) => reference.links));
        }
        const atOnce = show(settleLinks(links, LOOKUP).edges);
        const typedOnly = (list: readonly string[]) => list.filter((edge) => !edge.includes(' mentions ')).sort();
        expect(typedOnly([...edges])).toEqual(typedOnly(atOnce));
      }),
      { numRuns: 60 },
    );
  });

  test('every key that settling asks for is told beforehand', () => {
    const links = deriveMade('people/alice-example', text);
    const told = new Set(linkKeys(links).map((key) => JSON.stringify(key)));
    settleLinks(links, (key) => {
      expect(told.has(JSON.stringify(key))).toBe(true);
      return [];
    });
  });
});

test('never throws, and never ties an edge to what the text does not refer to', () => {
  const words = fc.constantFrom(
    ...'{Bob} {Acme} {Sync} Alice She founded joined at of the CEO, CTO ( ) and , . ? - | :'.split(' '),
    ...'works in by invested 创立 在 \n # \n\n'.split(' '),
    'Attendees:',
    'engineer at',
    'led by',
    'raised $5M from',
    "'s",
    'who',
    'was',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), fc.constantFrom(...BRAIN), (parts, page) => {
      const text = parts.join(' ');
      for (const edge of settle(page.slug, text).edges) {
        for (const end of [edge.from, edge.to]) {
          const title = BRAIN.find(({ slug }) => slug === end.slug)!.title;
          expect(end.slug === page.slug || text.includes(`{${title}}`)).toBe(true);
        }
      }
    }),
    { numRuns: 400 },
  );
});
