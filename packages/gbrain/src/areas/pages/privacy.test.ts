// A caller that is not the owner learns nothing of private pages and hidden rows, by any read and any write.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import type { Sql, Store, Tx } from 'gbrain/store/store';
import { beforeAll, describe, expect, test } from 'vitest';

/** Every secret holds this word, so one search of a reply finds any leak. */
const SECRET = 'zanzibar';
const PRIVATE = `---\ntitle: The ${SECRET} plan\nvisibility: private\naliases: [the ${SECRET} page]\n---\n${SECRET}\n`;
const FACTS = (note: string) =>
  [
    '# Bob',
    '',
    note,
    '',
    '## Facts',
    '<!--- gbrain:facts:begin -->',
    '| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |',
    '|---|---|---|---|---|---|---|---|---|---|',
    '| 1 | likes tea | preference | 0.9 | world | low |  |  | chat |  |',
    `| 2 | fears ${SECRET} | belief | 0.9 | private | low |  |  | chat |  |`,
    '<!--- gbrain:facts:end -->',
    '',
    '## Takes',
    '<!--- gbrain:takes:begin -->',
    '| # | claim | kind | who | weight | since | source |',
    '|---|---|---|---|---|---|---|',
    `| 1 | will move to ${SECRET} | bet | brain | 0.6 |  |  |`,
    '<!--- gbrain:takes:end -->',
    '',
    'After.',
    '',
  ].join('\n');

interface Made {
  versions: number[];
  id: string;
  revision: string;
}

/** A private page (renamed from a public one once), a page with hidden rows and versions, a deleted private page. */
async function makeSecrets(host: TestHost): Promise<Made> {
  await host.ok('put_page', { slug: 'plans/secret', content: PRIVATE });
  await host.ok('put_page', { slug: 'plans/gone', content: PRIVATE });
  await host.ok('delete_page', { slug: 'plans/gone' });
  const first = await host.ok('put_page', { slug: 'people/bob', content: FACTS('First.') });
  const second = await host.ok('put_page', {
    slug: 'people/bob',
    content: FACTS('Second.'),
    expected_revision: first.revision,
  });
  const was = await host.ok('put_page', { slug: 'people/eve', content: PRIVATE });
  await host.ok('put_page', { slug: 'people/eve', content: '# Eve\n', expected_revision: was.revision });
  const bob = await host.ok<{ versions: { version_id: number }[] }>('get_versions', { slug: 'people/bob' });
  const eve = await host.ok<{ versions: { version_id: number }[] }>('get_versions', { slug: 'people/eve' });
  const { id } = await host.ok('fetch', { id: 'plans/secret' });
  return {
    versions: [...bob.versions, ...eve.versions].map((one) => one.version_id),
    id: String(id),
    revision: String(second.revision),
  };
}

/** Every read, aimed at every secret. A new read operation that is not here fails the last test. */
const reads = (made: Made): [op: string, args: Record<string, unknown>][] => [
  ...['plans/secret', 'plans/gone', 'people/bob', 'people/eve'].flatMap((slug): [string, Record<string, unknown>][] => [
    ['get_page', { slug }],
    ['get_page', { slug, include_content: true }],
    ['get_page', { slug, content_only: true }],
    ['get_page', { slug, include_deleted: true, content_only: true }],
    ['get_page', { slug, content_only: true, offset: 10, max_bytes: 4000 }],
    ['get_versions', { slug }],
    ...made.versions.map((version_id): [string, Record<string, unknown>] => ['get_versions', { slug, version_id }]),
    ['get_tags', { slug }],
    ['fetch', { id: slug }],
  ]),
  ['get_page', { slug: `the ${SECRET} page`, fuzzy: true }],
  ['get_page', { slug: `The ${SECRET} plan`, fuzzy: true }],
  ['get_page', { slug: 'secret', fuzzy: true }],
  ['get_page', { slug: 'plans/secrets' }],
  ['fetch', { id: made.id }],
  ['fetch', { id: `the ${SECRET} page` }],
  ['list_pages', {}],
  ['list_pages', { include_deleted: true }],
  ['list_pages', { sort: 'title' }],
  ['list_pages', { sort: 'slug' }],
  ['list_pages', { sort: 'created', type: 'note' }],
  ['resolve_slugs', { partial: 'secret' }],
  ['resolve_slugs', { partial: 'plans' }],
  ['resolve_slugs', { partial: 'gone' }],
  ['get_write_request', { request_id: 'owner-secret' }],
  ['list_write_requests', {}],
];

