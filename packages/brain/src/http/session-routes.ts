// The routes under /v1/sessions and /v1/models that the holder of the API token calls.
import { EnvironmentControlRequest } from '@gbrain/brain-protocol/environment';
import { Identifier, SessionId } from '@gbrain/brain-protocol/ids';
import { CreateSessionRequest, EnvironmentCallRequest, MessageRequest } from '@gbrain/brain-protocol/session';
import { toEventText } from '../journal/record.ts';
import { PAGE_LIMITS } from '../session/activation.ts';
import { Refusal } from '../session/refusal.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { HttpContext, Route } from './context.ts';
import {
  type Incoming,
  readCount,
  readJson,
  readKey,
  readNoBody,
  readParam,
  readPrefersAsync,
  readQuery,
} from './request.ts';
import { streamEvents } from './sse.ts';

const PREFERENCE = { 'preference-applied': 'respond-async' };

/** Rows in the order of sessions facts B.2. */
export const SESSION_ROUTES: Route[] = [
  {
    method: 'POST',
    path: '/v1/sessions',
    access: 'api',
    handle: createSession,
    about: 'Makes a session; its automatic environments are set up before the answer.',
    body: 'create_session_request',
    answer: 'session_summary',
    once: true,
  },
  {
    method: 'GET',
    path: '/v1/sessions',
    access: 'api',
    handle: listSessions,
    about: 'Sessions by id: `after` and `limit` (100, at most 1,000).',
    answer: 'session_list',
  },
  {
    method: 'GET',
    path: '/v1/sessions/:session',
    access: 'api',
    handle: getSession,
    about: 'One session.',
    answer: 'session_summary',
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/messages',
    access: 'api',
    handle: sendMessage,
    about: 'A turn; answers when it has ended, well or not. `Prefer: respond-async` answers 202 with the turn at once.',
    body: 'message_request',
    answer: 'session_summary',
    once: true,
  },
  {
    method: 'GET',
    path: '/v1/sessions/:session/events',
    access: 'api',
    handle: getEvents,
    about: 'Events after a cursor, as a page, or live with `Accept: text/event-stream` and `Last-Event-ID`.',
    answer: 'event_page',
  },
  {
    method: 'GET',
    path: '/v1/sessions/:session/transcript',
    access: 'api',
    handle: getTranscript,
    about: 'What the loop saved; works on ended sessions too.',
    answer: 'transcript_view',
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/cancel',
    access: 'api',
    handle: cancelSession,
    about: 'Stops the turn and background tools; 204 once that is durable. Nothing on an idle session.',
    once: true,
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/end',
    access: 'api',
    handle: endSession,
    about: 'Stops everything, detaches environments, ends the session. Ending it again changes nothing.',
    answer: 'session_summary',
    once: true,
  },
  {
    method: 'DELETE',
    path: '/v1/sessions/:session',
    access: 'api',
    handle: deleteSession,
    about: 'Removes an ended or failed session: environments, native state, keys, records.',
    once: true,
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/environments',
    access: 'api',
    handle: controlEnvironments,
    about: 'Environment control by the owner; answers a view, `{environments}` or `{output}`.',
    body: 'environment_control_request',
    answer: 'environment_view',
    once: true,
  },
  {
    method: 'POST',
    path: '/v1/sessions/:session/environments/:environment/calls/:method',
    access: 'api',
    handle: callEnvironment,
    about: 'Calls a method of the current incarnation.',
    body: 'environment_call_request',
    answer: 'environment_call_result',
    once: true,
  },
  {
    method: 'GET',
    path: '/v1/models',
    access: 'api',
    handle: getModels,
    about: 'Model providers, or one with `provider`.',
    answer: 'models_view',
  },
];

async function createSession({ idempotency, sessions, settings }: HttpContext, request: Incoming): Promise<Answer> {
  const key = readKey(request);
  const body = await readJson(request, CreateSessionRequest, settings.limits.maxRequestBytes);
  return idempotency.run({ scope: 'create', key, body }, async (extras) => {
    return jsonAnswer(200, await sessions.create(body, extras));
  });
}

function listSessions({ journal }: HttpContext, request: Incoming): Answer {
  const { after = '', limit } = readQuery(request, ['after', 'limit']);
  const count = readCount('limit', limit, 100);
  if (count < 1 || count > 1000) throw new Refusal('invalid_request', 'limit must be between 1 and 1000.');
  if (after !== '' && !SessionId.safeParse(after).success)
    throw new Refusal('invalid_request', 'after is no session id.');
  const rows = journal.listSessions(after, count + 1);
  const page = rows.slice(0, count).map(({ sessionId, status, lastSequence }) => ({
    session_id: sessionId,
    status,
    last_sequence: lastSequence,
  }));
  return jsonAnswer(200, { sessions: page, ...(rows.length > count && { next: page.at(-1)?.session_id }) });
}

function getSession({ journal }: HttpContext, request: Incoming): Answer {
  readQuery(request, []);
  const { sessionId, status, lastSequence } = findRow(journal, request);
  return jsonAnswer(200, { session_id: sessionId, status, last_sequence: lastSequence });
}

