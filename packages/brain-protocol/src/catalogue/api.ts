// Shapes of the HTTP API with examples, in the order in which a reader meets them.
import { z } from 'zod';
import {
  Environment,
  EnvironmentControlRequest,
  EnvironmentControlResult,
  EnvironmentObservation,
  EnvironmentView,
  PublicEnvironment,
} from '../environment.ts';
import { EnvironmentOperation, EnvironmentOperationResult, ExecutionCallRequest } from '../environment-wire.ts';
import { Event, EventPage, LIVE_EVENTS } from '../event.ts';
import {
  Committed,
  HostCallRequest,
  HostCommand,
  HostCredentials,
  HostEventRequest,
  HostModelRequest,
  HostResultRequest,
} from '../host.ts';
import { Message, ModelRequest, ModelResult, Usage } from '../message.ts';
import { ApiError, Failure, Outcome } from '../outcome.ts';
import { RegistrationMap } from '../registration.ts';
import {
  CreateSessionRequest,
  EnvironmentCallRequest,
  EnvironmentCallResult,
  MessageRequest,
  ModelsView,
  ProvidersFile,
  SessionConfiguration,
  SessionList,
  SessionSummary,
  TranscriptView,
} from '../session.ts';
import { Tool, ToolInvocation, ToolResult, ToolReturn, ToolView } from '../tool.ts';
import { HOST, SESSION, type ShapeEntry, shape, TIME_MS } from './entry.ts';
import * as v from './values.ts';

const execution = { session_id: SESSION, sequence: 8 };
const summary = { session_id: SESSION, status: 'idle', last_sequence: 17 };
const ok = { status: 'ok', value: { celsius: 4 } };

/** Shapes of `/v1/sessions`. */
export const SESSION_SHAPES: ShapeEntry[] = [
  shape('create_session_request', 'Body of `POST /v1/sessions`.', CreateSessionRequest, {
    agentloop: { name: 'default' },
    model: { provider: 'openai', name: 'gpt-5', api_key: 'example-key' },
    system: 'Answer in one sentence.',
    tools: [v.tool],
    environments: [v.environment],
  }),
  shape('session_configuration', 'What was fixed at creation.', SessionConfiguration, v.configuration),
  shape('session_summary', 'A session in one line.', SessionSummary, summary),
  shape('session_list', 'Answer of `GET /v1/sessions`.', SessionList, { sessions: [summary] }),
  shape('message_request', 'Body of `POST /v1/sessions/{id}/messages`.', MessageRequest, {
    input: { message: 'What is the weather in Oslo?' },
  }),
  shape('turn_accepted', 'Answer with `Prefer: respond-async`: the turn.', z.int().min(1), 3),
  shape('transcript_view', 'Answer of `GET /v1/sessions/{id}/transcript`.', TranscriptView, {
    messages: [v.userMessage, v.answerMessage],
    through_sequence: 13,
  }),
  shape('event', 'One journal record as readers see it.', Event, v.outputEvent),
  shape('event_page', 'Answer of `GET /v1/sessions/{id}/events`.', EventPage, {
    events: [v.outputEvent],
    next_cursor: 14,
  }),
  shape('api_error', 'Body of every refusal.', ApiError, {
    code: 'conflict',
    message: 'The session runs a turn.',
    retryable: false,
    details: { reason: 'session_busy' },
  }),
  shape('environment_control_request', 'Environment control.', EnvironmentControlRequest, {
    operation: 'get',
    environment: v.reference,
  }),
  shape('environment_control_result', 'Its answer.', EnvironmentControlResult, { environment: v.environmentView }),
  shape('environment_observation', 'What a reporter saw last.', EnvironmentObservation, {
    scope: 'environment',
    availability: 'available',
  }),
  shape('environment_view', 'One environment.', EnvironmentView, v.environmentView),
  shape('environment_call_request', 'Direct call of a method.', EnvironmentCallRequest, { input: {} }),
  shape('environment_call_result', 'Its answer.', EnvironmentCallResult, { output: { ok: true } }),
  shape('models_view', 'Answer of `GET /v1/models`.', ModelsView, {
    snapshot_digest: 'sha256:0',
    providers: [{ id: 'openai', dialect: 'openai_responses', media_inputs: ['image', 'file'], models: [] }],
  }),
];

