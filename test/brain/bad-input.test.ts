// What is wrong is refused in words, and ends nobody else's work: requests, harnesses, registrations, data folders.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type BrainProcess, newDataDir, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROGUES = [
  'print',
  'unknown-id',
  'not-an-object',
  'long-line',
  'deep-line',
  'bad-result',
  'silent',
  'exit',
  'late',
  'foreign',
  'nonsense',
  'flood',
  'deaf',
  'other-protocol',
  'bad-schema',
];

let build: BrainBuild;
let model: ScriptedModel;
let brain: BrainProcess;
let good: string;

beforeAll(async () => {
  build = await buildBrain();
  model = await startScriptedModel(({ body }) => {
    if (JSON.stringify(body.input?.at(-1)).includes('Call it')) {
      return { toolCalls: [{ id: 'call', name: 'match', input: `${'a'.repeat(40)}!` }] };
    }
    return { text: 'Hello.' };
  });
  const rogues = ROGUES.map((how) => [how, { command: process.execPath, args: [build.rogue, how] }]);
  brain = await startBrain({
    server: build.server,
    registrations: {
      good: { command: process.execPath, args: [build.harness, 'loop'] },
      ...Object.fromEntries(rogues),
    },
    env: {
      BRAIN_OPENAI_BASE_URL: model.baseUrl,
      BRAIN_MAX_LINE_BYTES: String(1024 * 1024),
      BRAIN_MAX_REQUEST_BYTES: String(256 * 1024),
      BRAIN_MAX_TURN_SECS: '4',
      BRAIN_INITIALIZE_SECS: '2',
      BRAIN_MAX_EMITTED_BYTES: '500000',
    },
  });
  good = await create('good');
  // Rogues that do initialize are there before the first of them is asked for.
  await until(async () => brain.log().split('worker ready').length > ROGUES.length - 3);
});

