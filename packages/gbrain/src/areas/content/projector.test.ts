// The content directory: files follow pages, edits by hand are held with two ways out, faults of the disk wait.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type TestHost, testHost } from '@gbrain/testkit/host';
import { asOrdinaryUser } from '@gbrain/testkit/ordinary-user';
import { openTestPglite, type TestStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activateContent } from './directory.ts';
import { type FollowedBrain, followCommits, projectBatch } from './projector.ts';

const BRAIN = '00000000-0000-4000-8000-000000000001';

let given: TestStore;
let home: string;
let host: TestHost;
let brain: FollowedBrain;
let root: string;
const faults: unknown[] = [];

beforeEach(async () => {
  given = await openTestPglite();
  home = mkdtempSync(join(tmpdir(), 'gbrain-content-'));
  host = testHost(given.store, { homeRoot: home, now: () => new Date() });
  brain = { store: given.store, brainId: BRAIN, home, now: () => new Date(), report: (error) => faults.push(error) };
  root = (await activateContent(brain, home)).root;
});

afterEach(async () => {
  expect([...faults.splice(0), ...host.faults]).toEqual([]);
  await given.remove();
  rmSync(home, { recursive: true, force: true });
});

const drain = async (): Promise<void> => {
  while ((await projectBatch(brain)) > 0);
};

const put = (slug: string, content: string) => host.ok('put_page', { slug, content, force: true, allow_empty: true });

function files(): Record<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => relative(root, join(entry.parentPath, entry.name))).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function edit(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), 0, 0);
}

const waiting = async (): Promise<number> => {
  const [row] = await given.store.query<{ n: number }>(
    sql`select count(*) as n from outbox where kind = 'content_file'`,
  );
  return row!.n;
};

test('files follow pages: written, changed, deleted, restored', async () => {
  await put('people/alice', '\ufeff# Alice\r\n');
  await put('b', '');
  await put('x.md/inside', 'in a folder\n');
  await put('x', 'beside it\n');
  await put(`n/${'n'.repeat(255)}`, 'long\n');
  expect(await waiting()).toBe(5);
  await drain();
  expect(await waiting()).toBe(0);
  const placed = Object.entries(files()).filter(([path]) => path.startsWith('_gbrain/pages/'));
  expect(placed.map(([, text]) => text).sort()).toEqual(['beside it\n', 'long\n']);
  expect(files()).toEqual({
    ...Object.fromEntries(placed),
    'b.md': '',
    'people/alice.md': '\ufeff# Alice\r\n',
    'x.md/inside.md': 'in a folder\n',
  });
  await put('b', 'now with text\n');
  await host.ok('delete_page', { slug: 'people/alice' });
  await drain();
  expect(files()).toMatchObject({ 'b.md': 'now with text\n' });
  expect(existsSync(join(root, 'people/alice.md'))).toBe(false);
  await host.ok('restore_page', { slug: 'people/alice' });
  await drain();
  expect(files()).toMatchObject({ 'people/alice.md': '\ufeff# Alice\r\n' });
});

test('a file that was edited by hand is held, the page says so, and both ways out run', async () => {
  await put('a', 'page one\n');
  await put('b', 'page one\n');
  await drain();
  edit('a.md', 'by hand\n');
  edit('b.md', 'by hand\n');
  await put('a', 'page two\n');
  await put('b', 'page two\n');
  await drain();
  expect(files()).toMatchObject({ 'a.md': 'by hand\n', 'b.md': 'by hand\n' });
  const outcome = await host.call('get_page', { slug: 'a' });
  expect(outcome).toMatchObject({
    kind: 'ok',
    output: { file_held: { path: 'a.md', state: 'held', reason: 'edited' }, content: 'page two\n' },
  });
  if (outcome.kind !== 'ok') throw new Error('refused');
  const [notice] = outcome.notices;
  expect(notice).toMatchObject({ code: 'file_held', kind: 'ask' });
  const [take, rewrite] = notice!.decisions![0]!.options;
  expect(take!.argv).toEqual(['gbrain', 'content', 'take', '--source', 'default', '--', 'a']);
  expect(rewrite!.argv).toEqual(['gbrain', 'content', 'rewrite', '--source', 'default', '--', 'a']);
  expect(await host.ok('content_status')).toMatchObject({ root, written: 0, held: 2, waiting: 0 });
  expect(await host.ok('content_take', { slug: 'a' })).toMatchObject({ status: 'updated', state: 'written' });
  expect(await host.ok('get_page', { slug: 'a' })).toMatchObject({ content: 'by hand\n' });
  const { kept_as } = await host.ok<{ kept_as: string }>('content_rewrite', { slug: 'b' });
  expect(readFileSync(kept_as, 'utf8')).toBe('by hand\n');
  expect(files()).toMatchObject({ 'a.md': 'by hand\n', 'b.md': 'page two\n' });
  await drain();
  expect(await host.ok('content_status')).toMatchObject({ written: 2, held: 0, waiting: 0, files: [] });
  expect(await host.ok('get_page', { slug: 'a' })).not.toHaveProperty('file_held');
  expect(await host.refused('content_take', { slug: 'a' })).toMatchObject({
    code: 'file_not_held',
    fix: { argv: ['gbrain', 'content', 'status', '--source', 'default'] },
  });
});

