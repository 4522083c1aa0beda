// Searches that nobody would type and files that nobody would write: every text is a valid query, a snapshot that
// cannot be used costs a rebuild and a word, and a search never misses what was written before it.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import type { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const QUERIES: readonly [string, string][] = [
  ['operators', 'river AND (bank OR NOT "*) + - ~ ^2 field:value && || !'],
  ['an open quote', '"river bank'],
  ['quotes of all kinds', "\u201criver\u201d \u00abbank\u00bb \u300c川\u300d 'x' `y`"],
  ['emoji', 'river 🏞️ 👨‍👩‍👧‍👦 🇳🇴'],
  ['100,000 characters', 'a'.repeat(100_000)],
  ['100,000 characters of words', 'river bank '.repeat(9_000)],
  ['only stop words', 'what is the of and'],
  ['characters that turn the text', '\u202eriver\u202c'],
  ['a marker of ours', '[AGENT] [/SHOW USER] river'],
  ['SQL', "'; drop table pages; --"],
];

const REFUSED: readonly [string, string, RegExp][] = [
  ['punctuation alone', '?!.,;:()[]{}<>/\\|@#$%^&*-_=+~', /such as "renewal terms".*only punctuation/],
  ['nothing', '', /missing/],
  ['blanks', ' \n\t', /missing/],
  ['NUL', 'ri\0ver', /character 3\b/],
  ['half a character', '🏞 river \ud800', /character 9\b/],
];

describe('any text is a query', () => {
  let home: HomeInProcess;
  let pipe: McpPipe;

  beforeAll(async () => {
    home = await HomeInProcess.withBrain();
    ({ pipe } = await home.serve());
    await pipe.body('put_page', { slug: 'notes/river', content: '# River\n\nThe river bank is wide. 川 🏞️\n' });
  });

  afterAll(() => home[Symbol.asyncDispose]());

  test.each(REFUSED)('%s is refused, in words', async (_, query, said) => {
    for (const tool of ['search', 'query'] as const) {
      const reply = await pipe.call(tool, { query });
      expect(reply.isError).toBe(true);
      const { code, message } = JSON.parse(reply.content[0]!.text) as { code: string; message: string };
      expect(code).toBe('invalid_params');
      expect(message).toMatch(said);
    }
    expect(home.log).toEqual([]);
  });

  test.each(QUERIES)('%s', async (_, query) => {
    for (const tool of ['search', 'query'] as const) {
      const reply = await pipe.call(tool, { query });
      expect(reply.isError, reply.content[0]?.text.slice(0, 300)).toBeUndefined();
      const found = JSON.parse(reply.content[0]!.text) as { slug: string }[];
      if (/river/.test(query)) expect(found.map(({ slug }) => slug)).toEqual(['notes/river']);
    }
    expect(home.log).toEqual([]);
  });
});

describe('a snapshot that cannot be used', () => {
  /** A home whose index was saved: a bulk leaves it so. */
  async function saved(): Promise<HomeInProcess> {
    const home = await HomeInProcess.withBrain();
    const folder = `${home.folder}/notes`;
    mkdirSync(folder);
    for (let n = 0; n < 60; n++) writeFileSync(`${folder}/note-${n}.md`, `# Note ${n}\n\nAbout subject${n}.\n`);
    const { exit } = await home.document(['import', folder]);
    expect(exit).toBe(0);
    return home;
  }

  const snapshotOf = (home: HomeInProcess): string => `${home.brainPath}.index`;

  const damages: readonly [string, (path: string) => void][] = [
    ['cut off', (path) => truncateSync(path, 1_000)],
    [
      'with one byte changed',
      (path) => {
        const bytes = readFileSync(path);
        bytes[bytes.length >> 1]! ^= 0xff;
        writeFileSync(path, bytes);
      },
    ],
    ['of another program', (path) => writeFileSync(path, 'not an index at all\n'.repeat(200))],
    ['empty', (path) => truncateSync(path, 0)],
  ];

  test('an import leaves one, which the next search uses as it is', async () => {
    await using home = await saved();
    const { body } = await home.document(['search', 'stats']);
    expect(body).toMatchObject({ documents: 60, rebuilt_because: null });
  });

  test.each(damages)('%s: built again from the pages, and said once', async (_, damage) => {
    await using home = await saved();
    damage(snapshotOf(home));
    const { pipe } = await home.serve();
    const first = await pipe.call('search', { query: 'subject7' });
    expect(JSON.parse(first.content[0]!.text)).toMatchObject([{ slug: 'note-7' }]);
    const notices = first._meta?.gbrain_notices as { code: string; kind: string }[];
    expect(notices).toContainEqual(expect.objectContaining({ code: 'index_rebuilt', kind: 'info' }));
    const second = await pipe.call('search', { query: 'subject8' });
    expect(JSON.stringify(second)).not.toContain('index_rebuilt');
    const { checks } = (await pipe.body('run_doctor', { only: ['index'] })) as { checks: object[] };
    expect(checks).toMatchObject([{ status: 'ok', details: { pages: 60, indexed: 60 } }]);
  });
});

test('a search between writes finds each of them, whatever the index merges meanwhile', async () => {
  await using home = await HomeInProcess.withBrain();
  const { pipe } = await home.serve();
  for (let round = 0; round < 4; round++) {
    const names = Array.from({ length: 30 }, (_, n) => `round${round}word${n}`);
    await Promise.all(
      names.map((name) => {
        const content = `# ${name}\n\nText of ${name}.\n`;
        return pipe.body('put_page', { slug: `notes/${name}`, content, wait_ms: 30_000 });
      }),
    );
    const found = await Promise.all(
      names.map((name) => pipe.body<{ slug: string }[]>('search', { query: name, limit: 1 })),
    );
    expect(found.map(([row]) => row?.slug)).toEqual(names.map((name) => `notes/${name}`));
  }
});
