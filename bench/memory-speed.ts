// How long the memory verbs take over a real pipe, on made brains of two sizes. Every time is also told as a ratio to
// the cheapest call over the same pipe (`whoami`), because machines are shared and noisy.
//
//   node bench/memory-speed.ts [--pages 5000] [--large 20000] [--calls 600] [--keep DIR] [--only small|large]
//
// The large brain has 5 links and 2 facts a page. `--keep` leaves the brains in a folder and takes them up again;
// `--calls 0` only makes them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Chance, type Made, madeEntities } from './memory-made.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    large: { type: 'string', default: '20000' },
    calls: { type: 'string', default: '600' },
    keep: { type: 'string' },
    only: { type: 'string' },
  },
});

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'gbrain-memory-'));
const calls = Number(values.calls);

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
};

const COLUMNS =
  '| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |';
const WORDS = 'harbour mill lease tram museum orchard signal copper ledger ferry granite pilot survey timber'.split(
  ' ',
);

function pageText(made: Made, others: readonly Made[], chance: Chance): string {
  const links = others.map(({ slug, title }) => `[[${slug}|${title}]]`);
  const row = (n: number) =>
    `| ${n} | ${made.title} runs the ${chance.pick(WORDS)} of ${chance.pick(others).title} in round ` +
    `${chance.int(1, 999)} ` +
    '| fact | 1 | world | medium | | | register | |';
  const prose = Array.from(
    { length: 8 },
    () => `The ${chance.pick(WORDS)} ${chance.pick(WORDS)} was seen near ${chance.pick(links)}.`,
  );
  return [
    '---',
    `title: ${made.title}`,
    `type: ${made.kind}`,
    `aliases: [${made.alias}]`,
    '---',
    `${made.title} knows ${links.join(', ')}.`,
    '',
    ...prose,
    '',
    '## Facts',
    '',
    '<!--- gbrain:facts:begin -->',
    COLUMNS,
    `|${'---|'.repeat(10)}`,
    row(1),
    row(2),
    '<!--- gbrain:facts:end -->',
    '',
  ].join('\n');
}

interface Brain {
  env: Record<string, string>;
  entities: Made[];
}

/** A brain of so many pages, imported from files that are made here. */
function makeBrain(count: number): Brain {
  const home = join(folder, `home-${count}`);
  const env = { ...process.env, GBRAIN_HOME: home } as Record<string, string>;
  const chance = new Chance(count);
  const entities = madeEntities(chance, Math.ceil(count * 0.7), count - Math.ceil(count * 0.7));
  if (existsSync(home)) return { env, entities };
  const vault = join(folder, `vault-${count}`);
  for (const made of entities) {
    const path = join(vault, `${made.slug}.md`);
    mkdirSync(dirname(path), { recursive: true });
    const others = Array.from({ length: 5 }, () => chance.pick(entities));
    writeFileSync(path, pageText(made, others, chance));
  }
  const gbrain = (...args: string[]) => execFileSync(launcher, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  gbrain('init', '--pglite', '--no-embedding');
  const started = performance.now();
  gbrain('import', vault);
  process.stdout.write(`${count} pages imported in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  rmSync(vault, { recursive: true });
  return { env, entities };
}

async function withClient(brain: Brain, run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' });
  const args = ['serve', '--surface', 'full'];
  await client.connect(new StdioClientTransport({ command: launcher, args, env: brain.env, stderr: 'ignore' }));
  await run(client);
  await client.close();
}

let floorMs = Number.NaN;

async function measure(
  client: Client,
  tool: string,
  make: (i: number) => Record<string, unknown>,
  goal: string,
): Promise<void> {
  const times: number[] = [];
  for (let i = -20; i < calls; i++) {
    const started = performance.now();
    const reply = await client.callTool({ name: tool, arguments: make(i) });
    if (i >= 0) times.push(performance.now() - started);
    if (reply.isError) throw new Error(`${tool}: ${JSON.stringify(reply.content).slice(0, 300)}`);
  }
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(times, share)) as [number, number, number];
  if (tool === 'whoami') floorMs = p50;
  const shown = [p50, p95, p99].map((ms) => ms.toFixed(2).padStart(7)).join(' / ');
  process.stdout.write(
    `  ${tool.padEnd(13)} p50 / p95 / p99 ${shown} ms   p50 is ${(p50 / floorMs).toFixed(1)} x whoami   ${goal}\n`,
  );
}

const chance = new Chance(7);

/** The verbs at the size of a usual brain. */
async function measureSmall(): Promise<void> {
  const small = makeBrain(Number(values.pages));
  process.stdout.write(`${small.entities.length} pages, over stdio, ${calls} calls each\n`);
  if (calls === 0) return;
  await withClient(small, async (client) => {
    const some = () => chance.pick(small.entities);
    await measure(client, 'whoami', () => ({}), '');
    await measure(
      client,
      'recall',
      () => ({ query: `what does ${some().title} run at the ${chance.pick(WORDS)}`, limit: 10 }),
      'goal: p95 <= 15 ms',
    );
    await measure(client, 'recall', () => ({ entity: some().title }), 'goal: p95 <= 15 ms');
    await measure(client, 'entity', () => ({ name: some().title }), 'goal: p95 <= 10 ms');
    const fact = (i: number) =>
      `${some().title} prefers berth ${i} at the ${chance.pick(WORDS)} in call ${chance.int(1, 1e6)}`;
    await measure(client, 'remember', (i) => ({ fact: fact(i), provenance: `bench ${i}` }), 'goal: p95 <= 9 ms');
  });
}

/** The reads of one entity at the size of a large brain. */
async function measureLarge(): Promise<void> {
  const large = makeBrain(Number(values.large));
  const count = large.entities.length;
  process.stdout.write(`${count} pages, ${5 * count} links, ${2 * count} facts\n`);
  if (calls === 0) return;
  await withClient(large, async (client) => {
    const some = () => chance.pick(large.entities);
    await measure(client, 'whoami', () => ({}), '');
    await measure(client, 'entity', () => ({ name: some().title }), 'goal: p99 <= 20 ms');
    await measure(client, 'entity', () => ({ name: some().alias }), 'goal: p99 <= 20 ms');
    await measure(client, 'context_pack', () => ({ entities: `${some().title}, ${some().title}` }), '');
    await measure(client, 'recall', () => ({ query: `what does ${some().title} run`, limit: 10 }), '');
  });
}

if (values.only !== 'large') await measureSmall();
if (values.only !== 'small') await measureLarge();
if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
