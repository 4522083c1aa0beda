// The lines of a pipe as whole messages, with a bound: a longer one is passed over to its end, and who sent it is told.
// It knows of a message no more than where its id stands.

/** Most bytes of one message: the largest page, where every second character is escaped, and as much again. */
export const MESSAGE_BYTES_MAX = 20_000_000;

/** What is kept of a message that is passed over: enough to find its id at either end. */
const EDGE_BYTES = 1_024;

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.){0,256}")`;
const FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}`);
const LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message of which only the two ends are there; undefined when it stands at neither. */
export function edgeId(head: string, tail: string): string | number | undefined {
  const found = (FIRST.exec(head) ?? LAST.exec(tail))?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as string | number);
}

/** What becomes of the lines. */
export interface LineReader {
  /** One whole line with its end. */
  onLine(line: Buffer): void;
  /** A line beyond the bound has ended; nothing of it was kept but its id. */
  onTooLong(id: string | number | undefined): void;
}

/** Cuts a pipe's bytes into lines; holds at most one message and one chunk. */
export class BoundedLines {
  readonly #reader: LineReader;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;
  #long: { head: string; tail: Buffer } | undefined;

  constructor(reader: LineReader, maxBytes = MESSAGE_BYTES_MAX) {
    this.#reader = reader;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      this.#add(rest.subarray(0, at + 1));
      this.#end();
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) this.#add(rest);
  }

  #add(part: Buffer): void {
    if (this.#long) {
      this.#long.tail = Buffer.concat([this.#long.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
      return;
    }
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) return;
    const whole = Buffer.concat(this.#parts);
    this.#long = {
      head: whole.toString('utf8', 0, EDGE_BYTES),
      tail: Buffer.from(whole.subarray(-EDGE_BYTES)),
    };
    this.#parts = [];
  }

  #end(): void {
    const long = this.#long;
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#long = undefined;
    if (long) this.#reader.onTooLong(edgeId(long.head, long.tail.toString('utf8')));
    else this.#reader.onLine(line);
  }
}
