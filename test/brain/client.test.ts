// The TypeScript client against the real server: tools of this process, typed events, structured answers, reconnects.

import {
  Brain,
  BrainError,
  isEvent,
  type SessionEvent,
  StructuredOutputError,
  tool,
  toolOutput,
} from '@gbrain/brain-client/brain';
import { type BrainProcess, newDataDir, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
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
  script = () => ({ text: 'Hello.' });
  for (const client of clients.splice(0)) client.close();
  expect(background.splice(0)).toEqual([]);
});

afterAll(async () => {
  await server.kill('SIGTERM');
  await model.close();
  removeDataDir(server.dataDir);
});

function connect(options: Partial<ConstructorParameters<typeof Brain>[0]> = {}): Brain {
  const client = new Brain({ baseUrl: server.baseUrl, onError: (error) => background.push(error), ...options });
  clients.push(client);
  return client;
}

/** Kills the server and starts another one in its place. */
async function restart(): Promise<void> {
  const { port, dataDir } = server;
  await server.kill();
  server = await startBrain({ env: { BRAIN_OPENAI_BASE_URL: model.baseUrl }, dataDir, port });
}

const wasToolRun = (hit: { body: { input?: unknown[] } }) =>
  (hit.body.input?.at(-1) as { type?: string } | undefined)?.type === 'function_call_output';

const callsThenSays =
  (name: string, input: unknown, text: string): Script =>
  (hit) =>
    wasToolRun(hit) ? { text } : { toolCalls: [{ id: 'call_1', name, input }] };

const weather = tool({
  name: 'weather',
  description: 'Weather of a city.',
  input: z.object({ city: z.string() }),
  output: z.object({ celsius: z.number() }),
  run: ({ city }) => ({ celsius: city.length }),
});

