// The figures of the spine: cold and forwarded commands, init, the handshake, reads and writes over stdio.
// Every time is also printed as a ratio to a bare start of Node in the same run, because machines are shared and noisy.
// What was found with it and what was tried stands in docs/decisions/write-speed.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const pages = Number(process.argv[2] ?? 1_000);
const home = mkdtempSync(join(tmpdir(), 'gbrain-bench-'));
const env = { ...process.env, GBRAIN_HOME: home } as Record<string, string>;

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
};

function time(run: () => void): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

const times = (count: number, run: () => void): number[] => Array.from({ length: count }, () => time(run));

function gbrain(...args: string[]): void {
  execFileSync(launcher, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Peak memory of one command in MiB, from GNU time where it is installed. */
function peakMiB(...args: string[]): number | undefined {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', launcher, ...args], { env, encoding: 'utf8' });
  return status === 0 ? Math.round(Number(stderr.trim().split('\n').at(-1)) / 1024) : undefined;
}

async function connect(): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: launcher, args: ['serve', '--surface', 'starter'], env, stderr: 'ignore' }),
  );
  return client;
}

async function latencies(count: number, call: (i: number) => Promise<unknown>): Promise<number[]> {
  const out: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await call(i);
    out.push(performance.now() - started);
  }
  return out;
}

const rows: [what: string, value: string, target: string][] = [];
const bareMs = percentile(
  times(15, () => void spawnSync(process.execPath, ['-e', '0'])),
  0.5,
);
const row = (what: string, ms: number, target: string) =>
  rows.push([what, `${ms.toFixed(1)} ms (${(ms / bareMs).toFixed(2)} x bare start)`, target]);

row('bare Node start, p50 (baseline)', bareMs, '-');
row(
  '--version, p50',
  percentile(
    times(15, () => gbrain('--version')),
    0.5,
  ),
  '<= 80 ms',
);
const initMs = times(5, () => {
  rmSync(home, { recursive: true, force: true });
  gbrain('init', '--json');
});
row('init, p50', percentile(initMs, 0.5), '<= 1,000 ms');

const handshakes: number[] = [];
for (let i = 0; i < 5; i++) {
  const started = performance.now();
  const client = await connect();
  handshakes.push(performance.now() - started);
  await client.close();
}
row('initialize, spawn included, p50', percentile(handshakes, 0.5), '<= 300 ms');

const client = await connect();
const listed = JSON.stringify(await client.listTools()).length;
rows.push(['starter tools/list', `${listed} characters`, '<= 25,000']);
const body = 'A sentence of the page that says something about the matter at hand. '.repeat(28);
const write = (i: number) =>
  client.callTool({ name: 'put_page', arguments: { slug: `bench/page-${i}`, content: `# Page ${i}\n\n${body}\n` } });
const writes = await latencies(pages, write);
row(`put_page over stdio, ${pages} pages, p95`, percentile(writes.slice(20), 0.95), '<= 12 ms');
const read = (i: number) =>
  client.callTool({ name: 'get_page', arguments: { slug: `bench/page-${(i * 37) % pages}` } });
row('get_page over stdio, p95', percentile((await latencies(400, read)).slice(20), 0.95), '<= 5 ms');
row(
  'forwarded get, p50',
  percentile(
    times(15, () => gbrain('get', 'bench/page-5')),
    0.5,
  ),
  '<= 150 ms',
);
const serveRss = serverRssMiB(client);
if (serveRss !== undefined) rows.push(['serve, resident memory', `${serveRss} MiB`, '-']);
await client.close();
row(
  `cold get, ${pages} pages, p50`,
  percentile(
    times(9, () => gbrain('get', 'bench/page-5')),
    0.5,
  ),
  '<= 600 ms',
);
const peak = peakMiB('get', 'bench/page-5');
if (peak !== undefined) rows.push(['cold get, peak memory', `${peak} MiB`, '<= 250 MiB']);
rmSync(home, { recursive: true, force: true });

const width = Math.max(...rows.map(([what]) => what.length));
for (const [what, value, target] of rows)
  process.stdout.write(`${what.padEnd(width)}  ${value.padEnd(38)}  ${target}\n`);

function serverRssMiB(of: Client): number | undefined {
  const pid = (of.transport as StdioClientTransport).pid;
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    // No /proc on this system: the row is left out.
    return undefined;
  }
}