/** Shapes that sessions are made of. */
export const PART_SHAPES: ShapeEntry[] = [
  shape('message', 'One message.', Message, v.toolUseMessage),
  shape('model_request', 'One model call.', ModelRequest, { messages: [v.userMessage], tools: [v.modelTool] }),
  shape('model_result', 'Its result.', ModelResult, v.modelResult),
  shape('usage', 'Counters that were reported.', Usage, { input_tokens: 61, output_tokens: 9 }),
  shape('tool', 'A tool of a session.', Tool, v.tool),
  shape('tool_view', 'A tool as a loop sees it.', ToolView, v.toolView),
  shape('tool_invocation', 'One call of a batch.', ToolInvocation, v.invocation),
  shape('tool_result', 'One observation.', ToolResult, {
    call_id: 'call_1',
    output: { celsius: 4 },
    is_error: false,
  }),
  shape('tool_return', 'What `dispatch` gives for one call.', ToolReturn, {
    call_id: 'call_1',
    sequence: 8,
    events: [v.toolEndedEvent],
    finished: true,
  }),
  shape('outcome', 'How a tool call ended.', Outcome, { status: 'unknown', message: 'The connection was lost.' }),
  shape('failure', 'Why something failed.', Failure, v.failure),
  shape('environment', 'A place where tools run.', Environment, v.environment),
  shape('public_environment', 'The same without its credential.', PublicEnvironment, v.environment),
  shape('registration_map', 'The startup map.', RegistrationMap, {
    pi: { command: 'brain-agentloop-pi', args: [], configuration: {}, workers: 1, max_concurrency: 64 },
  }),
  shape('providers_file', '`BRAIN_PROVIDERS_FILE`.', ProvidersFile, {
    providers: [{ name: 'local', dialect: 'openai_responses', base_url: 'http://127.0.0.1:9000/v1' }],
  }),
];

/** Shapes between Brain and the processes and services that run tools. */
export const TOOL_SIDE_SHAPES: ShapeEntry[] = [
  shape('host_credentials', 'Answer of `POST /v1/hosts`.', HostCredentials, {
    host_id: HOST,
    token: '0123456789012345678901234567890123456789012',
  }),
  shape('host_command', 'One frame of `GET /v1/hosts/{id}/commands`.', HostCommand, {
    environment: 'laptop',
    ...execution,
    deadline_at_ms: TIME_MS,
    operation: { type: 'invoke_tool', name: 'weather', input: { city: 'Oslo' } },
  }),
  shape('host_result_request', 'Body of `POST /v1/hosts/{id}/results`.', HostResultRequest, {
    ...execution,
    update: { type: 'finish', outcome: ok },
  }),
  shape('host_event_request', 'Body of `POST /v1/hosts/{id}/events`.', HostEventRequest, {
    ...execution,
    event_type: 'weather.progress',
    data: { percent: 50 },
  }),
  shape('host_call_request', 'Body of `POST /v1/hosts/{id}/call`.', HostCallRequest, {
    ...execution,
    call: { method: 'environments', input: { operation: 'list' } },
  }),
  shape('host_model_request', 'Body of `POST /v1/hosts/{id}/model`.', HostModelRequest, {
    ...execution,
    request: { messages: [v.userMessage] },
  }),
  shape('committed', 'A committed record.', Committed, { sequence: 9 }),
  shape('environment_operation', 'Body of `POST {url}/v1/operations`.', EnvironmentOperation, {
    contract: 'environment/v1',
    operation: {
      ...execution,
      environment: v.reference,
      request: { type: 'execute', implementation: 'weather', input: { city: 'Oslo' }, deadline_ms: 120000 },
    },
  }),
  shape('environment_operation_result', 'Its answer.', EnvironmentOperationResult, {
    contract: 'environment/v1',
    sequence: 8,
    receipt: { type: 'result', output: { celsius: 4 } },
  }),
  shape('execution_call_request', 'A running execution calls back.', ExecutionCallRequest, {
    method: 'finish',
    input: ok,
  }),
];

const live: Record<keyof typeof LIVE_EVENTS, unknown> = {
  model_request: { model_call_sequence: 6, input_bytes: 512, media_inputs: 0 },
  model_usage: { model_call_sequence: 6, usage: { input_tokens: 61 } },
  model_output: { model_call_sequence: 6, output_bytes: 48 },
  assistant_delta: { model_call_sequence: 6, index: 0, text: 'It is' },
  refusal_delta: { model_call_sequence: 6, index: 0, text: 'I cannot' },
  tool_call_delta: { model_call_sequence: 6, index: 0, id: 'call_1', name: 'weather' },
};

/** Frames that only live streams carry. */
export const LIVE_SHAPES: ShapeEntry[] = Object.entries(LIVE_EVENTS).map(([name, schema]) =>
  shape(`live_${name}`, `Live frame \`${name}\`.`, schema, live[name as keyof typeof LIVE_EVENTS]),
);
