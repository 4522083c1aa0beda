// Shapes of `brain/harness/v1` with examples that together are one turn.
import {
  CALL_METHODS,
  type CallMethod,
  CallParams,
  CancelParams,
  EmptyResult,
  HarnessErrorData,
  InitializeParams,
  InitializeResult,
  RunErrorData,
  RunParams,
  RunResult,
  SessionParams,
} from '../harness.ts';
import { SESSION, type ShapeEntry, shape, TIME_MS } from './entry.ts';
import * as v from './values.ts';

const seed = Array.from({ length: 32 }, (_, index) => index);

/** Example input and result of each `brain/call` method. */
export const CALL_EXAMPLES: Record<CallMethod, { input: unknown; result: unknown }> = {
  model: { input: { messages: [v.userMessage], tools: [] }, result: v.modelResult },
  dispatch: {
    input: [v.invocation],
    result: [{ call_id: 'call_1', sequence: 8, events: [v.toolEndedEvent], finished: true }],
  },
  events: { input: 0, result: { events: [v.outputEvent], next_cursor: 14 } },
  emit: {
    input: { event_type: 'output_emitted', data: { type: 'assistant_message', message: v.answerMessage } },
    result: 14,
  },
  set_transcript: { input: [v.userMessage, v.answerMessage], result: 13 },
  kv_read: { input: { key: 'plan' }, result: { value: { step: 2 } } },
  kv_put: { input: { key: 'plan', value: { step: 2 } }, result: 12 },
  kv_delete: { input: { key: 'plan' }, result: 12 },
  environments: { input: { operation: 'list' }, result: { environments: [v.environmentView] } },
  telemetry: { input: { compactions: 1 }, result: null },
};

/** Requests and answers of both directions. */
export const HARNESS_SHAPES: ShapeEntry[] = [
  shape('initialize_params', 'Parameters of `initialize`.', InitializeParams, {
    protocol: 'brain/harness/v1',
    registration: 'default',
    worker: { index: 0, count: 1 },
    configuration: {},
    state_dir: '/var/lib/brain/agentloops/default',
    max_concurrency: 64,
  }),
  shape('initialize_result', 'Result of `initialize`.', InitializeResult, {
    protocol: 'brain/harness/v1',
    harness: { name: 'echo', version: '1.0.0' },
    state_version: 1,
  }),
  shape('run_params', 'Parameters of `run`.', RunParams, {
    session_id: SESSION,
    sequence: 4,
    state_dir: `/var/lib/brain/agentloops/default/${SESSION}`,
    model: { provider: 'openai', name: 'gpt-5', dialect: 'openai_responses' },
    input: {
      input: { message: 'What is the weather in Oslo?' },
      transcript: [],
      kv: { 'brain.harness.activation': { sequence: 4, agentloop: 'default' } },
      events: [],
      configuration: {},
      system: 'Answer in one sentence.',
      tools: [v.toolView],
      runtime: { logical_time_ms: TIME_MS, deterministic_seed: seed },
    },
  }),
  shape('run_result', 'Result of `run`.', RunResult, { result: null }),
  shape('run_error_data', '`error.data` of a failed `run`.', RunErrorData, {
    code: 'agentloop_failed',
    retryable: false,
  }),
  shape('cancel_params', 'Parameters of `cancel`.', CancelParams, { session_id: SESSION, sequence: 4 }),
  shape('session_params', 'Parameters of `close` and `delete`.', SessionParams, { session_id: SESSION }),
  shape('empty_result', 'Result of `cancel`, `close` and `delete`.', EmptyResult, {}),
  shape('call_params', 'Parameters of `brain/call`.', CallParams, {
    session_id: SESSION,
    sequence: 4,
    method: 'model',
    input: CALL_EXAMPLES.model.input,
  }),
  shape('harness_error_data', '`error.data` of a failed `brain/call`.', HarnessErrorData, {
    code: 'model_call_limit',
    fatal: true,
  }),
  ...Object.entries(CALL_METHODS).flatMap(([method, { input, result, about }]) => [
    shape(`call_${method}_input`, about, input, CALL_EXAMPLES[method as CallMethod].input),
    shape(`call_${method}_result`, `Result of \`${method}\`.`, result, CALL_EXAMPLES[method as CallMethod].result),
  ]),
];
