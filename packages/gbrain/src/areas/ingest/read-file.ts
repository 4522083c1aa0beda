// Reads a file that may be written to meanwhile: only a state that stood still is taken, and its hash is of the bytes
// that were read. It follows no link, waits for no pipe and knows no page.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_PAGE_BYTES, parseText } from '../pages/text-edge.ts';

/** A file's text with the hash of its bytes, or why there is none. */
export type ReadFile =
  | { ok: true; text: string; hash: string; sizeBytes: number }
  | { ok: false; reason: 'vanished' | 'not_a_file' | 'changed' | 'too_large' }
  | { ok: false; reason: 'unreadable'; code: string }
  | { ok: false; reason: 'encoding' | 'null_bytes'; byte: number; line: number; column: number };

/** A file younger than this may be half written: it is looked at again when it is that old. */
const SETTLED_MS = 200;
/** Times that a file which changes under the reader is begun anew. */
const TRIES = 4;

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const isSame = (a: Stats, b: Stats): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;

/** Hex SHA-256 of bytes. */
export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

// A small file is read sooner than a thread could be asked for it: with six hand-overs a file the reading took ten
// times as long, and lost its place on a busy machine each time. O_NONBLOCK keeps a pipe from holding it up.
function readAll(fd: number, size: number): Buffer {
  // One byte more than the file had, so that a file that grows is seen to.
  const buffer = Buffer.allocUnsafe(size + 1);
  let end = 0;
  while (end < buffer.length) {
    const bytesRead = readSync(fd, buffer, end, buffer.length - end, end);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return buffer.subarray(0, end);
}

type Once = ReadFile | 'again';

async function readOnce(fd: number, nowMs: () => number): Promise<Once> {
  const before = fstatSync(fd);
  if (!before.isFile()) return { ok: false, reason: 'not_a_file' };
  if (before.size > MAX_PAGE_BYTES) return { ok: false, reason: 'too_large' };
  const ageMs = nowMs() - before.mtimeMs;
  if (ageMs >= 0 && ageMs < SETTLED_MS) {
    await pause(SETTLED_MS - ageMs);
    return 'again';
  }
  const bytes = readAll(fd, before.size);
  const after = fstatSync(fd);
  if (bytes.length !== before.size || !isSame(before, after)) return 'again';
  return toText(bytes);
}

function toText(bytes: Buffer): ReadFile {
  if (isUtf8(bytes) && !bytes.includes(0)) {
    return { ok: true, text: bytes.toString('utf8'), hash: hashOf(bytes), sizeBytes: bytes.length };
  }
  const parsed = parseText(bytes);
  if (parsed.ok) return { ok: true, text: parsed.edge.text, hash: hashOf(bytes), sizeBytes: bytes.length };
  const { at, line, column } = parsed;
  return { ok: false, reason: parsed.reason === 'nul' ? 'null_bytes' : 'encoding', byte: at, line, column };
}

/** Reads a file once it stands still; `changed` when it never does. */
export async function readSettled(path: string, nowMs: () => number = Date.now): Promise<ReadFile> {
  let fd: number;
  try {
    fd = openSync(path, FLAGS);
  } catch (error) {
    return failureOf(error);
  }
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const read = await readOnce(fd, nowMs);
      if (read !== 'again') return read;
    }
    return { ok: false, reason: 'changed' };
  } catch (error) {
    return failureOf(error);
  } finally {
    closeSync(fd);
  }
}

function failureOf(error: unknown): ReadFile {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: false, reason: 'vanished' };
  // What O_NOFOLLOW says of a link that was a file a moment ago.
  if (code === 'ELOOP') return { ok: false, reason: 'not_a_file' };
  return { ok: false, reason: 'unreadable', code };
}

/** A file that was read, in the order in which it was asked for. */
export interface ReadAhead<T> {
  item: T;
  file: ReadFile;
}

/** Files that are read before their turn, and most bytes of text that wait for it. */
const WIDTH = 16;
const WAITING_BYTES_MAX = 16 * 2 ** 20;

/** Reads files ahead of whoever takes them, in order, within a bound of memory. */
export async function* readAhead<T>(
  items: Iterable<T>,
  pathOf: (item: T) => string,
  signal: AbortSignal,
): AsyncGenerator<ReadAhead<T>> {
  const source = items[Symbol.iterator]();
  const waiting: Promise<ReadAhead<T>>[] = [];
  let waitingBytes = 0;
  let isDone = false;
  const fill = () => {
    while (!isDone && waiting.length < WIDTH && (waiting.length === 0 || waitingBytes < WAITING_BYTES_MAX)) {
      const next = source.next();
      if (next.done) isDone = true;
      else waiting.push(start(next.value));
    }
  };
  const start = async (item: T): Promise<ReadAhead<T>> => {
    const file = await readSettled(pathOf(item));
    if (file.ok) waitingBytes += file.sizeBytes;
    return { item, file };
  };
  try {
    for (fill(); waiting.length > 0; fill()) {
      signal.throwIfAborted();
      const read = await waiting.shift()!;
      if (read.file.ok) waitingBytes -= read.file.sizeBytes;
      yield read;
    }
  } finally {
    await Promise.allSettled(waiting);
  }
}
