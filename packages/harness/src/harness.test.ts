// A harness over in-memory pipes: lifecycle, callbacks, fatal errors, cancel, late calls.
import type { CallParams, RunParams } from '@gbrain/brain-protocol/harness';
import { createPeer } from '@gbrain/wire/json-rpc';
import { JsonRpcError, RPC_CODES } from '@gbrain/wire/json-rpc-message';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallError, RunFailure } from './call-error.ts';
import type { RunContext } from './context.ts';
import { type HarnessOptions, openHarness } from './harness.ts';

const SESSION = 'ses_12345678901234567890';

/** Brain's end of a pair of pipes; lines cross as JSON text, in order, a microtask later. */
function openPair(options: Partial<HarnessOptions>, answer: (call: CallParams) => unknown = () => 7) {
  const calls: CallParams[] = [];
  const warnings: string[] = [];
  const brain = createPeer({
    send: (message) => queueMicrotask(() => harness.receive(JSON.parse(JSON.stringify(message)))),
    findHandler: () => (params) => {
      const call = params as unknown as CallParams;
      calls.push(call);
      return answer(call);
    },
  });
  const harness = openHarness(
    { name: 'test', stateVersion: 1, run: () => {}, ...options },
    {
      send: (message) => queueMicrotask(() => brain.receive(JSON.parse(JSON.stringify(message)))),
      warn: (text) => warnings.push(text),
    },
  );
  const initialize = () =>
    brain.request('initialize', {
      protocol: 'brain/harness/v1',
      registration: 'test',
      worker: { index: 0, count: 1 },
      configuration: {},
      state_dir: '/state',
      max_concurrency: 64,
    });
  const run = (changes: Partial<RunParams> = {}) =>
    brain.request('run', runParams(changes) as unknown as Record<string, unknown>);
  return { brain, harness, calls, warnings, initialize, run };
}

function runParams(changes: Partial<RunParams>): RunParams {
  return {
    session_id: SESSION,
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
    ...changes,
  };
}

const fatal = (code: string) => new JsonRpcError(RPC_CODES.service, `refused with ${code}`, { code, fatal: true });

async function failureOf(run: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await run.then(
    (result) => {
      throw new Error(`it succeeded with ${JSON.stringify(result)}`);
    },
    (thrown: JsonRpcError) => thrown,
  );
  return { code: (error.data as { code: string }).code, message: error.message };
}

describe('a harness', () => {
  it('says who it is, and takes nothing before that', async () => {
    const { initialize, run } = openPair({ version: '1.2', configurationSchema: { type: 'object' } });
    expect((await failureOf(run())).code).toBe('invalid_request');
    expect(await initialize()).toEqual({
      protocol: 'brain/harness/v1',
      harness: { name: 'test', version: '1.2' },
      state_version: 1,
      configuration_schema: { type: 'object' },
    });
  });

  it('gives a run its context, and its result to Brain', async () => {
    let seen: RunContext | undefined;
    const { initialize, run } = openPair({
      async run(context) {
        seen = context;
        return { done: true };
      },
    });
    await initialize();
    expect(await run()).toEqual({ result: { done: true } });
    expect(seen).toMatchObject({ sessionId: SESSION, sequence: 4, stateDir: '/state/ses', input: { message: 'Hi' } });
  });

  it('sends each callback with the name of its activation, in order', async () => {
    const { initialize, run, calls } = openPair(
      {
        async run({ model, dispatch, events, emit, setTranscript, kv, environments, telemetry }) {
          const reference = { name: 'box', sequence: 1 };
          const made = [model({ messages: [] }), dispatch([]), events(3), emit('note', 1), setTranscript([])];
          await Promise.all([...made, kv.get('k'), kv.set('k', 1), kv.delete('k'), telemetry({ n: 1 })]);
          await environments.setup(reference);
        },
      },
      ({ method }) => (method === 'kv_read' || method === 'environments' ? {} : 7),
    );
    await initialize();
    expect(await run()).toEqual({});
    expect(calls.map(({ method }) => method)).toEqual([
      'model',
      'dispatch',
      'events',
      'emit',
      'set_transcript',
      'kv_read',
      'kv_put',
      'kv_delete',
      'telemetry',
      'environments',
    ]);
    expect(calls.every((call) => call.session_id === SESSION && call.sequence === 4)).toBe(true);
    expect(calls.at(-1)?.input).toEqual({ operation: 'setup', environment: { name: 'box', sequence: 1 } });
  });

  it('runs different sessions at once, and refuses a second run of one', async () => {
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { initialize, run, harness } = openPair({ run: () => gate });
    await initialize();
    const [one, two] = [run(), run({ session_id: 'ses_22222222222222222222' })];
    expect((await failureOf(run())).code).toBe('invalid_request');
    expect(harness.activeCount).toBe(2);
    go();
    expect(await Promise.all([one, two])).toEqual([{}, {}]);
  });

  it.each([
    [new Error('boom'), 'agentloop_failed', 'boom'],
    [new RunFailure('no_budget', 'None left.', { retryable: true }), 'no_budget', 'None left.'],
    ['text', 'agentloop_failed', 'The loop threw text.'],
  ])('fails a run with what its loop threw: %s', async (thrown, code, message) => {
    const { initialize, run } = openPair({
      run() {
        throw thrown;
      },
    });
    await initialize();
    expect(await failureOf(run())).toEqual({ code, message });
  });
});

