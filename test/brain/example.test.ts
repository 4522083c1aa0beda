// The page of TypeScript in examples/ runs as it stands, and so does a conversation in the terminal.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Brain, tool } from '@gbrain/brain-client/brain';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type BrainProcess, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const root = join(import.meta.dirname, '../..');
let build: BrainBuild;
let model: ScriptedModel;
let server: BrainProcess;

beforeAll(async () => {
  build = await buildBrain();
  model = await startScriptedModel(({ body }) => {
    const text = JSON.stringify(body.input);
    if (text.includes('overload')) return { status: 429, body: 'slow down' };
    if (text.includes('function_call_output')) return { text: 'Yes, it is -4 degrees in Oslo.' };
    if (text.includes('Oslo')) return { toolCalls: [{ id: 'c', name: 'weather', input: { city: 'Oslo' } }] };
    return { text: 'Good day.' };
  });
  server = await startBrain({
    server: build.server,
    registrations: {
      default: { command: process.execPath, args: [join(root, 'packages/harness/src/bin/default-loop.ts')] },
      ...(hasPython && { python: { command: join(root, 'examples/brain/harness.py') } }),
    },
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl },
  });
});

afterAll(async () => {
  await server.kill();
  await model.close();
  removeDataDir(server.dataDir);
  build.remove();
});

const env = () => ({ BRAIN_URL: server.baseUrl, OPENAI_API_KEY: 'sk-0123456789', PATH: process.env.PATH });

describe('the example', () => {
  it('creates a session with a tool and prints its answer', async () => {
    const file = join(root, 'examples/brain/tool-session.ts');
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
      execFile(process.execPath, [file], { env: env() }, (error, stdout, stderr) => {
        if (error) reject(error);
        else resolve({ stdout, stderr });
      });
    });
    expect(stdout).toBe('Yes, it is -4 degrees in Oslo.\n');
    expect(stderr).toContain('weather {"city":"Oslo"}');
  });
});

describe('the harness in Python', () => {
  it.skipIf(!hasPython)('runs whole turns with a tool, from the protocol page alone', async () => {
    const client = new Brain({ baseUrl: server.baseUrl });
    const weather = tool({ name: 'weather', description: '', input: {}, run: () => ({ celsius: -4 }) });
    const session = await client.sessions.create({
      agentloop: 'python',
      model: { provider: 'openai', name: 'm', apiKey: 'sk-0123456789' },
      tools: [weather],
    });
    expect(await session.send('Is it cold in Oslo?')).toMatchObject({
      status: 'ended',
      text: 'Yes, it is -4 degrees in Oslo.',
    });
    expect((await session.send('And now?')).status).toBe('ended');
    expect((await session.transcript()).messages).toHaveLength(6);
    await session.end();
    client.close();
  });
});

/** A conversation; gives both streams and the exit code. */
async function chat(input: string): Promise<{ out: string; err: string; code: unknown }> {
  const child = spawn(process.execPath, [build.server, 'chat', '--provider', 'openai'], { env: env() });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { out, err, code };
}

describe('brain chat', () => {
  it('talks to the built-in loop and ends the session', async () => {
    const { out, err, code } = await chat('Hello\nAnd you?\n/end\n');
    expect(out).toBe('Good day.\nGood day.\n');
    expect(err).toContain('ended');
    expect(code).toBe(0);
  });

  it('says why a provider refused, and the conversation goes on', async () => {
    const { out, err, code } = await chat('overload\n');
    expect(out).toBe('');
    expect(err).toContain('the loop stopped: The provider answered 429: slow down');
    expect(code).toBe(1);
  });
});

describe('the commands of the README', () => {
  let folder: string;
  let sessionId: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'brain-readme-'));
    mkdirSync(join(folder, 'bin'));
    program('bin/brain', `#!/bin/sh\nexec "${process.execPath}" "${build.server}" "$@"\n`);
    program('bin/npx', '#!/bin/sh\nexec "$@"\n');
    program('my-harness', `#!/bin/sh\nexec "${process.execPath}" "${build.harness}" echo\n`);
    const created = await server.api('POST', '/v1/sessions', {
      agentloop: { name: 'default' },
      model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
      tools: [],
      environments: [],
    });
    sessionId = created.body.session_id;
    await server.api('POST', `/v1/sessions/${sessionId}/end`);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function program(name: string, text: string): void {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }

  /** Runs a line as it stands, on a free port and in a folder of its own; a server is ended once it has a worker. */
  async function runLine(line: string): Promise<{ text: string; code: unknown }> {
    const isServer = line.includes('brain serve');
    const url = isServer ? { BRAIN_LISTEN: '127.0.0.1:0' } : { BRAIN_URL: server.baseUrl };
    const child = spawn('sh', ['-c', `exec ${line.replace(/^(\w+=\S+ )/, 'env $1')}`], {
      cwd: folder,
      env: { PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter), HOME: folder, ...url },
    });
    let text = '';
    let wasStopped = !isServer;
    const hear = (chunk: Buffer) => {
      text += chunk;
      if (wasStopped || !text.includes('worker ready')) return;
      // A second signal would end it at once.
      wasStopped = true;
      child.kill('SIGTERM');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.stdin.end('Hello\n');
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { text, code };
  }

  it.each(listCommands())('run as they stand: %s', async (line) => {
    const { text, code } = await runLine(line.replace('SESSION', sessionId));
    expect({ text, code }).toMatchObject({ code: 0 });
    if (line.includes('chat')) expect(text).toContain('Good day.');
    if (line.includes('verify')) expect(text).toContain('clean');
  });
});

/** Lines of `brain` in the READMEs, in their order: the first starts a server in the folder that the last verifies. */
function listCommands(): string[] {
  const texts = ['README.md', 'packages/brain/README.md'].map((file) => readFileSync(join(root, file), 'utf8'));
  const lines = texts.flatMap((text) =>
    [...text.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => block.split('\n')),
  );
  const commands = lines.map((line) => line.replace(/\s+# .*$/, '').trim());
  return commands.filter((line) => /^(\w+=\S+ )?(npx )?brain /.test(line));
}
