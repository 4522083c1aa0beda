// `environment/v1`: what Brain posts to a service that runs tools, the receipts it takes, and the calls back.
import { z } from 'zod';
import { EnvironmentObservation } from './environment.ts';
import { ToolOutput } from './host.ts';
import { EnvironmentRef, Identifier, Sequence, SessionId, TimeMs } from './ids.ts';
import { Json } from './json.ts';

/** Name of the contract, in every request and answer. */
export const ENVIRONMENT_CONTRACT = 'environment/v1';

const callback = z.strictObject({ url: z.string(), token: z.string(), methods: z.array(z.string()) });

/** What is asked of the service. */
export const EnvironmentOperationRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('setup'), configuration: Json }),
  z.strictObject({
    type: z.literal('execute'),
    implementation: z.string(),
    input: Json,
    deadline_ms: z.int().min(1).optional(),
    callback: callback.optional(),
  }),
  z.strictObject({ type: z.literal('call'), name: Identifier, input: Json }),
  z.strictObject({ type: z.literal('cancel'), target_sequence: Sequence }),
  z.strictObject({ type: z.literal('detach') }),
  z.strictObject({ type: z.literal('teardown') }),
]);
export type EnvironmentOperationRequest = z.infer<typeof EnvironmentOperationRequest>;

/** Body of `POST {url}/v1/operations`; (session, sequence) identifies the operation and is never used twice. */
export const EnvironmentOperation = z.strictObject({
  contract: z.literal(ENVIRONMENT_CONTRACT),
  operation: z.strictObject({
    session_id: SessionId,
    environment: EnvironmentRef,
    sequence: Sequence,
    request: EnvironmentOperationRequest,
    binding: Json.optional(),
    configuration: Json.optional(),
    template: Identifier.optional(),
    reporter: callback.optional(),
  }),
});
export type EnvironmentOperation = z.infer<typeof EnvironmentOperation>;

/** What the service did. `accepted` and `progress` do not end an execution: its outcome is then unknown. */
export const EnvironmentReceipt = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('accepted'), on_turn_end: z.boolean().optional() }),
  z.strictObject({ type: z.literal('progress'), data: Json }),
  z.strictObject({ type: z.literal('result'), output: Json }),
  z.strictObject({ type: z.literal('returned'), output: Json.optional() }),
  z.strictObject({
    type: z.literal('failure'),
    code: z.string().min(1).max(128),
    message: z.string().max(4096),
    retryable: z.boolean(),
    details: Json.optional(),
  }),
  z.strictObject({ type: z.literal('unknown'), message: z.string().max(4096) }),
]);
export type EnvironmentReceipt = z.infer<typeof EnvironmentReceipt>;

/** Answer of the service. */
export const EnvironmentOperationResult = z.strictObject({
  contract: z.literal(ENVIRONMENT_CONTRACT),
  sequence: Sequence,
  receipt: EnvironmentReceipt,
});
export type EnvironmentOperationResult = z.infer<typeof EnvironmentOperationResult>;

/** Methods that an execution's callback token may use. */
export const EXECUTION_METHODS = [
  'emit',
  'result',
  'returned',
  'finish',
  'model',
  'environments',
  'telemetry',
] as const;

/**
 * Body of `POST /v1/sessions/{id}/executions/{sequence}/call`, with the execution's own bearer token. Inputs: `emit`
 * `{event_type, data}`; `result`, `returned` and `finish` an outcome; `model` a model request; `environments` a control
 * request; `telemetry` anything. A reporter's token takes `observe` with an observation.
 */
export const ExecutionCallRequest = z.strictObject({
  method: z.enum([...EXECUTION_METHODS, 'observe']),
  input: Json.optional(),
});
/** The parsed form of `ExecutionCallRequest`. */
export type ExecutionCallRequest = z.infer<typeof ExecutionCallRequest>;

/** Input of `result`; `returned` and `finish` may leave it out. */
export const ExecutionOutcome = ToolOutput;

/** Input of `observe`. */
export const ReporterObservation = z.strictObject({
  observation: EnvironmentObservation,
  observed_at_ms: TimeMs.optional(),
});
export type ReporterObservation = z.infer<typeof ReporterObservation>;
