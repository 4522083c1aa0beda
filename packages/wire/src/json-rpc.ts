// A symmetrical JSON-RPC 2.0 peer over injected `send` and `receive`: no stream, no timer; deadlines are AbortSignals.
import {
  JsonRpcError,
  type JsonRpcErrorObject,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcParams,
  type ParsedMessage,
  parseMessage,
  RPC_CODES,
} from './json-rpc-message.ts';

/** What a handler is told about the request it answers. */
export interface RequestContext {
  id: JsonRpcId;
  method: string;
  /** Aborted when the other side cancels the request or the peer closes. */
  signal: AbortSignal;
}

/** Answers one method. Throw a JsonRpcError to choose the error; `undefined` is sent as null. */
export type RequestHandler = (params: JsonRpcParams | undefined, context: RequestContext) => unknown;

/** What the other side did against the protocol. The peer goes on; whoever owns it decides whether to close. */
export interface ProtocolFault {
  kind: 'invalid_message' | 'unknown_response_id' | 'duplicate_request_id' | 'unaddressed_error';
  /** Plain words for a log, without payloads. */
  message: string;
}

/** The convention by which one side tells the other that a request is no longer wanted. */
export interface CancelConvention {
  /** The notification for an own request whose signal aborted; undefined sends none. */
  encode?(id: JsonRpcId, reason: unknown): { method: string; params?: JsonRpcParams } | undefined;
  /** The request that an incoming notification cancels; undefined when it cancels none. */
  decode?(method: string, params: JsonRpcParams | undefined): JsonRpcId | undefined;
}

/** What a peer is built from. */
export interface PeerOptions {
  /** Hands one message to the transport. A throw or a rejection closes the peer. */
  send(message: JsonRpcMessage): void | Promise<void>;
  /** The handler of a method; undefined answers -32601. */
  findHandler?(method: string): RequestHandler | undefined;
  /** Takes a notification that is not a cancellation. */
  onNotification?(method: string, params: JsonRpcParams | undefined): void;
  /** Hears of every protocol fault. */
  onFault?(fault: ProtocolFault): void;
  /** Turns what a handler threw into what is sent. Without it a foreign error is internal, its text kept back. */
  toError?(thrown: unknown, context: RequestContext): JsonRpcErrorObject;
  cancel?: CancelConvention;
  /** Requests handled at once; more are answered with an error and not run. Default 10,000. */
  maxHandling?: number;
}

/** Rejects what was pending when a peer closed, and every request after that. */
export class PeerClosedError extends Error {
  readonly code = 'peer_closed';

  constructor(cause?: unknown) {
    super('The JSON-RPC peer is closed.', cause === undefined ? undefined : { cause });
    this.name = 'PeerClosedError';
  }
}

/** One end of a connection. Both ends ask and answer. */
export interface Peer {
  /**
   * Sends a request and resolves with its result. Rejects with the JsonRpcError that was answered, with the signal's
   * reason once it aborts (a later answer is dropped), or with a PeerClosedError. Ids count up from 1.
   */
  request(method: string, params?: JsonRpcParams, options?: { signal?: AbortSignal }): Promise<unknown>;
  /** Sends a notification; does nothing once closed. */
  notify(method: string, params?: JsonRpcParams): void;
  /** Takes one decoded message. Handlers start in the order of arrival. */
  receive(message: unknown): void;
  /** Rejects everything pending, aborts every running handler and sends nothing more. Repeating it does nothing. */
  close(cause?: unknown): void;
  readonly closed: boolean;
  /** Own requests without an answer yet. */
  readonly pendingCount: number;
  /** Requests of the other side that are being handled. */
  readonly handlingCount: number;
}

/** Given-up requests whose late answer is still recognised; the oldest are forgotten first. */
const ABANDONED_MAX = 65_536;

const HANDLING_MAX = 10_000;

const BUSY_DATA = { code: 'rate_limited' };
const METHOD_DATA = { code: 'unknown_method' };
const INVALID_DATA = { code: 'invalid_request' };

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

