// The figures of files in and out: import, import again, export, on made vaults of several sizes, with peak memory and
// how the time a page grows with the pages. Every time is also a ratio to a baseline of the same run: the same files
// copied one by one, each synced.
//
//   node bench/import.ts --generator make-vault.mjs [--pages 1000,5000,20000] [--seed 7]
//   node bench/import.ts --vault DIR
//
// What was tried for the speed stands in docs/decisions/0003-derived-parts.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const { values } = parseArgs({
  options: {
    generator: { type: 'string' },
    pages: { type: 'string', default: '1000,5000' },
    seed: { type: 'string', default: '7' },
    vault: { type: 'string', multiple: true, default: [] },
  },
});

/** Pages that one run of the generator makes. */
const PART_PAGES = 5_000;

/** What one command took. */
interface Run {
  seconds: number;
  /** Undefined where GNU time is not installed. */
  peakMiB?: number;
  stdout: string;
}

function gbrain(home: string, ...args: string[]): Run {
  const env = { ...process.env, GBRAIN_HOME: home };
  const startedAt = performance.now();
  const timed = spawnSync('/usr/bin/time', ['-f', '%M', launcher, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const isTimed = timed.error === undefined;
  const ran = isTimed ? timed : spawnSync(launcher, args, { env, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (ran.status !== 0) throw new Error(`gbrain ${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const peakKiB = isTimed ? Number(ran.stderr.trim().split('\n').at(-1)) : undefined;
  return { seconds, stdout: ran.stdout, ...(peakKiB !== undefined && { peakMiB: Math.round(peakKiB / 1024) }) };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('_gbrain'))
    .sort();

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Seconds of the baseline: each file read, and written and synced elsewhere. */
function plainCopy(vault: string, paths: readonly string[], folder: string): number {
  const startedAt = performance.now();
  for (const path of paths) {
    const to = join(folder, 'copy', path);
    mkdirSync(dirname(to), { recursive: true });
    const fd = openSync(to, 'w');
    writeSync(fd, readFileSync(join(vault, path)));
    fsyncSync(fd);
    closeSync(fd);
  }
  return (performance.now() - startedAt) / 1000;
}

/** Milliseconds a page of each measure, for the comparison of sizes. */
type Measured = Map<string, number>;

function measure(name: string, vault: string): Measured {
  const folder = mkdtempSync(join(tmpdir(), 'gbrain-import-'));
  try {
    const paths = filesOf(vault);
    const home = join(folder, 'home');
    const out = join(folder, 'out');
    const baseSeconds = plainCopy(vault, paths, folder);
    gbrain(home, 'init', '--json');
    const runs: [what: string, goal: string, run: Run][] = [
      ['import', '>= 200 pages/s', gbrain(home, 'import', vault, '--json')],
      ['import again', '>= 2,000 pages/s', gbrain(home, 'import', vault, '--json')],
      ['export', '>= 1,000 pages/s', gbrain(home, 'export', '--dir', out, '--json')],
    ];
    const reads: [what: string, goal: string, run: Run][] = [
      ['orphans, cold', '-', gbrain(home, 'orphans', '--limit', '5', '--json')],
      ['first search after it', '-', gbrain(home, 'search', 'engineer', '--json')],
    ];
    const same = paths.filter((path) => hashOf(join(vault, path)) === hashOf(join(out, path))).length;
    console.log(`\n${name}: ${paths.length} pages; synced copy (baseline) ${baseSeconds.toFixed(2)} s`);
    for (const [what, goal, { seconds, peakMiB }] of [...runs, ...reads]) {
      const cells = [
        what.padEnd(36),
        `${seconds.toFixed(2)} s`.padStart(9),
        `${Math.round(paths.length / seconds)} pages/s`.padStart(15),
        `${(seconds / baseSeconds).toFixed(2)} x baseline`.padStart(17),
        `${peakMiB ?? '?'} MiB`.padStart(9),
      ];
      console.log(`${cells.join(' ')}   ${goal}`);
    }
    console.log(`${same} of ${paths.length} exported files are the imported ones, byte for byte`);
    return new Map(runs.map(([what, , { seconds }]) => [what, (seconds * 1000) / paths.length]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const vaults: [name: string, folder: string, made?: string][] = values.vault.map((one) => [one, resolve(one)]);
for (const pages of values.generator ? values.pages.split(',').map(Number) : []) {
  const made = mkdtempSync(join(tmpdir(), 'gbrain-vault-'));
  // The generator has names for some ten thousand pages: a larger vault is several of them, each of its own seed.
  const parts = Math.ceil(pages / PART_PAGES);
  for (let part = 0; part < parts; part += 1) {
    const seed = String(Number(values.seed) + part);
    const out = join(made, `made-${part}`);
    const size = String(Math.min(PART_PAGES, pages - part * PART_PAGES));
    const argv = [values.generator!, '--pages', size, '--out', out, '--seed', seed];
    execFileSync(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
    mkdirSync(join(made, 'vault'), { recursive: true });
    renameSync(join(out, 'vault'), join(made, 'vault', `part-${part}`));
  }
  vaults.push([`made vault, seed ${values.seed}`, join(made, 'vault'), made]);
}
const all: Measured[] = [];
for (const [name, folder, made] of vaults) {
  all.push(measure(name, folder));
  if (made) rmSync(made, { recursive: true, force: true });
}
const [first, last] = [all.at(0), all.at(-1)];
if (first && last && first !== last) {
  console.log('\ntime a page, largest vault over smallest (1 is linear):');
  for (const [what, ms] of last) console.log(`${what.padEnd(36)} ${(ms / first.get(what)!).toFixed(2)}`);
}
