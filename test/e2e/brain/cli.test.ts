// The `brain` command as a person uses it: chat over the loop that comes with it, sessions, verify, and its errors.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import {
  type BrainProcess,
  fixtureHarness,
  newDataDir,
  removeDataDir,
  startBrain,
} from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const bin = join(import.meta.dirname, '../../../packages/brain/src/bin/brain.ts');
let brain: BrainProcess;
let model: ScriptedModel;
let script: Script;

beforeAll(async () => {
  model = await startScriptedModel((hit, index) => script(hit, index));
  brain = await startBrain({
    registrations: { default: { command: fixtureHarness('loop-harness.mjs') } },
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, BRAIN_API_TOKEN: 'token-for-tests' },
  });
});

afterAll(async () => {
  await brain.kill('SIGTERM');
  await model.close();
  removeDataDir(brain.dataDir);
});

interface Ran {
  exit: number | null;
  out: string;
  err: string;
}

function run(args: string[], input = '', env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: {
      PATH: dirname(process.execPath),
      BRAIN_URL: brain.baseUrl,
      BRAIN_API_TOKEN: 'token-for-tests',
      OPENAI_API_KEY: 'sk-cli-0123456789',
      ...env,
    },
  });
  const ran: Ran = { exit: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    ran.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    ran.err += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (exit) => resolve({ ...ran, exit })));
}

describe('brain chat', () => {
  it('prints each answer once, goes on in the same session, and ends it when told to', async () => {
    script = (hit) => ({ text: `Answer ${hit.body.input?.length}, in a few pieces.` });
    const first = await run(['chat'], 'Hello\n\nAgain\n');
    expect(first).toMatchObject({ exit: 0, out: 'Answer 1, in a few pieces.\nAnswer 3, in a few pieces.\n' });
    const id = /session (ses_\w+)/.exec(first.err)?.[1] ?? '';
    expect((await run(['chat', id], 'More\n/end\n')).out).toBe('Answer 5, in a few pieces.\n');
    const shown = await run(['sessions', 'show', id]);
    expect(shown.out).toContain('ended');
    expect(shown.out).toContain('user      Again');
    expect((await run(['sessions', 'list'])).out).toContain(id);
    const listed = JSON.parse((await run(['sessions', 'list', '--json'])).out);
    expect(listed.sessions).toContainEqual(expect.objectContaining({ session_id: id, status: 'ended' }));
    const events = (await run(['sessions', 'events', id, '--json'])).out.trim().split('\n');
    expect(JSON.parse(events.at(-1) ?? '').event_type).toBe('session_ended');
    const followed = await run(['sessions', 'events', id, '--follow', '--after', '2']);
    expect(followed).toMatchObject({ exit: 0 });
    expect(followed.out.split('\n')).toHaveLength(events.length - 1);
  });

  it('says why a turn failed, and fails with it', async () => {
    script = () => ({ status: 400 });
    const ran = await run(['chat'], 'Hello\n');
    expect(ran.exit).toBe(1);
    expect(ran.err).toContain('the turn failed: model_provider_failed');
  });
});

describe('brain', () => {
  it.each([
    ['a wrong token', ['sessions', 'list'], { BRAIN_API_TOKEN: 'wrong-token' }, 1, 'unauthorized'],
    ['no server', ['sessions', 'list', '--url', 'http://127.0.0.1:9'], {}, 1, 'server_unreachable'],
    ['no key', ['chat'], { OPENAI_API_KEY: '' }, 1, 'no_model_key'],
    ['an unknown session', ['sessions', 'show', 'ses_00000000000000000000'], {}, 1, 'not_found'],
    ['an unknown command', ['walk'], {}, 2, 'usage'],
    ['an unknown flag', ['sessions', 'list', '--bogus', '1'], {}, 2, 'usage'],
    ['a folder that is none', ['verify', '--data-dir', '/nowhere'], {}, 1, undefined],
    [
      'a folder of something else',
      ['serve', '--data-dir', '/etc', '--listen', '127.0.0.1:0'],
      {},
      1,
      'data_dir_format',
    ],
    ['an unknown setting', ['serve', '--bogus', '1'], {}, 2, 'invalid_setting'],
    [
      'an open listener without a token',
      ['serve', '--listen', '0.0.0.0:0'],
      { BRAIN_API_TOKEN: '' },
      2,
      'invalid_setting',
    ],
  ] as const)('says what to do with %s', async (_, args, env, exit, code) => {
    const ran = await run([...args], '', env);
    expect(ran.exit).toBe(exit);
    if (code) expect(ran.err).toMatch(new RegExp(`^Error \\[${code}\\]: .+\nFix: .+\n`));
  });

  it('ends when its address is taken, and lets go of the folder', async () => {
    const { host } = new URL(brain.baseUrl);
    const dataDir = newDataDir();
    for (const _ of [1, 2]) {
      const ran = await run(['serve', '--listen', host, '--data-dir', dataDir]);
      expect(ran).toMatchObject({ exit: 1, err: expect.stringContaining('[address_in_use]') });
    }
    removeDataDir(dataDir);
  });

  it('gives an error as one document with --json', async () => {
    const ran = await run(['sessions', 'show', 'nonsense', '--json']);
    const next = { argv: ['brain', 'sessions', 'list'], next: 'run' };
    expect(JSON.parse(ran.out)).toMatchObject({ code: 'invalid_request', fix: next, contract_version: 1 });
  });

  it('verifies a live folder, and lists every setting in its help', async () => {
    const ran = await run(['verify', '--data-dir', brain.dataDir]);
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.out).toMatch(/sealed values\nclean\n$/);
    expect((await run(['--help'])).out).toContain('BRAIN_MAX_TURN_SECS');
    expect((await run(['--version'])).out).toMatch(/^brain \d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['sesions', 'list'], 'Did you mean sessions?'],
    [['sessions', 'event'], 'Did you mean events?'],
    [['serve', '--data-dri', 'x'], 'Did you mean --data-dir?'],
  ])('knows what was meant by %j', async (args, words) => {
    expect((await run(args)).err).toContain(words);
  });
});