class JsonRpcPeer implements Peer {
  readonly #options: PeerOptions;
  readonly #pending = new Map<JsonRpcId, Pending>();
  readonly #abandoned = new Set<JsonRpcId>();
  readonly #handling = new Map<JsonRpcId, AbortController>();
  #nextId = 1;
  #closed: PeerClosedError | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  get handlingCount(): number {
    return this.#handling.size;
  }

  request(method: string, params?: JsonRpcParams, options: { signal?: AbortSignal } = {}): Promise<unknown> {
    const { signal } = options;
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abandon(id, signal?.reason);
      const settle = (): void => signal?.removeEventListener('abort', onAbort);
      this.#pending.set(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method: string, params?: JsonRpcParams): void {
    this.#send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  receive(value: unknown): void {
    if (this.#closed !== undefined) return;
    const message = parseMessage(value);
    if (message.kind === 'request') this.#onRequest(message);
    else if (message.kind === 'notification') this.#onNotification(message.method, message.params);
    else if (message.kind === 'invalid') this.#onInvalid(message);
    else this.#onResponse(message);
  }

  close(cause?: unknown): void {
    if (this.#closed !== undefined) return;
    const closed = new PeerClosedError(cause);
    this.#closed = closed;
    const pending = [...this.#pending.values()];
    const handling = [...this.#handling.values()];
    this.#pending.clear();
    this.#handling.clear();
    this.#abandoned.clear();
    for (const { reject } of pending) reject(closed);
    for (const controller of handling) controller.abort(closed);
  }

  #onRequest(message: Extract<ParsedMessage, { kind: 'request' }>): void {
    const { id, method, params } = message;
    if (this.#handling.has(id)) {
      // An answer here would settle the first request of that id with the second one's fate.
      this.#fault('duplicate_request_id', `A request with the id of one in flight arrived (${method}).`);
      return;
    }
    const handler = this.#options.findHandler?.(method);
    if (handler === undefined) {
      const error = { code: RPC_CODES.methodNotFound, message: `Unknown method ${method}.`, data: METHOD_DATA };
      this.#send({ jsonrpc: '2.0', id, error });
      return;
    }
    if (this.#handling.size >= (this.#options.maxHandling ?? HANDLING_MAX)) {
      const error = { code: RPC_CODES.service, message: 'Too many requests at once.', data: BUSY_DATA };
      this.#send({ jsonrpc: '2.0', id, error });
      return;
    }
    const controller = new AbortController();
    this.#handling.set(id, controller);
    void this.#answer(handler, params, { id, method, signal: controller.signal });
  }

  async #answer(handler: RequestHandler, params: JsonRpcParams | undefined, context: RequestContext): Promise<void> {
    const { id } = context;
    let answer: { result: unknown } | { error: JsonRpcErrorObject };
    try {
      answer = { result: (await handler(params, context)) ?? null };
    } catch (thrown) {
      answer = { error: this.#toError(thrown, context) };
    }
    if (this.#handling.delete(id)) this.#send({ jsonrpc: '2.0', id, ...answer });
  }

  #toError(thrown: unknown, context: RequestContext): JsonRpcErrorObject {
    if (this.#options.toError !== undefined) return this.#options.toError(thrown, context);
    if (thrown instanceof JsonRpcError) return thrown.toObject();
    return { code: RPC_CODES.internal, message: 'Internal error.', data: { code: 'internal_error' } };
  }

  #onNotification(method: string, params: JsonRpcParams | undefined): void {
    const cancelled = this.#options.cancel?.decode?.(method, params);
    if (cancelled === undefined) {
      this.#options.onNotification?.(method, params);
      return;
    }
    // The handler still answers: a cancelled request gets its one final reply. An id already answered is no fault.
    const reason = new JsonRpcError(RPC_CODES.cancelled, 'Cancelled.', { code: 'cancelled' });
    this.#handling.get(cancelled)?.abort(reason);
  }

  #onResponse(message: Extract<ParsedMessage, { kind: 'result' | 'error' }>): void {
    const { id } = message;
    if (id === null) {
      this.#fault('unaddressed_error', 'The other side reports a message that it could not read.');
      return;
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      if (!this.#abandoned.delete(id)) this.#fault('unknown_response_id', 'An answer to no request of ours arrived.');
      return;
    }
    this.#pending.delete(id);
    if (message.kind === 'result') pending.resolve(message.result);
    else pending.reject(new JsonRpcError(message.error.code, message.error.message, message.error.data));
  }

  #onInvalid(message: Extract<ParsedMessage, { kind: 'invalid' }>): void {
    const { id, reason } = message;
    if (id !== undefined && !this.#handling.has(id)) {
      const error = { code: RPC_CODES.invalidRequest, message: `Invalid message: ${reason}.`, data: INVALID_DATA };
      this.#send({ jsonrpc: '2.0', id, error });
    }
    this.#fault('invalid_message', `An invalid message arrived: ${reason}.`);
  }

  #abandon(id: JsonRpcId, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#abandoned.add(id);
    if (this.#abandoned.size > ABANDONED_MAX)
      this.#abandoned.delete(this.#abandoned.values().next().value as JsonRpcId);
    pending.reject(reason);
    const notice = this.#options.cancel?.encode?.(id, reason);
    if (notice !== undefined) this.notify(notice.method, notice.params);
  }

  #send(message: JsonRpcMessage): void {
    if (this.#closed !== undefined) return;
    try {
      const sent = this.#options.send(message);
      if (sent !== undefined) sent.catch((error: unknown) => this.close(error));
    } catch (error) {
      this.close(error);
    }
  }

  #fault(kind: ProtocolFault['kind'], message: string): void {
    this.#options.onFault?.({ kind, message });
  }
}

/** Opens a peer. */
export function createPeer(options: PeerOptions): Peer {
  return new JsonRpcPeer(options);
}
