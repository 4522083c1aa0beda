// `brain/harness/v1`: what Brain and a harness process say to each other over stdin and stdout. Knows no process.
import { z } from 'zod';
import { EnvironmentControlRequest, EnvironmentControlResult } from './environment.ts';
import { Event, EventPage } from './event.ts';
import { Cursor, Identifier, RegistrationName, Sequence, SessionId, TimeMs } from './ids.ts';
import { Json, JsonRecord } from './json.ts';
import { Message, ModelRequest, ModelResult } from './message.ts';
import { Dialect, ModelInfo, UserInput } from './session.ts';
import { ToolInvocation, ToolReturn, ToolView } from './tool.ts';

/** Name of the protocol. Source: Harness protocol. */
export const HARNESS_PROTOCOL = 'brain/harness/v1';

/** Deadlines of the protocol, milliseconds. Source: Harness protocol; close and delete: sessions facts D.2. */
export const HARNESS_LIMITS = { initializeMs: 30_000, cancelGraceMs: 5_000, closeMs: 5_000, deleteMs: 5_000 } as const;

/** `initialize`: once, before anything else. `state_dir` is the registration's folder and the working directory. */
export const InitializeParams = z.strictObject({
  protocol: z.literal(HARNESS_PROTOCOL),
  registration: RegistrationName,
  worker: z.strictObject({ index: z.int().min(0), count: z.int().min(1) }),
  configuration: JsonRecord,
  state_dir: z.string().min(1),
  max_concurrency: z.int().min(1),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

/**
 * Who the harness is. Name and `state_version` are bound to the data directory at the first start: another one refuses
 * startup; another `version` does not. With `configuration_schema` Brain checks every session's merged configuration.
 */
export const InitializeResult = z.strictObject({
  protocol: z.literal(HARNESS_PROTOCOL),
  harness: z.strictObject({ name: z.string().min(1).max(128), version: z.string().min(1).max(128) }),
  state_version: z.int().min(0),
  configuration_schema: JsonRecord.optional(),
});
/** The parsed form of `InitializeResult`. */
export type InitializeResult = z.infer<typeof InitializeResult>;

/** Advice on the session's model, never a credential. What is unknown is absent. */
export const RunModel = z.strictObject({
  provider: z.string(),
  name: z.string(),
  dialect: Dialect.optional(),
  ...ModelInfo.omit({ id: true }).shape,
});
export type RunModel = z.infer<typeof RunModel>;

/** What an activation starts from. `input` is absent when events, not a user, caused it. */
export const RunInput = z.strictObject({
  input: UserInput.optional(),
  transcript: z.array(Message),
  kv: JsonRecord,
  events: z.array(Event).max(1000),
  configuration: JsonRecord,
  system: z.string(),
  tools: z.array(ToolView),
  runtime: z.strictObject({ logical_time_ms: TimeMs, deterministic_seed: z.array(z.int().min(0).max(255)).length(32) }),
});
export type RunInput = z.infer<typeof RunInput>;

/** `run`: one activation. `sequence` names its journal record, and every message about it. */
export const RunParams = z.strictObject({
  session_id: SessionId,
  sequence: Sequence,
  state_dir: z.string().min(1),
  model: RunModel,
  input: RunInput,
});
export type RunParams = z.infer<typeof RunParams>;

/** Answer of `run`, after every callback has been awaited; `result` becomes that of `turn_ended`. */
export const RunResult = z.strictObject({ result: Json.optional() });
export type RunResult = z.infer<typeof RunResult>;

/** `cancel`: answer `{}` at once; the pending `run` must then settle within five seconds. */
export const CancelParams = z.strictObject({ session_id: SessionId, sequence: Sequence });
export type CancelParams = z.infer<typeof CancelParams>;

/** `close`: drop what is in memory, flush, keep the folder. `delete`: forget the session in shared stores too. */
export const SessionParams = z.strictObject({ session_id: SessionId });
export type SessionParams = z.infer<typeof SessionParams>;

/** Answer of `cancel`, `close` and `delete`. */
export const EmptyResult = z.strictObject({});

/** Committed position after a write: the record's sequence, or the last one when nothing changed. */
export const SequenceResult = Sequence;

/** Input and result of each method of `brain/call`. */
export const CALL_METHODS = {
  model: { input: ModelRequest, result: ModelResult, about: 'One model call, sent once.' },
  dispatch: {
    input: z.array(ToolInvocation).max(128),
    result: z.array(ToolReturn),
    about: 'Tool calls, in parallel; answers in the order of the calls, when every one has returned or ended.',
  },
  events: {
    input: Cursor,
    result: EventPage,
    about: 'Events after a cursor. Reading on from what was delivered marks those as delivered too.',
  },
  emit: {
    input: z.strictObject({ event_type: Identifier, data: Json }),
    result: SequenceResult,
    about: 'An event of the loop. Of the kernel kinds only `output_emitted` is allowed.',
  },
  set_transcript: { input: z.array(Message), result: SequenceResult, about: 'Replaces the saved transcript.' },
  kv_read: {
    input: z.strictObject({ key: Identifier }),
    result: z.strictObject({ value: Json.optional() }),
    about: 'A value of the session; `{}` when there is none.',
  },
  kv_put: {
    input: z.strictObject({ key: Identifier, value: Json }),
    result: SequenceResult,
    about: 'Sets a value. Keys that begin with `brain.` are refused.',
  },
  kv_delete: { input: z.strictObject({ key: Identifier }), result: SequenceResult, about: 'Removes a value.' },
  environments: {
    input: EnvironmentControlRequest,
    result: EnvironmentControlResult,
    about: 'Environment control, within the grants of the session.',
  },
  telemetry: { input: Json, result: z.null(), about: 'A diagnostic, best effort, never journaled.' },
} as const satisfies Record<string, { input: z.ZodType; result: z.ZodType; about: string }>;

/** A method of `brain/call`. */
export type CallMethod = keyof typeof CALL_METHODS;

/** `brain/call`: works only while the named activation runs. */
export const CallParams = z.strictObject({
  session_id: SessionId,
  sequence: Sequence,
  method: z.string().min(1).max(128),
  input: Json,
});
export type CallParams = z.infer<typeof CallParams>;

/** `error.data` in both directions. A fatal error ends the activation even when the loop catches it. */
export const HarnessErrorData = z.strictObject({
  code: z.string().min(1).max(128),
  fatal: z.boolean(),
  retryable: z.boolean().optional(),
  ambiguous: z.boolean().optional(),
  sequence: Sequence.optional(),
  details: Json.optional(),
});
export type HarnessErrorData = z.infer<typeof HarnessErrorData>;

/** What a harness may put into `error.data` of a failed `run`; the default code is `agentloop_failed`. */
export const RunErrorData = z.strictObject({
  code: z.string().min(1).max(128),
  fatal: z.boolean().optional(),
  retryable: z.boolean().optional(),
  details: Json.optional(),
});
export type RunErrorData = z.infer<typeof RunErrorData>;

/** JSON-RPC error numbers. Read `data.code`, not these. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidEnvelope: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  service: -32000,
  cancelled: -32800,
} as const;

/** Codes that `brain/call` answers with, and whether each ends the activation. */
export const CALL_ERRORS = {
  invalid_request: { fatal: false, about: 'Bad input, unknown tool or environment, stale reference, reserved key.' },
  model_provider_failed: { fatal: false, about: 'The provider refused, failed or could not be reached.' },
  model_output_invalid: { fatal: false, about: 'The model finished with output that cannot be used.' },
  model_output_incomplete: { fatal: false, about: 'The output limit cut a tool call; nothing of it may run.' },
  ambiguous: { fatal: false, about: 'The call was sent and its outcome is unknown. It is never sent again.' },
  environment_error: { fatal: false, about: 'An environment operation failed.' },
  model_call_limit: { fatal: true, about: 'The model calls of the turn are used up.' },
  emit_limit: { fatal: true, about: 'The activation emitted too many bytes.' },
  cancelled: { fatal: true, about: 'The turn was cancelled.' },
  timeout: { fatal: true, about: 'The turn ran into its deadline.' },
  activation_closed: { fatal: true, about: 'No such activation is open for this worker.' },
  internal: { fatal: true, about: 'The journal cannot be written.' },
} as const satisfies Record<string, { fatal: boolean; about: string }>;

/** A code that `brain/call` answers with. */
export type CallErrorCode = keyof typeof CALL_ERRORS;
