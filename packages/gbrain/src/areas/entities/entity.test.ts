// entity on both engines: precedence of names, what a card holds, and that a miss is an answer.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, expect, test } from 'vitest';

interface Entity {
  found: boolean;
  card?: { entity: { slug: string } } & Record<string, unknown>;
  suggestions?: { slug: string; create_safety: string }[];
}

const page = (title: string, body: string, more = '') => `---\ntitle: ${title}\ntype: person\n${more}---\n${body}\n`;

eachStore('entity', (given) => {
  let host: TestHost;
  const entity = (args: object, caller = AGENT) => host.ok<Entity>('entity', { ...args }, caller);
  const slugOf = async (name: string, caller = AGENT) => (await entity({ name }, caller)).card?.entity.slug;

  beforeAll(async () => {
    host = testHost(given().store);
    const put = (slug: string, content: string) => host.ok('put_page', { slug, content });
    await put('companies/acme', page('Acme', 'Acme makes anvils.'));
    const dated = '<!-- timeline -->\n- **2026-02-20** | call — Agreed on the pilot\n';
    await put('people/ann', page('Ann Lee', `Ann Lee works at [[companies/acme]].\n\n${dated}`, 'aliases: [Boss]\n'));
    await put('people/boss', page('Somebody Else', 'Another person.'));
    await put('people/sam', page('Sam One', 'One.'));
    await put('robots/sam', page('Sam Two', 'Two.'));
    await put('people/zed', page('Zed Hidden', 'Works at [[companies/acme]].', 'visibility: private\n'));
    const promise = { fact: 'Sends the draft', provenance: 'x', entity: 'people/ann', kind: 'commitment' };
    await host.ok('remember', { ...promise, ttl: '10d' }, AGENT);
    await host.ok('remember', { fact: 'Earns little', provenance: 'x', entity: 'people/ann', visibility: 'private' });
  });

  test.each([
    ['Boss', 'people/ann'],
    ['boss', 'people/ann'],
    ['people/boss', 'people/boss'],
    ['Ann Lee', 'people/ann'],
    ['ann', 'people/ann'],
    ['ACME', 'companies/acme'],
  ])('%s is %s', async (name, slug) => {
    expect(await slugOf(name)).toBe(slug);
  });

  test('a card holds what the caller may see', async () => {
    const { card } = await entity({ name: 'Ann Lee' });
    expect(card).toMatchObject({
      entity: { slug: 'people/ann', title: 'Ann Lee', type: 'person' },
      aka: ['boss'],
      summary: 'Ann Lee works at companies/acme.',
      last_touched: { last_timeline_date: '2026-02-20' },
      active_fact_count: 1,
      recent_facts: [{ fact: 'Sends the draft' }],
      coverage: { state: 'complete' },
    });
    expect(card!.open_threads).toMatchObject([
      { kind: 'commitment', text: 'Sends the draft', due: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      { kind: 'recent_event', text: 'Agreed on the pilot', date: '2026-02-20' },
    ]);
    expect((await entity({ name: 'Ann Lee' }, OWNER)).card).toMatchObject({ active_fact_count: 2 });
    const acme = await entity({ name: 'Acme' });
    expect(acme.card).toMatchObject({ backlink_count: 1 });
    expect(JSON.stringify(acme)).not.toContain('zed');
    expect((await entity({ name: 'Acme' }, OWNER)).card).toMatchObject({ backlink_count: 2 });
  });

  test('a miss, a shared name and a hidden page are answers', async () => {
    expect(await entity({ name: 'Nobody At All' })).toMatchObject({ found: false, coverage: { state: 'complete' } });
    const shared = await entity({ name: 'sam' });
    expect(shared.found).toBe(false);
    expect(shared.suggestions?.map(({ slug }) => slug)).toEqual(['people/sam', 'robots/sam']);
    expect(await slugOf('Zed Hidden')).toBeUndefined();
    expect(await slugOf('Zed Hidden', OWNER)).toBe('people/zed');
  });

  test('a card counts what leads to it, and says when there is more', async () => {
    const put = (slug: string, content: string) => host.ok('put_page', { slug, content });
    await put('places/mill', '---\ntitle: The Mill\ntype: place\naliases: [Old Mill]\n---\nThe mill by the river.\n');
    for (let n = 0; n < 12; n++) await put(`notes/n${n}`, `# Note ${n}\n\nSeen at [[places/mill|The Mill]].\n`);
    const { card } = await entity({ name: 'The Mill' });
    expect(card).toMatchObject({
      aka_sources: [{ name: 'old mill', source: 'frontmatter' }],
      backlink_count: 12,
      referenced_by_count: 12,
      referenced_by: [
        {
          canonical_type: 'mentions',
          total: 12,
          rows: [{ slug: 'notes/n0' }, { slug: 'notes/n1' }, { slug: 'notes/n10' }],
          next: { op: 'get_backlinks', args: { slug: 'places/mill', link_type: 'mentions' } },
        },
      ],
      relationship_note: 'The first 10 edges are shown; get_links and get_backlinks list them all.',
    });
    const { next } = (card!.referenced_by as { next: { op: string; args: object } }[])[0]!;
    expect(await host.ok(next.op, { ...next.args }, AGENT)).toHaveLength(12);
    expect(Object.keys((await entity({ name: 'Sam One' })).card!)).not.toContain('relationship_note');
  });

  test('pages that share a name are named, told apart by their beginnings, and capped with a word', async () => {
    const put = (slug: string, content: string) => host.ok('put_page', { slug, content });
    await put('people/kim-a', page('Kim Roe', 'Kim Roe keeps bees.', 'aliases: [Kimmy]\n'));
    await put('people/kim-b', page('Kim Roe', 'Kim Roe repairs boats.'));
    await put('people/kim-c', page('Kim Hidden', 'Nobody may know.', 'aliases: [Kimmy]\nvisibility: private\n'));
    const asked = await host.call('entity', { name: 'Kimmy' }, AGENT);
    expect(asked).toMatchObject({
      notices: [],
      output: {
        card: {
          identity_siblings: [
            { slug: 'people/kim-b', title: 'Kim Roe', type: 'person', source_id: 'default', shares: 'title' },
          ],
          identity_excerpt: [
            { slug: 'people/kim-a', text: 'Kim Roe keeps bees.' },
            { slug: 'people/kim-b', text: 'Kim Roe repairs boats.' },
          ],
          alias_guidance: '"Kimmy" may also mean people/kim-b; call this one people/kim-a.',
        },
      },
    });
    expect(JSON.stringify(asked)).not.toContain('idden');
    for (const n of [1, 2, 3, 4, 5]) await put(`people/kim-more-${n}`, page('Kim Roe', `Number ${n}.`));
    expect(await host.call('entity', { name: 'people/kim-a' }, AGENT)).toMatchObject({
      notices: [
        { code: 'identity_siblings_capped', why: '6 other pages share a name with `people/kim-a`; 5 are shown.' },
      ],
      output: { card: { identity_siblings: { length: 5 } } },
    });
    expect(await entity({ names: ['Kimmy', 'Ann Lee'] })).toMatchObject({
      results: [{ siblings: { length: 5 } }, { name: 'Ann Lee', found: true }],
    });
    expect((await entity({ name: 'ann' })).card).toMatchObject({
      alias_guidance: '"ann" is only the end of the slug people/ann; under `aliases` of that page it becomes its name.',
    });
    expect(Object.keys((await entity({ name: 'people/ann' })).card!)).not.toContain('alias_guidance');
  });

  test('several names at once, and exactly one way to ask', async () => {
    expect(await entity({ names: ['Ann Lee', 'Nobody'] })).toMatchObject({
      protocol_version: 1,
      found: 1,
      missing: 1,
      results: [
        { name: 'Ann Lee', found: true, slug: 'people/ann', lead: 'Ann Lee works at companies/acme.' },
        { name: 'Nobody', found: false },
      ],
    });
    for (const args of [{}, { name: ' ' }, { name: 'a', names: ['b'] }, { names: [] }])
      expect(await host.refused('entity', args, AGENT)).toMatchObject({ code: 'invalid_params', protocolVersion: 1 });
    expect(host.faults).toEqual([]);
  });

  test('without a chat model synthesize says so and what the user can do', async () => {
    expect(await host.refused('synthesize', { question: 'who is Ann' }, AGENT)).toMatchObject({
      code: 'unavailable',
      reason: 'no_llm',
      protocolVersion: 1,
      fix: { argv: ['gbrain', 'providers', 'list'], actor: 'user', consent: ['credentials', 'paid'] },
    });
  });
});
