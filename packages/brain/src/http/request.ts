// Reads requests: path, query, headers and body, each refused with the status that says what is wrong with it.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseJson } from '@gbrain/wire/parse-json';
import type { z } from 'zod';
import { Refusal } from '../session/refusal.ts';

/** A request as handlers see it. */
export interface Incoming {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Named parts of the path. */
  params: Record<string, string>;
  raw: IncomingMessage;
}

function invalid(message: string, status: number, details?: Record<string, string>): Refusal {
  return new Refusal('invalid_request', message, { status, ...(details && { details }) });
}

/** The body as JSON of a shape: 415 for another type, 413 when it is too large, 400 when it is no JSON, 422 else. */
export async function readJson<T extends z.ZodType>(
  request: Incoming,
  schema: T,
  maxBytes: number,
): Promise<z.infer<T>> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw invalid('The body must be application/json.', 415);
  const text = await readBody(request.raw, maxBytes);
  return parseBody(text, schema);
}

/** For requests without a body: nothing, or an empty object. */
export async function readNoBody(request: Incoming): Promise<void> {
  const text = (await readBody(request.raw, 1024)).trim();
  if (text !== '' && text !== '{}' && text !== 'null') throw invalid('This request has no body.', 422);
}

function parseBody<T extends z.ZodType>(text: string, schema: T): z.infer<T> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid(`The body is not JSON: ${(error as Error).message}`, 400);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw invalid(`The body is not valid${path ? ` at ${path}` : ''}: ${issue?.message ?? ''}`, 422, { path });
}

async function readBody(raw: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = () => invalid(`The body is longer than ${maxBytes} bytes.`, 413);
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    raw.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)));
    // Every request closes; an error is made only for one that was cut.
    raw.on('close', () => {
      if (!raw.complete) reject(invalid('The body did not arrive.', 400));
    });
    raw.on('error', () => reject(invalid('The body did not arrive.', 400)));
  });
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8.', 400);
  return bytes.toString('utf8');
}

/** `Idempotency-Key`: 1 to 256 bytes. */
export function readKey(request: Incoming): string {
  const value = request.headers['idempotency-key'];
  if (typeof value !== 'string' || value === '') throw invalid('The header Idempotency-Key is missing.', 400);
  if (Buffer.byteLength(value) > 256) throw invalid('The header Idempotency-Key is longer than 256 bytes.', 400);
  return value;
}

/** True with `Prefer: respond-async`; any other preference is refused. */
export function readPrefersAsync(request: Incoming): boolean {
  const { prefer } = request.headers;
  if (prefer === undefined) return false;
  if (String(prefer).trim().toLowerCase() === 'respond-async') return true;
  throw invalid('The only preference is respond-async.', 400);
}

/** The query's values; a key that is not named here, or stands there twice, is refused. */
export function readQuery(request: Incoming, known: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of request.query) {
    if (!known.includes(key)) throw invalid(`The query has no key ${key}.`, 400);
    if (key in values) throw invalid(`The query key ${key} stands there twice.`, 400);
    values[key] = value;
  }
  return values;
}

/** A whole number in a query or header. */
export function readCount(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  const parsed = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(parsed)) throw invalid(`${name} must be a whole number.`, 400);
  return parsed;
}

/** A named part of the path that must match a shape. */
export function readParam(request: Incoming, name: string, schema: z.ZodType<string>): string {
  const parsed = schema.safeParse(request.params[name]);
  if (!parsed.success) throw invalid(`The ${name} in the path is not valid.`, 400);
  return parsed.data;
}
