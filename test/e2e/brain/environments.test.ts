// Environments over the real server: services, background tools that wake the loop, deadlines, control, uncertain ends.
import { type BrainProcess, fixtureHarness, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { startToolService, type ToolScript, type ToolService } from '@gbrain/testkit/tool-service';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let brain: BrainProcess;
let model: ScriptedModel;
let service: ToolService;
let script: Script;
let serve: ToolScript;

const toolThenText: Script = (hit) =>
  JSON.stringify(hit.body.input).includes('function_call_output')
    ? { text: 'Done.' }
    : { toolCalls: [{ id: 'c1', name: 'add', input: { a: 1 } }] };
const succeed: ToolScript = ({ sequence }) => ({ type: 'result', output: { sequence } });

beforeAll(async () => {
  model = await startScriptedModel((hit, index) => script(hit, index));
  service = await startToolService((operation) => serve(operation));
  brain = await startBrain({
    registrations: { loop: { command: fixtureHarness('loop-harness.mjs') } },
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, BRAIN_MAX_TOOL_SECS: '1' },
  });
});

afterEach(() => {
  service.operations.length = 0;
});

afterAll(async () => {
  await brain.kill('SIGTERM');
  await Promise.all([model.close(), service.close()]);
  removeDataDir(brain.dataDir);
});

const tool = { name: 'add', description: 'Adds.', input_schema: {}, placements: { box: { implementation: 'adder' } } };

async function tryCreate(environment: Record<string, unknown> = {}, tools: unknown[] = [tool]) {
  script = toolThenText;
  return brain.api('POST', '/v1/sessions', {
    agentloop: { name: 'loop' },
    model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
    tools,
    environments: [{ name: 'box', driver: 'http', url: service.url, credential: 'box-credential', ...environment }],
  });
}

async function create(environment: Record<string, unknown> = {}, tools?: unknown[]): Promise<string> {
  const answer = await tryCreate(environment, tools);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.session_id;
}

const say = (id: string, message = 'Go') => brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message } });
const control = (id: string, request: unknown) => brain.api('POST', `/v1/sessions/${id}/environments`, request);

async function events(id: string): Promise<{ sequence: number; event_type: string; data: Record<string, unknown> }[]> {
  return (await brain.api('GET', `/v1/sessions/${id}/events`)).body.events;
}

async function outcome(id: string): Promise<unknown> {
  return (await events(id)).find((event) => event.event_type === 'tool_call_ended')?.data.outcome;
}

async function until(id: string, kind: string): Promise<void> {
  while (!(await events(id)).some((event) => event.event_type === kind));
}

