// The wire between Brain and a client process that runs tools: registration, commands, updates, callbacks.
import { z } from 'zod';
import { EnvironmentControlRequest } from './environment.ts';
import { HostId, Identifier, Sequence, SessionId, TimeMs } from './ids.ts';
import { Json } from './json.ts';
import { ModelRequest } from './message.ts';
import { Outcome } from './outcome.ts';
import { ToolContent } from './tool.ts';

/** `POST /v1/hosts`: a host and the token that only it knows. */
export const HostCredentials = z.strictObject({ host_id: HostId, token: z.string().min(32).max(256) });
export type HostCredentials = z.infer<typeof HostCredentials>;

/** One frame of `GET /v1/hosts/{id}/commands`: an SSE event named `command`, without an id, sent once. */
export const HostCommand = z.strictObject({
  environment: Identifier,
  session_id: SessionId,
  sequence: Sequence,
  deadline_at_ms: TimeMs.optional(),
  template: Identifier.optional(),
  operation: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('invoke_tool'), name: z.string().min(1).max(1024), input: Json }),
    z.strictObject({ type: z.literal('cancel_tool'), target_sequence: Sequence }),
  ]),
});
export type HostCommand = z.infer<typeof HostCommand>;

const content = { content: ToolContent.optional() };

/** An outcome with optional text and media for the model. */
export const ToolOutput = z.discriminatedUnion('status', [
  z.strictObject({ ...content, ...Outcome.options[0].shape }),
  z.strictObject({ ...content, ...Outcome.options[1].shape }),
  z.strictObject({ ...content, ...Outcome.options[2].shape }),
  z.strictObject({ ...content, ...Outcome.options[3].shape }),
  z.strictObject({ ...content, ...Outcome.options[4].shape }),
]);
export type ToolOutput = z.infer<typeof ToolOutput>;

/**
 * What a running tool reports, in order. `result` is one observation; `returned` frees the caller while the tool goes
 * on; `finish` ends the call. An outcome on the last two is observed first; a lone `finish` is a whole result.
 */
export const ToolUpdate = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('result'), outcome: ToolOutput }),
  z.strictObject({ type: z.literal('returned'), outcome: ToolOutput.optional() }),
  z.strictObject({ type: z.literal('finish'), outcome: ToolOutput.optional() }),
]);
/** The parsed form of `ToolUpdate`. */
export type ToolUpdate = z.infer<typeof ToolUpdate>;

const execution = { session_id: SessionId, sequence: Sequence };

/** `POST /v1/hosts/{id}/results`. */
export const HostResultRequest = z.strictObject({ ...execution, update: ToolUpdate });
export type HostResultRequest = z.infer<typeof HostResultRequest>;

/** `POST /v1/hosts/{id}/events`: an event of the tool's own, with origin `tool`. */
export const HostEventRequest = z.strictObject({ ...execution, event_type: Identifier, data: Json });
export type HostEventRequest = z.infer<typeof HostEventRequest>;

/** `POST /v1/hosts/{id}/call`: environment control on behalf of a running tool, within the tool's grants. */
export const HostCallRequest = z.strictObject({
  ...execution,
  call: z.strictObject({ method: z.literal('environments'), input: EnvironmentControlRequest }),
});
export type HostCallRequest = z.infer<typeof HostCallRequest>;

/** `POST /v1/hosts/{id}/model`: a model call on behalf of a running tool; it counts against the turn's budget. */
export const HostModelRequest = z.strictObject({ ...execution, request: ModelRequest });
export type HostModelRequest = z.infer<typeof HostModelRequest>;

/** Answer to an update or event: the sequence of the committed record. */
export const Committed = z.strictObject({ sequence: Sequence });
export type Committed = z.infer<typeof Committed>;
