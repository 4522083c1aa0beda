// Server-sent events: the encoder and an incremental parser over byte chunks. It opens no connection.
// Source: WHATWG HTML, Server-sent events.

/** An event to send. */
export interface SseEvent {
  /** Absent for an event that a reconnect must not resume from. Never holds a line break or NUL. */
  id?: string;
  /** Absent is `message`. Never holds a line break. */
  event?: string;
  /** Any text; its line breaks arrive as LF. */
  data: string;
  /** How long a client waits before it reconnects. */
  retryMs?: number;
}

/** An event as it was received. */
export interface ReceivedSseEvent {
  event: string;
  data: string;
  /** The last id that the stream named so far; '' before the first. */
  lastEventId: string;
  /** True when this very event named the id. */
  hasId: boolean;
}

/** What one chunk completed. After a fault nothing more comes. */
export interface DecodedSse {
  events: ReceivedSseEvent[];
  /** Comment texts, mostly keep-alives. */
  comments: string[];
  fault?: 'event_too_large';
}

/** An incremental parser. Bytes that are not UTF-8 arrive as U+FFFD, as browsers have it. */
export interface SseDecoder {
  /** Takes the next bytes, cut anywhere. */
  push(chunk: Uint8Array): DecodedSse;
  /** The id to send as `Last-Event-ID` on a reconnect. */
  readonly lastEventId: string;
  /** The reconnect delay that the server asked for. */
  readonly retryMs: number | undefined;
}

class Decoder implements SseDecoder {
  readonly #maxUnits: number;
  // The decoder itself drops a byte order mark at the start of the stream, and nowhere else.
  readonly #utf8 = new TextDecoder('utf-8');
  #rest = '';
  #skipLf = false;
  #data: string[] = [];
  #dataUnits = 0;
  #event = '';
  #hasId = false;
  #fault = false;
  lastEventId = '';
  retryMs: number | undefined;

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
  }

  push(chunk: Uint8Array): DecodedSse {
    const out: DecodedSse = { events: [], comments: [] };
    if (!this.#fault) this.#scan(this.#utf8.decode(chunk, { stream: true }), out);
    if (this.#fault) out.fault = 'event_too_large';
    return out;
  }

  #scan(fresh: string, out: DecodedSse): void {
    const held = this.#rest.length;
    const text = this.#rest + fresh;
    let start = 0;
    // What is held has no line break, so the search goes on where the last one ended.
    for (let index = held; index < text.length && !this.#fault; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit !== 10 && unit !== 13) {
        this.#skipLf = false;
        continue;
      }
      if (unit === 10 && this.#skipLf) {
        this.#skipLf = false;
        start = index + 1;
        continue;
      }
      this.#skipLf = unit === 13;
      this.#line(text.slice(start, index), out);
      start = index + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length + this.#dataUnits > this.#maxUnits) this.#overflow();
  }

  #line(line: string, out: DecodedSse): void {
    if (line === '') {
      this.#dispatch(out);
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      out.comments.push(line.slice(line[1] === ' ' ? 2 : 1));
      return;
    }
    const field = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? '' : line.slice(colon + 1);
    this.#field(field, raw.startsWith(' ') ? raw.slice(1) : raw);
  }

  #field(field: string, value: string): void {
    if (field === 'data') {
      this.#data.push(value);
      this.#dataUnits += value.length + 1;
      if (this.#dataUnits > this.#maxUnits + 1) this.#overflow();
    } else if (field === 'event') {
      this.#event = value;
    } else if (field === 'id' && !value.includes('\0')) {
      this.lastEventId = value;
      this.#hasId = true;
    } else if (field === 'retry' && /^[0-9]+$/.test(value)) {
      this.retryMs = Number(value);
    }
  }

  #dispatch(out: DecodedSse): void {
    // A block without data only sets the id; browsers dispatch nothing for it.
    if (this.#data.length > 0) {
      const event = this.#event === '' ? 'message' : this.#event;
      out.events.push({ event, data: this.#data.join('\n'), lastEventId: this.lastEventId, hasId: this.#hasId });
    }
    this.#data = [];
    this.#dataUnits = 0;
    this.#event = '';
    this.#hasId = false;
  }

  #overflow(): void {
    this.#fault = true;
    this.#rest = '';
    this.#data = [];
  }
}

/** An event as text with its closing empty line. Throws a TypeError for an id or a name that would break a line. */
export function encodeSseEvent(event: SseEvent): string {
  const lines: string[] = [];
  if (event.id !== undefined) lines.push(`id: ${oneLine(event.id, 'id')}`);
  if (event.event !== undefined) lines.push(`event: ${oneLine(event.event, 'event')}`);
  if (event.retryMs !== undefined) lines.push(`retry: ${Math.max(0, Math.trunc(event.retryMs))}`);
  for (const line of event.data.split(/\r\n|\r|\n/)) lines.push(`data: ${line}`);
  return `${lines.join('\n')}\n\n`;
}

/** A comment as text; it keeps a connection alive and reaches no listener. */
export function encodeSseComment(text = ''): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => (line === '' ? ':' : `: ${line}`));
  return `${lines.join('\n')}\n\n`;
}

/** A parser that refuses an event (or a line) of more than `maxEventUnits` UTF-16 units. */
export function createSseDecoder(limits: { maxEventUnits: number }): SseDecoder {
  return new Decoder(limits.maxEventUnits);
}

function oneLine(value: string, field: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`An SSE ${field} holds no line break and no NUL.`);
  return value;
}
