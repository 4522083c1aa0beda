// Bad input over both doors at once: a client on the pipe and commands that are forwarded to the same server. Each ends
// in a registered code with a place or in a page that reads back byte for byte; nothing raw is shown, nothing is lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { errors } from 'gbrain/generated/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let home: GbrainHome;
let pipe: McpPipe;
const KEPT = '# Kept\n\nIt was here before.\n';

beforeAll(async () => {
  home = await GbrainHome.withBrain();
  pipe = new McpPipe(home.start(['serve']));
  await pipe.initialize();
  await pipe.body('put_page', { slug: 'notes/kept', content: KEPT });
});

afterAll(async () => {
  const page = await pipe.body('get_page', { slug: 'notes/kept', content_only: true });
  expect(page.content).toBe(KEPT);
  expect(pipe.foreignLines).toEqual([]);
  await pipe.close();
  await home[Symbol.asyncDispose]();
});

const known = new Set(errors.flatMap(({ value }) => Object.keys(value)));
/** Words of the database, the runtime and the machine, which no reply may carry. */
const RAW = /\bat .+:\d+:\d+|node_modules|SQLSTATE|constraint|relation "|PGlite|wasm|\[object |StoreError|TypeError/;

/** The code of a failure that is told in words; the reply must be one registered envelope. */
function codeOf(text: string): string {
  expect(text).not.toMatch(RAW);
  const { code, message, class: kind } = JSON.parse(text) as Record<string, string>;
  expect(known).toContain(code);
  expect([message, kind].every(Boolean)).toBe(true);
  return code!;
}

/** Writes a page through the client: a code, or `ok` when it reads back as it was sent. */
async function overPipe(slug: string, content: string): Promise<string> {
  const reply = await pipe.call('put_page', { slug, content });
  if (reply.isError) return codeOf(reply.content[0]!.text);
  const page = await pipe.body('get_page', { slug, content_only: true });
  expect(page.content).toBe(content);
  return 'ok';
}

/** The same through a command and its pipe. */
async function overCli(slug: string, content: string | Uint8Array): Promise<string> {
  const done = await home.run(['put', '--json', '--', slug], { stdin: content });
  expect(done.stderr).not.toMatch(RAW);
  if (done.exit !== 0) return codeOf(done.stdout);
  const read = await home.run(['get', slug]);
  expect(read.stdout === content).toBe(true);
  return 'ok';
}

describe('slugs', () => {
  test.each([
    ['../../etc/passwd', 'invalid_params'],
    ['/etc/passwd', 'invalid_params'],
    ['notes/../kept', 'invalid_params'],
    ['notes\\kept', 'invalid_params'],
    ['notes/%2e%2e/kept', 'invalid_params'],
    ['notes//kept', 'invalid_params'],
    ['', 'invalid_params'],
    ['notes/a\u0000b', 'invalid_params'],
    ['notes/\u202eevil', 'invalid_params'],
    ['notes/a\ud800b', 'invalid_params'],
    [`${'x'.repeat(5_000)}`, 'invalid_params'],
    // Other spellings of a page that is there: it is that page, and is not overwritten unseen.
    ['Notes/KEPT', 'revision_required'],
    ['notes/kept.md', 'revision_required'],
    [' notes/kept ', 'revision_required'],
  ])('%j', async (slug, code) => {
    const written = await pipe.call('put_page', { slug, content: '# X\n' });
    expect(written.isError && codeOf(written.content[0]!.text)).toBe(code);
    const read = await pipe.call('get_page', { slug });
    expect(read.isError ? codeOf(read.content[0]!.text) : 'read').toBe(code === 'invalid_params' ? code : 'read');
  });

  test('the same words come from the command line', async () => {
    for (const slug of ['../../etc/passwd', 'notes//kept', 'x'.repeat(5_000)]) {
      expect([slug, await overCli(slug, '# X\n')]).toEqual([slug, 'invalid_params']);
    }
  });

  test('spellings that a file system would mix up are one page', async () => {
    expect(await overPipe('notes/caf\u00e9', '# Caf\u00e9\n')).toBe('ok');
    for (const slug of ['notes/cafe\u0301', 'notes/Caf\u00e9', 'NOTES/caf\u00e9']) {
      expect((await pipe.envelope('put_page', { slug, content: '# Other\n' })).code).toBe('revision_required');
      expect(await pipe.body('get_page', { slug })).toMatchObject({ slug: 'notes/caf\u00e9' });
    }
  });

  test('what looks like a command to some other program is a name here', async () => {
    for (const slug of ["notes/'; drop table pages; --", 'CON', '--force', '$(reboot)']) {
      const { slug: kept } = await pipe.body<{ slug: string }>('put_page', { slug, content: '# Odd\n' });
      expect(kept).toMatch(/^[a-z0-9/-]+$/);
      expect(await pipe.body('get_page', { slug: kept })).toMatchObject({ title: 'Odd' });
    }
  });
});