async function sendMessage({ idempotency, sessions, settings }: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const key = readKey(request);
  const isAsync = readPrefersAsync(request);
  const body = await readJson(request, MessageRequest, settings.limits.maxRequestBytes);
  const scope = isAsync ? `${session}/message-async` : `${session}/message`;
  const headers: Record<string, string> = isAsync ? PREFERENCE : {};
  return idempotency.run({ scope, key, body, headers }, async (extras) => {
    const turn = await sessions.send(session, body, extras, { async: isAsync });
    if (isAsync) {
      await turn.started;
      return jsonAnswer(202, turn.sequence, headers);
    }
    await turn.done;
    return jsonAnswer(200, turn.summary());
  });
}

function getEvents(
  context: HttpContext,
  request: Incoming,
  response: Parameters<Route['handle']>[2],
): Answer | undefined {
  const { journal, hub, settings, streams } = context;
  const query = readQuery(request, ['after']);
  const { sessionId } = findRow(journal, request);
  const stream = acceptsStream(request);
  const last = request.headers['last-event-id'];
  const after = readCount('after', query.after ?? (typeof last === 'string' && stream ? last : undefined), 0);
  if (stream) {
    const { maxLiveBacklog: maxBacklog } = settings.limits;
    const end = streamEvents(response, { hub, journal, sessionId, after, maxBacklog });
    streams.add(end);
    response.on('close', () => streams.delete(end));
    return undefined;
  }
  const page = journal.readRecords(sessionId, after, PAGE_LIMITS.events, PAGE_LIMITS.bytes);
  const next = page.at(-1)?.sequence ?? after;
  const body = `{"events":[${page.map(toEventText).join(',')}],"next_cursor":${next}}`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function acceptsStream(request: Incoming): boolean {
  const accept = request.headers.accept ?? 'application/json';
  if (accept.includes('text/event-stream')) return true;
  if (accept.includes('application/json') || accept.includes('*/*') || accept.includes('application/*')) return false;
  throw new Refusal('invalid_request', 'Accept application/json or text/event-stream.');
}

function getTranscript({ sessions, journal }: HttpContext, request: Incoming): Answer {
  readQuery(request, []);
  const { sessionId } = findRow(journal, request);
  const { state } = sessions.read(sessionId);
  return jsonAnswer(200, { messages: state.transcript, through_sequence: state.transcriptSequence });
}

async function cancelSession({ idempotency, sessions }: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const key = readKey(request);
  await readNoBody(request);
  return idempotency.run({ scope: `${session}/cancel`, key, body: null }, async (extras) => {
    await sessions.cancel(session, extras);
    return jsonAnswer(204, undefined);
  });
}

async function endSession({ idempotency, sessions }: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const key = readKey(request);
  await readNoBody(request);
  return idempotency.run({ scope: `${session}/end`, key, body: null }, async (extras) => {
    return jsonAnswer(200, await sessions.end(session, extras));
  });
}

async function deleteSession({ idempotency, sessions }: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const key = readKey(request);
  await readNoBody(request);
  return idempotency.run({ scope: `${session}/delete`, key, body: null }, async (extras) => {
    await sessions.delete(session, extras);
    return jsonAnswer(204, undefined);
  });
}

async function controlEnvironments(context: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const key = readKey(request);
  const body = await readJson(request, EnvironmentControlRequest, context.settings.limits.maxRequestBytes);
  return context.idempotency.run({ scope: `${session}/environments`, key, body }, async (extras) => {
    return jsonAnswer(200, await context.sessions.controlEnvironments(session, body, extras));
  });
}

async function callEnvironment(context: HttpContext, request: Incoming): Promise<Answer> {
  const session = readParam(request, 'session', SessionId);
  const name = readParam(request, 'environment', Identifier);
  const method = readParam(request, 'method', Identifier);
  const key = readKey(request);
  const { input } = await readJson(request, EnvironmentCallRequest, context.settings.limits.maxRequestBytes);
  const scope = `${session}/environments`;
  return context.idempotency.run({ scope, key, body: { name, method, input } }, async (extras) => {
    const sequence = context.sessions.read(session).state.environments.get(name)?.reference.sequence ?? 1;
    const call = { operation: 'call' as const, environment: { name, sequence }, method, input };
    return jsonAnswer(200, await context.sessions.controlEnvironments(session, call, extras));
  });
}

function getModels({ providers }: HttpContext, request: Incoming): Answer {
  const { provider } = readQuery(request, ['provider']);
  if (provider !== undefined && !providers.find(provider)) {
    throw new Refusal('not_found', `This server has no model provider ${provider}.`);
  }
  return jsonAnswer(200, providers.toView(provider));
}

function findRow(journal: HttpContext['journal'], request: Incoming) {
  const sessionId = readParam(request, 'session', SessionId);
  const row = journal.readSession(sessionId);
  if (!row) throw new Refusal('not_found', `There is no session ${sessionId}.`);
  return row;
}