describe('a service', () => {
  it('is set up with its credential before the session answers, and runs tools by their implementation', async () => {
    serve = succeed;
    const id = await create({ configuration: { size: 2 } });
    await say(id);
    expect(service.operations).toMatchObject([
      {
        session_id: id,
        environment: { name: 'box', sequence: 1 },
        request: { type: 'setup', configuration: { size: 2 } },
      },
      { request: { type: 'execute', implementation: 'adder', input: { a: 1 } }, binding: { sequence: 2 } },
    ]);
    expect(await outcome(id)).toEqual({ status: 'ok', value: null });
    expect(JSON.stringify(await events(id))).not.toContain('box-credential');
  });

  it.each([
    [
      'failure',
      { type: 'failure', code: 'no_disk', message: 'Full.', retryable: true },
      { status: 'error', error: { code: 'no_disk' } },
    ],
    ['accepted', { type: 'accepted' }, { status: 'unknown' }],
    ['unknown', { type: 'unknown', message: 'Lost.' }, { status: 'unknown', message: 'Lost.' }],
  ] as const)('that answers %s ends the call so, and the turn goes on', async (_, receipt, expected) => {
    serve = (operation) => (operation.request.type === 'execute' ? receipt : succeed(operation));
    const id = await create();
    expect((await say(id)).body.status).toBe('idle');
    expect(await outcome(id)).toMatchObject(expected);
    expect((await events(id)).at(-1)?.event_type).toBe('turn_ended');
  });

  it('that never answers runs into the deadline, and is told to stop', async () => {
    serve = (operation) => (operation.request.type === 'execute' ? undefined : succeed(operation));
    const id = await create();
    await say(id);
    expect(await outcome(id)).toEqual({ status: 'timeout' });
    await until(id, 'tool_cancel_ended');
    expect(service.operations.map(({ request }) => request.type)).toEqual(['setup', 'execute', 'cancel']);
  });

  it('that cannot be set up fails the creation, and the session can only be deleted', async () => {
    serve = () => ({ type: 'failure', code: 'broken', message: 'No.', retryable: false });
    const answer = await tryCreate();
    expect(answer).toMatchObject({ status: 500, body: { code: 'executor_failed' } });
    const id = answer.body.details.session_id;
    expect((await brain.api('GET', `/v1/sessions/${id}`)).body.status).toBe('failed');
    expect((await say(id)).status).toBe(400);
    serve = succeed;
    expect((await brain.api('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
  });

  it('that nobody runs is an error that sent nothing, and is noted as unreachable', async () => {
    serve = succeed;
    const gone = await startToolService();
    const id = await create({ url: gone.url });
    await gone.close();
    await say(id);
    expect(await outcome(id)).toMatchObject({ status: 'error', error: { code: 'environment_unreachable' } });
    expect((await events(id)).some((event) => event.event_type === 'environment_unreachable')).toBe(true);
  });

  it('is detached at the end and torn down at the deletion', async () => {
    serve = succeed;
    const id = await create();
    await brain.api('POST', `/v1/sessions/${id}/end`);
    await brain.api('DELETE', `/v1/sessions/${id}`);
    expect(service.operations.map(({ request }) => request.type)).toEqual(['setup', 'detach', 'teardown']);
  });
});

describe('a background tool', () => {
  it('frees its caller, calls back with its own token, and its end wakes the loop', async () => {
    let callback: { url: string; token: string } | undefined;
    serve = (operation) => {
      const { request } = operation;
      if (request.type !== 'execute') return succeed(operation);
      callback = request.callback;
      return { type: 'returned', output: { started: true } };
    };
    const id = await create();
    await say(id);
    expect((await events(id)).at(-1)?.event_type).toBe('turn_ended');
    script = () => ({ text: 'I saw it end.' });
    const call = (method: string, input: unknown, token = callback?.token) =>
      fetch(callback?.url ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ method, input }),
      }).then((answer) => answer.status);
    expect(await call('finish', { status: 'ok', value: 1 }, 'wrong')).toBe(401);
    expect(await call('emit', { event_type: 'box.progress', data: 50 })).toBe(200);
    expect(await call('finish', { status: 'ok', value: { sum: 3 } })).toBe(200);
    expect(await call('finish', { status: 'ok', value: 2 })).toBe(401);
    while ((await events(id)).filter((event) => event.event_type === 'turn_ended').length < 2);
    const list = await events(id);
    const woken = list.findLast((event) => event.event_type === 'turn_started');
    expect(woken?.data).toEqual({ trigger: 'events' });
    expect(list.filter((event) => event.event_type === 'tool_call_ended')).toHaveLength(1);
    expect(list.filter((event) => event.event_type === 'turn_started').length).toBeLessThanOrEqual(3);
  });
});

