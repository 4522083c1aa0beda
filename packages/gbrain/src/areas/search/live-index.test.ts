// The live index against the rows it stands for: what it followed equals what is built at once, on both engines; a
// snapshot that is damaged, of another brain or of another past is refused.
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore, type TestStore } from '@gbrain/testkit/stores';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../store/sql.ts';
import { LiveIndex } from './live-index.ts';
import type { SnapshotFile } from './snapshot-file.ts';

const INCARNATION = '00000000-0000-4000-8000-0000000000aa';
const WORDS = ['amber', 'basalt', 'cobalt', 'dolomite', 'emerald', 'feldspar'];
const SLUGS = ['notes/one', 'notes/two', 'notes/three', 'people/four'];

/** A snapshot file in memory. */
class MemoryFile implements SnapshotFile {
  bytes: Uint8Array | undefined;
  async read(): Promise<Uint8Array | undefined> {
    return this.bytes;
  }
  async write(parts: readonly Uint8Array[]): Promise<void> {
    this.bytes = new Uint8Array(Buffer.concat(parts));
  }
}

const open = ({ store }: TestStore, file: SnapshotFile = new MemoryFile(), incarnation = INCARNATION) =>
  LiveIndex.open({ store, incarnation, file, language: 'english' });

/** What an index finds for every word, for the owner and for everybody else. */
async function answers(live: LiveIndex): Promise<unknown> {
  const index = await live.current();
  const all: unknown[] = [];
  for (const seesPrivate of [true, false]) {
    for (const word of WORDS) {
      const { pages } = await index.search(word, { sources: ['default'], seesPrivate }, { limit: 50 });
      all.push(pages.map(({ slug, title, score }) => [slug, title, score.toFixed(6)]).sort());
    }
  }
  return all;
}

type Step = { kind: 'put' | 'delete' | 'restore'; slug: string; words: string[]; isPrivate: boolean };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'restore'),
  slug: fc.constantFrom(...SLUGS),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
  isPrivate: fc.boolean(),
});

async function take(host: TestHost, { kind, slug, words, isPrivate }: Step): Promise<void> {
  const head = `---\ntitle: ${words[0]}\n${isPrivate ? 'visibility: private\n' : ''}---\n`;
  const content = `${head}# ${words[0]}\n\n${words.join(' ')}\n`;
  if (kind === 'put') await host.call('put_page', { slug, content, force: true });
  else await host.call(kind === 'delete' ? 'delete_page' : 'restore_page', { slug });
}

