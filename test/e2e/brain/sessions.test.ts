// The real server over HTTP with a harness process and a scripted model: turns, tools, streams, keys, refusals.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BrainProcess, fixtureHarness, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const KEY = 'sk-canary-0123456789';
let brain: BrainProcess;
let model: ScriptedModel;
let script: Script = () => ({ text: 'Hello.' });

const REGISTRATIONS = {
  loop: { command: fixtureHarness('loop-harness.mjs') },
  narrow: { command: fixtureHarness('loop-harness.mjs'), max_concurrency: 1 },
};

beforeAll(async () => {
  model = await startScriptedModel((hit, index) => script(hit, index));
  brain = await startBrain({
    registrations: REGISTRATIONS,
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, BRAIN_ANTHROPIC_BASE_URL: model.baseUrl },
  });
});

afterEach(() => {
  script = () => ({ text: 'Hello.' });
});

afterAll(async () => {
  await brain.kill('SIGTERM');
  await model.close();
  removeDataDir(brain.dataDir);
});

interface Create {
  loop?: string;
  configuration?: Record<string, unknown>;
  [key: string]: unknown;
}

async function create({ loop = 'loop', configuration, ...rest }: Create = {}): Promise<string> {
  const answer = await brain.api('POST', '/v1/sessions', {
    agentloop: { name: loop, ...(configuration && { configuration }) },
    model: { provider: 'openai', name: 'm', api_key: KEY },
    tools: [],
    environments: [],
    ...rest,
  });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.session_id;
}

const say = (id: string, message: string, options = {}) =>
  brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message } }, options);

async function eventTypes(id: string): Promise<string[]> {
  return (await events(id)).map((event) => event.event_type);
}

async function events(id: string): Promise<{ sequence: number; event_type: string; data: Record<string, unknown> }[]> {
  return (await brain.api('GET', `/v1/sessions/${id}/events?after=0`)).body.events;
}

