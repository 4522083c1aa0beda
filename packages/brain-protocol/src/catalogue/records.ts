// One example of every kind of journal record.
import { JournalRecord, type KernelKind, RECORD_PAYLOADS } from '../record.ts';
import { SESSION, type ShapeEntry, shape, TIME_MS } from './entry.ts';
import * as v from './values.ts';

const setup = { environment: v.reference, request: { type: 'setup', configuration: null } };
const called = { environment: v.reference, request: { type: 'call', name: 'restart', input: {} } };
const done = { environment: v.reference, sequence: 20, receipt: { type: 'result', output: null } };
const failed = { ...v.failure, sequence: 20 };

/** Example payload of each kernel kind. */
export const PAYLOAD_EXAMPLES: Record<KernelKind, unknown> = {
  session_creation_started: { configuration: v.configuration },
  session_creation_ended: { configuration: v.configuration },
  session_creation_failed: { ...v.failure, code: 'environment_preparation_failed' },
  transcript_delta: { keep: 0, append: [v.userMessage] },
  turn_started: { input: { message: 'What is the weather in Oslo?' } },
  turn_cancel_requested: { sequence: 3, reason: 'cancelled' },
  turn_ended: { result: null, events_through: 3 },
  turn_failed: v.failure,
  activation_started: { since: 0 },
  activation_ended: {},
  activation_failed: v.failure,
  kv_set: { key: 'brain.harness.activation', value: { sequence: 4, agentloop: 'default' } },
  kv_delete: { key: 'brain.harness.activation' },
  model_call_started: { messages: 1, context: { through_sequence: 6, delta: { keep: 1, append: [] } } },
  model_call_ended: { sequence: 7, result: v.modelResult },
  model_call_failed: { ...failed, code: 'unknown', ambiguous: true },
  tool_call_started: { tool: 'weather', environment: 'laptop', environment_sequence: 1, invocation: v.invocation },
  tool_result_emitted: { sequence: 9, result: { call_id: 'call_1', output: { celsius: 4 }, is_error: false } },
  tool_call_returned: { sequence: 9 },
  tool_call_ended: { sequence: 9, outcome: { status: 'ok', value: null } },
  tool_call_failed: failed,
  tool_cancel_started: { target_sequence: 9, tool: 'weather', environment: 'laptop' },
  tool_cancel_ended: { sequence: 21 },
  tool_cancel_failed: failed,
  output_emitted: { type: 'assistant_message', message: v.answerMessage },
  environment_created: { environment: 'box-1', template: 'box', configuration: {} },
  environment_updated: { environment: v.reference, configuration: {} },
  environment_replaced: { environment: v.reference },
  environment_setup_started: setup,
  environment_setup_ended: done,
  environment_setup_failed: { ...failed, environment: v.reference },
  environment_call_started: called,
  environment_call_ended: done,
  environment_call_failed: { ...failed, environment: v.reference },
  environment_detach_started: { environment: v.reference, request: { type: 'detach' } },
  environment_detach_ended: done,
  environment_detach_failed: { ...failed, environment: v.reference },
  environment_teardown_started: { environment: v.reference, request: { type: 'teardown' } },
  environment_teardown_ended: done,
  environment_teardown_failed: { ...failed, environment: v.reference },
  environment_closed: { environment: v.reference, state: 'detached' },
  environment_unreachable: { environment: v.reference, message: 'The connection was refused.' },
  environment_observed: {
    environment: v.reference,
    observation: { scope: 'environment', availability: 'available' },
  },
  session_end_started: {},
  session_end_failed: v.failure,
  session_ended: {},
  session_suspended: {},
  session_resumed: {},
};

/** A whole record, then the payload of each kind. */
export const RECORD_SHAPES: ShapeEntry[] = [
  shape('journal_record', 'One record of a session.', JournalRecord, {
    session_id: SESSION,
    sequence: 4,
    recorded_at_ms: TIME_MS,
    kind: 'activation_started',
    payload: { since: 0 },
  }),
  ...Object.entries(RECORD_PAYLOADS).map(([kind, schema]) =>
    shape(`record_${kind}`, `Payload of \`${kind}\`.`, schema, PAYLOAD_EXAMPLES[kind as KernelKind]),
  ),
];