eachStore('a live index', (given) => {
  let host: TestHost;
  beforeAll(() => {
    host = testHost(given().store);
  });

  test('that follows the feed answers as one that is built at once', async () => {
    const followed = await open(given());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const one of steps) await take(host, one);
        expect(await answers(followed)).toEqual(await answers(await open(given())));
      }),
      { numRuns: 12 },
    );
    expect(host.faults).toEqual([]);
  });

  test('shows a write to whoever asks after it, also while another round is under way', async () => {
    const live = await open(given());
    for (let i = 0; i < 10; i++) {
      // Rounds that began before the write; the asker must not be given one of them.
      const running = [live.current(), live.current()];
      await host.ok('put_page', { slug: `fresh/p${i}`, content: `# Fresh ${i}\n\ngarnet${i}\n` });
      const index = await live.current();
      const { pages } = await index.search(`garnet${i}`, { sources: ['default'], seesPrivate: false }, {});
      expect(pages[0]?.slug).toBe(`fresh/p${i}`);
      await Promise.all(running);
    }
  });

  test('a caller that joins a running round is given the next one', async () => {
    const live = await open(given());
    const first = live.current();
    const joined = live.current();
    expect(joined).not.toBe(first);
    expect(live.current()).toBe(joined);
    await Promise.all([first, joined]);
  });

  describe('its snapshot', () => {
    const file = new MemoryFile();
    beforeAll(async () => {
      await host.ok('put_page', { slug: 'snap/one', content: '# One\n\namber\n', force: true });
      await (await open(given(), file)).save();
    });

    const copyOf = (bytes: Uint8Array | undefined): MemoryFile => Object.assign(new MemoryFile(), { bytes });

    test('is used, and what came after it is followed', async () => {
      await host.ok('put_page', { slug: 'snap/two', content: '# Two\n\nhematite\n', force: true });
      const live = await open(given(), copyOf(file.bytes));
      expect(live.rebuilt).toBeUndefined();
      expect(await answers(live)).toEqual(await answers(await open(given())));
      const index = await live.current();
      const found = await index.search('hematite', { sources: ['default'], seesPrivate: false }, {});
      expect(found.pages.map(({ slug }) => slug)).toEqual(['snap/two']);
    });

    test('is refused when any byte of it was damaged', async () => {
      const { bytes } = file;
      const size = bytes!.length;
      for (const at of [0, 9, 40, Math.floor(size / 3), Math.floor(size / 2), size - 1]) {
        const damaged = bytes!.slice();
        damaged[at]! ^= 0x5a;
        const live = await open(given(), copyOf(damaged));
        expect([at, live.rebuilt]).toEqual([at, expect.any(String)]);
      }
      for (const length of [0, 3, Math.floor(size / 2), size - 1]) {
        expect((await open(given(), copyOf(bytes!.slice(0, length)))).rebuilt).toEqual(expect.any(String));
      }
    });

    test('is refused by another brain', async () => {
      const live = await open(given(), copyOf(file.bytes), '00000000-0000-4000-8000-0000000000bb');
      expect(live.rebuilt).toEqual(expect.any(String));
    });

    test('is refused when the rows went back to before it', async () => {
      const later = new MemoryFile();
      await host.ok('put_page', { slug: 'snap/three', content: '# Three\n\nhematite\n', force: true });
      await (await open(given(), later)).save();
      await given().store.query(sql`delete from changes where position = (select max(position) from changes)`);
      expect((await open(given(), later)).rebuilt).toBe('other_past');
    });
  });

  test('finds nothing private for anybody but the owner, by any word of it', async () => {
    const secret = '---\ntitle: Zanzibar plan\nvisibility: private\naliases: [zanzibar page]\n---\nzanzibar\n';
    await host.ok('put_page', { slug: 'plans/zanzibar', content: secret });
    await host.ok('put_page', { slug: 'notes/near', content: '# Near\n\nzanzibars and zanzibr\n' });
    for (const op of ['search', 'query']) {
      const outcome = await host.call(op, { query: 'zanzibar plan' }, { ...OWNER, transport: 'stdio', owner: false });
      // The page of the agent's own view has near words; nothing of the reply may come from the other one.
      const text = JSON.stringify(outcome).replaceAll(/zanzibars|zanzibr|zanzibar plan/g, '');
      expect(text).not.toMatch(/plans\/|Zanzibar plan|zanzibar page/);
      const own = await host.ok<{ slug: string }[]>(op, { query: 'zanzibar plan' });
      expect(own[0]?.slug).toBe('plans/zanzibar');
    }
    const held = await host.ok('put_page', { slug: 'turns/private', content: '# Turned\n\nobsidian\n' });
    const agent = { ...OWNER, transport: 'stdio' as const, owner: false };
    expect(await host.ok<unknown[]>('search', { query: 'obsidian' }, agent)).toHaveLength(1);
    const hidden = '---\nvisibility: private\n---\n# Turned\n\nobsidian\n';
    await host.ok('put_page', { slug: 'turns/private', content: hidden, expected_revision: held.revision });
    const after = await host.call('search', { query: 'obsidian' }, agent);
    expect(after).toMatchObject({ kind: 'ok', output: [], notices: [{ code: 'empty_retrieval' }] });
    expect(after).toMatchObject({ meta: { retrieval: { returned_count: 0, retrieved_count: 0 } } });
  });
});