/** Registers a host, answers its commands with `run`, until it is closed. */
async function openHost(run: (command: Record<string, unknown> & { sequence: number }) => unknown) {
  const { body } = await brain.api('POST', '/v1/hosts');
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${body.token}` };
  const stream = await fetch(`${brain.baseUrl}/v1/hosts/${body.host_id}/commands`, { headers, signal: abort.signal });
  const commands: Record<string, unknown>[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (!data) continue;
        const command = JSON.parse(data);
        commands.push(command);
        const update = await run(command);
        if (update === undefined) continue;
        const { session_id, sequence } = command;
        await brain.api('POST', `/v1/hosts/${body.host_id}/results`, { session_id, sequence, update }, { headers });
      }
    }
  };
  read().catch(() => {});
  return { hostId: body.host_id as string, headers, commands, close: () => abort.abort() };
}

const weather = {
  name: 'weather',
  description: 'Weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  output_schema: { type: 'object', required: ['celsius'] },
  placements: { laptop: {} },
};

describe('a turn', () => {
  it('with a model call is journaled in order, and answered with the idle summary', async () => {
    const id = await create({ system: 'Be short.' });
    const answer = await say(id, 'Hi');
    const list = await events(id);
    expect(answer).toMatchObject({ status: 200, body: { session_id: id, status: 'idle', last_sequence: list.length } });
    expect(list.map((event) => event.event_type)).toEqual([
      'session_creation_started',
      'session_creation_ended',
      'turn_started',
      'activation_started',
      'kv_set',
      'transcript_delta',
      'model_call_started',
      'model_call_ended',
      'transcript_delta',
      'output_emitted',
      'kv_delete',
      'activation_ended',
      'turn_ended',
    ]);
    const { body } = await brain.api('GET', `/v1/sessions/${id}/transcript`);
    expect(body.messages.map((message: { role: string }) => message.role)).toEqual(['user', 'assistant']);
    const hit = model.hits.at(-1);
    expect(hit).toMatchObject({ authorization: `Bearer ${KEY}`, body: { instructions: 'Be short.', store: false } });
  });

  it('keeps usage counters absent that the provider did not report', async () => {
    const id = await create();
    await say(id, 'Hi');
    const ended = (await events(id)).find((event) => event.event_type === 'model_call_ended');
    expect(ended?.data).toMatchObject({ result: { usage: { input_tokens: 10, output_tokens: 5 } } });
    const result = ended?.data.result as { usage: Record<string, number> } | undefined;
    expect(Object.keys(result?.usage ?? {}).sort()).toEqual(['input_tokens', 'output_tokens', 'total_input_tokens']);
  });

  it('calls a host tool and gives its output to the model', async () => {
    const host = await openHost(() => ({ type: 'finish', outcome: { status: 'ok', value: { celsius: 4 } } }));
    script = (hit) =>
      JSON.stringify(hit.body.input).includes('function_call_output')
        ? { text: 'It is 4 degrees.' }
        : { toolCalls: [{ id: 'c1', name: 'weather', input: { city: 'Oslo' } }] };
    const id = await create({
      tools: [weather],
      environments: [{ name: 'laptop', driver: 'host', host_id: host.hostId }],
    });
    await say(id, 'Weather in Oslo?');
    expect((await eventTypes(id)).slice(8)).toEqual([
      'transcript_delta',
      'tool_call_started',
      'tool_result_emitted',
      'tool_call_ended',
      'transcript_delta',
      'model_call_started',
      'model_call_ended',
      'transcript_delta',
      'output_emitted',
      'kv_delete',
      'activation_ended',
      'turn_ended',
    ]);
    expect(host.commands).toHaveLength(1);
    expect(host.commands[0]).toMatchObject({
      operation: { type: 'invoke_tool', name: 'weather', input: { city: 'Oslo' } },
    });
    const input = (model.hits.at(-1)?.body.input ?? []) as { type: string; output?: string }[];
    const output = input.find((item) => item.output);
    expect(JSON.parse(output?.output ?? '')).toEqual({ celsius: 4 });
    host.close();
  });

  it('refuses bad tool input as that call alone, without sending it', async () => {
    const host = await openHost(() => ({ type: 'finish', outcome: { status: 'ok', value: { celsius: 1 } } }));
    script = (hit) =>
      JSON.stringify(hit.body.input).includes('function_call_output')
        ? { text: 'Done.' }
        : {
            toolCalls: [
              { id: 'bad', name: 'weather', input: { town: 'Oslo' } },
              { id: 'good', name: 'weather', input: { city: 'Oslo' } },
            ],
          };
    const id = await create({
      tools: [weather],
      environments: [{ name: 'laptop', driver: 'host', host_id: host.hostId }],
    });
    await say(id, 'Go');
    const outcomes = (await events(id))
      .filter((event) => event.event_type === 'tool_call_ended')
      .map((event) => event.data.outcome);
    expect(outcomes).toMatchObject([{ status: 'error', error: { code: 'invalid_input' } }, { status: 'ok' }]);
    expect(host.commands).toHaveLength(1);
    host.close();
  });

  it('speaks the Anthropic dialect too', async () => {
    const id = await create({ model: { provider: 'anthropic', name: 'claude', api_key: KEY } });
    await say(id, 'Hi');
    expect(model.hits.at(-1)).toMatchObject({ path: '/v1/messages', authorization: KEY, body: { max_tokens: 8192 } });
    const { body } = await brain.api('GET', `/v1/sessions/${id}/transcript`);
    expect(body.messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] });
  });

  it('fails with 200 when the provider refuses, sends nothing twice, and leaves the marker', async () => {
    const before = model.hits.length;
    script = () => ({ status: 500 });
    const id = await create();
    expect(await say(id, 'Hi')).toMatchObject({ status: 200, body: { status: 'idle' } });
    expect(model.hits.length - before).toBe(1);
    const failed = (await events(id)).filter((event) => event.event_type.endsWith('_failed'));
    expect(failed.map((event) => event.data.code)).toEqual([
      'model_provider_failed',
      'model_provider_failed',
      'model_provider_failed',
    ]);
    const again = await say(id, 'Again');
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { reason: 'harness_activation_unresolved' } },
    });
  });

  it.each(['before', 'middle'] as const)('records a call cut %s its answer as unknown, once', async (cut) => {
    const before = model.hits.length;
    script = () => ({ cut });
    const id = await create();
    await say(id, 'Hi');
    expect(model.hits.length - before).toBe(1);
    const failed = (await events(id)).filter((event) => event.event_type === 'model_call_failed');
    expect(failed.map((event) => event.data)).toMatchObject([{ code: 'unknown', ambiguous: true }]);
  });
});

describe('requests', () => {
  it('replay their answer for the same key and refuse another body', async () => {
    const id = await create();
    const first = await say(id, 'Hi', { key: 'same' });
    const hits = model.hits.length;
    expect(await say(id, 'Hi', { key: 'same' })).toMatchObject({ status: 200, body: first.body });
    expect(model.hits.length).toBe(hits);
    expect(await say(id, 'Ho', { key: 'same' })).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('wait for a duplicate that runs, and answer both alike', async () => {
    script = () => ({ text: 'Slow.', delayMs: 200 });
    const id = await create();
    const [one, two] = await Promise.all([say(id, 'Hi', { key: 'twin' }), say(id, 'Hi', { key: 'twin' })]);
    expect(one.status).toBe(200);
    expect(two.body).toEqual(one.body);
  });

  it('answer 202 with the turn when asked to, and 409 while the turn runs', async () => {
    script = () => ({ text: 'Slow.', delayMs: 300 });
    const id = await create();
    const accepted = await say(id, 'Hi', { headers: { prefer: 'respond-async' } });
    expect(accepted).toMatchObject({ status: 202, body: 3 });
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    expect(await say(id, 'More')).toMatchObject({ status: 409, body: { details: { reason: 'session_busy' } } });
    expect(await say(id, 'Hi', { headers: { prefer: 'wait=5' } })).toMatchObject({ status: 400 });
  });

  it.each([
    ['an unknown field', 422, { agentloop: { name: 'loop', command: 'sh' } }],
    ['a wrong type', 422, { tools: 'none' }],
    ['an unknown registration', 400, { agentloop: { name: 'none' } }],
    ['an unknown provider', 400, { model: { provider: 'none', name: 'm', api_key: 'k' } }],
    ['the brain driver', 422, { environments: [{ name: 'b', driver: 'brain' }] }],
    ['an unknown host', 400, { environments: [{ name: 'h', driver: 'host', host_id: 'host_00000000000000000000' }] }],
    ['plain HTTP elsewhere', 400, { environments: [{ name: 'h', driver: 'http', url: 'http://example.org' }] }],
  ])('are refused with %s', async (_, status, part) => {
    const body = {
      agentloop: { name: 'loop' },
      model: { provider: 'openai', name: 'm', api_key: KEY },
      tools: [],
      environments: [],
      ...part,
    };
    expect(await brain.api('POST', '/v1/sessions', body)).toMatchObject({ status, body: { code: 'invalid_request' } });
  });

  it('are refused for what is wrong with their envelope', async () => {
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${brain.baseUrl}/v1/sessions`, { method: 'POST', body, headers }).then((answer) => answer.status);
    const json = { 'content-type': 'application/json' };
    expect(await post('{', { ...json, 'idempotency-key': 'x' })).toBe(400);
    expect(await post('{}', { 'content-type': 'text/plain', 'idempotency-key': 'x' })).toBe(415);
    expect(await post('{}', json)).toBe(400);
    expect(await post('{}', { ...json, 'idempotency-key': 'k'.repeat(257) })).toBe(400);
    expect((await brain.api('GET', '/v1/sessions/nonsense')).status).toBe(400);
    expect((await brain.api('GET', '/v1/sessions/ses_00000000000000000000')).status).toBe(404);
    expect((await brain.api('GET', '/v1/nothing')).status).toBe(404);
    expect((await brain.api('GET', '/v1/sessions?bogus=1')).status).toBe(400);
    expect((await brain.api('POST', '/v1/agentloops')).status).toBe(404);
  });
});