describe('a session', () => {
  it('answers a message, and tells the turn by its own events', async () => {
    const session = await connect().sessions.create({ model: MODEL });
    const outcome = await session.send('Hi');
    expect(outcome).toMatchObject({ status: 'ended', text: 'Hello.', result: { stop_reason: 'end_turn' } });
    expect(await session.outcome(outcome.sequence)).toEqual(outcome);
    expect(await session.refresh()).toEqual({ id: session.id, status: 'idle', lastSequence: outcome.through });
    expect((await session.transcript()).messages).toHaveLength(2);
  });

  it('streams pieces of the answer beside the records', async () => {
    script = () => ({ text: 'An answer of several pieces.', pieceMs: 5 });
    const session = await connect().sessions.create({ model: MODEL });
    let streamed = '';
    const types: string[] = [];
    await session.send('Hi', {
      onEvent(event) {
        types.push(event.type);
        if (event.live && event.type === 'assistant_delta') streamed += event.data.text;
      },
    });
    expect(streamed).toBe('An answer of several pieces.');
    expect(types.indexOf('assistant_delta')).toBeGreaterThan(types.indexOf('model_call_started'));
    expect(types.at(-1)).toBe('turn_ended');
  });

  it('runs a tool of this process, checked by its types', async () => {
    script = callsThenSays('weather', { city: 'Oslo' }, 'It is 4 degrees.');
    const session = await connect().sessions.create({ model: MODEL, tools: [weather] });
    const outcome = await session.send('Weather in Oslo?');
    expect(outcome.text).toBe('It is 4 degrees.');
    const events = await session.readEvents();
    const emitted = events.find((event) => isEvent(event, 'tool_result_emitted'));
    expect(emitted && isEvent(emitted, 'tool_result_emitted') && emitted.data.result.output).toEqual({ celsius: 4 });
  });

  it('gives a tool its context: own events, words for the model, a deadline, a model of its own', async () => {
    let deadline: Date | undefined;
    const study = tool({
      name: 'study',
      description: '',
      input: {},
      async run(_, context) {
        deadline = context.deadline;
        await context.emit('study.note', { page: 1 });
        const own = await context.model({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Sub' }] }] });
        return toolOutput({ stop: own.stop_reason }, [{ type: 'text', text: 'In words.' }]);
      },
    });
    script = (hit) => {
      const text = JSON.stringify(hit.body.input);
      if (text.includes('Sub')) return { text: 'From below.' };
      return wasToolRun(hit) ? { text: 'Done.' } : { toolCalls: [{ id: 'c', name: 'study', input: {} }] };
    };
    const session = await connect().sessions.create({ model: MODEL, tools: [study] });
    expect((await session.send('Go')).text).toBe('Done.');
    expect(deadline?.getTime()).toBeGreaterThan(Date.now());
    const note = (await session.readEvents()).find(({ type }) => type === 'study.note');
    expect(note).toMatchObject({ data: { page: 1 }, origin: { kind: 'tool' } });
    expect(JSON.stringify(model.hits.at(-1)?.body.input)).toContain('In words.');
  });

  it('tells the model what a tool threw', async () => {
    const broken = tool({
      name: 'broken',
      description: '',
      input: {},
      run() {
        throw new Error('the valve is stuck');
      },
    });
    script = callsThenSays('broken', {}, 'It is stuck.');
    const session = await connect().sessions.create({ model: MODEL, tools: [broken] });
    await session.send('Go');
    const ended = (await session.readEvents()).find((event) => isEvent(event, 'tool_call_ended'));
    expect(ended?.data).toMatchObject({ outcome: { status: 'error', error: { code: 'tool_error' } } });
  });

  it('is cancelled by the signal of send, which then gives the outcome; the tool hears of it', async () => {
    let stopped = false;
    const slow = tool({
      name: 'slow',
      description: '',
      input: {},
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            resolve('stopped');
          });
        }),
    });
    script = callsThenSays('slow', {}, 'Never.');
    const session = await connect().sessions.create({ model: MODEL, tools: [slow] });
    const abort = new AbortController();
    const outcome = await session.send('Go', {
      signal: abort.signal,
      onEvent: (event) => event.type === 'tool_call_started' && abort.abort(),
    });
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    while (!stopped) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(session.send('More')).rejects.toMatchObject({ status: 409 });
  });

  it('goes on while a tool that has returned works in the background, and hears of it', async () => {
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const dig = tool({
      name: 'dig',
      description: '',
      input: {},
      async run(_, context) {
        await context.returned({ started: true });
        await gate;
        return { found: 'gold' };
      },
    });
    script = (hit) => {
      const text = JSON.stringify(hit.body.input);
      if (text.includes('gold')) return { text: 'Gold!' };
      return wasToolRun(hit) ? { text: 'Digging.' } : { toolCalls: [{ id: 'c', name: 'dig', input: {} }] };
    };
    const session = await connect().sessions.create({ model: MODEL, tools: [dig] });
    const first = await session.send('Dig');
    expect(first.text).toBe('Digging.');
    go();
    for await (const event of session.events(first.through)) {
      if (isEvent(event, 'turn_started')) {
        expect(event.data).toEqual({ trigger: 'events' });
        expect((await session.wait(event.sequence)).text).toBe('Gold!');
        break;
      }
    }
  });

  it('ends and is deleted; its stream ends with it', async () => {
    const session = await connect().sessions.create({ model: MODEL });
    await session.send('Hi');
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of session.events()) types.push(event.type);
    })();
    expect((await session.end()).status).toBe('ended');
    await reading;
    expect(types.at(-1)).toBe('session_ended');
    await session.delete();
    await expect(session.refresh()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    await expect(session.events().next()).rejects.toBeInstanceOf(BrainError);
  });
});

describe('a structured answer', () => {
  const City = z.object({ city: z.string(), people: z.number() });

  it('is parsed, also out of a fence, and corrected when it does not fit', async () => {
    script = (hit) => {
      const text = JSON.stringify(hit.body.input);
      if (text.includes('does not fit')) return { text: '```json\n{"city":"Oslo","people":700000}\n```' };
      return { text: '{"city":"Oslo"}' };
    };
    const session = await connect().sessions.create({ model: MODEL });
    const outcome = await session.send('Which city?', { output: { type: City } });
    expect(outcome).toMatchObject({ output: { city: 'Oslo', people: 700_000 }, attempts: 2 });
  });

  it('fails with every issue when no correction helps', async () => {
    script = () => ({ text: 'Oslo' });
    const session = await connect().sessions.create({ model: MODEL });
    const failed = await session.send('Which city?', { output: { type: City, maxRetries: 1 } }).catch((error) => error);
    expect(failed).toBeInstanceOf(StructuredOutputError);
    expect(failed).toMatchObject({ attempts: 2, lastOutput: 'Oslo' });
  });
});

