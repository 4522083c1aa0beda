// The payload of a command: a field that was not given and that a pipe or a file fills. Partial input is never used.
import type { CallIo } from '../call.ts';
import { raise } from '../failure.ts';
import type { Operation } from '../operation.ts';

/** Longest payload in bytes; a page is smaller. */
const PAYLOAD_BYTES_MAX = 5_000_000;

async function readAll(chunks: AsyncIterable<Uint8Array>, field: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > PAYLOAD_BYTES_MAX) raise('payload_too_large', { field, limitBytes: PAYLOAD_BYTES_MAX });
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Offset of the first byte that is not UTF-8. */
function badByteOffset(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  // A prefix that ends inside a character is not an error, so `stream` leaves it open.
  const isClean = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isClean(middle)) low = middle;
    else high = middle - 1;
  }
  return low - unfinishedBytes(bytes, low);
}

/** Bytes of a character that begins before `end` and is not whole there. */
function unfinishedBytes(bytes: Buffer, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Arguments with the payload field filled from the caller's input, when the command has one and it was not given. */
export async function withPayload(
  operation: Operation,
  args: Record<string, unknown>,
  io: CallIo,
): Promise<Record<string, unknown>> {
  const field = operation.cli.stdin;
  if (!field || args[field] !== undefined || !io.stdin) return args;
  const bytes = await readAll(io.stdin(), field);
  try {
    // The byte order mark is part of the file's text and stays.
    return { ...args, [field]: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    const expected = `UTF-8 text; byte ${badByteOffset(bytes)} is not`;
    raise('invalid_params', { tool: operation.name, param: field, problem: 'shape', expected }, error);
  }
}
