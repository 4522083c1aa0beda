// One brain on both engines, taken in by different ways: an import at once, and single writes, rewrites and removals
// between searches. 2,000 questions of every kind rank alike, to the last digit of the score.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestHost, testHost } from '@gbrain/testkit/host';
import { hasPostgres, openTestPglite, openTestPostgres, type TestStore } from '@gbrain/testkit/stores';
import type { SearchReply } from 'gbrain/index/lexical-index';
import type { Store } from 'gbrain/store/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { numbersFrom } from '../eval/metrics.ts';
import { LiveIndex } from './live-index.ts';
import { readEdges } from './search.sql.ts';
import type { SnapshotFile } from './snapshot-file.ts';

const QUESTIONS = 2_000;
const random = numbersFrom(20_260_301);
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
const some = (count: number, all: readonly string[]): string =>
  Array.from({ length: count }, () => pick(all)).join(' ');

const FIRST = ['Adela', 'Bram', 'Zoë', 'Łukasz', 'Søren', 'Greta', 'Núñez', 'Ilse', 'Katya', 'Odile'];
const LAST = ['Abernathy', 'Drummond', 'Čapek', 'Hawksmoor', 'Öztürk', 'Okonkwo', 'Larkspur', 'Whitlock'];
const FIRMS = ['Amber Foods', 'Birch Mapping', 'Cobalt Genomics', 'Delta Freight', 'Echo Ledger', 'Fathom Optics'];
const WORDS = [
  'pricing tiers onboarding hiring vendor risk incident response warehouse partner programme interviews release',
  'cold storage billing migration backlog capacity trials export licences compliance training renewal terms analyst',
  'coverage',
  'running runs ran organise organize well-known state-of-the-art parseHttpRequest src/io/read.ts INV-20931 C++ 3,400',
].flatMap((line) => line.split(' '));
const HAN = ['浦东新区的冷链仓库', '大阪の桜まつり', '서울 분기 실적 회의', '供应商评分卡', '東京都庁舎'];

const slugOf = (name: string): string => name.normalize('NFC').toLowerCase().replaceAll(' ', '-');
const dayOf = (n: number): string => `2026-0${1 + (n % 9)}-${String(1 + (n % 28)).padStart(2, '0')}`;

/** Pages by slug: people with firms and dated entries, meetings, notes of many words, notes in other scripts. */
function makePages(): Map<string, string> {
  const pages = new Map<string, string>();
  for (const firm of FIRMS) pages.set(`companies/${slugOf(firm)}`, `# ${firm}\n\n${some(30, WORDS)}.\n`);
  for (let n = 0; n < 60; n++) {
    const name = `${pick(FIRST)} ${pick(LAST)}`;
    const firm = pick(FIRMS);
    const text = `[[companies/${slugOf(firm)}|${firm}]]`;
    pages.set(
      `people/${slugOf(name)}`,
      `---\ntitle: ${name}\naliases: [${name[0]}. ${name.split(' ')[1]} ${n}]\n---\n# ${name}\n\n${name} works at ` +
        `${text}. ${some(20, WORDS)}.\n\n---\n\n## Timeline\n- **${dayOf(n)}** | Met — ${some(6, WORDS)}\n`,
    );
  }
  for (let n = 0; n < 90; n++) {
    const head =
      n % 3 === 0 ? `---\ndate: ${dayOf(n * 5)}\n---\n` : n % 7 === 0 ? '---\nvisibility: private\n---\n' : '';
    pages.set(`notes/n${n}`, `${head}# ${some(3, WORDS)} ${n}\n\n${some(20 + (n % 60), WORDS)}. ${pick(LAST)}.\n`);
  }
  HAN.forEach((text, n) => {
    pages.set(`notes/han-${n}`, `# ${text}\n\n${text}、${pick(HAN)}。${some(3, WORDS)}\n`);
  });
  return pages;
}

