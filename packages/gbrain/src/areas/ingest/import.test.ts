// Importing real folders: every verdict with its reason, counts that add up, resumption, moves, removal with consent.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { asOrdinaryUser } from '@gbrain/testkit/ordinary-user';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { afterAll, expect, test } from 'vitest';
import type { ImportReply } from './import-reply.ts';
import type { Outcome } from './report.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with files of an age that counts as settled. */
function vault(files: Record<string, string | Uint8Array> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'gbrain-vault-'));
  folders.push(root);
  const at = (path: string) => join(root, path);
  const put = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
    const old = new Date(Date.now() - 60_000);
    utimesSync(at(path), old, old);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return { root, at, put };
}

/** A source of its own for one test. */
async function source(host: TestHost, store: import('gbrain/store/store').Store): Promise<string> {
  const id = `s${randomUUID().slice(0, 8)}`;
  await store.query(sql`insert into sources (id, name) values (${id}, ${id})`);
  expect(host.faults).toEqual([]);
  return id;
}

const run = (host: TestHost, source_id: string, dir: string, more: Record<string, unknown> = {}) =>
  host.ok<ImportReply>('import', { dir, source_id, ...more });

const byPath = (reply: ImportReply): Record<string, Partial<Outcome>> =>
  Object.fromEntries(reply.outcomes.map(({ path, revision: _, ...rest }) => [path, rest]));

const addUp = ({ seen, imported, unchanged, skipped, failed }: ImportReply): void =>
  expect(imported + unchanged + skipped + failed).toBe(seen);

