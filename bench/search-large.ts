// A large brain as a client of the built server has it: import, search over MCP stdio alone and while a writer saves
// pages on the same server, resident memory, cold command lines. What was made and imported is kept below `--cache`, so
// a run that was cut off goes on, and a second one only measures.
//   node bench/search-large.ts [--pages 50000] [--bytes 2000] [--cache DIR] [--calls 1000] [--rate 20]
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { makeCorpus } from './search-corpus.ts';

const { values: args } = parseArgs({
  options: {
    pages: { type: 'string', default: '50000' },
    bytes: { type: 'string', default: '2000' },
    cache: { type: 'string', default: join(tmpdir(), 'gbrain-large') },
    calls: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '20' },
  },
});
const [pages, bytes, calls, rate] = [args.pages, args.bytes, args.calls, args.rate].map(Number) as [
  number,
  number,
  number,
  number,
];

const launcher = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages/gbrain/bin/gbrain');
const folder = join(args.cache, `${pages}-${bytes}`);
const vault = join(folder, 'vault');
const env = { ...process.env, GBRAIN_HOME: join(folder, 'home') } as Record<string, string>;
const show = (what: string, value: string): void => console.log(`${what.padEnd(52)} ${value}`);

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const quantiles = (times: readonly number[]): string =>
  `${[0.5, 0.95, 0.99].map((share) => `p${share * 100} ${percentile(times, share).toFixed(1)}`).join(', ')} ms`;

/** A line of the kernel's account of a process, in MiB. */
function memoryOf(pid: number | null | undefined, line: 'VmRSS' | 'VmHWM'): number {
  const status = pid && existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Math.round(Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

const marks = { vault: join(folder, 'vault.made'), brain: join(folder, 'brain.imported') };
const corpus = makeCorpus(pages, bytes, 1);
if (!existsSync(marks.vault)) {
  for (const { slug, title, effectiveDate, chunks } of corpus.pages) {
    const file = join(vault, `${slug.slice(0, -2)}/${slug.split('/').at(-1)}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `---\ntitle: ${title}\ndate: ${effectiveDate}\n---\n\n${chunks[0]!.text}\n`);
  }
  writeFileSync(marks.vault, '');
}

/** Runs the import to its end, or goes on with one that was cut off; its figures are kept for later runs. */
async function imported(): Promise<string> {
  if (existsSync(marks.brain)) return `${readFileSync(marks.brain, 'utf8')} (of an earlier run)`;
  execFileSync(launcher, ['init', '--pglite', '--no-embedding', '--json'], { env, stdio: 'ignore' });
  const from = performance.now();
  const child = spawn(launcher, ['import', vault, '--json'], { env, stdio: ['ignore', 'ignore', 'ignore'] });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid, 'VmHWM'));
  }, 500);
  const exit = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearInterval(watch);
  if (exit !== 0) throw new Error(`the import ended with ${exit}`);
  const seconds = (performance.now() - from) / 1000;
  const said = `${Math.round(pages / seconds)} pages/s, ${peak} MiB at the peak`;
  writeFileSync(marks.brain, said);
  return said;
}

show('import, index included', await imported());

const cold = Array.from({ length: 7 }, (_, i) => {
  const from = performance.now();
  spawnSync(launcher, ['search', corpus.queries[i]!, '--limit', '5'], { env, stdio: 'ignore' });
  return performance.now() - from;
});
show('search on the command line, no server, p50', `${percentile(cold, 0.5).toFixed(0)} ms`);
const bare = Array.from({ length: 7 }, () => {
  const from = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - from;
});
show('bare start of Node, p50', `${percentile(bare, 0.5).toFixed(0)} ms`);

const transport = new StdioClientTransport({ command: launcher, args: ['serve'], env, stderr: 'ignore' });
const client = new Client({ name: 'bench', version: '1' });
await client.connect(transport);

async function timed(name: string, input: Record<string, unknown>): Promise<number> {
  const from = performance.now();
  const reply = await client.callTool({ name, arguments: input });
  if (reply.isError) throw new Error(JSON.stringify(reply.content).slice(0, 300));
  return performance.now() - from;
}

async function searches(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++)
    times.push(await timed('search', { query: corpus.queries[i % corpus.queries.length]!, limit: 10 }));
  return times;
}

show('first search of a server', `${(await timed('search', { query: corpus.queries[0]!, limit: 10 })).toFixed(0)} ms`);
await searches(100);
show(`search over stdio, ${calls} calls`, quantiles(await searches(calls)));
show('serve, resident', `${memoryOf(transport.pid, 'VmRSS')} MiB`);

const stop = new AbortController();
const saves: Promise<number>[] = [];

/** Saves pages at a steady rate, old ones and new ones, whether the ones before have been answered or not. */
async function write(): Promise<void> {
  const from = performance.now();
  for (let n = 0; !stop.signal.aborted; n++) {
    const page = corpus.pages[(n * 37) % corpus.pages.length]!;
    const content = `# ${page.title} again ${n}\n\n${page.chunks[0]!.text}\n`;
    saves.push(timed('put_page', { slug: `written/w${n % 2_000}`, content, force: true }));
    await pause(Math.max(0, from + ((n + 1) * 1000) / rate - performance.now()));
  }
}

const writing = write();
const during = await searches(calls);
stop.abort();
await writing;
show(`search while ${rate} pages a second are saved`, quantiles(during));
show(`saves meanwhile (${saves.length})`, quantiles(await Promise.all(saves)));
show(
  'serve afterwards, resident / peak',
  `${memoryOf(transport.pid, 'VmRSS')} / ${memoryOf(transport.pid, 'VmHWM')} MiB`,
);
await client.close();
