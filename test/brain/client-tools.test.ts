// Tools and environments of the TypeScript client against the real server: as values, placed, with options, controlled.
import { Brain, BrainError, environment, hostEnv, isEvent, tool } from '@gbrain/brain-client/brain';
import { type BrainProcess, newDataDir, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { startToolService } from '@gbrain/testkit/tool-service';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const MODEL = { provider: 'openai', name: 'm', apiKey: 'sk-canary-0123456789' };
let model: ScriptedModel;
let server: BrainProcess;
let script: Script = () => ({ text: 'Hello.' });
const clients: Brain[] = [];
const background: Error[] = [];

beforeAll(async () => {
  model = await startScriptedModel((hit, index) => script(hit, index));
  server = await startBrain({ env: { BRAIN_OPENAI_BASE_URL: model.baseUrl }, dataDir: newDataDir() });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  expect(background.splice(0)).toEqual([]);
});

afterAll(async () => {
  await server.kill('SIGTERM');
  await model.close();
  removeDataDir(server.dataDir);
});

function connect(): Brain {
  const client = new Brain({ baseUrl: server.baseUrl, onError: (error) => background.push(error) });
  clients.push(client);
  return client;
}

const callsThenSays =
  (name: string, input: unknown, text: string): Script =>
  (hit) => {
    const { type } = (hit.body.input?.at(-1) ?? {}) as { type?: string };
    return type === 'function_call_output' ? { text } : { toolCalls: [{ id: 'call_1', name, input }] };
  };

describe('environments of a session', () => {
  it('are listed, set up, called and deleted by its owner', async () => {
    const service = await startToolService(({ request }) =>
      request.type === 'call' ? { type: 'result', output: { got: request.input } } : { type: 'result', output: null },
    );
    const session = await connect().sessions.create({
      model: MODEL,
      environments: [
        { name: 'box', driver: 'http', url: service.url, lifecycle: 'manual', methods: [{ name: 'look' }] },
        { name: 'plan', driver: 'http', url: service.url, methods: [], template: { max_instances: 2 } },
      ],
    });
    const box = { name: 'box', sequence: 1 };
    expect((await session.environments.list()).map(({ reference, state }) => [reference.name, state])).toEqual([
      ['box', 'declared'],
    ]);
    expect((await session.environments.setup(box)).state).toBe('ready');
    expect(await session.environments.call(box, 'look', { at: 1 })).toEqual({ got: { at: 1 } });
    const made = await session.environments.create('plan', 'plan-1', { size: 2 });
    expect(made).toMatchObject({ template: 'plan', state: 'ready', configuration: { size: 2 } });
    expect((await session.environments.get(made.reference)).reference).toEqual(made.reference);
    expect((await session.environments.delete(box)).state).toBe('deleted');
    await expect(session.environments.call(box, 'look', {})).rejects.toBeInstanceOf(BrainError);
    await session.end();
    await service.close();
  });
});

describe('environments as values', () => {
  it('place a tool in this process under names of their own, and in a service', async () => {
    const seen: string[] = [];
    const service = await startToolService(({ environment: { name }, configuration, request }) => {
      seen.push(
        `${name} ${request.type} ${JSON.stringify(request.type === 'setup' ? request.configuration : configuration)}`,
      );
      return { type: 'result', output: request.type === 'execute' ? { ran: request.implementation } : null };
    });
    const sandbox = environment({
      url: service.url,
      options: z.object({ size: z.enum(['small', 'large']) }),
      configure: ({ size }) => ({ cpus: size === 'large' ? 8 : 1 }),
      methods: { reset: { effect: 'replace', input: z.object({ hard: z.boolean() }) } },
    });
    const desk = hostEnv({ name: 'desk' });
    const where = tool({
      name: 'where',
      description: '',
      input: {},
      implementation: 'where_v2',
      run: (_, context) => ({ ran: context.environment }),
    });
    const placed = where({ env: [desk, sandbox('box', { size: 'large' })] });
    script = callsThenSays('where', {}, 'Done.');
    const ran = [];
    for (const place of ['desk', 'box']) {
      const session = await connect().sessions.create({
        model: MODEL,
        agentloop: { name: 'default', configuration: { placements: { where: place } } },
        tools: [placed],
        environments: [hostEnv({ name: 'desk' })],
      });
      expect((await session.send('Go')).text).toBe('Done.');
      const emitted = (await session.readEvents()).find((event) => isEvent(event, 'tool_result_emitted'));
      ran.push(emitted && isEvent(emitted, 'tool_result_emitted') && emitted.data.result.output);
      await session.end();
    }
    expect(ran).toEqual([{ ran: 'desk' }, { ran: 'where_v2' }]);
    expect(seen).toContain('box setup {"cpus":8}');
    await service.close();
  });

  it('are refused where they cannot be meant', async () => {
    const box = environment({ url: 'https://box.example', options: z.object({ size: z.number() }) });
    expect(() => box('box', { size: 'big' as never })).toThrow(z.ZodError);
    const remote = tool({ name: 'remote', description: '', input: {} });
    expect(() => remote({ env: hostEnv() })).toThrow(/has no run/);
    const tools = [remote({ env: box('box', { size: 1 }) })];
    const twice = connect().sessions.create({ model: MODEL, tools, environments: [box('box', { size: 2 })] });
    await expect(twice).rejects.toThrow('two environments are named box');
    await expect(connect().sessions.create({ model: MODEL, tools: [remote] })).rejects.toThrow('nothing could run it');
  });
});

describe('a tool as a value', () => {
  it('is given options where it is placed, and refuses others before anything is made', async () => {
    const scale = tool({
      name: 'scale',
      description: '',
      input: z.object({ n: z.number() }),
      options: z.object({ factor: z.number().default(2) }),
      run: ({ n }, { options }) => n * options.factor,
    });
    script = callsThenSays('scale', { n: 4 }, 'Done.');
    const outputs = [];
    for (const placed of [scale, scale({ factor: 10 }), scale({ env: hostEnv({ name: 'desk' }), factor: 3 })]) {
      const session = await connect().sessions.create({ model: MODEL, tools: [placed] });
      await session.send('Go');
      const emitted = (await session.readEvents()).find((event) => isEvent(event, 'tool_result_emitted'));
      outputs.push(emitted && isEvent(emitted, 'tool_result_emitted') && emitted.data.result.output);
    }
    expect(outputs).toEqual([8, 40, 12]);
    const wrong = scale({ factor: 'ten' as never });
    await expect(connect().sessions.create({ model: MODEL, tools: [wrong] })).rejects.toBeInstanceOf(z.ZodError);
    expect([scale.name, scale.isLocal]).toEqual(['scale', true]);
  });

  it('ends its call itself, and controls environments within its grants', async () => {
    const service = await startToolService(() => ({ type: 'result', output: null }));
    const states: string[] = [];
    const errors: unknown[] = [];
    const prepare = tool({
      name: 'prepare',
      description: '',
      input: {},
      environments: [{ environment: 'box', permissions: ['read', 'setup'] }],
      async run(_, { environments, finish }) {
        for (const { reference } of await environments.list()) {
          states.push((await environments.setup(reference)).state);
          await environments.delete(reference).catch((error: unknown) => errors.push(error));
        }
        await finish({ prepared: true });
        return { ignored: true };
      },
    });
    script = callsThenSays('prepare', {}, 'Done.');
    const client = connect();
    const session = await client.sessions.create({
      model: MODEL,
      tools: [prepare],
      environments: [
        { name: 'box', driver: 'http', url: service.url },
        { name: 'other', driver: 'http', url: service.url },
      ],
      environment: { lifecycle: { default: 'automatic', bindings: { box: 'manual' } } },
    });
    const { sequence } = await session.send('Go');
    expect(states).toEqual(['ready']);
    expect(errors).toHaveLength(1);
    const results = [];
    for await (const event of client.stream(session.id, sequence)) {
      if (isEvent(event, 'tool_result_emitted')) results.push(event.data.result.output);
      if (isEvent(event, 'turn_ended')) break;
    }
    expect(results).toEqual([{ prepared: true }]);
    const outcome = await session.outcome(sequence);
    expect(outcome.terminal).toMatchObject({ type: 'turn_ended', sequence: outcome.through });
    await session.end();
    await service.close();
  });
});
