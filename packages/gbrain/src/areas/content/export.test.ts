// A folder in, the same folder out, and the same brain from it: laws over random vaults, and the edges of an export.
import { createHash, randomUUID } from 'node:crypto';
import {
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
import { eachStore } from '@gbrain/testkit/stores';
import fc from 'fast-check';
import { sql } from 'gbrain/store/sql';
import type { Store } from 'gbrain/store/store';
import { afterAll, expect, test } from 'vitest';
import type { ImportReply } from '../ingest/import-reply.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'gbrain-export-'));
  folders.push(root);
  return root;
}

function writeAll(root: string, files: ReadonlyMap<string, Buffer>): void {
  const old = new Date(Date.now() - 60_000);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
    utimesSync(join(root, path), old, old);
  }
}

/** Every file below a root but what an export adds. */
function filesOf(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('_gbrain/'));
  return new Map(files.sort().map((path) => [path, readFileSync(join(root, path), 'base64')]));
}

async function newSource(store: Store): Promise<string> {
  const id = `s${randomUUID().slice(0, 8)}`;
  await store.query(sql`insert into sources (id, name) values (${id}, ${id})`);
  return id;
}

interface Candidate {
  id: number;
  keys: string[];
  slug: string;
}

/** Candidates of an ambiguous reference as another brain would hold them: without row ids, in no order of theirs. */
const withoutIds = (field: string, value: unknown): unknown =>
  field === 'candidates'
    ? (value as Candidate[])
        .map(({ id: _, keys, ...rest }) => ({ ...rest, keys: keys.toSorted() }))
        .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    : value;

/** Everything that a source's pages are, without the numbers that a database gives out and the source's own name. */
async function brainOf(store: Store, source: string): Promise<unknown> {
  const named = (text: string) => text.replaceAll(source, '#');
  const read = async (text: string) => {
    const rows = await store.query<Record<string, unknown>>({ text, params: [source] });
    return rows.map((row) => named(JSON.stringify(row, withoutIds))).sort();
  };
  const page = 'join pages p on p.id = x.page_id where p.source_id = $1';
  return {
    pages: await read(`select slug, text, revision, title, type, page_kind, frontmatter, tags,
      visibility, content_hash, effective_date, effective_date_source, source_path, folded_slug, size_bytes,
      source_kind, source_uri, ingested_via, content_origin, trust_tier, writer_principal, created_at, updated_at,
      deleted_at from pages where source_id = $1`),
    versions: await read(`select p.slug, x.revision, x.text, x.title, x.type, x.frontmatter, x.deleted,
      x.writer_principal, x.created_at from page_versions x ${page}`),
    aliases: await read(`select p.slug, x.alias, x.kind from page_aliases x ${page}`),
    chunks: await read(`select p.slug, x.chunk_index, x.source, x.text from page_chunks x ${page}`),
    timeline: await read(`select p.slug, x.date, x.summary, x.detail from timeline_entries x ${page}`),
    said: await read(`select p.slug, x.links from page_links x ${page}`),
    open: await read(`select p.slug, x.open_keys, x.open from page_waits x ${page} and p.deleted_at is null`),
    keys: await read(`select p.slug, x.key from page_keys x ${page}`),
    links: await read(`select f.slug as a, t.slug as b, x.link_type, x.link_source, x.context, x.reason
      from links x join pages f on f.id = x.from_page_id join pages t on t.id = x.to_page_id
      where f.source_id = $1`),
  };
}

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'B',
    'näme',
    'nä\u0308me',
    '日本',
    'x y',
    "it's",
    'p"q',
    '.dot',
    'Read Me',
    'a.b',
    '~',
    'µ',
    '-',
    'é',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((one) => !/[/\0\\]/.test(one) && one.isWellFormed()),
);
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.md', '.mdx', '.MD'))
  .map(([parts, last, end]) => [...parts, `${last}${end}`].join('/'))
  .filter((one) => one.split('/').every((part) => part !== '.' && part !== '..' && !part.startsWith('_gbrain')));