eachStore('import', (given) => {
  test('every path gets its verdict, and the counts add up', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root, at } = vault({
      'people/Alice Example.md': '# Alice\n',
      'a "quoted" näme.md': 'q\n',
      'notes/日本語.md': 'x\n',
      'docs/guide.MDX': '# Guide\n',
      'empty.md': '',
      'crlf.md': '\ufeff---\r\ntitle: C\r\n---\r\nbody\r\n',
      'bad/latin1.md': Buffer.from('caf\xe9\n', 'latin1'),
      'bad/nul.md': 'a\n\0b',
      'bad/unclosed.md': '---\ntitle: a\n',
      'bad/yaml.md': '---\na: [\n---\n',
      'bad/large.md': 'x'.repeat(5_000_001),
      'bad/slug.md': '---\nslug: other/page\n---\n',
      'Twin.md': 'one\n',
      'twin.md': 'two\n',
      'picture.png': 'png',
      '.hidden/secret.md': 'no\n',
      '.dot.md': 'no\n',
    });
    symlinkSync(at('empty.md'), at('link.md'));
    symlinkSync(at('people'), at('linked'));
    execFileSync('mkfifo', [at('pipe.md')]);
    mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]));
    const reply = await run(host, source_id, root);
    addUp(reply);
    expect(byPath(reply)).toEqual({
      '.dot.md': { verdict: 'skipped', reason: 'hidden' },
      '.hidden': { verdict: 'skipped', reason: 'hidden' },
      'Twin.md': { verdict: 'imported', slug: 'twin', status: 'created' },
      'a "quoted" näme.md': { verdict: 'imported', slug: 'a-quoted-näme', status: 'created' },
      'b\\xff': { verdict: 'failed', reason: 'path_encoding' },
      'bad/large.md': { verdict: 'failed', reason: 'too_large' },
      'bad/latin1.md': { verdict: 'failed', reason: 'encoding', byte: 3, line: 1, column: 4 },
      'bad/nul.md': { verdict: 'failed', reason: 'null_bytes', byte: 2, line: 2, column: 1 },
      'bad/slug.md': expect.objectContaining({ verdict: 'failed', reason: 'held_slug', line: 2 }),
      'bad/unclosed.md': expect.objectContaining({ verdict: 'failed', reason: 'MISSING_CLOSE', line: 1 }),
      'bad/yaml.md': expect.objectContaining({ verdict: 'failed', reason: 'YAML_PARSE' }),
      'crlf.md': { verdict: 'imported', slug: 'crlf', status: 'created' },
      'docs/guide.MDX': { verdict: 'imported', slug: 'docs/guide', status: 'created' },
      'empty.md': { verdict: 'imported', slug: 'empty', status: 'created' },
      'link.md': { verdict: 'skipped', reason: 'symlink' },
      linked: { verdict: 'skipped', reason: 'symlink' },
      'notes/日本語.md': { verdict: 'imported', slug: 'notes/日本語', status: 'created' },
      'people/Alice Example.md': { verdict: 'imported', slug: 'people/alice-example', status: 'created' },
      'picture.png': { verdict: 'skipped', reason: 'not_markdown' },
      'pipe.md': { verdict: 'skipped', reason: 'special_file' },
      'twin.md': { verdict: 'failed', reason: 'held_collision', other_path: 'Twin.md' },
    });
    const page = await host.ok('get_page', { slug: 'crlf', source_id, content_only: true });
    expect(page).toMatchObject({ content: '\ufeff---\r\ntitle: C\r\n---\r\nbody\r\n' });
    const again = await run(host, source_id, root);
    addUp(again);
    expect(again).toMatchObject({ imported: 0, unchanged: 7, failed: reply.failed, skipped: reply.skipped });
    expect(host.faults).toEqual([]);
  });

  test('a folder that cannot be read is named, and its pages are kept', async () => {
    const { store, engine, place } = given();
    const data = engine === 'pglite' ? [dirname(place)] : [];
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root, at } = vault({ 'open/a.md': 'a\n', 'shut/b.md': 'b\n' });
    await run(host, source_id, root);
    chmodSync(at('shut'), 0);
    const reply = await asOrdinaryUser([root, ...data], () => run(host, source_id, root, { remove_gone: true }));
    chmodSync(at('shut'), 0o700);
    expect(byPath(reply).shut).toEqual({ verdict: 'failed', reason: 'unreadable', detail: 'folder, EACCES' });
    expect(reply).toMatchObject({ removed: 0, gone: [] });
  });

  test('a changed file updates its page; a page edited in the brain is not overwritten without force', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root, put } = vault({ 'a.md': 'one\n', 'b.md': 'one\n', 'c.md': 'one\n', 'd.md': 'one\n' });
    await run(host, source_id, root);
    const edit = (slug: string, content: string) => host.ok('put_page', { slug, source_id, content, force: true });
    put('a.md', 'two\n');
    await edit('b', 'brain\n');
    await edit('c', 'brain\n');
    put('c.md', 'two\n');
    put('d.md', '');
    const reply = await run(host, source_id, root);
    expect(byPath(reply)).toEqual({
      'a.md': { verdict: 'imported', slug: 'a', status: 'updated' },
      'b.md': { verdict: 'unchanged', slug: 'b' },
      'c.md': { verdict: 'failed', reason: 'held_conflict', slug: 'c' },
      'd.md': { verdict: 'failed', reason: 'held_empty', slug: 'd' },
    });
    const { content } = await host.ok('get_page', { slug: 'c', source_id, content_only: true });
    expect(content).toBe('brain\n');
    const forced = await run(host, source_id, root, { force: true });
    expect(forced).toMatchObject({ imported: 2, unchanged: 2, failed: 0 });
    const { versions } = await host.ok<{ versions: unknown[] }>('get_versions', { slug: 'c', source_id });
    expect(versions).toHaveLength(2);
  });

  test('a page that no file made is held, the same text binds it, and a deleted page stays deleted', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root } = vault({ 'mine.md': 'file\n', 'same.md': 'same\n', 'gone.md': 'x\n' });
    await host.ok('put_page', { slug: 'mine', source_id, content: 'brain\n' });
    await host.ok('put_page', { slug: 'same', source_id, content: 'same\n' });
    const first = await run(host, source_id, root);
    expect(byPath(first)).toMatchObject({
      'mine.md': { verdict: 'failed', reason: 'held_page' },
      'same.md': { verdict: 'unchanged' },
    });
    const [row] = await store.query(
      sql`select source_path from pages where source_id = ${source_id} and slug = 'same'`,
    );
    expect(row).toEqual({ source_path: 'same.md' });
    await host.ok('delete_page', { slug: 'gone', source_id });
    const second = await run(host, source_id, root);
    expect(byPath(second)['gone.md']).toMatchObject({ verdict: 'skipped', reason: 'deleted_in_brain' });
    const forced = await run(host, source_id, root, { force: true });
    expect(byPath(forced)['gone.md']).toMatchObject({ verdict: 'imported', status: 'restored' });
  });

  test('a moved file takes its page along; its old name leads to it', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root, at, put } = vault({
      'old/a.md': 'alpha\n',
      'old/b.md': '---\nid: bee\n---\nbeta\n',
      'Case.md': 'case\n',
      'x/t.md': 'twin\n',
      'y/t.md': 'twin\n',
    });
    await run(host, source_id, root);
    const ids = () =>
      store.query(sql`select id, slug, source_path from pages
        where source_id = ${source_id} and deleted_at is null order by id`);
    const before = await ids();
    mkdirSync(at('new'));
    renameSync(at('old/a.md'), at('new/renamed.md'));
    unlinkSync(at('old/b.md'));
    put('new/b.md', '---\nid: bee\n---\nbeta, rewritten\n');
    renameSync(at('Case.md'), at('case.md'));
    mkdirSync(at('z'));
    renameSync(at('x/t.md'), at('z/one.md'));
    renameSync(at('y/t.md'), at('z/two.md'));
    const reply = await run(host, source_id, root);
    expect(byPath(reply)).toMatchObject({
      'new/renamed.md': { verdict: 'imported', status: 'moved', moved_from: 'old/a.md', slug: 'new/renamed' },
      'new/b.md': { verdict: 'imported', status: 'moved', moved_from: 'old/b.md' },
      'case.md': { verdict: 'imported', status: 'moved', moved_from: 'Case.md' },
      'z/one.md': { verdict: 'imported', status: 'created' },
      'z/two.md': { verdict: 'imported', status: 'created' },
    });
    expect(reply.gone.map(({ path }) => path).sort()).toEqual(['x/t.md', 'y/t.md']);
    const idOf = (rows: Record<string, unknown>[], slug: string) => rows.find((row) => row.slug === slug)?.id;
    const after = await ids();
    expect(idOf(after, 'new/renamed')).toBe(idOf(before, 'old/a'));
    expect(idOf(after, 'new/b')).toBe(idOf(before, 'old/b'));
    expect(after.find((row) => row.slug === 'case')?.source_path).toBe('case.md');
    expect(await host.ok('get_page', { slug: 'old/a', source_id })).toMatchObject({ slug: 'new/renamed' });
    expect(await run(host, source_id, root)).toMatchObject({ imported: 0, failed: 0 });
  });

  test('files that are gone cost their pages only when asked, a few at once, never an edited page', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const names = Array.from({ length: 40 }, (_, n) => `n${String(n).padStart(2, '0')}`);
    const { root, at } = vault(Object.fromEntries(names.map((name) => [`${name}.md`, `${name}\n`])));
    await host.ok('put_page', { slug: 'own/page', source_id, content: 'no file made this\n' });
    await run(host, source_id, root);
    await host.ok('put_page', { slug: 'n01', source_id, content: 'edited\n', force: true });
    unlinkSync(at('n00.md'));
    unlinkSync(at('n01.md'));
    expect((await run(host, source_id, root)).gone).toEqual([
      { path: 'n00.md', slug: 'n00', removed: false },
      { path: 'n01.md', slug: 'n01', removed: false },
    ]);
    expect((await run(host, source_id, root, { remove_gone: true })).gone).toEqual([
      { path: 'n00.md', slug: 'n00', removed: true },
      { path: 'n01.md', slug: 'n01', removed: false },
    ]);
    expect(await host.ok('get_page', { slug: 'n00', source_id, include_deleted: true })).toMatchObject({
      deleted_at: expect.any(String),
    });
    for (const name of names.slice(2, 20)) unlinkSync(at(`${name}.md`));
    const args = { dir: root, source_id, remove_gone: true };
    const asked = await host.refused('import', args);
    expect(asked).toMatchObject({ code: 'confirmation_required', exit: 3 });
    const { consent } = asked;
    expect(consent).toMatchObject({ effects: ['destructive'], plan_hash: expect.stringMatching(/^ph_/) });
    expect(await host.ok('import', { ...args, dry_run: true })).toMatchObject({ removed: 0 });
    const expected = consent!.plan_hash!;
    unlinkSync(at('n20.md'));
    await host.ok('put_page', { slug: 'n02', source_id, content: 'edited\n', force: true });
    const stale = await host.call('import', args, OWNER, { approval: { yes: true, expect: expected } });
    expect(stale).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'preview_changed',
        reason: 'changed',
        message: expect.stringMatching(/would be removed too: n20; has been written since: n02/),
      },
    });
    const unknown = { approval: { yes: true, expect: `ph_${'0'.repeat(24)}` } };
    expect(await host.call('import', args, OWNER, unknown)).toMatchObject({ failure: { reason: 'missing' } });
    const again = (await host.refused('import', args)).consent!;
    const done = await host.call('import', args, OWNER, { approval: { yes: true, expect: again.plan_hash! } });
    expect(done).toMatchObject({ kind: 'ok', output: { removed: 18 } });
    expect(await host.ok('get_page', { slug: 'n02', source_id })).toMatchObject({ slug: 'n02' });
    expect(await host.ok('get_page', { slug: 'own/page', source_id })).toMatchObject({ slug: 'own/page' });
    expect(host.faults).toEqual([]);
  });

  test('a second folder does not take over the pages of the first, unless the first has gone', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const one = vault({ 'a.md': 'one\n', 'b.md': 'same\n' });
    const two = vault({ 'a.md': 'two\n', 'b.md': 'same\n' });
    await run(host, source_id, one.root);
    expect(byPath(await run(host, source_id, two.root))).toMatchObject({
      'a.md': { verdict: 'failed', reason: 'held_collision', other_path: one.at('a.md') },
      'b.md': { verdict: 'unchanged' },
    });
    const moved = `${one.root}-moved`;
    folders.push(moved);
    renameSync(one.root, moved);
    appendFileSync(join(moved, 'a.md'), 'more\n');
    expect(await run(host, source_id, moved)).toMatchObject({ imported: 1, unchanged: 1, failed: 0 });
  });

  test('a dry run says what the run then does, and writes nothing', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await source(host, store);
    const { root, put } = vault({ 'a.md': 'a\n', 'b.md': '---\n', 'c.md': 'c\n' });
    await host.ok('put_page', { slug: 'c', source_id, content: 'brain\n' });
    const strip = (reply: ImportReply) => ({ ...byPath(reply), seen: reply.seen });
    const dry = await run(host, source_id, root, { dry_run: true });
    const count = async () =>
      (await store.query(sql`select count(*) as n from pages where source_id = ${source_id}`))[0]?.n;
    expect(await count()).toBe(1);
    expect(strip(await run(host, source_id, root))).toEqual(strip(dry));
    put('a.md', 'changed\n');
    const second = await run(host, source_id, root, { dry_run: true });
    expect(strip(await run(host, source_id, root))).toEqual(strip(second));
  });

  test('a folder that is not there is refused with a way to look, and agents cannot import', async () => {
    const { store } = given();
    const host = testHost(store);
    const { at } = vault({ 'a.md': 'x' });
    expect(await host.refused('import', { dir: at('nowhere') })).toMatchObject({
      code: 'folder_unreadable',
      reason: 'missing',
      fix: { argv: ['ls', '-la', '--', dirname(at('nowhere'))] },
    });
    expect(await host.refused('import', { dir: at('a.md') })).toMatchObject({ reason: 'not_a_folder' });
    expect(await host.refused('import', { dir: 'relative' })).toMatchObject({ reason: 'not_absolute' });
    expect(await host.refused('import', { dir: at('.') }, AGENT)).toMatchObject({ code: 'unknown_tool' });
  });
});
