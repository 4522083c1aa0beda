// Journal records: every kind of the kernel with its payload. The journal's storage is not described here.
import { z } from 'zod';
import { EnvironmentObservation } from './environment.ts';
import { EnvironmentOperationRequest, EnvironmentReceipt } from './environment-wire.ts';
import { Origin } from './event.ts';
import { Cursor, EnvironmentRef, Identifier, RegistrationName, Sequence, SessionId, TimeMs } from './ids.ts';
import { Json } from './json.ts';
import { Message, ModelResult, StopReason, Usage } from './message.ts';
import { Failure, Outcome } from './outcome.ts';
import { SessionConfiguration, UserInput } from './session.ts';
import { ToolInvocation, ToolResult } from './tool.ts';

const Empty = z.strictObject({});
const Delta = z.strictObject({ keep: z.int().min(0), append: z.array(Message) });
const Ends = z.strictObject({ sequence: Sequence });
const Fails = Failure.extend({ sequence: Sequence });
const EnvironmentStart = z.strictObject({ environment: EnvironmentRef, request: EnvironmentOperationRequest });
const EnvironmentEnd = z.strictObject({ environment: EnvironmentRef, sequence: Sequence, receipt: EnvironmentReceipt });
const EnvironmentFail = Fails.extend({ environment: EnvironmentRef });

/** Key of the marker that stands while native execution is unresolved. Source: Harness protocol. */
export const ACTIVATION_MARKER = 'brain.harness.activation';

/** Key of the watermark: the last event that a finished activation has seen. */
export const LAST_ACTIVATION = 'brain.last_activation';

/** Keys that begin so belong to Brain: loops read them and never write them. */
export const RESERVED_KV_PREFIX = 'brain.';

/** Value of the activation marker. */
export const ActivationMarker = z.strictObject({ sequence: Sequence, agentloop: RegistrationName });
export type ActivationMarker = z.infer<typeof ActivationMarker>;

/**
 * The exact context of a model call, as a change against messages that the journal already holds: those of the record
 * `through_sequence` (the transcript after a `transcript_delta`, or the messages of an earlier `model_call_started`;
 * 0 is the empty list). Keep the first `keep` of them, then append.
 */
export const ModelContext = z.strictObject({ through_sequence: Cursor, delta: Delta });

/** Payload of each kind. A kind that is not here is an extension: a loop, tool or environment wrote it. */
export const RECORD_PAYLOADS = {
  session_creation_started: z.strictObject({ configuration: SessionConfiguration }),
  session_creation_ended: z.strictObject({ configuration: SessionConfiguration }),
  session_creation_failed: Failure,
  transcript_delta: Delta,
  turn_started: z.union([z.strictObject({ input: UserInput }), z.strictObject({ trigger: z.literal('events') })]),
  turn_cancel_requested: z.strictObject({ sequence: Sequence, reason: z.enum(['cancelled', 'timeout', 'ending']) }),
  turn_ended: z.strictObject({ result: Json.optional(), events_through: Cursor }),
  turn_failed: Failure,
  activation_started: z.strictObject({ since: Cursor }),
  activation_ended: Empty,
  activation_failed: Failure,
  kv_set: z.strictObject({ key: Identifier, value: Json }),
  kv_delete: z.strictObject({ key: Identifier }),
  model_call_started: z.strictObject({
    messages: z.int().min(1),
    context: ModelContext,
    /** Absent: the session's own. `system_from` and `tools_from` name an earlier call that carries the same value. */
    system: z.string().optional(),
    system_from: Sequence.optional(),
    tools: z.array(Json).optional(),
    tools_from: Sequence.optional(),
    response_format: Json.optional(),
    max_output_tokens: z.int().min(1).optional(),
    options: Json.optional(),
    tool_sequence: Sequence.optional(),
  }),
  model_call_ended: z.strictObject({ sequence: Sequence, result: ModelResult }),
  model_call_failed: Fails.extend({
    response: z
      .strictObject({ stop_reason: StopReason.optional(), usage: Usage, usage_complete: z.boolean() })
      .optional(),
  }),
  tool_call_started: z.strictObject({
    tool: Identifier,
    environment: Identifier,
    environment_sequence: Sequence,
    invocation: ToolInvocation,
    deadline_ms: TimeMs.optional(),
  }),
  tool_result_emitted: z.strictObject({ sequence: Sequence, result: ToolResult }),
  tool_call_returned: Ends,
  tool_call_ended: z.strictObject({ sequence: Sequence, outcome: Outcome }),
  tool_call_failed: Fails,
  tool_cancel_started: z.strictObject({ target_sequence: Sequence, tool: Identifier, environment: Identifier }),
  tool_cancel_ended: Ends,
  tool_cancel_failed: Fails,
  output_emitted: Json,
  environment_created: z.strictObject({ environment: Identifier, template: Identifier, configuration: Json }),
  environment_updated: z.strictObject({ environment: EnvironmentRef, configuration: Json }),
  environment_replaced: z.strictObject({ environment: EnvironmentRef }),
  environment_setup_started: EnvironmentStart,
  environment_setup_ended: EnvironmentEnd,
  environment_setup_failed: EnvironmentFail,
  environment_call_started: EnvironmentStart,
  environment_call_ended: EnvironmentEnd,
  environment_call_failed: EnvironmentFail,
  environment_detach_started: EnvironmentStart,
  environment_detach_ended: EnvironmentEnd,
  environment_detach_failed: EnvironmentFail,
  environment_teardown_started: EnvironmentStart,
  environment_teardown_ended: EnvironmentEnd,
  environment_teardown_failed: EnvironmentFail,
  environment_closed: z.strictObject({ environment: EnvironmentRef, state: z.enum(['detached', 'deleted']) }),
  environment_unreachable: z.strictObject({ environment: EnvironmentRef, message: z.string().max(4096) }),
  environment_observed: z.strictObject({ environment: EnvironmentRef, observation: EnvironmentObservation }),
  session_end_started: Empty,
  session_end_failed: Failure,
  session_ended: Empty,
  session_suspended: Empty,
  session_resumed: Empty,
} as const satisfies Record<string, z.ZodType>;

/** A kind that the kernel writes. */
export type KernelKind = keyof typeof RECORD_PAYLOADS;

/** Payload of a kernel kind. */
export type PayloadOf<K extends KernelKind> = z.infer<(typeof RECORD_PAYLOADS)[K]>;

/** True for kinds that only the kernel may write; `output_emitted` is the one that a loop may emit too. */
export function isKernelKind(kind: string): kind is KernelKind {
  return Object.hasOwn(RECORD_PAYLOADS, kind);
}

/** A journal record. Payloads of kernel kinds are as in `RECORD_PAYLOADS`; extensions carry any JSON. */
export const JournalRecord = z.strictObject({
  session_id: SessionId,
  sequence: Sequence,
  recorded_at_ms: TimeMs,
  kind: z.string().min(1).max(128),
  payload: Json,
  origin: Origin.optional(),
});
export type JournalRecord = z.infer<typeof JournalRecord>;
