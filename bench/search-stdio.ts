// Finding and speed as a client of the built server has them: a vault of markdown with known answers is taken in,
// searched over MCP stdio, then from cold and forwarded command lines. Times are also ratios to a bare start of Node.
//   node bench/search-stdio.ts --vault DIR --queries FILE.jsonl [--home DIR] [--calls 400]
// A line of queries: {"kind", "query", "relevant": [slug], "neutral": [slug]}. `--home` keeps the imported brain.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { slugFromPath } from '../packages/gbrain/src/areas/pages/slug.ts';

const { values: args } = parseArgs({
  options: {
    vault: { type: 'string' },
    queries: { type: 'string' },
    home: { type: 'string' },
    calls: { type: 'string', default: '400' },
  },
});
if (!args.vault || !args.queries) throw new Error('name --vault and --queries');

interface Query {
  kind: string;
  query: string;
  relevant: string[];
  neutral: string[];
}

interface Row {
  slug: string;
}

/** The slug that a path of the vault becomes. */
function toSlug(path: string): string {
  const parsed = slugFromPath(`${path}.md`);
  return parsed.ok ? parsed.slug : path;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const home = args.home ?? mkdtempSync(join(tmpdir(), 'gbrain-bench-'));
const env = { ...process.env, GBRAIN_HOME: home } as Record<string, string>;
const queries = readFileSync(args.queries, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Query)
  .map((one) => ({ ...one, relevant: one.relevant.map(toSlug), neutral: one.neutral.map(toSlug) }));

const rows: [what: string, value: string][] = [];
const note = (what: string, value: string) => rows.push([what, value]);

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const times = (count: number, run: () => void): number[] =>
  Array.from({ length: count }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });

const gbrain = (...words: string[]): string =>
  execFileSync(launcher, words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

const bareMs = percentile(
  times(15, () => void spawnSync(process.execPath, ['-e', '0'])),
  0.5,
);
const asTime = (ms: number): string => `${ms.toFixed(0)} ms (${(ms / bareMs).toFixed(1)} x bare start)`;

if (!existsSync(join(home, 'config.json'))) {
  gbrain('init', '--pglite', '--no-embedding', '--json');
  const started = performance.now();
  const { imported } = JSON.parse(gbrain('import', args.vault, '--json')) as { imported: number };
  const seconds = (performance.now() - started) / 1000;
  note('import, its index included', `${imported} pages, ${Math.round(imported / seconds)} pages/s`);
}

const transport = new StdioClientTransport({ command: launcher, args: ['serve'], env, stderr: 'ignore' });
const client = new Client({ name: 'bench', version: '1' });
await client.connect(transport);

async function search(query: string, limit: number): Promise<{ slugs: string[]; isWeak: boolean; ms: number }> {
  const started = performance.now();
  const reply = await client.callTool({ name: 'search', arguments: { query, limit } });
  const ms = performance.now() - started;
  const [first] = reply.content as { text: string }[];
  const confidence = (reply._meta as { retrieval?: { confidence?: string } } | undefined)?.retrieval?.confidence;
  return { slugs: (JSON.parse(first!.text) as Row[]).map(({ slug }) => slug), isWeak: confidence === 'weak', ms };
}

await search('warm up', 1);
const found = new Map<string, number[]>();
for (const { kind, query, relevant, neutral } of queries) {
  const { slugs, isWeak } = await search(query, 10);
  const ranked = slugs.filter((slug) => !neutral.includes(slug) || relevant.includes(slug)).slice(0, 5);
  const hits = relevant.filter((slug) => ranked.includes(slug)).length;
  const score = relevant.length === 0 ? Number(slugs.length === 0 || isWeak) : hits / Math.min(relevant.length, 5);
  found.set(kind, [...(found.get(kind) ?? []), score]);
}
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
for (const [kind, scores] of found) {
  note(
    kind === 'negative' ? 'negative: nothing, or weak' : `R@5 ${kind}`,
    `${mean(scores).toFixed(2)} of ${scores.length}`,
  );
}
const answered = [...found].filter(([kind]) => kind !== 'negative').flatMap(([, scores]) => scores);
note('R@5 all', mean(answered).toFixed(3));

const calls = Number(args.calls);
const latencies: number[] = [];
for (let i = 0; i < calls; i++) latencies.push((await search(queries[i % queries.length]!.query, 10)).ms);
note(
  `search over stdio, ${calls} calls`,
  `p50 ${percentile(latencies, 0.5).toFixed(1)}, p95 ${percentile(latencies, 0.95).toFixed(1)} ms`,
);

const forwarded = percentile(
  times(15, () => gbrain('search', queries[0]!.query)),
  0.5,
);
note('search on the command line, a server running, p50', asTime(forwarded));
const status = existsSync(`/proc/${transport.pid}/status`) ? readFileSync(`/proc/${transport.pid}/status`, 'utf8') : '';
const resident = /VmRSS:\s+(\d+)/.exec(status)?.[1];
if (resident) note('serve, resident memory', `${Math.round(Number(resident) / 1024)} MiB`);
await client.close();
const cold = percentile(
  times(9, () => gbrain('search', queries[0]!.query)),
  0.5,
);
note('the same, no server, p50', asTime(cold));
note('bare start of Node, p50', `${bareMs.toFixed(0)} ms`);

const width = Math.max(...rows.map(([what]) => what.length));
for (const [what, value] of rows) process.stdout.write(`${what.padEnd(width)}  ${value}\n`);
if (!args.home) rmSync(home, { recursive: true, force: true });