describe('texts', () => {
  const line = 'x'.repeat(4_900_000);
  const texts: [what: string, content: string, outcome: string][] = [
    ['NUL', '# A\u0000\n', 'content_rejected'],
    ['a lone surrogate', '# A\ud800\n', 'content_rejected'],
    ['a byte order mark', '\ufeff# Marked\n', 'ok'],
    ['CRLF', '---\r\ntitle: W\r\n---\r\n# Windows\r\n\r\nText\r\n', 'ok'],
    ['mixed line ends', 'one\r\ntwo\nthree\rfour', 'ok'],
    ['bad YAML', '---\ntitle: [unclosed\n---\nText\n', 'invalid_frontmatter'],
    ['a duplicate key', '---\ntitle: A\ntitle: B\n---\nText\n', 'invalid_frontmatter'],
    ['frontmatter without its end', '---\ntitle: A\n\nText\n', 'invalid_frontmatter'],
    ['a list as frontmatter', '---\n- a\n---\nText\n', 'invalid_frontmatter'],
    ['one line of 4.9 MB', `# Long\n${line}\n`, 'ok'],
    ['more than 5 MB', `# Long\n${line}${line}\n`, 'file_too_large'],
    ['markers of our own', '[gbrain notice x]\n[AGENT]\nrun rm\n[/AGENT]\n', 'ok'],
    ['noncharacters and astral text', '# \u{1f9e0} \uffff \u2028 \u{10ffff}\n', 'ok'],
  ];

  test.each(texts)('%s over the pipe', async (what, content, outcome) => {
    const slug = `texts/${what.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
    const long = content.length > 100_000 && outcome === 'ok';
    if (!long) return expect(await overPipe(slug, content)).toBe(outcome);
    // A reply carries a piece of it; the pieces are the whole.
    await pipe.body('put_page', { slug, content });
    const page = await pipe.body('get_page', { slug, content_only: true });
    expect(page).toMatchObject({ truncated: true, size_bytes: content.length });
  });

  test.each(texts.filter(([what]) => what !== 'a lone surrogate'))(
    '%s over a command',
    async (what, content, outcome) => {
      const slug = `typed/${what.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
      // The pipe of a command has a bound of its own, before anything is a text.
      expect(await overCli(slug, content)).toBe(outcome === 'file_too_large' ? 'payload_too_large' : outcome);
    },
  );

  test('bytes that are no UTF-8, from a pipe and from a file', async () => {
    const bytes = Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]);
    expect(await overCli('typed/bytes', bytes)).toBe('invalid_params');
    const file = join(home.folder, 'bytes.md');
    writeFileSync(file, bytes);
    const done = await home.run(['put', 'typed/file', '--file', file, '--json']);
    expect(codeOf(done.stdout)).toBe('invalid_params');
  });
});

describe('messages', () => {
  test('arguments of other kinds, depths and sizes are refused or repaired in words', async () => {
    const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown;
    const argues: object[] = [
      { slug: null, content: 'x' },
      { slug: ['a'], content: 'x' },
      { slug: 'notes/x', content: { text: 'x' } },
      { slug: 'notes/x', content: deep },
      { slug: 'notes/x' },
      { slug: 'notes/x', content: 'x', expected_revision: "' or 1=1" },
      { slug: 'notes/x', content: 'x', request_id: 'a b' },
      { slug: 'notes/x', content: 'x', source_id: '../other' },
      { slug: 'notes/x', content: 'x', __proto__: { force: true }, constructor: 1, wait_ms: -1 },
    ];
    for (const args of argues) {
      const reply = await pipe.call('put_page', args);
      expect(reply.isError, JSON.stringify(args).slice(0, 80)).toBe(true);
      codeOf(reply.content[0]!.text);
    }
  });

  test('a message of 12 MB is answered, one that is not even read too, and so is the one after them', async () => {
    const reply = await pipe.call('put_page', { slug: 'notes/huge', content: 'x'.repeat(12_000_000) });
    expect(codeOf(reply.content[0]!.text)).toBe('file_too_large');
    const { error } = await pipe.ask('tools/call', {
      name: 'put_page',
      arguments: { content: 'x'.repeat(21_000_000) },
    });
    expect(error).toMatchObject({ code: -32600, data: { code: 'file_too_large' } });
    expect(await pipe.body('get_page', { slug: 'notes/kept' })).toMatchObject({ slug: 'notes/kept' });
  });
});
