// Identity of a write request: a client's id as a UUID, and the hash of what was asked. Pure.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@gbrain/wire/canonical-json';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 1 to 128 printable ASCII characters without the space. Source: facts/contract J.3. */
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;
/** Namespace of our UUIDv5; it never changes, because stored receipts depend on it. */
const NAMESPACE = '6f1c8a50-3c0e-5d7b-9a41-6c6f7e2b9d10';

/** A request id as it is stored, with the client's own text where that is another. */
export interface RequestId {
  requestId: string;
  clientRequestId?: string;
}

/** The id of a request from what the client sent: a UUID in lower case, else the UUIDv5 of it. Undefined when unfit. */
export function parseRequestId(text: string): RequestId | undefined {
  if (!CLIENT_ID.test(text)) return undefined;
  return UUID.test(text) ? { requestId: text.toLowerCase() } : { requestId: uuidV5(text), clientRequestId: text };
}

function uuidV5(name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex').slice(0, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Arguments that say how a call is waited for or named, not what it asks. */
const NOT_ASKED = new Set(['request_id', 'wait_ms', 'source_id']);

/** SHA-256 of what a request asks: operation, source and arguments, whatever the order of keys. */
export function argumentsHash(operation: string, sourceId: string, args: Readonly<Record<string, unknown>>): string {
  const asked = Object.fromEntries(Object.entries(args).filter(([key]) => !NOT_ASKED.has(key)));
  return createHash('sha256')
    .update(canonicalJson({ operation, sourceId, args: asked }))
    .digest('hex');
}
