// The default loop against a scripted Brain: what it asks, what it saves, and how it ends.
import type { CallParams } from '@gbrain/brain-protocol/harness';
import type { JsonObject } from '@gbrain/brain-protocol/json';
import type { Message, ModelRequest, ModelResult } from '@gbrain/brain-protocol/message';
import type { ToolInvocation, ToolView } from '@gbrain/brain-protocol/tool';
import { describe, expect, it } from 'vitest';
import { Activation } from '../activation.ts';
import { CallError } from '../call-error.ts';
import { loopHarness } from './loop.ts';

const WEATHER: ToolView = {
  name: 'weather',
  description: '',
  input_schema: {},
  output_schema: {},
  environments: ['box'],
};

const says = (text: string): ModelResult => ({
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  stop_reason: 'end_turn',
  usage: {},
});

const wants = (...calls: [id: string, name: string][]): ModelResult => ({
  message: { role: 'assistant', content: calls.map(([id, name]) => ({ type: 'tool_use', id, name, input: { id } })) },
  stop_reason: 'tool_use',
  usage: {},
});

interface Setup {
  answers: (ModelResult | CallError)[];
  configuration?: JsonObject;
  tools?: ToolView[];
  transcript?: Message[];
  model?: JsonObject;
}

async function runLoop({ answers, configuration = {}, tools = [WEATHER], transcript = [], model = {} }: Setup) {
  const calls: CallParams[] = [];
  const left = [...answers];
  const replies: Record<string, (input: never) => unknown> = {
    model: () => {
      const next = left.shift();
      if (!next) throw new Error('the script is over');
      if (next instanceof Error) throw next;
      return next;
    },
    dispatch: (batch: ToolInvocation[]) =>
      batch.map(({ call_id }, index) => ({
        call_id,
        sequence: index + 1,
        finished: true,
        events: [
          {
            event_type: 'tool_result_emitted',
            data: { result: { call_id, output: { from: call_id }, is_error: false } },
          },
          { event_type: 'tool_call_ended', data: { outcome: { status: 'ok', value: null } } },
        ],
      })),
    set_transcript: () => 1,
    emit: () => 1,
  };
  const activation = new Activation(
    {
      session_id: 'ses_12345678901234567890',
      sequence: 4,
      state_dir: '/state',
      model: { provider: 'openai', name: 'm', ...model },
      input: {
        input: { message: 'Hi' },
        transcript,
        kv: {},
        events: [],
        configuration,
        system: '',
        tools,
        runtime: { logical_time_ms: 0, deterministic_seed: [] },
      },
    },
    {
      async call(method, input) {
        calls.push({ session_id: 'ses', sequence: 4, method, input: structuredClone(input) as never });
        return replies[method]?.(input as never);
      },
      onStop() {},
      onLate() {},
    },
  );
  const result = await loopHarness.run(activation.context);
  const inputs = <T>(method: string) => calls.filter((call) => call.method === method).map(({ input }) => input as T);
  return {
    result,
    calls: calls.map(({ method }) => method),
    inputs,
    saved: inputs<Message[]>('set_transcript').at(-1),
  };
}

