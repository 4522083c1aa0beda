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
      signal: options.signal,
      headers: { ...options.headers, 'content-length': String(body.length) },
    });
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
      resolve({ status: statusCode, headers, body: readBody(response, options.signal) });
    });
    outgoing.on('error', fail);
    outgoing.end(body);
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

async function* readBody(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throw new PostError(describe(error as Error), true, signal.aborted);
  } finally {
    if (!response.complete && !response.destroyed) discardRest(response);
  }
  if (!response.complete) throw new PostError('the connection was lost', true, signal.aborted);
}

/** Lets the rest of an answer pass, so that its connection goes back to the others. */
function discardRest(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), REST_MS);
  response.once('close', () => clearTimeout(timer));
  response.on('error', () => {});
  response.resume();
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
