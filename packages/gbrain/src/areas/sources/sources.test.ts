// Sources: made, listed, bound to folders, kept in files, taken out of use and brought back; the log of ingests.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, OWNER, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { afterAll, expect, test } from 'vitest';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(files: Record<string, string> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'gbrain-source-'));
  folders.push(root);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), 0, 0);
  }
  return root;
}

const newId = () => `s${randomUUID().slice(0, 8)}`;

interface View {
  id: string;
  pages: number;
  path?: string;
}

eachStore('sources', (given) => {
  test('a source is made once, listed with its pages, and its folder is the owner’s affair', async () => {
    const host = testHost(given().store);
    const id = newId();
    const path = folder();
    expect(await host.ok('sources_add', { id, path, name: `Name of ${id}` })).toMatchObject({
      status: 'created',
      id,
      path,
      truth: 'database',
      pages: 0,
      archived: false,
    });
    expect(await host.ok('sources_add', { id })).toMatchObject({ status: 'unchanged' });
    expect(await host.refused('sources_add', { id, truth: 'files', path })).toMatchObject({ code: 'source_id_taken' });
    expect(await host.refused('sources_add', { id: newId(), name: `Name of ${id}` })).toMatchObject({
      code: 'source_id_taken',
    });
    await host.ok('put_page', { slug: 'a', content: 'a\n', source_id: id });
    await host.ok('put_page', { slug: 'b', content: '---\nvisibility: private\n---\n', source_id: id });
    const seen = async (caller = OWNER) =>
      (await host.ok<{ sources: View[] }>('sources_list', {}, caller)).sources.find((one) => one.id === id);
    expect(await seen()).toMatchObject({ pages: 2, path });
    const agent = await seen(AGENT);
    expect(agent).toMatchObject({ pages: 1 });
    expect(agent).not.toHaveProperty('path');
    expect(await host.refused('sources_add', { id: 'no spaces' })).toMatchObject({ code: 'invalid_source' });
    expect(await host.refused('sources_add', { id: newId(), path: join(path, 'gone') })).toMatchObject({
      code: 'folder_unreadable',
    });
    const admin = { ...AGENT, scopes: ['read', 'write', 'sources_admin'] as const };
    expect(await host.refused('sources_add', { id: newId(), path }, admin)).toMatchObject({
      code: 'source_folder_local',
      fix: { actor: 'user' },
    });
    expect(await host.refused('sources_status', { id: 'nowhere' })).toMatchObject({ code: 'unknown_source' });
    expect(host.faults).toEqual([]);
  });

  test('a removed source is out of sight and of reach, and comes back as it was', async () => {
    const host = testHost(given().store);
    const id = newId();
    await host.ok('sources_add', { id });
    await host.ok('put_page', { slug: 'a', content: 'a\n', source_id: id });
    expect(await host.ok('sources_remove', { id, dry_run: true })).toMatchObject({ status: 'would_archive', pages: 1 });
    expect(await host.ok('sources_remove', { id })).toMatchObject({ status: 'archived' });
    expect(await host.ok('sources_remove', { id })).toMatchObject({ status: 'unchanged' });
    expect(await host.refused('get_page', { slug: 'a', source_id: id })).toMatchObject({ code: 'unknown_source' });
    expect(await host.refused('put_page', { slug: 'b', content: 'b', source_id: id })).toMatchObject({
      code: 'unknown_source',
    });
    const { sources } = await host.ok<{ sources: View[] }>('sources_list', { include_archived: true });
    expect(sources.find((one) => one.id === id)).toMatchObject({ archived: true, pages: 1 });
    expect(await host.ok('sources_add', { id })).toMatchObject({ status: 'restored' });
    expect(await host.ok('get_page', { slug: 'a', source_id: id })).toMatchObject({ slug: 'a' });
    expect(await host.refused('sources_remove', { id: 'default' })).toMatchObject({ code: 'source_protected' });
  });

  test('a source of files takes pages from its folder alone, and sync follows the folder', async () => {
    const host = testHost(given().store);
    const id = newId();
    const path = folder({ 'a.md': 'one\n', 'b.md': 'two\n' });
    await host.ok('sources_add', { id, path, truth: 'files' });
    expect(await host.ok('sync_brain', { source_id: id })).toMatchObject({ imported: 2, removed: 0 });
    expect(await host.refused('put_page', { slug: 'c', content: 'c', source_id: id })).toMatchObject({
      code: 'owner_unavailable',
      detail: 'unbound_source',
      retryable: false,
    });
    unlinkSync(join(path, 'a.md'));
    expect(await host.ok('sync_brain', { source_id: id, dry_run: true })).toMatchObject({
      removed: 0,
      gone: [{ slug: 'a', removed: false }],
    });
    expect(await host.ok('sync_brain', { source_id: id })).toMatchObject({ unchanged: 1, removed: 1 });
    expect(await host.ok('sources_status', { id })).toMatchObject({
      pages: 1,
      deleted: 1,
      files: 1,
      folder: 'there',
      last_import: { unchanged: 1, removed: 1 },
      complete: true,
    });
    writeFileSync(join(path, 'a.md'), 'back\n');
    expect(await host.ok('sync_brain', { source_id: id })).toMatchObject({
      outcomes: [{ path: 'a.md', verdict: 'imported', status: 'restored' }, { path: 'b.md' }],
    });
    rmSync(path, { recursive: true });
    expect(await host.ok('sources_status', { id })).toMatchObject({ folder: 'missing' });
    expect(await host.refused('sync_brain', { source_id: id })).toMatchObject({ code: 'folder_unreadable' });
    expect(await host.ok('get_page', { slug: 'a', source_id: id })).toMatchObject({ slug: 'a' });
    const unbound = newId();
    await host.ok('sources_add', { id: unbound });
    const refused = await host.refused('sync_brain', { source_id: unbound });
    expect(refused).toMatchObject({ code: 'source_unbound' });
    expect(await host.ok('sources_status', refused.fix!.mcp!.arguments)).toMatchObject({ folder: 'none' });
  });

  test('the log keeps what was brought in, and shows a reader no page that it may not see', async () => {
    const host = testHost(given().store);
    const id = newId();
    const path = folder({ 'a.md': 'a\n', 'b.md': '---\nvisibility: private\n---\n' });
    await host.ok('sources_add', { id });
    await host.ok('import', { dir: path, source_id: id });
    const logged = await host.ok('log_ingest', {
      source_type: 'meeting-notes',
      source_ref: 'Weekly call',
      pages_updated: ['a'],
      summary: 'Two decisions.',
      source_id: id,
    });
    expect(logged).toMatchObject({ status: 'ok', id: expect.any(Number) });
    const rows = await host.ok<Record<string, unknown>[]>('get_ingest_log', { source_id: id });
    expect(rows).toMatchObject([
      { source_type: 'meeting-notes', pages_updated: ['a'], summary: 'Two decisions.' },
      { source_type: 'folder', source_ref: path, pages_updated: ['a', 'b'] },
    ]);
    const seen = await host.ok<Record<string, unknown>[]>('get_ingest_log', { source_id: id, limit: 5 }, AGENT);
    expect(seen[1]).toMatchObject({ pages_updated: ['a'], source_ref: 'a folder' });
    await host.ok('import', { dir: path, source_id: id });
    expect(await host.ok('get_ingest_log', { source_id: id })).toHaveLength(2);
    expect(host.faults).toEqual([]);
  });
});