describe('control', () => {
  it('makes, sets up, calls and deletes instances of a template', async () => {
    serve = (operation) =>
      operation.request.type === 'call' ? { type: 'result', output: 'pong' } : succeed(operation);
    const id = await create({
      lifecycle: 'manual',
      template: { max_instances: 1, configuration_schema: { type: 'object' } },
      methods: [
        { name: 'ping', input_schema: { type: 'object' } },
        { name: 'renew', effect: 'replace' },
      ],
    });
    expect((await control(id, { operation: 'list' })).body).toEqual({ environments: [] });
    expect((await control(id, { operation: 'create', template: 'box', name: 'one', configuration: 1 })).status).toBe(
      400,
    );
    const made = await control(id, { operation: 'create', template: 'box', name: 'one', configuration: { n: 1 } });
    expect(made.body).toMatchObject({ template: 'box', state: 'declared', tools: ['add'] });
    const environment = made.body.reference;
    expect((await control(id, { operation: 'create', template: 'box', name: 'two', configuration: {} })).status).toBe(
      400,
    );
    expect(
      (await control(id, { operation: 'update', environment, configuration: { n: 2 } })).body.configuration,
    ).toEqual({ n: 2 });
    expect((await control(id, { operation: 'setup', environment })).body.state).toBe('ready');
    expect((await control(id, { operation: 'update', environment, configuration: {} })).status).toBe(400);
    expect((await control(id, { operation: 'call', environment, method: 'ping', input: {} })).body).toEqual({
      output: 'pong',
    });
    expect((await control(id, { operation: 'call', environment, method: 'ping', input: 'x' })).status).toBe(400);
    expect((await control(id, { operation: 'call', environment, method: 'none', input: {} })).status).toBe(400);
    await control(id, { operation: 'call', environment, method: 'renew', input: {} });
    const stale = await control(id, { operation: 'get', environment });
    expect(stale).toMatchObject({ status: 400, body: { details: { reason: 'stale_environment' } } });
    const renewed = (await control(id, { operation: 'list' })).body.environments[0].reference;
    expect(renewed.sequence).toBeGreaterThan(environment.sequence);
    await say(id);
    expect(service.operations.at(-1)).toMatchObject({
      environment: renewed,
      request: { type: 'execute' },
      configuration: { n: 2 },
    });
    expect((await control(id, { operation: 'delete', environment: renewed })).body.state).toBe('deleted');
  });

  it('runs no tool in an environment that was not set up', async () => {
    serve = succeed;
    const id = await create({ lifecycle: 'manual' });
    await say(id);
    expect(await outcome(id)).toMatchObject({ status: 'error', error: { code: 'environment_not_ready' } });
    expect(service.operations).toEqual([]);
  });

  it('holds the slot of an operation whose outcome nobody knows until a reporter resolves it', async () => {
    let reporter: { url: string; token: string } | undefined;
    serve = ({ reporter: given, sequence }) => {
      reporter = given;
      return { type: 'unknown', message: `setup ${sequence}` };
    };
    const id = await create({ lifecycle: 'manual' });
    const environment = { name: 'box', sequence: 1 };
    expect(await control(id, { operation: 'setup', environment })).toMatchObject({
      status: 500,
      body: { code: 'ambiguous' },
    });
    const view = (await control(id, { operation: 'get', environment })).body;
    expect(view).toMatchObject({ state: 'unknown', pending_operation: { operation: 'setup' } });
    expect((await control(id, { operation: 'setup', environment })).status).toBe(409);
    const observation = { scope: 'operation', sequence: view.pending_operation.sequence, resolution: 'ended' };
    const seen = await fetch(reporter?.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${reporter?.token}` },
      body: JSON.stringify({ method: 'observe', input: { observation } }),
    });
    expect(seen.status).toBe(200);
    expect((await control(id, { operation: 'get', environment })).body.state).toBe('ready');
  });
});

describe('a host', () => {
  it('that never answers runs into the deadline, and a call that was never sent is not cancelled', async () => {
    const { body } = await brain.api('POST', '/v1/hosts');
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${body.token}` };
    const stream = await fetch(`${brain.baseUrl}/v1/hosts/${body.host_id}/commands`, { headers, signal: abort.signal });
    script = toolThenText;
    const id = await create({ driver: 'host', host_id: body.host_id, url: undefined, credential: undefined });
    const turn = say(id);
    await stream.body?.getReader().read();
    abort.abort();
    await turn;
    expect(await outcome(id)).toMatchObject({ status: 'timeout' });
    const unsent = await create({ driver: 'host', host_id: body.host_id, url: undefined, credential: undefined });
    await say(unsent);
    expect(await outcome(unsent)).toEqual({ status: 'timeout' });
    expect((await events(unsent)).some((event) => event.event_type === 'tool_cancel_started')).toBe(false);
    expect((await fetch(`${brain.baseUrl}/v1/hosts/${body.host_id}/commands`)).status).toBe(401);
  });
});