const PAGES = makePages();
const TITLES = [...PAGES.values()].map((text) => /^# (.*)$/m.exec(text)![1]!);
const withTypo = (name: string): string => name.slice(0, 3) + name.slice(4);

const KINDS: readonly (() => string)[] = [
  () => some(1 + Math.floor(random() * 5), WORDS),
  () => pick(TITLES),
  () => withTypo(pick(TITLES)),
  () => pick([...PAGES.keys()]),
  () => `who works at ${pick(FIRMS)}`,
  () => `where does ${pick(FIRST)} ${pick(LAST)} work`,
  () => `${pick(WORDS)} on ${dayOf(Math.floor(random() * 60))}`,
  () => `latest ${some(2, WORDS)} last month`,
  () => `"${some(2, WORDS)}"`,
  () => pick(HAN).slice(0, 2 + Math.floor(random() * 4)),
  () => `what is the cost of ${some(2, WORDS)} for us`,
  () => `${pick(FIRST).normalize('NFD').replaceAll(/\p{M}/gu, '')} ${pick(WORDS)}`,
];

const noFile: SnapshotFile = { read: async () => undefined, write: async () => undefined };

/** What a caller can see of an answer. */
const seen = ({ pages, confidence }: SearchReply) => ({
  confidence,
  pages: pages.map(({ slug, score, evidence, chunks, effectiveDate }) => ({
    slug,
    score,
    evidence,
    chunks,
    effectiveDate,
  })),
});

async function asker(store: Store, live: LiveIndex) {
  const index = await live.current();
  return (question: string, seesPrivate: boolean) => {
    const scope = { sources: ['default'], visibility: seesPrivate ? ('all' as const) : ('world' as const) };
    return index.search(
      question,
      { sources: ['default'], seesPrivate },
      {
        limit: 20,
        today: '2026-10-01',
        edges: (pageIds, types, direction) => readEdges(store, scope, { pageIds, types, direction }),
      },
    );
  };
}

const openLive = (store: Store) => LiveIndex.open({ store, incarnation: 'same', file: noFile, language: 'english' });

/** Writes pages one by one in another order, some twice and some only for a while, with searches in between. */
async function takeInSlowly(host: TestHost, live: LiveIndex): Promise<void> {
  const put = (slug: string, content: string) => host.ok('put_page', { slug, content, force: true });
  const early = [...PAGES].filter((_, n) => n % 5 === 0).reverse();
  for (const [n, [slug, text]] of early.entries()) {
    if (n % 3 === 0) await put(slug, `# Not yet\n\n${some(12, WORDS)}\n`);
    if (n % 4 === 0) await put(`gone/g${n}`, `# Gone ${n}\n\n${some(12, WORDS)}\n`);
    await put(slug, text);
    if (n % 4 === 0) await host.ok('delete_page', { slug: `gone/g${n}` });
    await live.current();
  }
}

describe.skipIf(!hasPostgres())('one ranking on both engines', () => {
  let stores: TestStore[] = [];
  let folder: string;

  beforeAll(async () => {
    stores = [await openTestPglite(), await openTestPostgres()];
    folder = mkdtempSync(join(tmpdir(), 'gbrain-same-'));
    for (const [slug, text] of PAGES) {
      mkdirSync(dirname(join(folder, slug)), { recursive: true });
      writeFileSync(join(folder, `${slug}.md`), text);
    }
  });
  afterAll(async () => {
    for (const store of stores) await store.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test(`${QUESTIONS} questions`, async () => {
    const [embedded, server] = stores.map(({ store }) => store) as [Store, Store];
    const importOn = (store: Store) => testHost(store).ok('import', { dir: folder, force: true });
    expect(await importOn(embedded)).toMatchObject({ failed: 0 });
    const followed = await openLive(server);
    await takeInSlowly(testHost(server), followed);
    expect(await importOn(server)).toMatchObject({ failed: 0 });
    const here = await asker(embedded, await openLive(embedded));
    const there = await asker(server, followed);
    let found = 0;
    for (let n = 0; n < QUESTIONS; n++) {
      const question = KINDS[n % KINDS.length]!();
      const [one, other] = [await here(question, n % 2 === 0), await there(question, n % 2 === 0)];
      expect(seen(other), question).toEqual(seen(one));
      found += one.pages.length > 0 ? 1 : 0;
    }
    expect(found).toBeGreaterThan(QUESTIONS * 0.9);
  });
});