const HIDDEN_SLUG = /plans\/(secret|gone)/;

/** Calls whose reply holds a secret, or the slug of a hidden page that the call did not name. */
async function leaks(host: TestHost, made: Made): Promise<string[]> {
  const found: string[] = [];
  for (const [op, args] of reads(made)) {
    const outcome = await host.call(op, args, AGENT);
    const asked = JSON.stringify(args);
    const reply = JSON.stringify(outcome).replaceAll(/"(slug|partial|id)":"[^"]*"/g, (pair) =>
      asked.includes(pair) ? '' : pair,
    );
    const isSecret = reply.includes(SECRET) && !asked.includes(SECRET);
    const isSlug = outcome.kind === 'ok' && HIDDEN_SLUG.test(JSON.stringify(outcome.output));
    if (isSecret || isSlug) found.push(`${op} ${asked}`);
  }
  return found;
}

/** The same store with the visibility rule cut out of every statement. */
function unguarded(store: Store): Store {
  const cut = (statement: Sql): Sql => ({
    text: statement.text.replaceAll(` and v.visibility = 'world'`, ''),
    params: statement.params,
  });
  const wrap = (db: Tx | Store) => ({
    query: (statement: Sql) => db.query(cut(statement)),
    batch: (statements: readonly Sql[]) => db.batch(statements.map(cut)),
  });
  return {
    ...wrap(store),
    facts: store.facts,
    tx: (body, options) => store.tx((tx) => body({ ...tx, ...wrap(tx), savepoint: tx.savepoint } as Tx), options),
    close: () => store.close(),
  } as Store;
}