test('a deleted page does not take an edited file with it; the file can be taken back', async () => {
  await put('a', 'page\n');
  await drain();
  edit('a.md', 'by hand\n');
  await host.ok('delete_page', { slug: 'a' });
  await drain();
  expect(files()).toEqual({ 'a.md': 'by hand\n' });
  expect(await host.ok('content_take', { slug: 'a' })).toMatchObject({ status: 'updated', state: 'written' });
  expect(await host.ok('get_page', { slug: 'a' })).toMatchObject({ content: 'by hand\n' });
});

test('what cannot be a page is not taken, and the other way out is offered', async () => {
  await put('a', 'page\n');
  await drain();
  writeFileSync(join(root, 'a.md'), Buffer.from([0x63, 0xff]));
  utimesSync(join(root, 'a.md'), 0, 0);
  await put('a', 'page two\n');
  await drain();
  const refused = await host.refused('content_take', { slug: 'a' });
  expect(refused).toMatchObject({ code: 'file_unusable', reason: 'encoding' });
  expect(refused.fix?.argv).toEqual(['gbrain', 'content', 'rewrite', '--slug', 'a'].slice(0, 3).concat(['--', 'a']));
  expect(await host.ok('content_rewrite', { slug: 'a' })).toMatchObject({ state: 'written' });
  expect(files()['a.md']).toBe('page two\n');
});

test('nothing that stands there is written over or followed: files, folders and links of others', async () => {
  edit('a.md', 'there before\n');
  mkdirSync(join(root, 'b.md'));
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(root, 'c'));
  symlinkSync(join(home, 'target'), join(root, 'd.md'));
  for (const slug of ['a', 'b', 'c/x', 'd']) await put(slug, `${slug}\n`);
  await drain();
  expect(files()['a.md']).toBe('there before\n');
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
  expect(existsSync(join(home, 'target'))).toBe(false);
  expect(Object.values(files()).sort()).toEqual(['b\n', 'c/x\n', 'd\n', 'there before\n']);
  expect(await host.ok('get_page', { slug: 'a' })).toMatchObject({ file_held: { reason: 'occupied' } });
});

test('a crash between a file and its record is made good, and half files are cleared away', async () => {
  await put('a', 'one\n');
  await put('b', 'one\n');
  // The files were written and their records were not, as if the process had died there.
  edit('a.md', 'one\n');
  edit('b.md', 'one\n');
  await put('b', 'two\n');
  writeFileSync(join(root, '.gbrain-0123456789ab.tmp'), 'ha');
  const following = followCommits(brain);
  await put('c', 'three\n');
  await following.stop(10_000);
  expect(files()).toEqual({ 'a.md': 'one\n', 'b.md': 'two\n', 'c.md': 'three\n' });
  expect(await waiting()).toBe(0);
  expect(await host.ok('content_status')).toMatchObject({ written: 3, held: 0 });
});

test('what a killed process left is written by the next command, however short it is', async () => {
  await put('a', 'one\n');
  await put('b', 'two\n');
  expect(await waiting()).toBe(2);
  writeFileSync(join(root, '.gbrain-0123456789ab.tmp'), 'ha');
  await followCommits(brain).stop(10_000);
  expect(files()).toEqual({ 'a.md': 'one\n', 'b.md': 'two\n' });
  expect(await waiting()).toBe(0);
});

test('a folder that cannot be written puts its pages off, and loses none', async () => {
  await put('a', 'one\n');
  await put('new/b', 'two\n');
  await asOrdinaryUser([home, dirname(given.place)], async () => {
    chmodSync(root, 0o500);
    await drain();
    chmodSync(root, 0o700);
  });
  expect(await host.ok('content_status')).toMatchObject({ written: 0, failed: 0, waiting: 2 });
  await given.store.query(sql`update outbox set not_before = now()`);
  await drain();
  expect(files()).toEqual({ 'a.md': 'one\n', 'new/b.md': 'two\n' });
  expect(await host.ok('content_status')).toMatchObject({ written: 2, failed: 0, waiting: 0 });
});

test('a page whose mark is renewed while its file is written keeps the newer mark', async () => {
  await put('a', 'one\n');
  const revised = put('a', 'two\n');
  await Promise.all([projectBatch(brain), revised]);
  await drain();
  expect(files()).toEqual({ 'a.md': 'two\n' });
  expect(await waiting()).toBe(0);
});

test('a page that moves takes its file along, and import refuses the directory', async () => {
  const vault = mkdtempSync(join(tmpdir(), 'gbrain-moves-'));
  writeFileSync(join(vault, 'Old Name.md'), 'text that is one of a kind\n');
  utimesSync(join(vault, 'Old Name.md'), 0, 0);
  await host.ok('import', { dir: vault });
  await drain();
  expect(files()).toEqual({ 'Old Name.md': 'text that is one of a kind\n' });
  mkdirSync(join(vault, 'sub'));
  writeFileSync(join(vault, 'sub/New.md'), readFileSync(join(vault, 'Old Name.md')));
  utimesSync(join(vault, 'sub/New.md'), 0, 0);
  rmSync(join(vault, 'Old Name.md'));
  await host.ok('import', { dir: vault });
  await drain();
  expect(files()).toEqual({ 'sub/New.md': 'text that is one of a kind\n' });
  expect(await host.refused('import', { dir: root })).toMatchObject({
    code: 'sync_not_applicable',
    reason: 'content_directory',
    fix: { argv: ['gbrain', 'content', 'status'] },
  });
  rmSync(vault, { recursive: true });
});
