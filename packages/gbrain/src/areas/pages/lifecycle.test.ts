// A page's life beside its text: found by other names, read in pieces, edited, tagged, deleted, restored, reverted.
import { AGENT, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { beforeAll, expect, test } from 'vitest';

eachStore('pages', (given) => {
  let host: TestHost;
  beforeAll(() => {
    host = testHost(given().store);
  });
  const text = async (slug: string) => (await host.ok('get_page', { slug, content_only: true })).content;

  test('edits are all or none, on top of a revision, and show what they did', async () => {
    const { revision } = await host.ok('put_page', { slug: 'edit/me', content: 'one two two\r\nthree\r\n' });
    const edit = (edits: unknown, expected = revision) =>
      host.call('edit_page', { slug: 'edit/me', expected_revision: expected, edits });
    const code = async (edits: unknown) => {
      const outcome = await edit(edits);
      return outcome.kind === 'failed' ? [outcome.failure.code, outcome.failure.detail] : 'ok';
    };
    expect(await code([{ old_text: 'four', new_text: 'x' }])).toEqual(['edit_no_match', 'edit_index=0 match_count=0']);
    expect(
      await code([
        { old_text: 'one', new_text: '1' },
        { old_text: 'two', new_text: '2' },
      ]),
    ).toEqual(['edit_ambiguous_match', 'edit_index=1 match_count=2']);
    expect(await code([{ old_text: '', new_text: 'x' }])).toEqual(['edit_invalid', 'edit_index=0 match_count=0']);
    expect(await code([])).toEqual(['invalid_params', undefined]);
    expect(await text('edit/me')).toBe('one two two\r\nthree\r\n');
    const done = await edit([
      { old_text: 'three', new_text: '3\n4' },
      { old_text: 'one', new_text: '1' },
    ]);
    expect(done).toMatchObject({ kind: 'ok', output: { status: 'updated', diff: expect.stringContaining('-three') } });
    expect(await text('edit/me')).toBe('1 two two\r\n3\r\n4\r\n');
    expect(await edit([{ old_text: '1', new_text: 'x' }])).toMatchObject({
      kind: 'failed',
      failure: { code: 'revision_conflict' },
    });
  });

  test('tags are edits of the text, and only of it', async () => {
    const before = '---\n# a comment\ntitle: "X"   # kept\ntags: [b]\nown: 1\n---\nText\n';
    await host.ok('put_page', { slug: 'tag/me', content: before });
    expect(await host.ok('add_tag', { slug: 'tag/me', tag: '#New tag' })).toMatchObject({
      status: 'updated',
      tags: ['b', 'New tag'],
    });
    expect(await host.ok('add_tag', { slug: 'tag/me', tag: 'new TAG' })).toMatchObject({ status: 'unchanged' });
    expect(await host.ok('get_tags', { slug: 'tag/me' })).toMatchObject({ tags: ['b', 'New tag'] });
    expect(await host.ok('list_pages', { tag: 'New tag' })).toHaveLength(1);
    const after = await text('tag/me');
    expect(after).toContain('# a comment\ntitle: "X"   # kept\n');
    await host.ok('remove_tag', { slug: 'tag/me', tag: 'new tag' });
    expect(await host.ok('remove_tag', { slug: 'tag/me', tag: 'never' })).toMatchObject({ status: 'unchanged' });
    expect(await host.ok('get_tags', { slug: 'tag/me' })).toMatchObject({ tags: ['b'] });
    expect(await host.refused('add_tag', { slug: 'tag/me', tag: '#' })).toMatchObject({ code: 'invalid_params' });
    expect(await host.refused('add_tag', { slug: 'tag/none', tag: 'a' })).toMatchObject({ code: 'page_not_found' });
  });

  test('a deleted page is gone from every read until it is restored, with its revision as a guard', async () => {
    const { revision } = await host.ok('put_page', { slug: 'life/old', content: '---\naliases: [Oldie]\n---\nold\n' });
    expect(
      await host.refused('delete_page', {
        slug: 'life/old',
        expected_revision: '00000000-0000-4000-8000-000000000000',
      }),
    ).toMatchObject({ code: 'revision_conflict' });
    await host.ok('delete_page', { slug: 'life/old', expected_revision: revision });
    for (const [op, args] of [
      ['get_page', { slug: 'life/old' }],
      ['get_page', { slug: 'Oldie', fuzzy: true }],
      ['fetch', { id: 'life/old' }],
      ['get_versions', { slug: 'life/old' }],
      ['get_tags', { slug: 'life/old' }],
      ['edit_page', { slug: 'life/old', expected_revision: revision, edits: [{ old_text: 'old', new_text: 'x' }] }],
      ['add_tag', { slug: 'life/old', tag: 'x' }],
      ['delete_page', { slug: 'life/old' }],
    ] as const) {
      expect([op, await host.refused(op, args)]).toMatchObject([op, { code: 'page_not_found' }]);
    }
    const dead = await host.ok('get_page', { slug: 'life/old', include_deleted: true });
    expect(dead).toMatchObject({ deleted_at: expect.any(String) });
    expect(await host.ok('restore_page', { slug: 'life/old' })).toMatchObject({ status: 'restored' });
    expect(await text('life/old')).toBe('---\naliases: [Oldie]\n---\nold\n');
    expect(await host.ok('get_page', { slug: 'Oldie', fuzzy: true })).toMatchObject({ resolved_slug: 'life/old' });
    expect(await host.ok('restore_page', { slug: 'life/old' })).toMatchObject({ status: 'unchanged' });
  });

  test('every state is kept, and going back to one is a new revision', async () => {
    const put = (content: string, more = {}) =>
      host.ok('put_page', { slug: 'ver/page', content, force: true, ...more });
    await put('one\n');
    await put('two\n');
    const third = await put('three\n');
    const history = await host.ok<{ versions: { version_id: number }[]; next: number | null }>('get_versions', {
      slug: 'ver/page',
      limit: 1,
    });
    expect(history).toMatchObject({ revision: third.revision, versions: [{ size_bytes: 4, written_by: 'local' }] });
    const rest = await host.ok<typeof history>('get_versions', { slug: 'ver/page', before: history.next });
    const [first] = rest.versions;
    const shown = await host.ok<typeof history>('get_versions', { slug: 'ver/page', version_id: first!.version_id });
    expect(shown.versions).toMatchObject([{ content: 'one\n' }]);
    const back = await host.ok('revert_version', { slug: 'ver/page', version_id: first!.version_id });
    expect(back).toMatchObject({ status: 'updated', reverted_to: first!.version_id });
    expect(await text('ver/page')).toBe('one\n');
    const again = await host.ok('revert_version', { slug: 'ver/page', version_id: first!.version_id });
    expect(again).toMatchObject({ status: 'unchanged', revision: back.revision });
    await host.ok('put_page', { slug: 'ver/other', content: 'x\n' });
    expect(await host.refused('revert_version', { slug: 'ver/other', version_id: first!.version_id })).toMatchObject({
      code: 'not_found',
    });
  });

  test('a page is found by moved alias, alias, folded slug, last part and title; a tie is told', async () => {
    await host.ok('put_page', {
      slug: 'people/rené-dupont',
      content: '---\ntitle: René D.\naliases: ["The Boss"]\n---\nx\n',
    });
    await host.ok('put_page', { slug: 'pets/rex', content: '# Rex\n' });
    await host.ok('put_page', { slug: 'dinos/rex', content: '# Rex the Great\n' });
    const find = async (slug: string) => (await host.ok('get_page', { slug, fuzzy: true })).slug;
    for (const name of ['The boss', 'people/rene-dupont', 'RENE-DUPONT', 'René D.']) {
      expect([name, await find(name)]).toEqual([name, 'people/rené-dupont']);
    }
    const tie = await host.refused('get_page', { slug: 'rex', fuzzy: true });
    expect(tie).toMatchObject({ code: 'ambiguous_slug', detail: 'candidates=dinos/rex,pets/rex' });
    expect(await host.refused('get_page', { slug: 'rene-dupont' })).toMatchObject({
      code: 'page_not_found',
      fix: { mcp: { tool: 'get_page', arguments: { slug: 'people/rené-dupont' } } },
    });
    expect(await host.refused('get_page', { slug: 'people/rene-dupomt' })).toMatchObject({ code: 'page_not_found' });
    const { store } = given();
    await store.query(sql`insert into page_aliases (source_id, alias, page_id, kind)
      select 'default', 'people/old-name', id, 'moved' from pages where slug = 'people/rené-dupont'`);
    const moved = await host.ok('get_page', { slug: 'people/old-name', content_only: true });
    expect(moved).toMatchObject({ slug: 'people/rené-dupont', resolved_slug: 'people/rené-dupont' });
    expect(await host.refused('put_page', { slug: 'people/old-name', content: 'new\n' })).toMatchObject({
      code: 'revision_required',
    });
    const edited = await host.ok('add_tag', { slug: 'people/old-name', tag: 'boss' });
    expect(edited).toMatchObject({ slug: 'people/rené-dupont', resolved_slug: 'people/rené-dupont' });
  });

  test('a read over every source finds a page wherever it is, and names them all where it is in several', async () => {
    const { store } = given();
    await store.query(sql`insert into sources (id, name) values ('wide-a', 'Wide A'), ('wide-b', 'Wide B')`);
    const put = (slug: string, source: string) =>
      host.ok('put_page', { slug, source_id: source, content: `# ${source}\n` });
    await put('wide/one', 'wide-b');
    await put('wide/two', 'wide-a');
    await put('wide/two', 'wide-b');
    const everywhere = { source_id: '__all__' };
    expect(await host.ok('get_page', { slug: 'wide/one', ...everywhere })).toMatchObject({ source_id: 'wide-b' });
    expect(await host.ok('resolve_slugs', { partial: 'wide/one', ...everywhere })).toEqual(['wide/one']);
    for (const slug of ['wide/two', 'two']) {
      const tie = await host.refused('get_page', { slug, fuzzy: true, ...everywhere });
      expect(tie).toMatchObject({
        code: 'ambiguous_slug',
        detail: 'candidates=wide-a:wide/two,wide-b:wide/two',
        fix: { mcp: { arguments: { slug: 'wide/two', source_id: 'wide-a' } } },
      });
    }
    const missing = await host.refused('get_page', { slug: 'wide/none-such', ...everywhere });
    expect(missing).toMatchObject({ code: 'page_not_found' });
    expect(missing.fix?.argv?.join(' ')).not.toContain('--source default');
    const archived = sql`update sources set archived_at = now() where id = 'wide-a'`;
    await store.query(archived);
    expect(await host.ok('get_page', { slug: 'wide/two', ...everywhere })).toMatchObject({ source_id: 'wide-b' });
    expect(await host.refused('put_page', { slug: 'wide/x', content: 'x', ...everywhere })).toMatchObject({
      code: 'invalid_source',
    });
  });

  test('a long page is read in pieces that add up to it', async () => {
    const content = `# Long\n\n${'žluťoučký 🐎 '.repeat(20_000)}\n`;
    await host.ok('put_page', { slug: 'long/page', content });
    const cut = await host.call('get_page', { slug: 'long/page' }, AGENT);
    if (cut.kind !== 'ok') throw new Error(cut.failure.message);
    expect(cut.output).toMatchObject({ truncated: true, size_bytes: Buffer.byteLength(content) });
    expect(JSON.stringify(cut.output).length).toBeLessThan(80_000);
    let call = cut.notices.find(({ code }) => code === 'page_truncated')?.fix?.mcp;
    let whole = '';
    while (call) {
      const piece = await host.call(call.tool, { ...call.arguments, max_bytes: 33_333 }, AGENT);
      if (piece.kind !== 'ok') throw new Error(piece.failure.message);
      const { content: part, offset = 0 } = piece.output as { content: string; offset?: number };
      expect(offset).toBe(Buffer.byteLength(whole));
      whole += part;
      call = piece.notices.find(({ code }) => code === 'page_truncated')?.fix?.mcp;
    }
    expect(whole).toBe(content);
    expect((await host.ok('get_page', { slug: 'long/page', content_only: true })).content).toBe(content);
  });

  test('capture makes a page of its own, once', async () => {
    const first = await host.ok('capture', { content: 'A thought.' });
    expect(first).toMatchObject({ status: 'created', channel: 'capture', dedupe: false });
    expect(first.slug).toMatch(/^inbox\/2026-03-01-[0-9a-f]{8}$/);
    expect(await host.ok('get_page', { slug: String(first.slug) })).toMatchObject({
      type: 'note',
      title: 'A thought.',
    });
    expect(await host.ok('capture', { content: 'A thought.' })).toMatchObject({
      status: 'unchanged',
      dedupe: true,
      slug: first.slug,
    });
    await host.ok('edit_page', {
      slug: first.slug,
      expected_revision: first.revision,
      edits: [{ old_text: '---\nA thought.', new_text: '---\nAnother.' }],
    });
    const beside = await host.ok('capture', { content: 'A thought.' });
    expect(beside.slug).toMatch(/^inbox\/2026-03-01-[0-9a-f]{16}$/);
    const own = await host.ok('capture', { content: '---\ntype: idea\n---\nX', slug: 'ideas/x', who: 'Alice' });
    expect(own).toMatchObject({ slug: 'ideas/x' });
    expect(await host.ok('get_page', { slug: 'ideas/x' })).toMatchObject({
      type: 'idea',
      frontmatter: { who: 'Alice' },
    });
    expect((await host.ok('capture', { content: 'd', type: 'diary' })).slug).toMatch(/^life\//);
    expect(await host.refused('capture', { content: ' ' })).toMatchObject({ code: 'content_rejected' });
    expect(host.faults).toEqual([]);
  });

  test('a capture takes the dated entries of its page away only when it says so', async () => {
    const slug = 'ideas/dated';
    const dated = '# Dated\n\nProse.\n\n## Timeline\n\n- **2026-01-02** | note — met\n';
    const { revision } = await host.ok('capture', { content: dated, slug }, AGENT);
    const bare = { content: '# Dated\n\nNew prose.\n', slug, expected_revision: revision };
    const refused = await host.refused('capture', bare, AGENT);
    expect(refused).toMatchObject({ code: 'timeline_rows_would_be_removed' });
    expect(refused.suggestion).toContain('drop_timeline');
    expect(await host.ok('capture', { ...bare, drop_timeline: true }, AGENT)).toMatchObject({ status: 'updated' });
    expect(await host.ok('get_timeline', { slug })).toMatchObject([]);
  });
});
