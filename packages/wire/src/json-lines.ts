// JSON lines over byte chunks: an incremental decoder with a byte cap, and the encoder. It reads no stream itself.

/** Why a byte stream stopped being lines of JSON. */
export type LineFaultKind = 'line_too_long' | 'invalid_utf8' | 'invalid_json';

/** The fault that ended a decoder. */
export interface LineFault {
  kind: LineFaultKind;
  /** 1-based number of the line at fault. */
  line: number;
  /** Plain words for a log; they never quote the line, which may hold a secret. */
  message: string;
}

/** What one chunk completed: the good items before a fault are always given, and after a fault nothing more comes. */
export interface Decoded<T> {
  items: T[];
  fault?: LineFault;
}

/** An incremental decoder. After a fault it stays at fault: framing is lost, and every later call repeats the fault. */
export interface ChunkDecoder<T> {
  /** Takes the next bytes, cut anywhere, even inside a code point. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): Decoded<T>;
  /** Ends the stream: a last line without a line break counts as a line. */
  end(): Decoded<T>;
  /** Bytes held of a line that has not ended yet; at most the cap. */
  readonly pendingBytes: number;
}

/** Bounds of a decoder. */
export interface LineLimits {
  /** Longest line in bytes, its line break (LF or CR LF) not counted. */
  maxLineBytes: number;
}

const LF = 0x0a;
const CR = 0x0d;

/** Decodes UTF-8 lines that end with LF or CR LF. A byte order mark is dropped at the very start and nowhere else. */
export function createLineDecoder(limits: LineLimits): ChunkDecoder<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let pendingBytes = 0;
  let lines = 0;
  let fault: LineFault | undefined;

  function fail(kind: LineFaultKind, message: string): undefined {
    fault = { kind, line: lines + 1, message };
    parts = [];
    pendingBytes = 0;
    return undefined;
  }

  function finish(last: Uint8Array): string | undefined {
    const bytes = withoutCr(parts.length === 0 ? last : join([...parts, last], pendingBytes + last.length));
    if (bytes.length > limits.maxLineBytes) return fail('line_too_long', tooLong(limits));
    parts = [];
    pendingBytes = 0;
    try {
      const text = utf8.decode(bytes);
      lines += 1;
      return lines === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
    } catch {
      return fail('invalid_utf8', `Line ${lines + 1} is not UTF-8.`);
    }
  }

  function hold(rest: Uint8Array): void {
    if (rest.length === 0) return;
    // One byte more than the cap may still be the CR of a line that ends with the next byte.
    const slack = rest[rest.length - 1] === CR ? 1 : 0;
    if (pendingBytes + rest.length > limits.maxLineBytes + slack) {
      fail('line_too_long', tooLong(limits));
      return;
    }
    parts.push(rest.slice());
    pendingBytes += rest.length;
  }

  return {
    push(chunk) {
      const items: string[] = [];
      let start = 0;
      while (fault === undefined) {
        const end = chunk.indexOf(LF, start);
        if (end === -1) break;
        const line = finish(chunk.subarray(start, end));
        if (line !== undefined) items.push(line);
        start = end + 1;
      }
      if (fault === undefined) hold(chunk.subarray(start));
      return fault === undefined ? { items } : { items, fault };
    },
    end() {
      if (fault !== undefined) return { items: [], fault };
      const line = pendingBytes === 0 ? undefined : finish(new Uint8Array(0));
      const items = line === undefined ? [] : [line];
      return fault === undefined ? { items } : { items, fault };
    },
    get pendingBytes() {
      return pendingBytes;
    },
  };
}

/** Decodes lines of JSON, by `parseLine` when it is given; lines of nothing but white space are skipped. */
export function createJsonLineDecoder(
  limits: LineLimits,
  parseLine: (text: string) => unknown = JSON.parse,
): ChunkDecoder<unknown> {
  const lines = createLineDecoder(limits);
  let count = 0;
  let fault: LineFault | undefined;

  function parse(decoded: Decoded<string>): Decoded<unknown> {
    if (fault !== undefined) return { items: [], fault };
    const items: unknown[] = [];
    for (const text of decoded.items) {
      count += 1;
      if (/^[ \t\r]*$/.test(text)) continue;
      try {
        items.push(parseLine(text));
      } catch {
        fault = { kind: 'invalid_json', line: count, message: `Line ${count} is not JSON.` };
        return { items, fault };
      }
    }
    fault = decoded.fault;
    return fault === undefined ? { items } : { items, fault };
  }

  return {
    push: (chunk) => parse(lines.push(chunk)),
    end: () => parse(lines.end()),
    get pendingBytes() {
      return lines.pendingBytes;
    },
  };
}

/**
 * A value as one line of JSON with its LF, ready to write; its length is what the other side's cap counts, plus one.
 * Throws a TypeError for a value that JSON has no form for (undefined, a function, a bigint, a cycle).
 */
export function encodeJsonLine(value: unknown): Uint8Array {
  const json = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`A ${typeof value} has no JSON form.`);
  return new TextEncoder().encode(`${json}\n`);
}

function tooLong(limits: LineLimits): string {
  return `A line is longer than ${limits.maxLineBytes} bytes.`;
}

function withoutCr(bytes: Uint8Array): Uint8Array {
  return bytes[bytes.length - 1] === CR ? bytes.subarray(0, -1) : bytes;
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