describe('an error of a callback', () => {
  it('that is not fatal is the loop’s own affair', async () => {
    const { initialize, run } = openPair(
      {
        async run({ model }) {
          const error = await model({ messages: [] }).catch((thrown: CallError) => thrown);
          return { code: (error as CallError).code, retryable: (error as CallError).retryable };
        },
      },
      () => {
        throw new JsonRpcError(RPC_CODES.service, 'no', {
          code: 'model_provider_failed',
          fatal: false,
          retryable: true,
        });
      },
    );
    await initialize();
    expect(await run()).toEqual({ result: { code: 'model_provider_failed', retryable: true } });
  });

  it('that is fatal aborts the signal, calls cancel, refuses callbacks, and stands although caught', async () => {
    const cancelled: unknown[] = [];
    let aborted = false;
    const { initialize, run, calls } = openPair(
      {
        async run({ model, emit, signal }) {
          await model({ messages: [] }).catch(() => {});
          aborted = signal.aborted;
          await emit('note', 1).catch(() => {});
          return { fine: true };
        },
        cancel: (name, reason) => void cancelled.push([name, reason.code]),
      },
      () => {
        throw fatal('model_call_limit');
      },
    );
    await initialize();
    expect((await failureOf(run())).code).toBe('model_call_limit');
    expect(aborted).toBe(true);
    expect(cancelled).toEqual([[{ sessionId: SESSION, sequence: 4 }, 'model_call_limit']]);
    expect(calls).toHaveLength(1);
  });

  it('that nobody awaited fails the run', async () => {
    const { initialize, run, warnings } = openPair(
      {
        run({ emit }) {
          void emit('note', 1);
        },
      },
      () => {
        throw new JsonRpcError(RPC_CODES.service, 'no', { code: 'invalid_request', fatal: false });
      },
    );
    await initialize();
    expect((await failureOf(run())).code).toBe('invalid_request');
    expect(warnings[0]).toContain('await each one');
  });
});

describe('a cancel', () => {
  it('is answered at once, aborts the signal, and the run ends as cancelled whatever it gives', async () => {
    const { initialize, run, brain } = openPair({
      run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ fine: true }))),
    });
    await initialize();
    const running = run();
    expect(await brain.request('cancel', { session_id: SESSION, sequence: 9 })).toEqual({});
    expect(await brain.request('cancel', { session_id: SESSION, sequence: 4 })).toEqual({});
    expect((await failureOf(running)).code).toBe('cancelled');
    expect(await brain.request('cancel', { session_id: SESSION, sequence: 4 })).toEqual({});
  });

  it('survives a handler that throws', async () => {
    const { initialize, run, brain, warnings } = openPair({
      run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
      cancel() {
        throw new Error('no');
      },
    });
    await initialize();
    const running = run();
    await brain.request('cancel', { session_id: SESSION, sequence: 4 });
    expect((await failureOf(running)).code).toBe('cancelled');
    expect(warnings).toHaveLength(1);
  });
});

describe('the end of the connection', () => {
  it('stops every run', async () => {
    const reasons: string[] = [];
    const { initialize, run, harness } = openPair({
      run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
      cancel: (_, reason) => void reasons.push(reason.code),
    });
    await initialize();
    run().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    await harness.close();
    expect(reasons).toEqual(['activation_closed']);
    expect(harness.activeCount).toBe(0);
  });
});

describe('callbacks after the run', () => {
  const METHODS = ['model', 'dispatch', 'events', 'emit', 'setTranscript', 'get', 'set', 'list', 'telemetry'] as const;
  type Method = (typeof METHODS)[number];
  const late: { [M in Method]: (context: RunContext) => Promise<unknown> } = {
    model: ({ model }) => model({ messages: [] }),
    dispatch: ({ dispatch }) => dispatch([]),
    events: ({ events }) => events(0),
    emit: ({ emit }) => emit('note', 1),
    setTranscript: ({ setTranscript }) => setTranscript([]),
    get: ({ kv }) => kv.get('k'),
    set: ({ kv }) => kv.set('k', 1),
    list: ({ environments }) => environments.list(),
    telemetry: ({ telemetry }) => telemetry(null),
  };

  it('never reach Brain, whatever the run did before and however it ended', async () => {
    const made = fc.array(fc.constantFrom(...METHODS), { maxLength: 5 });
    const ends = fc.constantFrom('returns', 'throws', 'fatal', 'cancelled');
    await fc.assert(
      fc.asyncProperty(made, made, ends, async (during, after, end) => {
        let kept: RunContext | undefined;
        const { initialize, run, calls, brain, warnings } = openPair(
          {
            async run(context) {
              kept = context;
              for (const method of during) await late[method](context).catch(() => {});
              if (end === 'throws') throw new Error('over');
              if (end === 'cancelled')
                await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
            },
          },
          ({ method }) => {
            if (end === 'fatal') throw fatal('cancelled');
            return method === 'environments' ? { environments: [] } : method === 'kv_read' ? {} : 7;
          },
        );
        await initialize();
        const running = run().catch(() => {});
        if (end === 'cancelled') {
          while (calls.length < during.length) await new Promise((resolve) => setImmediate(resolve));
          await brain.request('cancel', { session_id: SESSION, sequence: 4 });
        }
        await running;
        const before = calls.length;
        expect(before).toBe(end === 'fatal' ? Math.min(1, during.length) : during.length);
        for (const method of after) {
          const error = await late[method](kept as RunContext).catch((thrown: unknown) => thrown);
          expect(error).toBeInstanceOf(CallError);
          expect(error).toMatchObject({ code: 'activation_closed', fatal: true });
        }
        expect(calls).toHaveLength(before);
        expect(warnings).toHaveLength(after.length);
      }),
      { numRuns: 200 },
    );
  });
});
