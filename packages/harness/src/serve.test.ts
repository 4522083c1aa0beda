// The harness programs as processes: the protocol alone on stdout, the end of stdin, lines that are not JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const here = import.meta.dirname;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'harness-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocol: 'brain/harness/v1',
    registration: 'test',
    worker: { index: 0, count: 1 },
    configuration: {},
    state_dir: '/state',
    max_concurrency: 64,
  },
};

const RUN = {
  jsonrpc: '2.0',
  id: 2,
  method: 'run',
  params: {
    session_id: 'ses_12345678901234567890',
    sequence: 4,
    state_dir: '/state/ses',
    model: { provider: 'openai', name: 'm' },
    input: {
      input: { message: 'Hi' },
      transcript: [],
      kv: {},
      events: [],
      configuration: {},
      system: '',
      tools: [],
      runtime: { logical_time_ms: 1, deterministic_seed: Array.from({ length: 32 }, () => 0) },
    },
  },
};

/** Runs a program, writes the lines, ends stdin once `awaited` is answered, and gives everything that came back. */
async function talk(
  file: string,
  lines: unknown[],
  awaited?: number,
): Promise<{ out: string[]; err: string; code: number | null }> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (awaited !== undefined && out.includes(`"id":${awaited},`)) child.stdin.end();
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.write(
    lines
      .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
      .join('\n')
      .concat('\n'),
  );
  if (awaited === undefined) child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  return { out: out.split('\n').filter(Boolean), err, code };
}

function program(name: string, body: string): string {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, `import { serve } from '${join(here, 'serve.ts')}';\n${body}`);
  return file;
}

describe('a harness program', () => {
  it.each(['default-loop', 'echo-loop'])('%s says who it is and ends with stdin', async (name) => {
    const { out, code } = await talk(join(here, 'bin', `${name}.ts`), [INITIALIZE]);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({
      id: 1,
      result: { protocol: 'brain/harness/v1', state_version: 1 },
    });
    expect(out).toHaveLength(1);
    expect(code).toBe(0);
  });

  it('keeps stdout for the protocol, whoever writes there', async () => {
    const file = program(
      'noisy',
      `import { writeSync } from 'node:fs';
       serve({ name: 'noisy', stateVersion: 1, run() {
         console.log('stray one');
         process.stdout.write('stray two\\n');
         writeSync(1, 'stray three\\n');
         return { ok: true };
       } });`,
    );
    const { out, err } = await talk(file, [INITIALIZE, RUN]);
    const messages = out.map((line) => JSON.parse(line)).sort((left, right) => left.id - right.id);
    expect(messages).toMatchObject([{ id: 1 }, { id: 2, result: { result: { ok: true } } }]);
    for (const word of ['stray one', 'stray two', 'stray three']) expect(err).toContain(word);
  });

  it('keeps stdin and stdout from children, however they are started', async () => {
    const file = program(
      'parent',
      `import { execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
       import { once } from 'node:events';
       import { writeFileSync } from 'node:fs';
       // Says who it is, then how much it can read.
       const says = (name) => ['-e', "console.log('child " + name + "', require('fs').readFileSync(0).length)"];
       const node = process.execPath;
       serve({ name: 'parent', stateVersion: 1, async run() {
         await once(spawn(node, says('spawn'), { stdio: 'inherit' }), 'exit');
         await once(spawn(node, says('list'), { stdio: ['inherit', 'inherit', 'inherit'] }), 'exit');
         await once(spawn(node, says('number'), { stdio: [0, 1, 2] }), 'exit');
         await once(spawn(node, says('stream'), { stdio: [process.stdin, process.stdout, 'pipe'] }), 'exit');
         spawnSync(node, says('spawnSync'), { stdio: 'inherit' });
         execFileSync(node, says('execFileSync'), { stdio: ['ignore', 'inherit', 'inherit'] });
         execSync('echo child execSync 0', { stdio: 'inherit' });
         const forked = '${join(folder, 'forked.cjs')}';
         writeFileSync(forked, says('fork')[1]);
         await once(fork(forked), 'exit');
         return { piped: execFileSync(node, ['-p', '6 * 7'], { stdio: ['pipe', 'pipe', 'inherit'] }).toString() };
       } });`,
    );
    const { out, err } = await talk(file, [INITIALIZE, RUN], RUN.id);
    const messages = out.map((line) => JSON.parse(line));
    expect(messages).toMatchObject([{ id: 1 }, { id: 2, result: { result: { piped: '42\n' } } }]);
    const children = ['spawn', 'list', 'number', 'stream', 'spawnSync', 'execFileSync', 'execSync', 'fork'];
    for (const name of children) expect(err).toContain(`child ${name} 0`);
  });

  it('survives a callback that nobody awaits and that comes too late', async () => {
    const file = program(
      'late',
      `serve({ name: 'late', stateVersion: 1, run(context) {
         setTimeout(() => { context.kv.get('k'); context.emit('note', 1); }, 1);
         return { ok: true };
       } });`,
    );
    const { out, err, code } = await talk(file, [INITIALIZE, RUN, '']);
    expect(out).toHaveLength(2);
    expect(err).not.toContain('Error:');
    expect(code).toBe(0);
  });

  it('ends with 1 at a line that it cannot read', async () => {
    const { err, code } = await talk(join(here, 'bin/echo-loop.ts'), [INITIALIZE, 'not json']);
    expect(code).toBe(1);
    expect(err).toContain('cannot be read');
  });
});