const line = fc.oneof(
  fc.constantFrom(
    '',
    '# Title',
    '- **2026-01-02** | note — met [[a]]',
    '[[B]] and [x y](x%20y.md)',
    '```',
    '---',
    '## Timeline',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);
const head = fc.constantFrom(
  '',
  '---\ntitle: T: x\ntags: [a, B]\n---\n',
  '---\naliases: [Also, "näme"]\ndate: 2025-02-03\n---\n',
  '---\nvisibility: private\nid: 7\n---\n',
);
const content = fc
  .tuple(fc.constantFrom('', '\ufeff'), head, fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'))
  .map(([bom, top, lines, eol]) => Buffer.from(bom + (top + lines.join('\n')).replaceAll('\n', eol)));
const vaults = fc.dictionary(path, content, { minKeys: 1, maxKeys: 12, noNullPrototype: true });

/** A vault as a file system takes it: names that collide, or are too long, drop out. */
function settleVault(vault: Record<string, Buffer>): string {
  const root = folder();
  for (const [one, bytes] of Object.entries(vault)) {
    try {
      writeAll(root, new Map([[one, bytes]]));
    } catch {
      // A file where a folder must be, or a name that this file system does not have.
    }
  }
  return root;
}

const run = (host: TestHost, source_id: string, dir: string, more = {}) =>
  host.ok<ImportReply>('import', { dir, source_id, include_hidden: true, ...more });

/** Things that happen in a brain after its files came in. */
async function live(
  host: TestHost,
  store: Store,
  source_id: string,
  slugs: readonly string[],
  dir: string,
): Promise<void> {
  const put = (slug: string, text: string) => host.ok('put_page', { slug, content: text, force: true, source_id });
  await put('born/here', '# Born\n\n[[a]]\n');
  await put('born/here', '# Born again\n');
  await put('x.md/inside', 'a folder that looks like a file\n');
  await put('x', 'and the file\n');
  await put(`long/${'n'.repeat(254)}`, 'a name that no file system takes\n');
  await put('born/gone', 'short life\n');
  await host.ok('delete_page', { slug: 'born/gone', source_id });
  await host.ok('add_link', { from: 'born/here', to: 'x', link_type: 'near', context: 'by hand', source_id });
  const [first] = slugs;
  if (first !== undefined) {
    await host.ok('delete_page', { slug: first, source_id });
    await host.ok('restore_page', { slug: first, source_id });
  }
  const moved = join(dir, 'moved-here.md');
  writeAll(dir, new Map([['to-move.md', Buffer.from(`unique ${randomUUID()}\n`)]]));
  await run(host, source_id, dir);
  writeFileSync(moved, readFileSync(join(dir, 'to-move.md')));
  rmSync(join(dir, 'to-move.md'));
  utimesSync(moved, new Date(0), new Date(0));
  await run(host, source_id, dir);
  expect(
    await store.query(sql`select 1 from page_aliases where source_id = ${source_id} and kind = 'moved'`),
  ).toHaveLength(1);
  // Rows that a caller adds by hand are words of the page, of one born here and of one that a file made.
  for (const slug of ['born/here', 'moved-here']) {
    const entry = { slug, date: '2026-02-03', summary: 'Met [[x]]', detail: 'At noon.', source: 'call', source_id };
    await host.ok('add_timeline_entry', entry);
    await host.ok('add_tag', { slug, tag: 'by hand', source_id });
  }
}

eachStore('round trip', (given) => {
  test('any vault comes out as it went in, and gives the same brain', async () => {
    const { store } = given();
    const host = testHost(store);
    await fc.assert(
      fc.asyncProperty(vaults, fc.boolean(), async (vault, isLived) => {
        const dir = settleVault(vault);
        const source = await newSource(store);
        const first = await run(host, source, dir);
        const done = first.outcomes.filter(({ verdict }) => verdict === 'imported');
        if (isLived)
          await live(
            host,
            store,
            source,
            done.map(({ slug }) => slug!),
            dir,
          );
        const out = folder();
        const exported = await host.ok<{ failed: number; held: number }>('export', { dir: out, source_id: source });
        expect(exported).toMatchObject({ failed: 0, held: 0 });
        const before = filesOf(dir);
        const after = filesOf(out);
        for (const { path: one } of done) if (before.has(one)) expect(after.get(one)).toBe(before.get(one));
        if (!isLived) expect([...after.keys()].sort()).toEqual(done.map((one) => one.path).sort());
        const copy = await newSource(store);
        const again = await run(host, copy, out);
        expect(again).toMatchObject({ failed: 0, unchanged: 0 });
        for (const part of again.parts ?? []) expect(part).toMatchObject({ skipped: 0, bad: 0 });
        expect(await brainOf(store, copy)).toEqual(await brainOf(store, source));
        expect(await run(host, copy, out)).toMatchObject({ imported: 0, failed: 0 });
        expect(await brainOf(store, copy)).toEqual(await brainOf(store, source));
        const second = folder();
        await host.ok('export', { dir: second, source_id: copy });
        expect(filesOf(second)).toEqual(after);
        const line = (root: string, file: string) => readFileSync(join(root, '_gbrain', file), 'utf8');
        for (const file of ['page-facts.jsonl', 'versions.jsonl', 'moved-slugs.jsonl', 'manual-links.jsonl']) {
          expect(line(second, file)).toBe(line(out, file));
        }
      }),
      { numRuns: 25 },
    );
    expect(host.faults).toEqual([]);
  }, 300_000);

  test('a file that it did not write is kept unless asked; a second export writes what changed', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await newSource(store);
    const put = (slug: string, text: string) => host.ok('put_page', { slug, content: text, force: true, source_id });
    for (const slug of ['a', 'b', 'c/d', 'e']) await put(slug, `${slug}\n`);
    const dir = folder();
    writeFileSync(join(dir, 'b.md'), 'mine\n');
    writeFileSync(join(dir, 'a.md'), 'a\n');
    mkdirSync(join(dir, 'elsewhere'));
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'c'));
    const first = await host.ok('export', { dir, source_id });
    expect(first).toMatchObject({ pages: 4, written: 1, unchanged: 1, held: 1, failed: 1 });
    expect(first.problems).toEqual(
      expect.arrayContaining([
        { path: 'b.md', slug: 'b', outcome: 'held' },
        { path: 'c/d.md', slug: 'c/d', outcome: 'failed', detail: 'c is a file or a link' },
      ]),
    );
    expect(readFileSync(join(dir, 'b.md'), 'utf8')).toBe('mine\n');
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([]);
    rmSync(join(dir, 'c'));
    await put('e', 'changed\n');
    await host.ok('delete_page', { slug: 'a', source_id });
    expect(await host.ok('export', { dir, source_id })).toMatchObject({ pages: 3, written: 2, held: 1, stale: 1 });
    expect(readFileSync(join(dir, 'e.md'), 'utf8')).toBe('changed\n');
    writeFileSync(join(dir, 'e.md'), 'edited by hand\n');
    expect(await host.ok('export', { dir, source_id, prune: true })).toMatchObject({
      held: 2,
      unchanged: 1,
      pruned: 1,
    });
    expect(existsSync(join(dir, 'a.md'))).toBe(false);
    expect(await host.ok('export', { dir, source_id, force: true })).toMatchObject({ written: 2, held: 0 });
    expect(host.faults).toEqual([]);
  });

  test('refuses a folder of its own, of another export, and one that is no folder', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await newSource(store);
    const other = await newSource(store);
    const dir = folder();
    await host.ok('export', { dir, source_id });
    const refused = async (args: Record<string, unknown>) => (await host.refused('export', args)).reason;
    expect(await refused({ dir, source_id: other })).toBe('other_export');
    expect(await host.refused('export', { dir, source_id: other })).toMatchObject({
      fix: { argv: ['ls', '-la', '--', dirname(dir)] },
    });
    expect(await refused({ dir: 'relative' })).toBe('not_absolute');
    writeFileSync(join(dir, 'file'), '');
    expect(await refused({ dir: join(dir, 'file'), source_id })).toBe('cannot_make');
    const foreign = folder();
    mkdirSync(join(foreign, '_gbrain'));
    writeFileSync(join(foreign, '_gbrain/notes.md'), 'mine');
    expect(await refused({ dir: foreign, source_id })).toBe('occupied');
    writeFileSync(join(foreign, '_gbrain/manifest.json'), '{}');
    expect(await host.refused('export', { dir: foreign, source_id })).toMatchObject({ code: 'export_unreadable' });
    expect(await host.refused('import', { dir: foreign, source_id })).toMatchObject({ code: 'export_unreadable' });
  });

  test('what a damaged or foreign export says beside its pages costs no more than its own lines', async () => {
    const { store } = given();
    const host = testHost(store);
    const source = await newSource(store);
    await host.ok('put_page', { slug: 'a', content: 'one\n', source_id: source });
    await host.ok('put_page', { slug: 'a', content: 'two\n', source_id: source, force: true });
    const dir = folder();
    await host.ok('export', { dir, source_id: source });
    const data = (file: string) => join(dir, '_gbrain', file);
    const facts = readFileSync(data('page-facts.jsonl'), 'utf8');
    writeFileSync(data('page-facts.jsonl'), `${facts.replace('"owner"', '"root"')}{"half": \n${facts}null\n`);
    const manifest = JSON.parse(readFileSync(data('manifest.json'), 'utf8'));
    manifest.parts.push({ name: 'dreams', version: 1, rows: 3 });
    manifest.parts.find((one: { name: string }) => one.name === 'versions').version = 99;
    writeFileSync(data('manifest.json'), JSON.stringify(manifest));
    writeFileSync(data('files.jsonl'), `{"path":"../../outside.md","slug":"a","hash":"${'0'.repeat(64)}"}\n`);
    const target = await newSource(store);
    await host.ok('put_page', { slug: 'b', content: 'local\n', source_id: target });
    const reply = await run(host, target, dir);
    const parts = Object.fromEntries((reply.parts ?? []).map(({ name: part, ...rest }) => [part, rest]));
    expect(parts).toMatchObject({
      'page-facts': { rows: 4, restored: 1, bad: 3 },
      versions: { unknown: true, restored: 0 },
      dreams: { unknown: true, rows: 3 },
    });
    expect(await host.ok('get_page', { slug: 'a', source_id: target })).toMatchObject({ trust_tier: 'owner' });
    expect(host.faults).toEqual([]);
  });

  test('what is written is whole: the hash of every listed file is that of its bytes', async () => {
    const { store } = given();
    const host = testHost(store);
    const source_id = await newSource(store);
    for (let n = 0; n < 30; n++)
      await host.ok('put_page', { slug: `p/${n}`, content: `${n}\n`.repeat(n), source_id, allow_empty: true });
    const dir = folder();
    await host.ok('export', { dir, source_id });
    const listed = readFileSync(join(dir, '_gbrain/files.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(listed).toHaveLength(30);
    for (const { path: one, hash } of listed) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(dir, one)))
          .digest('hex'),
      ).toBe(hash);
    }
    expect(readdirSync(join(dir, '_gbrain')).filter((one) => one.startsWith('.'))).toEqual([]);
  });
});