afterAll(async () => {
  await brain.kill();
  await model.close();
  removeDataDir(brain.dataDir);
  build.remove();
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const request = (loop: string, rest: Record<string, unknown> = {}) => ({
  agentloop: { name: loop },
  model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
  tools: [],
  environments: [],
  ...rest,
});

async function create(loop: string): Promise<string> {
  const answer = await brain.api('POST', '/v1/sessions', request(loop));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.session_id;
}

const say = (id: string, input: unknown = { message: 'Hi' }) =>
  brain.api('POST', `/v1/sessions/${id}/messages`, { input });

async function events(id: string): Promise<{ event_type: string; data: Record<string, unknown> }[]> {
  return (await brain.api('GET', `/v1/sessions/${id}/events`)).body.events;
}

async function expectOthersGoOn(): Promise<void> {
  const before = (await events(good)).filter(({ event_type }) => event_type === 'turn_ended').length;
  expect((await say(good)).status).toBe(200);
  const after = (await events(good)).filter(({ event_type }) => event_type === 'turn_ended').length;
  expect(after).toBe(before + 1);
}

/** A turn on a session of a rogue; gives how it ended, or what it gave. */
async function turnOf(how: string): Promise<{ event_type: string; data: Record<string, unknown> } | undefined> {
  const id = await create(how);
  expect((await say(id)).status).toBe(200);
  return (await events(id)).at(-1);
}

describe('a harness', () => {
  it.each([
    ['print', 'harness_protocol'],
    ['unknown-id', 'harness_protocol'],
    ['not-an-object', 'harness_protocol'],
    ['long-line', 'harness_protocol'],
    ['deep-line', 'harness_protocol'],
    ['bad-result', 'harness_protocol'],
    ['exit', 'worker_lost'],
  ])('that misbehaves (%s) fails its own turn with %s', async (how, code) => {
    expect(await turnOf(how)).toMatchObject({ event_type: 'turn_failed', data: { code } });
    await expectOthersGoOn();
  });

  it('that never answers is stopped by the deadline, then killed', async () => {
    expect(await turnOf('silent')).toMatchObject({ event_type: 'turn_failed', data: { code: 'timeout' } });
    await expectOthersGoOn();
  });

  it('that calls back after its run is refused and writes nothing', async () => {
    const id = await create('late');
    await say(id);
    const first = await events(id);
    expect(first.at(-1)).toMatchObject({ event_type: 'turn_ended' });
    // A second turn on the same worker comes after the late call of the first, and still works.
    await say(id);
    const second = await events(id);
    expect(second.map(({ event_type }) => event_type)).not.toContain('note');
    expect(second.at(-1)).toMatchObject({ event_type: 'turn_ended' });
  });

  it('that speaks for a session that is not its own is refused', async () => {
    expect(await turnOf('foreign')).toMatchObject({
      event_type: 'turn_ended',
      data: { result: { code: 'activation_closed' } },
    });
  });

  it('that sends nonsense is told so, call by call, and goes on', async () => {
    const ended = await turnOf('nonsense');
    expect(ended).toMatchObject({ event_type: 'turn_ended' });
    expect(ended?.data.result).toEqual(Array.from({ length: 9 }, () => 'invalid_request'));
  });

  it('that emits too much is stopped, whatever it answers', async () => {
    expect(await turnOf('flood')).toMatchObject({ event_type: 'turn_failed', data: { code: 'emit_limit' } });
    await expectOthersGoOn();
  });

  it.each(['deaf', 'other-protocol', 'bad-schema'])(
    'that does not initialize (%s) is not there, and the server is ready',
    async (how) => {
      const answer = await brain.api('POST', '/v1/sessions', request(how));
      expect(answer).toMatchObject({ status: 503, body: { code: 'overloaded', details: { agentloop: how } } });
      expect((await brain.api('GET', '/health/ready')).status).toBe(204);
      await expectOthersGoOn();
    },
  );
});

describe('a pattern that never ends', () => {
  it('is given up as the bad input of its call, and others go on meanwhile', async () => {
    const { host_id } = (await brain.api('POST', '/v1/hosts')).body;
    const tools = [{ name: 'match', description: '', input_schema: { pattern: '^(a+)+$' }, placements: { desk: {} } }];
    const environments = [{ name: 'desk', driver: 'host', host_id }];
    const created = await brain.api('POST', '/v1/sessions', request('good', { tools, environments }));
    const id = created.body.session_id;
    const turn = say(id, { message: 'Call it' });
    await until(async () => (await events(id)).some(({ event_type }) => event_type === 'model_call_ended'));
    await expectOthersGoOn();
    expect((await turn).status).toBe(200);
    const ended = (await events(id)).find(({ event_type }) => event_type === 'tool_call_ended');
    const message = expect.stringContaining('not checked within');
    expect(ended?.data).toMatchObject({ outcome: { status: 'error', error: { code: 'invalid_input', message } } });
  });
});

describe('a request', () => {
  const bigText = 'x'.repeat(300 * 1024);
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  it.each<[string, number, unknown]>([
    ['an unknown field', 422, request('good', { agentlop: {} })],
    ['a command for the loop', 422, request('good', { agentloop: { name: 'good', command: 'sh' } })],
    ['a key of the wrong type', 422, request('good', { model: { provider: 'openai', name: 'm', api_key: 7 } })],
    ['two tools of one name', 400, request('good', { tools: [toolNamed('a'), toolNamed('a')], environments: [BOX] })],
    ['a tool in an environment that is not there', 400, request('good', { tools: [toolNamed('a')] })],
    [
      'a tool whose schema nothing can fit',
      400,
      request('good', { tools: [{ ...toolNamed('a'), input_schema: { type: 'strnig' } }], environments: [BOX] }),
    ],
    [
      'a tool whose results nothing can fit',
      400,
      request('good', { tools: [{ ...toolNamed('a'), output_schema: { pattern: '(' } }], environments: [BOX] }),
    ],
    [
      'a method whose schema leads nowhere',
      400,
      request('good', { environments: [{ ...BOX, methods: [{ name: 'm', input_schema: { $ref: '#/none' } }] }] }),
    ],
    [
      'a template whose schema is none',
      400,
      request('good', {
        environments: [{ ...BOX, template: { max_instances: 1, configuration_schema: { required: 'a' } } }],
      }),
    ],
    ['a body that is too large', 413, request('good', { system: bigText })],
    ['a value that is nested too deep', 400, request('good', { system: nested(2000) })],
    ['null', 422, null],
    ['a list', 422, []],
  ])('to create with %s is answered %i', async (_, status, body) => {
    expect(await brain.api('POST', '/v1/sessions', body)).toMatchObject({ status, body: { code: 'invalid_request' } });
    await expectOthersGoOn();
  });

  it.each<[string, number, unknown]>([
    ['no message', 422, {}],
    ['an unknown key', 422, { message: 'Hi', urgent: true }],
    ['an image over plain HTTP', 422, { message: 'Hi', media: [{ type: 'image', url: 'http://example.org/a.png' }] }],
    ['empty blocks', 422, { message: [] }],
    ['a message that is nested too deep', 400, { message: nested(2000) }],
    ['too much text', 413, { message: bigText }],
  ])('to send with %s is answered %i and writes nothing', async (_, status, input) => {
    const before = await events(good);
    expect(await say(good, input)).toMatchObject({ status });
    expect(await events(good)).toEqual(before);
  });
});

function toolNamed(name: string) {
  return { name, description: '', input_schema: {}, placements: { box: {} } };
}

const BOX = { name: 'box', driver: 'http', url: 'http://127.0.0.1:9', lifecycle: 'manual' };

describe('a start', () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [build.server, ...args], { encoding: 'utf8', env, timeout: 30_000 });

  it.each<[string, string, string]>([
    ['a command that is not there', '{"a":{"command":"no-such-program"}}', 'was not found'],
    ['no command', '{"a":{}}', 'a.command'],
    ['an unknown key', '{"a":{"command":"node","threads":2}}', 'threads'],
    ['no workers', '{"a":{"command":"node","workers":0}}', 'a.workers'],
    ['a bad name', '{"a b":{"command":"node"}}', 'a b'],
    ['half a map', '{"a":', 'not JSON'],
  ])('with %s is refused in words', (_, map, word) => {
    const dataDir = newDataDir();
    const done = run(['--data-dir', dataDir, '--listen', '127.0.0.1:0', '--agentloops', map], { PATH: '/usr/bin' });
    removeDataDir(dataDir);
    expect(done.status).toBe(2);
    expect(done.stderr).toContain(word);
    expect(done.stderr).toMatch(/^Error \[invalid_setting\]: .*\nFix: /);
  });

  it('on a data folder of another version is refused, and changes nothing in it', () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'format'), 'brain-data/99\n');
    const done = run(['--data-dir', dataDir, '--listen', '127.0.0.1:0']);
    expect(done.status).toBe(1);
    expect(done.stderr).toContain('data_dir_format');
    removeDataDir(dataDir);
  });

  it('beyond loopback without a token is refused', () => {
    const dataDir = newDataDir();
    const done = run(['--data-dir', dataDir, '--listen', '0.0.0.0:0']);
    removeDataDir(dataDir);
    expect(done.status).toBe(2);
    expect(done.stderr.toLowerCase()).toContain('token');
  });
});