describe('the life of a session', () => {
  it('is cancelled while it runs, and says so', async () => {
    script = () => ({ silent: true });
    const id = await create();
    const turn = say(id, 'Hi');
    while (!(await eventTypes(id)).includes('model_call_started'));
    expect((await brain.api('POST', `/v1/sessions/${id}/cancel`)).status).toBe(204);
    expect((await brain.api('POST', `/v1/sessions/${id}/cancel`)).status).toBe(204);
    await turn;
    const codes = (await events(id))
      .filter((event) => event.event_type.endsWith('_failed'))
      .map((event) => event.data.code);
    expect(codes).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect((await say(id, 'More')).status).toBe(409);
  });

  it('is cancelled while it waits for a slot, and stays usable', async () => {
    script = () => ({ silent: true });
    const [first, second] = [await create({ loop: 'narrow' }), await create({ loop: 'narrow' })];
    const running = say(first, 'Hi');
    while (!(await eventTypes(first)).includes('model_call_started'));
    const waiting = say(second, 'Hi');
    while (!(await eventTypes(second)).includes('turn_started'));
    expect((await brain.api('POST', `/v1/sessions/${second}/cancel`)).status).toBe(204);
    await waiting;
    expect((await eventTypes(second)).slice(2)).toEqual(['turn_started', 'turn_cancel_requested', 'turn_failed']);
    await brain.api('POST', `/v1/sessions/${first}/cancel`);
    await running;
    script = () => ({ text: 'Fine.' });
    expect((await say(second, 'Again')).status).toBe(200);
    expect((await eventTypes(second)).at(-1)).toBe('turn_ended');
  });

  it('ends, is deleted, and its key replays although it is gone', async () => {
    const id = await create();
    await say(id, 'Hi');
    expect((await brain.api('DELETE', `/v1/sessions/${id}`)).status).toBe(400);
    expect(await brain.api('POST', `/v1/sessions/${id}/end`)).toMatchObject({ status: 200, body: { status: 'ended' } });
    expect((await say(id, 'Hi')).status).toBe(400);
    expect((await brain.api('DELETE', `/v1/sessions/${id}`, undefined, { key: 'gone' })).status).toBe(204);
    expect((await brain.api('DELETE', `/v1/sessions/${id}`, undefined, { key: 'gone' })).status).toBe(204);
    expect((await brain.api('GET', `/v1/sessions/${id}`)).status).toBe(404);
    expect(readdirSync(join(brain.dataDir, 'agentloops/loop'))).not.toContain(id);
  });

  it('hides the model key everywhere but in what is sealed', async () => {
    script = () => ({ text: `Your key is ${KEY}, is it not?` });
    const id = await create();
    await say(id, `Remember ${KEY}`);
    const text = JSON.stringify(await events(id));
    expect(text).not.toContain(KEY);
    expect(text).toContain('[sealed]');
    expect(brain.log()).not.toContain(KEY);
    for (const file of readdirSync(brain.dataDir, { recursive: true }) as string[]) {
      const path = join(brain.dataDir, file);
      if (statSync(path).isFile()) expect(readFileSync(path).includes(KEY), file).toBe(false);
    }
  });
});
