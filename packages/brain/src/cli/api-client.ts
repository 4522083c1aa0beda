// What the commands need of the session API: requests with errors that say what to do, and a stream of events.
import { randomUUID } from 'node:crypto';
import type { Event } from '@gbrain/brain-protocol/event';
import { createSseDecoder } from '@gbrain/wire/sse';
import { type CliContext, CliError } from './context.ts';

/** One frame of an event stream: a recorded event, or a live frame without a sequence. */
export interface StreamFrame {
  type: string;
  event?: Event;
  data: unknown;
}

/** The API of one server. */
export interface ApiClient {
  baseUrl: string;
  /** Sends one request. Throws a CliError for an answer that is not a success, and when nobody answers. */
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
  /** Events after a cursor, live, until the signal or the end of the stream. */
  stream(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<StreamFrame>;
}

/** A client for `--url` or `BRAIN_URL`, with the token of `BRAIN_API_TOKEN`. */
export function createApiClient(context: CliContext, url: string | undefined): ApiClient {
  const baseUrl = (url ?? context.env.BRAIN_URL ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  const token = context.env.BRAIN_API_TOKEN;
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${baseUrl}${path}`, init);
    } catch (error) {
      if ((error as Error).name === 'AbortError') throw error;
      const reason = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
      throw new CliError('server_unreachable', `${baseUrl} does not answer: ${reason}.`, 'Start the server.', {
        argv: ['brain', 'serve'],
      });
    }
  };
  return {
    baseUrl,
    async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
      const answer = await send(path, {
        method,
        headers: {
          ...authorization,
          ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw toCliError(answer.status, text);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    async *stream(sessionId, after, signal) {
      const headers = { ...authorization, accept: 'text/event-stream' };
      const answer = await send(`/v1/sessions/${sessionId}/events?after=${after}`, { headers, signal });
      if (!answer.ok || !answer.body) throw toCliError(answer.status, await answer.text());
      const frames = createSseDecoder({ maxEventUnits: 64 * 1024 * 1024 });
      for await (const chunk of answer.body) {
        for (const { event, data, hasId } of frames.push(chunk).events) {
          const value: unknown = JSON.parse(data);
          yield hasId
            ? { type: event, event: value as Event, data: (value as Event).data }
            : { type: event, data: value };
        }
      }
    },
  };
}

interface ErrorBody {
  code?: string;
  message?: string;
  details?: { reason?: string };
}

/** What to do about a refusal: in words, and as a command where one can be run as it is. */
const NEXT: Record<string, { text: string; argv?: string[] }> = {
  unauthorized: { text: 'Set BRAIN_API_TOKEN to the token of the server.' },
  not_found: { text: 'See which sessions there are.', argv: ['brain', 'sessions', 'list'] },
  invalid_request: { text: 'See which sessions there are.', argv: ['brain', 'sessions', 'list'] },
  session_busy: { text: 'Wait for its turn to end, or stop it with brain sessions cancel.' },
  harness_activation_unresolved: {
    text: 'Start a new session: what this one did is not known for certain. Its history stays readable.',
    argv: ['brain', 'chat'],
  },
  overloaded: { text: 'Wait a moment and try again. The log of the server says what is missing.' },
};

function toCliError(status: number, text: string): CliError {
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // Not this API: a proxy, or another server.
    return new CliError('not_brain', `The answer was ${status} and not Brain's.`, 'Check --url.');
  }
  const { code = 'internal', message = `status ${status}`, details } = body;
  const next = NEXT[details?.reason ?? ''] ?? NEXT[code] ?? { text: 'See the log of the server.' };
  return new CliError(code, message, next.text, next.argv ? { argv: next.argv } : {});
}
