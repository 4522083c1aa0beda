// A session's events as a stream without a gap: history, then live, each record once; a reader that lags is let go.
import type { ServerResponse } from 'node:http';
import { encodeSseComment } from '@gbrain/wire/sse';
import type { Journal } from '../journal/journal.ts';
import type { StoredRecord } from '../journal/record.ts';
import { PAGE_LIMITS } from '../session/activation.ts';
import { encodeRecord, type Hub } from '../session/hub.ts';

/** Headers of every event stream. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** Pause between comments that keep a quiet connection alive. */
const KEEP_ALIVE_MS = 15_000;

/** Kinds after which nothing more comes. */
const LAST_KINDS = new Set(['session_ended', 'session_creation_failed', 'session_end_failed']);

/** Statuses of sessions that have nothing more to tell. */
const LAST_STATUSES = new Set(['ended', 'failed']);

/** What a stream is made from. */
export interface EventStreamOptions {
  hub: Hub;
  journal: Journal;
  sessionId: string;
  /** The last sequence that the reader has. */
  after: number;
  maxBacklog: number;
}

/** Streams until the session ends, the reader goes or lags; gives what ends the stream early. */
export function streamEvents(response: ServerResponse, options: EventStreamOptions): () => void {
  response.writeHead(200, SSE_HEADERS);
  response.flushHeaders();
  const stream = new EventStream(response, options);
  stream.start();
  return () => stream.end();
}

class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  #cursor: number;
  /** While history is read, live records are only counted: the journal has them. */
  #catchingUp = true;
  /** Frames that the socket has not taken yet. */
  #backlog = 0;
  #ended = false;
  #stopListening: () => void = () => {};
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#cursor = options.after;
  }

  start(): void {
    const { hub, sessionId } = this.#options;
    this.#response.on('close', () => this.end());
    this.#keepAlive = setInterval(() => this.#response.write(encodeSseComment()), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    this.#stopListening = hub.listen(sessionId, {
      onEvent: (record, frame) => {
        if (!this.#catchingUp) this.#send(record, frame);
      },
      onLive: (frame) => {
        if (!this.#catchingUp) this.#sendLive(frame);
      },
      onDeleted: () => this.end(),
    });
    this.#catchUp();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#keepAlive);
    this.#stopListening();
    this.#response.end();
  }

  /** Reads pages until there is nothing behind the cursor. The read and the switch to live are one step. */
  #catchUp(): void {
    const { journal, sessionId } = this.#options;
    while (!this.#ended) {
      const page = journal.readRecords(sessionId, this.#cursor, PAGE_LIMITS.events, PAGE_LIMITS.bytes);
      if (page.length === 0) {
        this.#catchingUp = false;
        const status = journal.readSession(sessionId)?.status;
        if (status === undefined || LAST_STATUSES.has(status)) this.end();
        return;
      }
      let flushed = true;
      for (const record of page) flushed = this.#write(record, encodeRecord(record));
      if (flushed) continue;
      this.#response.once('drain', () => this.#catchUp());
      return;
    }
  }

  #send(record: StoredRecord, frame: string): void {
    if (this.#ended || record.sequence <= this.#cursor) return;
    if (record.sequence !== this.#cursor + 1 || this.#backlog >= this.#options.maxBacklog) {
      // Ending is what keeps the promise: the reader comes back with its last id and misses nothing.
      this.end();
      return;
    }
    this.#write(record, frame);
    if (LAST_KINDS.has(record.kind)) this.end();
  }

  #sendLive(frame: string): void {
    if (this.#ended) return;
    if (this.#backlog >= this.#options.maxBacklog) {
      this.end();
      return;
    }
    this.#push(frame);
  }

  #write(record: StoredRecord, frame: string): boolean {
    this.#cursor = record.sequence;
    return this.#push(frame);
  }

  #push(frame: string): boolean {
    this.#backlog += 1;
    return this.#response.write(frame, () => {
      this.#backlog -= 1;
    });
  }
}
