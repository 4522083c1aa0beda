// Requests to one server: the token, keys of mutations, retries over lost connections, streams. Knows no session.
import { createSseDecoder, type ReceivedSseEvent } from '@gbrain/wire/sse';
import { BrainError, toBrainError } from './errors.ts';

/** Where and how the server is reached. */
export interface TransportOptions {
  /** http(s), without credentials, query or fragment. */
  baseUrl: string;
  token?: string;
  /** Bound of each request, streams apart; none by default. */
  timeoutMs?: number;
  /** How long a request with a key, or a read, is tried over while nobody answers. Default 30 s; 0 tries once. */
  reconnectMs?: number;
  fetch?: typeof fetch;
}

/** One request. */
export interface RequestOptions {
  body?: unknown;
  /** Makes a mutation safe to send again: the server does it once and replays its answer. */
  key?: string;
  /** A mutation without a key that may be done twice. */
  isRepeatable?: boolean;
  headers?: Record<string, string>;
  /** In place of the client's own. */
  token?: string;
  signal?: AbortSignal | undefined;
}

/** Largest event of a stream, in UTF-16 units: a record holds at most one request body. */
const MAX_EVENT_UNITS = 64 * 1024 * 1024;

/** Pauses between tries: doubled from the first to the last. */
const PAUSE_MS = { first: 50, last: 2000 } as const;

/** The server, as the rest of the client sees it. */
export class Transport {
  readonly baseUrl: string;
  readonly token: string | undefined;
  readonly #options: TransportOptions;
  readonly #closed = new AbortController();

  constructor(options: TransportOptions) {
    this.baseUrl = parseBaseUrl(options.baseUrl);
    this.token = options.token;
    this.#options = options;
  }

  /** Aborted when the client is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Aborts every request and stream of this client. */
  close(): void {
    this.#closed.abort(new BrainError('closed', 'The client is closed.'));
  }

  /**
   * Sends a request; gives the parsed answer, undefined for an empty one. A lost connection is tried again when that
   * is safe: for reads, and for mutations with a key. Throws a BrainError.
   */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const isSafe = method === 'GET' || options.key !== undefined || options.isRepeatable;
    const until = Date.now() + (isSafe ? (this.#options.reconnectMs ?? 30_000) : 0);
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.last)) {
      try {
        return await this.#once<T>(method, path, options);
      } catch (error) {
        const lost = error instanceof BrainError && error.code === 'connection_failed';
        if (!lost || Date.now() + pause > until) throw error;
        await this.pause(pause, options.signal);
      }
    }
  }

  /** Opens an event stream. Gives its frames until it ends; a lost connection ends it too. Throws for a refusal. */
  async *stream(
    path: string,
    options: RequestOptions & { onOpen?: () => void } = {},
  ): AsyncGenerator<ReceivedSseEvent> {
    const signal = this.#signal(options.signal);
    const answer = await this.#fetch('GET', path, {
      ...options,
      headers: { accept: 'text/event-stream', ...options.headers },
      signal,
    });
    if (!answer.ok || !answer.body) throw toBrainError(answer.status, await answer.text());
    options.onOpen?.();
    const frames = createSseDecoder({ maxEventUnits: MAX_EVENT_UNITS });
    const reader = answer.body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#read(reader, signal);
        if (done) return;
        const { events, fault } = frames.push(value);
        yield* events;
        if (fault) throw new BrainError('invalid_answer', 'An event of the stream is too large.');
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  /** Waits. Throws the reason when the signal, or the client's own, aborts. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const either = this.#signal(signal);
    if (either.aborted) throw either.reason;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      either.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          reject(either.reason);
        },
        { once: true },
      );
    });
  }

  async #once<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    const { timeoutMs } = this.#options;
    const signal = this.#signal(options.signal, timeoutMs);
    const answer = await this.#fetch(method, path, { ...options, signal });
    const text = await answer.text().catch((error: unknown) => {
      throw toConnectionError(error, signal);
    });
    if (!answer.ok) throw toBrainError(answer.status, text);
    if (text === '') return undefined as T;
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new BrainError('invalid_answer', 'The answer is not JSON.', { status: answer.status, cause });
    }
  }

  async #fetch(method: string, path: string, options: RequestOptions & { signal: AbortSignal }): Promise<Response> {
    const { body, key, headers, signal } = options;
    const token = options.token ?? this.token;
    const send = this.#options.fetch ?? fetch;
    try {
      return await send(`${this.baseUrl}${path}`, {
        method,
        redirect: 'error',
        signal,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw toConnectionError(error, signal);
    }
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal) {
    try {
      return await reader.read();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The connection is gone. Whoever reads resumes by its cursor, so this is an end like any other.
      if (error instanceof Error) return { done: true as const, value: undefined };
      throw error;
    }
  }

  #signal(own: AbortSignal | undefined, timeoutMs?: number): AbortSignal {
    const signals = [this.#closed.signal];
    if (own) signals.push(own);
    if (timeoutMs !== undefined) signals.push(AbortSignal.timeout(timeoutMs));
    return signals.length === 1 ? this.#closed.signal : AbortSignal.any(signals);
  }
}

function toConnectionError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) {
    const { reason } = signal;
    if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason;
    return new BrainError('timeout', 'The server did not answer in time.', { retryable: true, cause: reason });
  }
  const { cause } = error as { cause?: Error };
  const message = `The server does not answer: ${cause?.message || (error as Error).message}.`;
  return new BrainError('connection_failed', message, { retryable: true, cause: error });
}

function parseBaseUrl(text: string): string {
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!/^https?:$/.test(url.protocol) || !isPlain) {
    throw new TypeError('baseUrl is an http(s) address without credentials, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}
