// The framed protocol between an owner and its clients: shapes, limits, parsing. Knows nothing of sockets or of what
// a call means: `call`, `value`, `outcome` and `caller` are JSON values that pass through unread.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type ChunkDecoder, createJsonLineDecoder, encodeJsonLine } from '@gbrain/wire/json-lines';

/**
 * Version of this protocol; another one is refused in words. `hello`, `refused` and their keys never change.
 * A client sends `hello` and nothing more until it is welcome.
 */
export const PROTOCOL = 1;
/** Longest line in bytes, either way. Longer ends the connection. */
export const FRAME_BYTES_MAX = 64 * 1024 * 1024;
/** Longest greeting: what a process may make an owner hold before it has shown the secret. */
export const GREETING_BYTES_MAX = 64 * 1024;
/** Most bytes of standard input in one frame, before base64. */
export const STDIN_CHUNK_BYTES_MAX = 64 * 1024;

/** Why an owner did not take a connection. */
export type RefusalReason = 'bad_secret' | 'protocol' | 'draining' | 'malformed';
/** Why an owner did not start a call: nothing was done, and the caller may send it again, here or elsewhere. */
export type DeclineReason = 'draining' | 'busy';
/** Why a call that was started has no outcome: what it did is not known. */
export type FailureReason = 'fault' | 'outcome_too_large' | 'abandoned';

/** What a client sends. `hello` comes first and once; ids are chosen by the client, one a call. */
export type ClientFrame =
  | { type: 'hello'; protocol: number; version: string; secret: string; caller: unknown }
  | { type: 'call'; id: number; call: unknown; stdin: boolean }
  | { type: 'stdin'; id: number; chunk?: string; end?: true; error?: string }
  | { type: 'cancel'; id: number; why?: string };

/** What an owner sends. Every `call` is answered by exactly one of `outcome`, `declined` and `failed`. */
export type OwnerFrame =
  | { type: 'welcome'; protocol: number; version: string; pid: number }
  | { type: 'refused'; reason: RefusalReason; message: string; protocol: number; version: string; pid: number }
  | { type: 'progress'; id: number; value: unknown }
  | { type: 'want_stdin'; id: number }
  | { type: 'outcome'; id: number; outcome: unknown }
  | { type: 'declined'; id: number; reason: DeclineReason }
  | { type: 'failed'; id: number; reason: FailureReason; message: string }
  | { type: 'draining' };

/** A frame that is not one: the connection it came on ends, and no other. */
export class MalformedFrame extends Error {
  override name = 'MalformedFrame';
}

/** A frame that would pass FRAME_BYTES_MAX; nothing of it was sent. */
export class FrameTooLarge extends Error {
  override name = 'FrameTooLarge';
}

/** One line, newline included. Throws FrameTooLarge, TypeError for what JSON has no form for. */
export function encodeFrame(frame: ClientFrame | OwnerFrame): Uint8Array {
  const line = encodeJsonLine(frame);
  if (line.length - 1 > FRAME_BYTES_MAX) throw new FrameTooLarge(`a frame of ${line.length} bytes passes the limit`);
  return line;
}

/** The decoder of one side of one connection, for lines of at most `maxLineBytes`. */
export const createFrameDecoder = (maxLineBytes: number = FRAME_BYTES_MAX): ChunkDecoder<unknown> =>
  createJsonLineDecoder({ maxLineBytes });

/** The values that `chunk` completes, in order. Throws MalformedFrame behind the last good one. */
export function* readFrames(decoder: ChunkDecoder<unknown>, chunk: Uint8Array): Generator<unknown> {
  const { items, fault } = decoder.push(chunk);
  yield* items;
  if (fault) throw new MalformedFrame(fault.message);
}

type Fields = Record<string, unknown>;
const isText = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const CLIENT_CHECKS: Record<ClientFrame['type'], (f: Fields) => boolean> = {
  hello: (f) => Number.isSafeInteger(f.protocol) && isText(f.version) && isText(f.secret),
  call: (f) => isId(f.id) && 'call' in f && typeof f.stdin === 'boolean',
  stdin: (f) =>
    isId(f.id) &&
    isTextOrAbsent(f.chunk) &&
    isTextOrAbsent(f.error) &&
    (f.end === undefined || f.end === true) &&
    [f.chunk, f.end, f.error].filter((part) => part !== undefined).length === 1,
  cancel: (f) => isId(f.id) && isTextOrAbsent(f.why),
};

const OWNER_CHECKS: Record<OwnerFrame['type'], (f: Fields) => boolean> = {
  welcome: (f) => Number.isSafeInteger(f.protocol) && isText(f.version) && Number.isSafeInteger(f.pid),
  refused: (f) => isText(f.reason) && isText(f.message) && isText(f.version),
  progress: (f) => isId(f.id) && 'value' in f,
  want_stdin: (f) => isId(f.id),
  outcome: (f) => isId(f.id) && 'outcome' in f,
  declined: (f) => isId(f.id) && isText(f.reason),
  failed: (f) => isId(f.id) && isText(f.reason) && isText(f.message),
  draining: () => true,
};

/** Checks the shape of a client's frame. Throws MalformedFrame. */
export const parseClientFrame = (value: unknown): ClientFrame => parse(value, CLIENT_CHECKS) as ClientFrame;

/** Checks the shape of an owner's frame. Throws MalformedFrame. */
export const parseOwnerFrame = (value: unknown): OwnerFrame => parse(value, OWNER_CHECKS) as OwnerFrame;

function parse(value: unknown, checks: Record<string, (f: Fields) => boolean>): Fields {
  const fields = typeof value === 'object' && value !== null ? (value as Fields) : {};
  const type = isText(fields.type) ? fields.type : '';
  if (!Object.hasOwn(checks, type) || !checks[type]!(fields)) throw new MalformedFrame(`no such frame: ${type || '?'}`);
  return fields;
}

/** True when both texts are equal; takes the same time wherever they differ and however long they are. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
