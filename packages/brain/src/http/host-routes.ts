// The routes that running tools use: hosts with their own token, and executions with the token of one call.

import { EnvironmentControlRequest } from '@gbrain/brain-protocol/environment';
import { ExecutionCallRequest, ExecutionOutcome, ReporterObservation } from '@gbrain/brain-protocol/environment-wire';
import { HostCallRequest, HostEventRequest, HostModelRequest, HostResultRequest } from '@gbrain/brain-protocol/host';
import { HostId, SessionId } from '@gbrain/brain-protocol/ids';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { ModelRequest } from '@gbrain/brain-protocol/message';
import { encodeSseComment, encodeSseEvent } from '@gbrain/wire/sse';
import type { z } from 'zod';
import { findOpenTool } from '../session/decide-tool.ts';
import type { LiveSession } from '../session/live.ts';
import { Refusal } from '../session/refusal.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { findBearer } from './auth.ts';
import type { HttpContext, Route } from './context.ts';
import { type Incoming, readCount, readJson, readNoBody, readParam, readQuery } from './request.ts';
import { SSE_HEADERS } from './sse.ts';

const KEEP_ALIVE_MS = 15_000;

/** Rows in the order of sessions facts B.2. */
export const HOST_ROUTES: Route[] = [
  {
    method: 'POST',
    path: '/v1/hosts',
    access: 'api',
    handle: registerHost,
    about: 'Registers a process that runs tools; it is forgotten when it does not connect in time.',
    answer: 'host_credentials',
  },
  {
    method: 'GET',
    path: '/v1/hosts/:host/commands',
    access: 'host',
    handle: streamCommands,
    about: 'Commands as an event stream; a new connection displaces the old one. Each command is sent once.',
    answer: 'host_command',
  },
  {
    method: 'POST',
    path: '/v1/hosts/:host/results',
    access: 'host',
    handle: postResult,
    about: 'One report of a running tool. A report that comes too late is a 409.',
    body: 'host_result_request',
    answer: 'committed',
  },
  {
    method: 'POST',
    path: '/v1/hosts/:host/events',
    access: 'host',
    handle: postEvent,
    about: 'An event of a running tool.',
    body: 'host_event_request',
    answer: 'committed',
  },
  {
    method: 'POST',
    path: '/v1/hosts/:host/call',
    access: 'host',
    handle: postCall,
    about: 'Environment control for a running tool, within its grants.',
    body: 'host_call_request',
    answer: 'environment_control_result',
  },
  {
    method: 'POST',
    path: '/v1/hosts/:host/model',
    access: 'host',
    handle: postModel,
    about: 'A model call for a running tool; it counts against the turn.',
    body: 'host_model_request',
    answer: 'model_result',
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/executions/:sequence/call',
    access: 'own',
    handle: postExecutionCall,
    about: 'Calls back from a running execution, or from a reporter, with the token that it was given.',
    body: 'execution_call_request',
  },
];

async function registerHost({ hosts }: HttpContext, request: Incoming): Promise<Answer> {
  await readNoBody(request);
  return jsonAnswer(200, await hosts.register());
}

function streamCommands(
  { hosts, streams }: HttpContext,
  request: Incoming,
  response: Parameters<Route['handle']>[2],
): undefined {
  readQuery(request, []);
  const hostId = readParam(request, 'host', HostId);
  response.writeHead(200, SSE_HEADERS);
  response.flushHeaders();
  const keepAlive = setInterval(() => response.write(encodeSseComment()), KEEP_ALIVE_MS);
  keepAlive.unref();
  const end = () => response.end();
  const disconnect = hosts.connect(hostId, {
    send: (command) => response.write(encodeSseEvent({ event: 'command', data: JSON.stringify(command) })),
    end,
  });
  streams.add(end);
  response.on('close', () => {
    clearInterval(keepAlive);
    streams.delete(end);
    disconnect();
  });
}

async function postResult(context: HttpContext, request: Incoming): Promise<Answer> {
  const { session_id, sequence, update } = await readJson(
    request,
    HostResultRequest,
    context.settings.limits.maxRequestBytes,
  );
  const session = findHostSession(context, request, session_id, sequence);
  return jsonAnswer(200, { sequence: await context.tools.update(session, sequence, update) });
}

