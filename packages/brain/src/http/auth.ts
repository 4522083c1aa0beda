// Bearer tokens: digests are compared in constant time. Which route needs which token is said in the table of routes.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../session/refusal.ts';
import type { Incoming } from './request.ts';

/** The bearer token of a request; undefined when there is none. */
export function findBearer(request: Incoming): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Throws unless the request carries the token. Without a configured token every request may pass. */
export function checkApiToken(request: Incoming, token: string | undefined): void {
  if (token === undefined) return;
  const given = findBearer(request) ?? '';
  if (!timingSafeEqual(digestOf(given), digestOf(token))) {
    throw new Refusal('unauthorized', 'The bearer token is missing or wrong.');
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