describe('the default loop', () => {
  it('saves what was said, asks, saves the answer and emits it', async () => {
    const { result, calls, saved, inputs } = await runLoop({ answers: [says('Hello.')] });
    expect(result).toEqual({ stop_reason: 'end_turn' });
    expect(calls).toEqual(['set_transcript', 'model', 'set_transcript', 'emit']);
    expect(saved?.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(inputs('emit')).toEqual([
      { event_type: 'output_emitted', data: { type: 'assistant_message', message: says('Hello.').message } },
    ]);
  });

  it('runs the tools that the model wants and shows it what they gave', async () => {
    const { calls, inputs } = await runLoop({ answers: [wants(['a', 'weather'], ['b', 'weather']), says('Done.')] });
    expect(calls).toEqual([
      'set_transcript',
      'model',
      'set_transcript',
      'dispatch',
      'set_transcript',
      'model',
      'set_transcript',
      'emit',
    ]);
    expect(inputs('dispatch')).toEqual([
      [
        { call_id: 'a', name: 'weather', environment: 'box', input: { id: 'a' } },
        { call_id: 'b', name: 'weather', environment: 'box', input: { id: 'b' } },
      ],
    ]);
    expect(inputs<ModelRequest>('model')[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: { from: 'a' }, is_error: false },
        { type: 'tool_result', tool_use_id: 'b', content: { from: 'b' }, is_error: false },
      ],
    });
  });

  it('answers for a tool that does not exist, and keeps a repeated id apart', async () => {
    const { inputs } = await runLoop({ answers: [wants(['a', 'weather'], ['a', 'weather'], ['c', 'no']), says('.')] });
    const [batch] = inputs<ToolInvocation[]>('dispatch');
    expect(new Set(batch?.map(({ call_id }) => call_id)).size).toBe(2);
    const results = inputs<ModelRequest>('model')[1]?.messages.at(-1)?.content as { tool_use_id: string }[];
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(['a', 'a', 'c']);
  });

  it('names the current incarnation of an environment, and asks where a tool with several is to run', async () => {
    const moved = { ...WEATHER, environments: ['box', 'lab'], environment_refs: [{ name: 'lab', sequence: 9 }] };
    const answers = [wants(['a', 'weather']), says('.')];
    const { inputs } = await runLoop({ answers, tools: [moved], configuration: { placements: { weather: 'lab' } } });
    expect(inputs('dispatch')).toMatchObject([[{ environment: 'lab', environment_sequence: 9 }]]);
    await expect(runLoop({ answers, tools: [moved] })).rejects.toMatchObject({ code: 'placement_required' });
  });

  it('runs nothing of an answer that its output limit cut', async () => {
    const cut = { ...wants(['a', 'weather']), stop_reason: 'max_tokens' as const };
    const { calls, inputs } = await runLoop({ answers: [cut, says('.')] });
    expect(calls).not.toContain('dispatch');
    expect(inputs<ModelRequest>('model')[1]?.messages.at(-1)?.content).toMatchObject([{ is_error: true }]);
  });

  it('stops in good order after its model calls', async () => {
    const answers = [wants(['a', 'weather']), wants(['b', 'weather'])];
    const { result, saved, inputs } = await runLoop({ answers, configuration: { max_model_calls: 2 } });
    expect(result).toMatchObject({ stopped: { reason: 'model_call_limit' } });
    expect(saved?.at(-1)?.role).toBe('assistant');
    expect(inputs('emit')).toMatchObject([{ event_type: 'loop_stopped' }]);
  });

  it('ends the turn when a model call certainly failed, and fails it when nobody knows', async () => {
    const refused = new CallError('model_provider_failed', 'The provider answered 429.', { retryable: true });
    const ended = await runLoop({ answers: [refused] });
    expect(ended.result).toMatchObject({ stopped: { code: 'model_provider_failed', retryable: true } });
    expect(ended.saved?.map(({ role }) => role)).toEqual(['user']);
    const strict = runLoop({ answers: [refused], configuration: { model_errors: 'fail_turn' } });
    await expect(strict).rejects.toBe(refused);
    const unknown = new CallError('ambiguous', 'Nobody knows.', { ambiguous: true });
    await expect(runLoop({ answers: [unknown] })).rejects.toBe(unknown);
  });

  it('drops whole turns from the front when the window is full, and never from the transcript', async () => {
    const turn = (text: string): Message[] => [
      { role: 'user', content: [{ type: 'text', text }] },
      { role: 'assistant', content: [{ type: 'text', text }] },
    ];
    const transcript = [...turn('a'.repeat(900)), ...turn('b'.repeat(90))];
    const { inputs, saved } = await runLoop({
      answers: [says('.')],
      transcript,
      model: { context_window_tokens: 250 },
    });
    expect(inputs<ModelRequest>('model')[0]?.messages).toHaveLength(3);
    expect(saved).toHaveLength(6);
  });

  it('shortens long tool results', async () => {
    const { inputs } = await runLoop({
      answers: [wants(['a'.repeat(200), 'weather']), says('.')],
      configuration: { max_tool_result_units: 100 },
    });
    const shown = inputs<ModelRequest>('model')[1]?.messages.at(-1)?.content as { content: string }[] | undefined;
    expect(shown?.[0]?.content).toMatch(/^.{100}\n\[\d+ more characters are not shown\]$/);
  });
});