async function postEvent(context: HttpContext, request: Incoming): Promise<Answer> {
  const body = await readJson(request, HostEventRequest, context.settings.limits.maxRequestBytes);
  const session = findHostSession(context, request, body.session_id, body.sequence);
  const { event_type, data } = body;
  return jsonAnswer(200, { sequence: await context.tools.emit(session, body.sequence, { event_type, data }) });
}

async function postCall(context: HttpContext, request: Incoming): Promise<Answer> {
  const body = await readJson(request, HostCallRequest, context.settings.limits.maxRequestBytes);
  const session = findHostSession(context, request, body.session_id, body.sequence);
  return jsonAnswer(200, await controlForTool(context, session, body.sequence, body.call.input));
}

async function postModel(context: HttpContext, request: Incoming): Promise<Answer> {
  const body = await readJson(request, HostModelRequest, context.settings.limits.maxRequestBytes);
  const session = findHostSession(context, request, body.session_id, body.sequence);
  return jsonAnswer(200, await modelForTool(context, session, body.sequence, body.request));
}

/** The session of a running call, when its environment belongs to the host that asks. */
function findHostSession(context: HttpContext, request: Incoming, sessionId: string, sequence: number): LiveSession {
  const hostId = readParam(request, 'host', HostId);
  const session = context.sessions.open(sessionId);
  const { environment } = findOpenTool(session.state, sequence);
  const declaration = session.state.environments.get(environment.name)?.declaration;
  if (declaration?.driver === 'host' && declaration.host_id === hostId) return session;
  throw new Refusal('not_found', `The host runs no call ${sequence} of this session.`);
}

function controlForTool(
  context: HttpContext,
  session: LiveSession,
  sequence: number,
  request: EnvironmentControlRequest,
) {
  const { tool } = findOpenTool(session.state, sequence);
  const grants = session.state.configuration?.tools.find((one) => one.name === tool)?.environments ?? [];
  return context.control.control(session, request, { kind: 'granted', grants });
}

function modelForTool(context: HttpContext, session: LiveSession, sequence: number, request: ModelRequest) {
  findOpenTool(session.state, sequence);
  const signal = context.tools.findSignal(session.sessionId, sequence) ?? AbortSignal.abort();
  return context.models.call(session, request, { signal, toolSequence: sequence });
}

async function postExecutionCall(context: HttpContext, request: Incoming): Promise<Answer> {
  const sessionId = readParam(request, 'session', SessionId);
  const sequence = readCount('sequence', request.params.sequence, 0);
  const token = findBearer(request) ?? '';
  const { method, input } = await readJson(request, ExecutionCallRequest, context.settings.limits.maxRequestBytes);
  if (method === 'observe') {
    const seen = parse(ReporterObservation, input);
    return jsonAnswer(200, {
      sequence: await context.control.observe(context.sessions.open(sessionId), sequence, token, seen),
    });
  }
  const session = context.tools.findExecution(sessionId, sequence, token);
  if (!session) throw new Refusal('unauthorized', 'The token is not that of a running execution.');
  return jsonAnswer(200, await callExecution(context, session, sequence, { method, input }));
}

async function callExecution(
  context: HttpContext,
  session: LiveSession,
  sequence: number,
  call: { method: Exclude<z.infer<typeof ExecutionCallRequest>['method'], 'observe'>; input: JsonValue | undefined },
): Promise<unknown> {
  const { tools } = context;
  const { method, input } = call;
  switch (method) {
    case 'emit':
      return {
        sequence: await tools.emit(
          session,
          sequence,
          parse(HostEventRequest.pick({ event_type: true, data: true }), input),
        ),
      };
    case 'result':
      return {
        sequence: await tools.update(session, sequence, { type: method, outcome: parse(ExecutionOutcome, input) }),
      };
    case 'returned':
    case 'finish': {
      const outcome = input === undefined ? {} : { outcome: parse(ExecutionOutcome, input) };
      return { sequence: await tools.update(session, sequence, { type: method, ...outcome }) };
    }
    case 'model':
      return modelForTool(context, session, sequence, parse(ModelRequest, input));
    case 'environments':
      return controlForTool(context, session, sequence, parse(EnvironmentControlRequest, input));
    case 'telemetry':
      context.log.info('telemetry', { session: session.sessionId, sequence, record: JSON.stringify(input ?? null) });
      return null;
  }
}

function parse<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(
    'invalid_request',
    `The input is not valid at ${issue?.path.join('.') || 'its root'}: ${issue?.message}.`,
    {
      status: 422,
    },
  );
}
