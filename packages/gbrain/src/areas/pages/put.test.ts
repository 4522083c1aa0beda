// Writing whole pages: what is created, replaced, refused and left alone.
import { AGENT, OWNER, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const TEXT = '# Alice\n\nText.\n';

eachStore('put_page', (given) => {
  test('creates, refuses a blind overwrite, takes the named revision and leaves equal text alone', async () => {
    const host = testHost(given().store);
    const first = await host.ok('put_page', { slug: 'people/alice', content: TEXT });
    expect(first).toMatchObject({ state: 'committed', slug: 'people/alice', status: 'created', source_id: 'default' });
    expect(await host.ok('get_page', { slug: 'people/alice', content_only: true })).toEqual({
      slug: 'people/alice',
      source_id: 'default',
      type: 'person',
      title: 'Alice',
      revision: first.revision,
      tags: [],
      content: TEXT,
      size_bytes: 15,
      trust_tier: 'owner',
    });
    const refused = await host.refused('put_page', { slug: 'people/alice', content: '# Alice\n' });
    expect(refused).toMatchObject({ code: 'revision_required', detail: `current_revision=${first.revision}` });
    const same = await host.ok('put_page', { slug: 'people/alice', content: TEXT });
    expect(same).toMatchObject({ status: 'unchanged', revision: first.revision });
    const next = await host.ok('put_page', {
      slug: 'people/alice',
      content: '# A\n',
      expected_revision: String(first.revision).toUpperCase(),
    });
    expect(next).toMatchObject({ status: 'updated' });
    const stale = await host.refused('put_page', {
      slug: 'people/alice',
      content: '# B\n',
      expected_revision: first.revision,
    });
    expect(stale).toMatchObject({ code: 'revision_conflict', detail: `current_revision=${next.revision}` });
    expect(await host.ok('put_page', { slug: 'people/alice', content: '# C\n', force: true })).toMatchObject({
      status: 'updated',
    });
    expect(host.faults).toEqual([]);
  });

  test('refuses what is no page, with its place', async () => {
    const host = testHost(given().store);
    const put = (content: string, more = {}) => host.refused('put_page', { slug: 'bad/page', content, ...more });
    expect(await put('a\n\nb\0c')).toMatchObject({
      code: 'content_rejected',
      reason: 'encoding',
      detail: 'position=4',
      message: expect.stringContaining('line 3, column 2'),
    });
    expect(await put('ab\ud800')).toMatchObject({ code: 'content_rejected', detail: 'position=2' });
    expect(await put('x'.repeat(5_000_001))).toMatchObject({ code: 'file_too_large' });
    expect(await put('---\ntitle: [\n---\n')).toMatchObject({ code: 'invalid_frontmatter', reason: 'yaml_parse' });
    expect(await put('---\ntitle: a\n')).toMatchObject({ code: 'invalid_frontmatter' });
    expect(await put('---\nslug: other/page\n---\n')).toMatchObject({
      code: 'invalid_frontmatter',
      reason: 'ambiguous_identity_key',
    });
    expect(await put('<!--- gbrain:facts:begin -->\n| # |\n')).toMatchObject({ code: 'invalid_fence' });
    expect(await put(' \n')).toMatchObject({ code: 'content_rejected', reason: 'empty' });
    expect(await host.refused('get_page', { slug: 'bad/page' })).toMatchObject({ code: 'page_not_found' });
    expect(await host.ok('put_page', { slug: 'bad/page', content: '', allow_empty: true })).toMatchObject({
      status: 'created',
    });
    expect(host.faults).toEqual([]);
  });

  test('takes a 4.9 MB line, hostile derived values and long names', async () => {
    const host = testHost(given().store);
    await host.ok('put_page', { slug: 'big/line', content: 'x'.repeat(4_900_000) });
    const odd = [
      '---',
      `title: ${'t'.repeat(3000)}`,
      `tags: [${'g'.repeat(3000)}, ok]`,
      `aliases: [${'a'.repeat(3000)}, '\ufdfa']`,
      `type: ${'k'.repeat(900)}`,
      'extra: "\\u2028 \\U0001F600"',
      '---',
      'text',
      '',
    ].join('\n');
    await host.ok('put_page', { slug: `odd/${'ﷺ'.repeat(60)}`, content: odd });
    expect(await host.ok('list_pages', { tag: 'ok' })).toHaveLength(1);
    expect(host.faults).toEqual([]);
  });

  test('says where it would write when only the writing of the slug is wrong', async () => {
    const host = testHost(given().store);
    const refused = await host.refused('put_page', { slug: '/people//bob', content: '# Bob\n' });
    expect(refused).toMatchObject({ code: 'invalid_params', reason: 'leading_slash' });
    expect(refused.fix?.mcp?.arguments).toEqual({ slug: 'people/bob', content: '# Bob\n' });
    for (const slug of ['', '../x', 'a/%2e%2e/b', 'a\u202eb', 'x'.repeat(600)]) {
      expect(await host.refused('put_page', { slug, content: 'x' })).toMatchObject({ code: 'invalid_params' });
    }
  });

  test('writing a deleted slug brings it back and says so', async () => {
    const host = testHost(given().store);
    const first = await host.ok('put_page', { slug: 'back/again', content: 'one\n' });
    const gone = await host.ok('delete_page', { slug: 'back/again' });
    expect(gone).toMatchObject({ status: 'deleted' });
    const old = await host.refused('put_page', {
      slug: 'back/again',
      content: 'two\n',
      expected_revision: first.revision,
    });
    expect(old).toMatchObject({ code: 'page_identity_changed' });
    expect(await host.ok('put_page', { slug: 'back/again', content: 'two\n' })).toMatchObject({
      status: 'updated',
      restored: true,
    });
    expect(await host.ok('get_page', { slug: 'back/again', content_only: true })).toMatchObject({ content: 'two\n' });
    const { versions } = await host.ok<{ versions: { deleted?: true }[] }>('get_versions', { slug: 'back/again' });
    expect(versions.map(({ deleted }) => deleted === true)).toEqual([true, false]);
    const missing = await host.refused('put_page', {
      slug: 'not/there',
      content: 'x',
      expected_revision: first.revision,
    });
    expect(missing).toMatchObject({ code: 'page_not_found', legacyError: 'page_identity_changed' });
  });

  test('stamps who wrote it, and lets only the owner say where it came from', async () => {
    const host = testHost(given().store);
    const args = {
      content: 'x\n',
      content_origin: 'user_said',
      source_uri: 'https://example.com/a',
      source_kind: 'web',
    };
    await host.ok('put_page', { slug: 'stamp/agent', ...args }, AGENT);
    await host.ok('put_page', { slug: 'stamp/owner', ...args }, OWNER);
    const { store } = given();
    const rows = await store.query({
      text: `select slug, trust_tier, content_origin, source_kind, source_uri, ingested_via, writer_principal
        from pages where slug like 'stamp/%' order by slug`,
      params: [],
    });
    expect(rows).toEqual([
      {
        slug: 'stamp/agent',
        trust_tier: 'agent_written',
        content_origin: 'user_said',
        source_kind: 'mcp:put_page',
        source_uri: null,
        ingested_via: 'mcp:put_page',
        writer_principal: 'stdio',
      },
      {
        slug: 'stamp/owner',
        trust_tier: 'owner',
        content_origin: 'user_said',
        source_kind: 'web',
        source_uri: 'https://example.com/a',
        ingested_via: 'cli:put_page',
        writer_principal: 'local',
      },
    ]);
  });

  test('what is put is what is got, byte for byte, whatever the text', async () => {
    const host = testHost(given().store);
    let n = 0;
    const line = fc.oneof(
      fc.constantFrom('---', '## Timeline', '- **2026-01-02** | a — b', '```', '# H', '<!-- timeline -->', '', '- x'),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    const text = fc
      .tuple(fc.constantFrom('', '\ufeff'), fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r'))
      .map(([bom, lines, eol]) => `${bom}# T${eol}${lines.join(eol)}`)
      .filter((one) => !one.includes('\0') && one.isWellFormed());
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const slug = `law/round-${n++}`;
        await host.ok('put_page', { slug, content });
        expect(await host.ok('get_page', { slug, content_only: true })).toMatchObject({ content });
      }),
      { numRuns: 60 },
    );
    expect(host.faults).toEqual([]);
  });
});
