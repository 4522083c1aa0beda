// Edges as readers get them, on both engines: references that wait for their page, pages that go, what is private, and
// bounds that are announced.
import { AGENT, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../store/sql.ts';
import { walkGraph } from './traverse.ts';

type Edge = { from_slug: string; to_slug: string; link_type: string; context: string };

const OWN = { sources: ['default'], visibility: 'all' } as const;

eachStore('the graph', (given) => {
  let host: TestHost;
  const put = (slug: string, content: string) => host.ok('put_page', { slug, content, force: true });
  const links = async (slug: string, caller?: typeof AGENT) =>
    (await host.ok<Edge[]>('get_links', { slug }, caller)).map((one) => `${one.link_type} ${one.to_slug}`);
  const backlinks = async (slug: string, caller?: typeof AGENT) =>
    (await host.ok<Edge[]>('get_backlinks', { slug }, caller)).map((one) => `${one.from_slug} ${one.link_type}`);

  beforeAll(() => {
    host = testHost(given().store);
  });

  test('a reference to a page that comes later becomes an edge when it comes', async () => {
    await put('people/ann', '# Ann\n\nAnn works at [[companies/later|Later]].\n');
    expect(await links('people/ann')).toEqual([]);
    await put('companies/later', '---\ntype: company\n---\n# Later\n');
    expect(await links('people/ann')).toEqual(['works_at companies/later']);
    expect(await backlinks('companies/later')).toEqual(['people/ann works_at']);
  });

  test('a page that is deleted is on neither end of an edge, and comes back with its edges', async () => {
    await put('companies/goes', '---\ntype: company\n---\n# Goes\n');
    await put('people/bea', '# Bea\n\nBea works at [[companies/goes|Goes]].\n');
    await host.ok('delete_page', { slug: 'companies/goes' });
    expect(await links('people/bea')).toEqual([]);
    await host.ok('restore_page', { slug: 'companies/goes' });
    expect(await links('people/bea')).toEqual(['works_at companies/goes']);
    await host.ok('delete_page', { slug: 'people/bea' });
    expect(await backlinks('companies/goes')).toEqual([]);
  });

  test('an edit takes away the edges that the text no longer states, and leaves those made by hand', async () => {
    await put('people/cid', '# Cid\n\nCid works at [[companies/later|Later]].\n');
    await host.ok('add_link', { from: 'people/cid', to: 'companies/later', link_type: 'advises' });
    await put('people/cid', '# Cid\n\nNothing more.\n');
    expect(await links('people/cid')).toEqual(['advises companies/later']);
  });

  describe('what is private', () => {
    const SECRET = 'xanadu';
    beforeAll(async () => {
      await put('companies/seen', '---\ntype: company\n---\n# Seen\n');
      await put(
        `people/${SECRET}`,
        `---\nvisibility: private\ntitle: ${SECRET}\n---\nWorks at [[companies/seen|Seen]].\n`,
      );
      await put('people/dee', `# Dee\n\nDee met [[people/${SECRET}]] and works at [[companies/seen|Seen]].\n`);
      await put(
        `plans/${SECRET}`,
        `---\nvisibility: private\n---\n[[people/dee|Dee]] founded [[companies/seen|Seen]].\n`,
      );
    });

    test('is there for the owner', async () => {
      expect(await backlinks('companies/seen')).toContain(`people/${SECRET} works_at`);
      expect(await links('people/dee')).toContain(`mentions people/${SECRET}`);
    });

    test('is on no edge, in no count and behind no step for anybody else', async () => {
      const calls: [string, Record<string, unknown>][] = [
        ['get_links', { slug: 'people/dee' }],
        ['get_backlinks', { slug: 'companies/seen' }],
        ['traverse_graph', { slug: 'companies/seen', depth: 5 }],
        ['find_orphans', {}],
        ['search', { query: 'who works at seen' }],
        ['query', { query: 'who founded seen' }],
      ];
      for (const [op, args] of calls) {
        const outcome = await host.call(op, args, AGENT);
        expect([op, outcome.kind]).toEqual([op, 'ok']);
        // The text of a world page may name it; nothing that is derived may.
        expect(JSON.stringify(outcome).replaceAll(/"(?:context|chunk_text)":"[^"]*"/g, '')).not.toContain(SECRET);
      }
      // Nor does what only a private page states.
      expect(await links('people/dee', AGENT)).toEqual(['works_at companies/seen']);
      const count = async (caller?: typeof AGENT) =>
        (await host.ok<{ count: number }[]>('list_link_sources', {}, caller)).reduce((sum, one) => sum + one.count, 0);
      expect(await count(AGENT)).toBeLessThan(await count());
    });

    test('starts no walk', async () => {
      const refused = await host.refused('traverse_graph', { slug: `people/${SECRET}` }, AGENT);
      const absent = await host.refused('traverse_graph', { slug: 'people/nobody-at-all' }, AGENT);
      expect(refused.code).toBe(absent.code);
    });
  });

  describe('a walk', () => {
    beforeAll(async () => {
      const names = Array.from({ length: 12 }, (_, i) => `ring/n${i}`);
      for (const [i, slug] of names.entries()) {
        await put(slug, `# N${i}\n\n[[${names[(i + 1) % names.length]}]] and [[ring/n0]]\n`);
      }
      // The first ones named pages that came later.
      for (const [i, slug] of names.entries()) {
        expect(await links(slug)).toContain(`mentions ${names[(i + 1) % names.length]}`);
      }
    });

    const startOf = async (slug: string) =>
      (await given().store.query<{ id: number }>(sql`select id from live_pages where slug = ${slug}`))[0]!.id;

    test('gives each edge once, at its depth, in a ring', async () => {
      const startId = await startOf('ring/n0');
      const walked = await walkGraph(given().store, OWN, { startId, depth: 10, direction: 'out', pagesMax: 100 });
      const keys = walked.edges.map((edge) => `${edge.from_slug} ${edge.to_slug} ${edge.link_type}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(walked).toMatchObject({ cut: null, pages: 11 });
      expect(walked.edges.find(({ to_slug }) => to_slug === 'ring/n3')?.depth).toBe(3);
    });

    test.each([1, 2, 5, 11])('names the bound of %i pages that cut it', async (pagesMax) => {
      const startId = await startOf('ring/n0');
      const walked = await walkGraph(given().store, OWN, { startId, depth: 12, direction: 'out', pagesMax });
      expect(walked).toMatchObject({ cut: 'pages', pages: pagesMax });
    });

    test('that was cut is announced to its caller', async () => {
      await given().store.query(sql`insert into links (from_page_id, to_page_id, link_type, link_source, context)
        select a.id, b.id, 'bulk' || n, 'manual', '' from live_pages a, live_pages b, generate_series(1, 5001) n
        where a.slug = 'ring/n0' and b.slug = 'ring/n1'`);
      const outcome = await host.call('traverse_graph', { slug: 'ring/n0', depth: 1, direction: 'out' });
      expect(outcome).toMatchObject({ kind: 'ok', meta: { traversal: { truncated: true } } });
      expect(outcome.kind === 'ok' && outcome.notices.map(({ code }) => code)).toContain('graph_truncated');
    });
  });
});
