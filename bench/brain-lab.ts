// What the benches of Brain share: a built server with a model and a tool on loopback, the disk's own speed.
import { closeSync, fdatasyncSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type BrainProcess, newDataDir, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { startToolService, type ToolService } from '@gbrain/testkit/tool-service';

/** A server and its surroundings. */
export interface Lab {
  build: BrainBuild;
  dataDir: string;
  model: QuickModel;
  tools: ToolService;
  server: BrainProcess;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything. The model wants a tool when the message is "tool", and answers at once. */
export async function openLab(): Promise<Lab> {
  const build = await buildBrain();
  const dataDir = newDataDir();
  const model = await startQuickModel();
  const tools = await startToolService();
  const harness = (name: string) => ({ command: process.execPath, args: [build.harness, name], max_concurrency: 512 });
  const start = () =>
    startBrain({
      server: build.server,
      dataDir,
      registrations: { plain: harness('plain'), loop: harness('loop'), echo: harness('echo') },
      env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, BRAIN_SESSION_IDLE_TTL_SECS: '0' },
    });
  // A bench that breaks leaves no server behind.
  process.once('exit', () => lab.server.kill());
  const lab: Lab = {
    build,
    dataDir,
    model,
    tools,
    server: await start(),
    async restart() {
      await lab.server.kill('SIGTERM');
      lab.server = await start();
    },
    async close() {
      await lab.server.kill();
      await model.close();
      await tools.close();
      removeDataDir(dataDir);
      build.remove();
    },
  };
  return lab;
}

interface QuickModel {
  baseUrl: string;
  close(): Promise<void>;
}

const frame = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function toStream(item: object): Buffer {
  const response = { status: 'completed', output: [item], usage: { input_tokens: 10, output_tokens: 5 } };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  return Buffer.from(frame(done) + frame({ type: 'response.completed', response } as { type: string }));
}

/** A model that costs next to nothing: two answers, made once. */
async function startQuickModel(): Promise<QuickModel> {
  const text = toStream({
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Done.' }],
  });
  const call = toStream({ type: 'function_call', call_id: 'c', name: 'mark', arguments: '{}' });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(isToolWanted(body) ? call : text);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close };
}

function isToolWanted(body: string): boolean {
  if (!body.includes('"tool"')) return false;
  const last = (JSON.parse(body) as { input: { content?: { text?: string }[] }[] }).input.at(-1);
  return last?.content?.[0]?.text === 'tool';
}

const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
let keys = 0;

/** One mutation over a kept connection; `fetch` would cost more than what is measured. */
function post({ server }: Lab, path: string, body: unknown): Promise<unknown> {
  const text = JSON.stringify(body);
  keys += 1;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'idempotency-key': `bench-${process.pid}-${keys}`,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: server.port, path, method: 'POST', agent, headers },
      (answer) => {
        let got = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          got += chunk;
        });
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(JSON.parse(got));
          else reject(new Error(`${path} answered ${answer.statusCode}: ${got}`));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/** Makes a session, with one tool in the lab's service when wanted. */
export async function createSession(lab: Lab, loop: string, withTool = false): Promise<string> {
  const answer = await post(lab, '/v1/sessions', {
    agentloop: { name: loop },
    model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
    tools: withTool ? [{ name: 'mark', description: 'Marks.', input_schema: {}, placements: { box: {} } }] : [],
    environments: withTool ? [{ name: 'box', driver: 'http', url: lab.tools.url }] : [],
  });
  return (answer as { session_id: string }).session_id;
}

/** One turn, waited for. */
export async function say(lab: Lab, id: string, message: string): Promise<void> {
  await post(lab, `/v1/sessions/${id}/messages`, { input: { message } });
}

/** Commits of the journal so far, each one sync. */
export function readCommits(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'journal.db'), { readOnly: true });
  const { value } = database.prepare("SELECT value FROM meta WHERE key = 'commits'").get() as { value: number };
  database.close();
  return value;
}

/** Median of `fdatasync` after appends of 8 KiB in the same folder, milliseconds; the tail is printed beside it. */
export function measureSyncMs(dataDir: string, samples = 300): number {
  mkdirSync(dataDir, { recursive: true });
  const file = openSync(join(dataDir, 'sync-probe'), 'a');
  const page = Buffer.alloc(8192, 1);
  const times = Array.from({ length: samples }, () => {
    const start = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const shown = [percentile(times, 0.5), percentile(times, 0.9), mean].map((ms) => ms.toFixed(2)).join(' / ');
  row("the disk's sync, median / p90 / mean", `${shown} ms`, '-');
  return percentile(times, 0.5);
}

/** The value below which that share lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Resident memory of a process and of everything that it started, MiB; shared pages count for each. */
export function readTreeMiB(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended since the listing.
    }
  }
  const tree = new Set([pid]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const [child, parent] of parents) {
      if (tree.has(child) || !tree.has(parent)) continue;
      tree.add(child);
      grew = true;
    }
  }
  return [...tree].reduce((sum, one) => sum + readRssMiB(one), 0);
}

/** Resident memory of one process, MiB. */
export function readRssMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Processor time of a process so far, milliseconds; `children` are those that it started and that still run. */
export function readCpuMs(pid: number): { own: number; children: number } {
  const ticks = (one: number) => {
    const stat = readFileSync(`/proc/${one}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return { own: ticks(pid), children: started.reduce((sum, child) => sum + ticks(Number(child)), 0) };
}

/** One line of a table. */
export function row(what: string, value: string, goal: string): void {
  process.stdout.write(`${what.padEnd(62)} ${value.padEnd(34)} goal ${goal}\n`);
}
