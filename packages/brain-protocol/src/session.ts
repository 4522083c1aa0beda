// Requests and answers of the session API under /v1/sessions and /v1/models; nothing of how a server keeps them.
import { z } from 'zod';
import { Environment, PublicEnvironment } from './environment.ts';
import { Cursor, RegistrationName, SessionId } from './ids.ts';
import { Json, JsonRecord } from './json.ts';
import { FileBlock, ImageBlock, MediaBlock, Message, TextBlock } from './message.ts';
import { EnvironmentGrant, Tool } from './tool.ts';

/**
 * Which registration runs the loop, and how. Commands and code are refused; session values override the deployment's,
 * key by key. Fixed at creation. Source: Harness protocol.
 */
export const AgentloopSelection = z.strictObject({
  name: RegistrationName,
  configuration: JsonRecord.optional(),
  environments: z.array(EnvironmentGrant).max(128).optional(),
});
/** The parsed form of `AgentloopSelection`. */
export type AgentloopSelection = z.infer<typeof AgentloopSelection>;

/** Which model answers; the key is sealed and never shown again. */
export const ModelBinding = z.strictObject({
  provider: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  name: z.string().regex(/^\S+$/).max(256),
  api_key: z.string().min(1).max(16_384),
});

/** `POST /v1/sessions`. `idle_ttl_ms: 0` keeps the session resident for ever. */
export const CreateSessionRequest = z.strictObject({
  agentloop: AgentloopSelection,
  model: ModelBinding,
  system: z.string().max(131_072).optional(),
  response_format: Json.optional(),
  tools: z.array(Tool).max(128),
  environments: z.array(Environment).max(128),
  transcript: z.array(Message).max(4096).optional(),
  idle_ttl_ms: z.int().min(0).optional(),
});
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>;

/** What was fixed at creation, without secrets; `agentloop.configuration` is merged with the deployment's. */
export const SessionConfiguration = z.strictObject({
  agentloop: AgentloopSelection,
  model: ModelBinding.omit({ api_key: true }),
  system: z.string(),
  response_format: Json.optional(),
  tools: z.array(Tool),
  environments: z.array(PublicEnvironment),
  idle_ttl_ms: z.int().min(0).optional(),
});
export type SessionConfiguration = z.infer<typeof SessionConfiguration>;

/** Where a session is in its life. */
export const SessionStatus = z.enum(['creating', 'idle', 'running', 'ending', 'ended', 'failed']);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** A session in one line. */
export const SessionSummary = z.strictObject({ session_id: SessionId, status: SessionStatus, last_sequence: Cursor });
export type SessionSummary = z.infer<typeof SessionSummary>;

/** `GET /v1/sessions?after=<session_id>&limit=<1..1000>`; `next` is there while more follow. */
export const SessionList = z.strictObject({ sessions: z.array(SessionSummary), next: SessionId.optional() });
export type SessionList = z.infer<typeof SessionList>;

/** What the user says: text or blocks, and media beside it. */
export const UserInput = z.strictObject({
  message: z.union([z.string(), z.array(z.discriminatedUnion('type', [TextBlock, ImageBlock, FileBlock])).min(1)]),
  media: z.array(MediaBlock).max(128).optional(),
});
export type UserInput = z.infer<typeof UserInput>;

/** `POST /v1/sessions/{id}/messages`. With `Prefer: respond-async` the 202 body is the turn's sequence, a number. */
export const MessageRequest = z.strictObject({ input: UserInput });
export type MessageRequest = z.infer<typeof MessageRequest>;

/** `GET /v1/sessions/{id}/transcript`: what the loop saved, up to and including `through_sequence`. */
export const TranscriptView = z.strictObject({ messages: z.array(Message), through_sequence: Cursor });
export type TranscriptView = z.infer<typeof TranscriptView>;

/** `POST /v1/sessions/{id}/environments/{env}/calls/{name}`. */
export const EnvironmentCallRequest = z.strictObject({ input: Json });
/** Its answer. */
export const EnvironmentCallResult = z.strictObject({ output: Json });

/** What is known of a model. Unknown fields are absent. It is advice, never a check. */
export const ModelInfo = z.strictObject({
  id: z.string().min(1).max(256),
  context_window_tokens: z.int().min(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  input_modalities: z.array(z.string()).optional(),
  output_modalities: z.array(z.string()).optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** How a provider is spoken to. */
export const Dialect = z.enum(['openai_responses', 'anthropic_messages']);
export type Dialect = z.infer<typeof Dialect>;

/** `GET /v1/models`: no credentials, no endpoints. */
export const ModelsView = z.strictObject({
  snapshot_digest: z.string(),
  providers: z.array(
    z.strictObject({ id: z.string(), dialect: Dialect, media_inputs: z.array(z.string()), models: z.array(ModelInfo) }),
  ),
});
export type ModelsView = z.infer<typeof ModelsView>;

/** `BRAIN_PROVIDERS_FILE`: providers that replace or extend the built-in ones. */
export const ProvidersFile = z.strictObject({
  providers: z.array(
    z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
      dialect: Dialect,
      base_url: z.url({ protocol: /^https?$/ }).max(2048),
      models: z.array(ModelInfo).optional(),
    }),
  ),
});
export type ProvidersFile = z.infer<typeof ProvidersFile>;