describe('the client', () => {
  it('lists sessions page by page, and knows the models', async () => {
    const client = connect();
    for (let count = 0; count < 3; count += 1) await client.sessions.create({ model: MODEL });
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await client.sessions.list({ limit: 2, ...(after !== undefined && { after }) });
      seen.push(...page.sessions.map(({ session_id }) => session_id));
      after = page.next;
    } while (after !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect((await client.models('openai')).providers[0]?.dialect).toBe('openai_responses');
  });

  it('refuses an address that carries more than an address', () => {
    for (const baseUrl of ['ftp://a', 'http://u:p@a', 'http://a?b=c', 'http://a#b']) {
      expect(() => new Brain({ baseUrl })).toThrow(TypeError);
    }
  });

  it('says that nobody answers, after trying for a while', async () => {
    const client = connect({ baseUrl: 'http://127.0.0.1:9', reconnectMs: 200 });
    await expect(client.sessions.list()).rejects.toMatchObject({ code: 'connection_failed', retryable: true });
  });

  it('sends a message once for one key, whoever asks how often', async () => {
    const session = await connect().sessions.create({ model: MODEL });
    const before = model.hits.length;
    const [one, two] = await Promise.all([
      session.send('Hi', { idempotencyKey: 'once' }),
      session.send('Hi', { idempotencyKey: 'once' }),
    ]);
    expect(two).toEqual(one);
    expect(model.hits.length - before).toBe(1);
  });

  it('ends what it does when it is closed, and leaves the session alone', async () => {
    script = () => ({ text: 'Slow.', delayMs: 300 });
    const client = connect();
    const session = await client.sessions.create({ model: MODEL });
    const sent = session.send('Hi', { onEvent: (event) => event.type === 'model_call_started' && client.close() });
    await expect(sent).rejects.toMatchObject({ code: 'closed' });
    const again = await connect().sessions.get(session.id);
    const [turn] = (await again.readEvents()).filter(({ type }) => type === 'turn_started');
    expect(await again.wait(turn?.sequence ?? 0)).toMatchObject({ status: 'ended', text: 'Slow.' });
  });
});

describe('a server that is killed and comes back', () => {
  it('loses nothing and sends nothing twice; the client reads on by itself, live and again', async () => {
    const client = connect();
    const runs: string[] = [];
    const note = tool({
      name: 'note',
      description: '',
      input: z.object({ text: z.string() }),
      run({ text }) {
        runs.push(text);
        return { noted: true };
      },
    });
    const before = model.hits.length;
    script = callsThenSays('note', { text: 'one' }, 'Noted.');
    const session = await client.sessions.create({ model: MODEL, tools: [note] });
    const live: SessionEvent[] = [];
    const reading = (async () => {
      for await (const event of session.events()) live.push(event);
    })();
    expect((await session.send('Note one')).text).toBe('Noted.');

    await restart();
    expect((await session.send('Note two')).text).toBe('Noted.');
    expect(runs).toEqual(['one', 'one']);
    expect(model.hits.length - before).toBe(4);

    // In the middle of a model call.
    const restarted = Promise.withResolvers<void>();
    script = () => {
      // Killed when the request has arrived: its intent is durable before it leaves.
      restart().then(restarted.resolve, restarted.reject);
      return { silent: true };
    };
    const sent = session.send('Note three');
    await restarted.promise;
    expect(await sent).toMatchObject({ status: 'failed', failure: { code: 'interrupted' } });
    expect(model.hits.length - before).toBe(5);
    await expect(session.send('More')).rejects.toMatchObject({
      status: 409,
      details: { reason: 'harness_activation_unresolved' },
    });
    await session.end();
    await reading;

    const replayed = [];
    for await (const event of session.events()) replayed.push(event);
    expect(live).toEqual(replayed);
    expect(live.map(({ sequence }) => sequence)).toEqual(live.map((_, index) => index + 1));
    expect(live.filter(({ type }) => type === 'turn_started')).toHaveLength(3);
    expect(live.filter((event) => isEvent(event, 'model_call_failed')).map(({ data }) => data)).toMatchObject([
      { code: 'unknown', ambiguous: true },
    ]);
  });

  it('finds the tools of a session again in another process that has the credentials', async () => {
    script = callsThenSays('weather', { city: 'Rome' }, 'Warm.');
    const first = connect();
    const { id } = await first.sessions.create({ model: MODEL, tools: [weather] });
    const credentials = first.credentials();
    first.close();
    await restart();
    const second = connect({ ...(credentials && { credentials }) });
    const session = await second.sessions.get(id, { tools: [weather] });
    expect((await session.send('Rome?')).text).toBe('Warm.');
    await expect(connect().sessions.get(id, { tools: [weather] })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
