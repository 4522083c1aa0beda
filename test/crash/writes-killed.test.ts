// kill -9 at random moments of writes over MCP: what was acknowledged is there, the rest is all or nothing, and the
// same requests sent again end alike and write nothing twice.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';

const GBRAIN = join(import.meta.dirname, '../../packages/gbrain/src/bin/gbrain.ts');
const ROUNDS = 4;
const seed = Number(process.env.GBRAIN_TEST_SEED ?? Date.now() % 1_000_000);

/** A small generator of numbers from 0 to 1, repeatable from its seed. */
function numbers(from: number): () => number {
  let state = from || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Reply {
  isError?: boolean;
  content: [{ text: string }];
}

/** One server over its pipe. A call whose server dies never ends, as for a real client. */
function serve(home: string) {
  const child = spawn(process.execPath, [GBRAIN, 'serve', '--surface', 'full'], {
    env: { PATH: process.env.PATH, GBRAIN_HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result?: Reply };
    if (id !== undefined && result) waiting.get(id)?.(result);
  });
  const request = (method: string, params: unknown): Promise<Reply> => {
    const id = ++last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const start = async () => {
    const clientInfo = { name: 'crash-test', version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  };
  const call = async (name: string, args: Record<string, unknown>) => {
    const reply = await request('tools/call', { name, arguments: args });
    return { isError: reply.isError === true, value: JSON.parse(reply.content[0].text) as Record<string, unknown> };
  };
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { start, call, kill: () => child.kill('SIGKILL'), close: () => child.stdin.end(), ended };
}

const argsOf = (n: number) => ({
  slug: `crash/${n}`,
  content: `# ${n}\n\n${'text '.repeat(n % 50)}\n`,
  request_id: `w-${n}`,
});

test(`acknowledged writes survive kill -9, and replays end alike (seed ${seed})`, { timeout: 240_000 }, async () => {
  const random = numbers(seed);
  const home = mkdtempSync(join(tmpdir(), 'gbrain-crash-'));
  const made = spawnSync(process.execPath, [GBRAIN, 'init', '--pglite', '--no-embedding', '--quiet'], {
    env: { PATH: process.env.PATH, GBRAIN_HOME: home },
  });
  expect(made.status).toBe(0);
  const acknowledged = new Map<number, Record<string, unknown>>();
  let sent = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const server = serve(home);
    await server.start();
    const first = sent++;
    acknowledged.set(first, (await server.call('put_page', argsOf(first))).value);
    for (const until = sent + 30; sent < until; sent++) {
      const n = sent;
      void server.call('put_page', argsOf(n)).then(({ isError, value }) => {
        if (!isError) acknowledged.set(n, value);
      });
    }
    await delay(random() * 250);
    server.kill();
    await server.ended;
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS);
  const server = serve(home);
  await server.start();
  for (const [n, reply] of acknowledged) {
    const page = await server.call('get_page', { slug: `crash/${n}`, content_only: true });
    expect([n, page.value.content, page.value.revision]).toEqual([n, argsOf(n).content, reply.revision]);
  }
  for (let n = 0; n < sent; n++) {
    const again = await server.call('put_page', argsOf(n));
    const before = acknowledged.get(n);
    if (before) expect(again.value).toEqual(before);
    expect(again.value).toMatchObject({ state: 'committed', status: 'created' });
    const history = await server.call('get_versions', { slug: `crash/${n}` });
    expect(history.value).toMatchObject({ revision: again.value.revision, versions: [] });
  }
  server.close();
  await server.ended;
  rmSync(home, { recursive: true, force: true });
});
