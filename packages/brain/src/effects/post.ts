// One HTTP POST, sent once: no retry, no redirect, no proxy. It says whether the request can have been received.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { reach } from '../fault.ts';

/** What is sent. `signal` ends it at any point, also while the answer is read. */
export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Milliseconds until the connection must stand; 0 is no bound. */
  connectMs: number;
  signal: AbortSignal;
  /** Kind of effect: its fault points are passed. */
  effect?: string;
}

/** The answer: its body is still to be read, and ends with a PostError when the connection breaks. */
export interface PostResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Buffer>;
}

/** No answer, or half of one. */
export class PostError extends Error {
  /** False when it is certain that the other side got nothing. */
  readonly sent: boolean;
  readonly aborted: boolean;

  constructor(message: string, sent: boolean, aborted: boolean) {
    super(message);
    this.name = 'PostError';
    this.sent = sent;
    this.aborted = aborted;
  }
}

/** Sends a POST. A port, so that a simulator can be the network. */
export type Post = (request: PostRequest) => Promise<PostResponse>;

const http = new HttpAgent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 512 });
const https = new HttpsAgent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 512 });

/** The network. Connections are kept and reused. */
export const post: Post = (options) =>
  new Promise((resolve, reject) => {
    const url = new URL(options.url);
    const secure = url.protocol === 'https:';
    const body = Buffer.from(options.body);
    let sent = false;
    const fail = (error: Error) => {
      const { aborted } = options.signal;
      reject(error instanceof PostError ? error : new PostError(describe(error), sent, aborted));
    };
    const outgoing = (secure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: secure ? https : http,
      headers: { ...options.headers, 'content-length': String(body.length) },
    });
    const onAbort = () => outgoing.destroy(new PostError('the request was given up', sent, true));
    outgoing.on('socket', (socket) => {
      watchConnection(socket, secure, options.connectMs, {
        onConnected: () => {
          sent = true;
        },
        onLate: () => outgoing.destroy(new PostError(`no connection within ${options.connectMs} ms`, false, false)),
      });
    });
    outgoing.on('finish', () => {
      if (options.effect) reach('after_send_before_reply', options.effect);
    });
    outgoing.on('response', (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, headers, body: new ResponseBody(response, options.signal) });
    });
    outgoing.on('error', fail);
    outgoing.on('close', () => options.signal.removeEventListener('abort', onAbort));
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    else outgoing.end(body);
  });

interface ConnectionWatch {
  onConnected(): void;
  onLate(): void;
}

function watchConnection(socket: Socket, secure: boolean, connectMs: number, watch: ConnectionWatch): void {
  if (!socket.connecting) {
    watch.onConnected();
    return;
  }
  const timer = connectMs > 0 ? setTimeout(watch.onLate, connectMs) : undefined;
  const stop = () => clearTimeout(timer);
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    stop();
    watch.onConnected();
  });
  socket.once('close', stop);
}

/** Time in which an answer that is complete for its reader must end, for its connection to be used again. */
const REST_MS = 1000;

/** The chunks of an answer for one reader. A stream's own iterator costs more than the chunks themselves. */
class ResponseBody implements AsyncIterableIterator<Buffer> {
  readonly #response: IncomingMessage;
  readonly #chunks: Buffer[] = [];
  #ended = false;
  #enough = false;
  #error: PostError | undefined;
  #wake: (() => void) | undefined;

  constructor(response: IncomingMessage, signal: AbortSignal) {
    this.#response = response;
    response.on('data', (chunk: Buffer) => {
      if (this.#enough) return;
      this.#chunks.push(chunk);
      this.#settle();
    });
    response.on('error', (error) => {
      this.#error ??= new PostError(describe(error), true, signal.aborted);
      this.#settle();
    });
    response.on('close', () => {
      if (!response.complete) this.#error ??= new PostError('the connection was lost', true, signal.aborted);
      this.#ended = true;
      this.#settle();
    });
    response.on('end', () => {
      this.#ended = true;
      this.#settle();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#error) throw this.#error;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The reader has enough: the rest passes, so that the connection goes back to the others. */
  return(): Promise<IteratorResult<Buffer, undefined>> {
    const response = this.#response;
    this.#enough = true;
    if (!this.#ended && !response.destroyed) {
      const timer = setTimeout(() => response.destroy(), REST_MS);
      timer.unref();
      response.once('close', () => clearTimeout(timer));
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #settle(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

function describe(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code)
    ? `${code}: ${error.message}`
    : error.message || code || 'the connection failed';
}

/** Reads a body to its end, at most `maxBytes`; `cut` says that there was more. */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<{ text: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'), cut: true };
  }
  return { text: Buffer.concat(chunks).toString('utf8'), cut: false };
}
