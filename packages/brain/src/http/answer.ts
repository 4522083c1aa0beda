// Answers and refusals as HTTP has them; nothing of routes or sessions is known here.
import type { ServerResponse } from 'node:http';
import type { StoredAnswer } from '../journal/journal.ts';
import { Refusal } from '../session/refusal.ts';

/** An answer that is complete before it is sent. */
export type Answer = StoredAnswer;

const JSON_HEADERS = { 'content-type': 'application/json' };

/** A JSON answer; undefined is an answer without a body. */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  if (body === undefined) return { status, headers, body: '' };
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** A refusal as an answer. `scrub` takes sealed values out of its words. */
export function refusalAnswer(refusal: Refusal, scrub: (text: string) => string): Answer {
  const answer = jsonAnswer(refusal.status, refusal.toApiError());
  const retry: Record<string, string> = refusal.status === 503 ? { 'retry-after': '1' } : {};
  return { ...answer, headers: { ...answer.headers, ...retry }, body: scrub(answer.body) };
}

/** Sends an answer. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...headers, ...length });
  response.end(status === 204 ? undefined : body);
}

/** A refusal for whatever a handler threw; foreign errors are bugs and say nothing of themselves. */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('internal', 'The server met an unexpected condition.');
}
