// Reads the elements of one large JSON array one at a time, so that an export of gigabytes costs the memory of one
// conversation, and a file that was cut off still gives what stands before the cut.
import { createReadStream } from 'node:fs';

/** An element's text, or the end: `isWhole` is false when the array was not closed. */
export type ArrayItem = { text: string } | { end: true; isWhole: boolean; tooLong: number };

/** Longest element in bytes; a longer one is passed over and counted. */
export const ELEMENT_BYTES_MAX = 256 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/** Finds elements by brackets and quotes alone; whether one is JSON is its reader's affair. */
class ArrayScanner {
  depth = 0;
  #inString = false;
  #isEscaped = false;
  #parts: Buffer[] = [];
  #bytes = 0;
  tooLong = 0;
  isDone = false;

  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Elements that end in this chunk. */
  push(chunk: Buffer): string[] {
    const texts: string[] = [];
    let start = this.depth >= 2 ? 0 : -1;
    for (let at = 0; at < chunk.length && !this.isDone; at++) {
      const byte = chunk[at]!;
      if (this.#inString) this.#passString(byte);
      else if (byte === QUOTE) this.#inString = true;
      else if (OPEN.has(byte)) {
        this.depth += 1;
        if (this.depth === 2) start = at;
      } else if (CLOSE.has(byte)) {
        this.depth -= 1;
        if (this.depth === 1) {
          this.#keep(chunk.subarray(start, at + 1));
          texts.push(...this.#take());
          start = -1;
        }
        this.isDone = this.depth <= 0;
      }
    }
    if (start >= 0 && this.depth >= 2) this.#keep(chunk.subarray(start));
    return texts;
  }

  #passString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(Buffer.from(bytes));
    else this.#parts = [];
  }

  #take(): string[] {
    const isTooLong = this.#bytes > this.#maxBytes;
    const text = isTooLong ? [] : [Buffer.concat(this.#parts).toString('utf8')];
    if (isTooLong) this.tooLong += 1;
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}

/** The elements of the array that a file holds. Rejects with the system's error when the file cannot be read. */
export async function* readArray(
  file: string,
  signal: AbortSignal,
  maxBytes = ELEMENT_BYTES_MAX,
): AsyncGenerator<ArrayItem> {
  const scanner = new ArrayScanner(maxBytes);
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 1 << 20 })) {
    for (const text of scanner.push(chunk as Buffer)) yield { text };
    if (scanner.isDone) break;
  }
  yield { end: true, isWhole: scanner.isDone, tooLong: scanner.tooLong };
}