eachStore('privacy', (given) => {
  let host: TestHost;
  let made: Made;
  beforeAll(async () => {
    host = testHost(given().store);
    made = await makeSecrets(host);
    await host.ok('put_page', { slug: 'plans/third', content: PRIVATE, request_id: 'owner-secret' });
  });

  test('no read shows a private page, a hidden row or a private version to an agent', async () => {
    expect(await leaks(host, made)).toEqual([]);
    expect(host.faults).toEqual([]);
  });

  test('the same reads show them to the owner, so the test above looks at something', async () => {
    const page = await host.ok('get_page', { slug: 'plans/secret' }, OWNER);
    expect(JSON.stringify(page)).toContain(SECRET);
    expect(JSON.stringify(await host.ok('get_page', { slug: 'people/bob', content_only: true }))).toContain(SECRET);
    expect(await host.ok('list_pages', { include_deleted: true })).toHaveLength(5);
    expect(await host.ok('list_pages', {}, AGENT)).toHaveLength(2);
  });

  test('without the visibility rule the reads leak, so the rule is what keeps them shut', async () => {
    const open = testHost(unguarded(given().store));
    const found = await leaks(open, made);
    for (const op of ['get_page', 'list_pages', 'resolve_slugs', 'fetch', 'get_tags', 'get_versions']) {
      expect(found.filter((one) => one.startsWith(`${op} `))).not.toEqual([]);
    }
  });

  test('every read operation of pages and writes is looked at', () => {
    const covered = new Set(reads(made).map(([op]) => op));
    const all = host.registry.operations.filter(
      (one) => ['pages', 'writes'].includes(host.registry.areaOf(one.name)) && !one.mutating,
    );
    expect(all.map((one) => one.name).filter((name) => !covered.has(name))).toEqual([]);
  });

  test('a heading between hidden rows gives no title', async () => {
    const begin = '<!--- gbrain:takes:begin -->';
    const content = `${begin}\n# ${SECRET}\n<!--- gbrain:takes:end -->\n\n# Open\n`;
    await host.ok('put_page', { slug: 'people/heading', content });
    expect(await host.ok('get_page', { slug: 'people/heading' }, AGENT)).toMatchObject({ title: 'Open' });
    await host.ok('delete_page', { slug: 'people/heading' });
  });

  describe('writes', () => {
    test.each([
      ['put_page', { content: 'mine\n' }],
      ['put_page', { content: 'mine\n', force: true }],
      ['put_page', { content: PRIVATE }],
      ['edit_page', { edits: [{ old_text: SECRET, new_text: 'x' }], expected_revision: 'x' }],
      ['delete_page', {}],
      ['restore_page', {}],
      ['add_tag', { tag: 'x' }],
      ['remove_tag', { tag: 'x' }],
      ['capture', { content: 'mine\n' }],
    ])('%s on a private slug is refused without its revision or text', async (op, args) => {
      for (const slug of ['plans/secret', 'plans/gone']) {
        const outcome = await host.call(op, { slug, ...args }, AGENT);
        expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'permission_denied' } });
        expect(JSON.stringify(outcome)).not.toMatch(new RegExp(`${SECRET}|current_revision`));
      }
      const outcome = await host.call('revert_version', { slug: 'plans/secret', version_id: made.versions[0] }, AGENT);
      expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'page_not_found' } });
    });

    test('an agent that rewrites a page keeps the rows that it cannot see', async () => {
      const seen = await host.ok('get_page', { slug: 'people/bob', content_only: true }, AGENT);
      const same = await host.ok('put_page', { slug: 'people/bob', content: seen.content }, AGENT);
      expect(same).toMatchObject({ status: 'unchanged' });
      const reply = await host.ok(
        'put_page',
        {
          slug: 'people/bob',
          content: String(seen.content).replace('Second.', 'Third.'),
          expected_revision: seen.revision,
        },
        AGENT,
      );
      expect(JSON.stringify(reply)).not.toContain(SECRET);
      const { content } = await host.ok('get_page', { slug: 'people/bob', content_only: true });
      expect(content).toBe(FACTS('Third.'));
    });

    test('an agent neither edits in hidden rows nor sees them in a difference, and a revert keeps them', async () => {
      const { revision } = await host.ok('get_page', { slug: 'people/bob', content_only: true }, AGENT);
      const edit = (old_text: string, new_text: string) =>
        host.call(
          'edit_page',
          { slug: 'people/bob', expected_revision: revision, edits: [{ old_text, new_text }] },
          AGENT,
        );
      expect(await edit(SECRET, 'x')).toMatchObject({ kind: 'failed', failure: { code: 'edit_no_match' } });
      expect(await edit('likes tea', 'x')).toMatchObject({ kind: 'failed', failure: { code: 'edit_protected_span' } });
      const done = await edit('After.', 'After all.');
      expect(done).toMatchObject({ kind: 'ok', output: { diff: expect.stringContaining('+After all.') } });
      expect(JSON.stringify(done)).not.toContain(SECRET);
      await host.ok('revert_version', { slug: 'people/bob', version_id: made.versions[0] }, AGENT);
      const { content } = await host.ok('get_page', { slug: 'people/bob', content_only: true });
      expect(content).toBe(FACTS('First.'));
    });

    test('a page that was private once is not brought back by an agent', async () => {
      const hidden = made.versions.at(-1);
      const outcome = await host.call('revert_version', { slug: 'people/eve', version_id: hidden }, AGENT);
      expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'not_found' } });
    });
  });
});
