// Every method of brain/call over the real server: what it answers, what it refuses, and what ends the activation.
import { type BrainProcess, fixtureHarness, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { startToolService, type ToolService } from '@gbrain/testkit/tool-service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let brain: BrainProcess;
let model: ScriptedModel;
let service: ToolService;

beforeAll(async () => {
  model = await startScriptedModel(() => ({ text: 'Hello.' }));
  service = await startToolService();
  brain = await startBrain({
    registrations: { loop: { command: fixtureHarness('loop-harness.mjs') } },
    env: {
      BRAIN_OPENAI_BASE_URL: model.baseUrl,
      BRAIN_MAX_MODEL_CALLS: '2',
      BRAIN_MAX_EMITTED_BYTES: '2000',
      BRAIN_MAX_TURN_SECS: '5',
    },
  });
});

afterAll(async () => {
  await brain.kill('SIGTERM');
  await Promise.all([model.close(), service.close()]);
  removeDataDir(brain.dataDir);
});

interface Call {
  method: string;
  input: unknown;
}

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method
  result?: any;
  error?: { code: string; fatal: boolean };
}

/** One turn that makes these calls; gives their answers and how the turn ended. */
async function callAll(calls: Call[], more: Record<string, unknown> = {}, configuration: Record<string, unknown> = {}) {
  const { environments: grants, ...rest } = more;
  const created = await brain.api('POST', '/v1/sessions', {
    agentloop: {
      name: 'loop',
      configuration: { calls, ...configuration },
      ...(grants ? { environments: grants } : {}),
    },
    model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
    tools: [],
    environments: [{ name: 'box', driver: 'http', url: service.url, lifecycle: 'manual' }],
    ...rest,
  });
  const id = created.body.session_id;
  await brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message: 'Go' } });
  const { events } = (await brain.api('GET', `/v1/sessions/${id}/events`)).body;
  const answers = events.find((event: { event_type: string }) => event.event_type === 'answers')?.data ?? [];
  return { id, answers: answers as Answer[], last: events.at(-1), events };
}

const emit = (text: string) => ({ method: 'emit', input: { event_type: 'note', data: text } });
const ask = { method: 'model', input: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] } };

describe('brain/call', () => {
  it('keeps values, acknowledges writes with their sequence, and writes nothing that changes nothing', async () => {
    const { answers, events } = await callAll([
      { method: 'kv_put', input: { key: 'plan', value: { step: 1 } } },
      { method: 'kv_put', input: { key: 'plan', value: { step: 1 } } },
      { method: 'kv_read', input: { key: 'plan' } },
      { method: 'kv_delete', input: { key: 'plan' } },
      { method: 'kv_read', input: { key: 'plan' } },
      { method: 'events', input: 2 },
      { method: 'telemetry', input: { tokens: 3 } },
      { method: 'dispatch', input: [] },
    ]);
    const [first, same, read, removed, gone, page, telemetry, none] = answers.map((answer) => answer.result);
    expect([first, same, removed]).toEqual([6, 6, 7]);
    expect([read, gone, telemetry, none]).toEqual([{ value: { step: 1 } }, {}, null, []]);
    expect(page).toMatchObject({ next_cursor: 7, events: [{ event_type: 'turn_started' }, {}, {}, {}, {}] });
    expect(events.map((event: { event_type: string }) => event.event_type).slice(5, 7)).toEqual([
      'kv_set',
      'kv_delete',
    ]);
  });

  it('refuses what is not allowed, and the activation goes on', async () => {
    const { answers, last } = await callAll([
      { method: 'kv_put', input: { key: 'brain.harness.activation', value: null } },
      { method: 'kv_put', input: { key: 'bad key', value: 1 } },
      { method: 'emit', input: { event_type: 'turn_ended', data: {} } },
      { method: 'model', input: { messages: [] } },
      { method: 'model', input: { ...ask.input, options: { seed: 1 } } },
      { method: 'dispatch', input: [{ call_id: 'a', name: 'none', environment: 'box', input: {} }] },
      { method: 'set_transcript', input: [{ role: 'system', content: [] }] },
      { method: 'acknowledge', input: 3 },
      { method: 'environments', input: { operation: 'get', environment: { name: 'box', sequence: 1 } } },
    ]);
    expect(answers.map((answer) => answer.error)).toEqual(
      answers.map(() => expect.objectContaining({ code: 'invalid_request', fatal: false })),
    );
    expect(answers).toHaveLength(9);
    expect(last.event_type).toBe('turn_ended');
  });

  it('controls environments within its grants', async () => {
    const environment = { name: 'box', sequence: 1 };
    const calls = [
      { method: 'environments', input: { operation: 'list' } },
      { method: 'environments', input: { operation: 'setup', environment } },
      { method: 'environments', input: { operation: 'delete', environment } },
    ];
    const { answers } = await callAll(calls, {
      environments: [{ environment: 'box', permissions: ['read', 'setup'] }],
    });
    expect(answers[0]?.result.environments).toMatchObject([{ reference: environment, state: 'declared' }]);
    expect(answers[1]?.result.environment).toMatchObject({ state: 'ready' });
    expect(answers[2]?.error).toMatchObject({ code: 'invalid_request', details: { reason: 'not_granted' } });
  });

  it.each([
    ['model calls', [ask, ask, ask], 'model_call_limit'],
    ['emitted bytes', [emit('x'.repeat(1500)), emit('x'.repeat(1500))], 'emit_limit'],
  ])('ends the activation at the limit of %s, although the harness swallows the error', async (_, calls, code) => {
    const { id, last } = await callAll(calls, {}, { swallow: true });
    expect(last).toMatchObject({ event_type: 'turn_failed', data: { code } });
    expect((await brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message: 'Again' } })).status).toBe(409);
  });

  it('tells the harness of a turn that runs into its deadline, and the turn says timeout', async () => {
    const { last } = await callAll([], {}, { calls: undefined, hang: 'polite' });
    expect(last).toMatchObject({ event_type: 'turn_failed', data: { code: 'timeout' } });
    expect(brain.log()).not.toContain('worker is gone');
  });

  it('fails the turn with the code of the harness, and with its own for an answer that is none', async () => {
    const codeOf = async (behaviour: Record<string, unknown>) => {
      return (await callAll([], {}, { calls: undefined, ...behaviour })).last.data.code;
    };
    expect(await codeOf({ fail: 'out_of_ideas' })).toBe('out_of_ideas');
    expect(await codeOf({ answer: { nonsense: 1 } })).toBe('harness_protocol');
  });
});
