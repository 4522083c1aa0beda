// kill -9 at random moments of an import, then one full run: exactly the files, all links, nothing else touched.
// GBRAIN_TEST_KILLS sets how many kills; the suite takes a few, a hundred take some minutes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { builtGbrain } from '@gbrain/testkit/gbrain-binary';
import { afterAll, beforeAll, expect, test } from 'vitest';

const KILLS = Number(process.env.GBRAIN_TEST_KILLS ?? 4);
/** Kills that one brain takes before its full run. */
const CHAIN = 4;
const PAGES = 300;
const seed = Number(process.env.GBRAIN_TEST_SEED ?? Date.now() % 1_000_000);

/** A small generator of numbers from 0 to 1, repeatable from its seed. */
function numbers(from: number): () => number {
  let state = from || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const folder = mkdtempSync(join(tmpdir(), 'gbrain-import-killed-'));
const vault = join(folder, 'vault');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Pages that name pages before and behind them, with timelines, odd names and line ends. */
function makeVault(): void {
  for (let n = 0; n < PAGES; n += 1) {
    const path = join(vault, n % 7 === 0 ? `odd "näme" ${n}.md` : `people/person-${n}.md`);
    const eol = n % 5 === 0 ? '\r\n' : '\n';
    const lines = [
      '---',
      `title: Person ${n}`,
      `aliases: [P${n}]`,
      '---',
      `# Person ${n}`,
      '',
      `Knows [[people/person-${(n * 31 + 1) % PAGES}]], [[P${(n * 17 + 5) % PAGES}]] and [[nobody-${n % 9}]].`,
      '',
      '## Timeline',
      '',
      `- **2026-01-${String(1 + (n % 28)).padStart(2, '0')}** | note — met P${(n + 1) % PAGES}`,
    ];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.join(eol) + (n % 3 === 0 ? '' : eol));
    utimesSync(path, 0, 0);
  }
}

/** Hash of every file below a folder, but what an export adds. */
function hashes(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
  const own = paths.filter((path) => !path.startsWith('_gbrain/'));
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(own.map((path) => [path, hash(join(root, path))]));
}

/** One run of the binary, to its end or until it is killed. */
async function gbrain(home: string, args: readonly string[], killAfterMs?: number) {
  const child = spawn(builtGbrain(), args, {
    env: { PATH: process.env.PATH, GBRAIN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, talk] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    talk += bytes.toString();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  if (killAfterMs !== undefined) {
    const isOver = await Promise.race([ended.then(() => true), delay(killAfterMs).then(() => false)]);
    if (!isOver) child.kill('SIGKILL');
  }
  return { ...(await ended), out, talk };
}

async function json<T = Record<string, unknown>>(home: string, ...args: string[]): Promise<T> {
  const { code, out, talk } = await gbrain(home, [...args, '--json']);
  if (code !== 0) throw new Error(`gbrain ${args.join(' ')} ended with ${code}: ${talk}${out.slice(0, 500)}`);
  return JSON.parse(out) as T;
}

/** What a brain comes to that holds the vault: its figures, its files, and what stands in its content directory. */
async function stateOf(home: string, name: string) {
  const { page_count, chunk_count, link_count, timeline_entry_count } = await json(home, 'stats');
  const out = join(folder, `out-${name}`);
  await json(home, 'export', out);
  const files = hashes(out);
  const content = hashes(join(home, 'content'));
  rmSync(out, { recursive: true });
  const written = Object.entries(content).map(([path, hash]) => [path.split('/').slice(2).join('/'), hash]);
  const figures = { page_count, chunk_count, link_count, timeline_entry_count };
  return { figures, files, content: Object.fromEntries(written) as Record<string, string> };
}

const fresh = join(folder, 'fresh');
let vaultFiles: Record<string, string>;
let whole: Awaited<ReturnType<typeof stateOf>>;
let fullRunMs = 0;

beforeAll(async () => {
  makeVault();
  vaultFiles = hashes(vault);
  await json(fresh, 'init');
  const home = join(folder, 'whole');
  cpSync(fresh, home, { recursive: true });
  const startedAt = performance.now();
  expect(await json(home, 'import', vault)).toMatchObject({ imported: PAGES, failed: 0 });
  fullRunMs = performance.now() - startedAt;
  whole = await stateOf(home, 'whole');
  expect(whole.files).toEqual(vaultFiles);
  expect(whole.content).toEqual(vaultFiles);
  expect(whole.figures).toMatchObject({ page_count: PAGES, link_count: expect.any(Number) });
}, 240_000);

test(`an import that is killed goes on and ends as one that was not (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const random = numbers(seed);
  let killed = 0;
  // A run that is over before its moment comes is no kill; the bound keeps a very fast machine from going on for ever.
  for (let brain = 0; killed < KILLS && brain < 2 * KILLS; brain += 1) {
    const home = join(folder, `brain-${brain}`);
    cpSync(fresh, home, { recursive: true });
    for (let i = 0; i < CHAIN && killed < KILLS; i += 1) {
      const { signal, code, talk } = await gbrain(home, ['import', vault, '--json'], random() * fullRunMs);
      if (signal === 'SIGKILL') killed += 1;
      else expect({ code, talk }).toMatchObject({ code: 0 });
    }
    const reply = await json(home, 'import', vault);
    expect(reply).toMatchObject({ seen: PAGES, failed: 0, skipped: 0 });
    expect(Number(reply.imported) + Number(reply.unchanged)).toBe(PAGES);
    expect(await stateOf(home, String(brain))).toEqual(whole);
    expect(hashes(vault)).toEqual(vaultFiles);
    rmSync(home, { recursive: true });
  }
  expect(killed).toBe(KILLS);
  expect(readdirSync(folder).filter((name) => !/^(vault|fresh|whole)$/.test(name))).toEqual([]);
});
