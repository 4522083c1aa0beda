// The pipe's transport with a memory of unanswered requests: a client that hangs up after asking still gets its
// answers. It knows messages by their ids only.
import { Readable, type Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { BoundedLines, MESSAGE_BYTES_MAX } from './mcp-lines.ts';

type Id = string | number;

/** A transport over a pipe whose end of input is told apart from the end of the conversation. */
export class PendingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #inner: StdioServerTransport;
  readonly #stdin: Readable;
  /** What the SDK reads: it ends only when this transport is closed. */
  readonly #input = new Readable({ read: () => undefined });
  readonly #pending = new Set<Id>();
  #isOver = false;
  #onAnswer: () => void = () => undefined;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    // The SDK ends the conversation at its own bound; ours answers before that, so twice ours is never reached.
    this.#inner = new StdioServerTransport(this.#input, stdout, { maxBufferSize: 2 * MESSAGE_BYTES_MAX });
  }

  async start(): Promise<void> {
    const inner = this.#inner;
    inner.onclose = () => {
      this.#isOver = true;
      this.#onAnswer();
      // A client that was not the one to end it has left its pipe open, which would keep the process up.
      this.#stdin.destroy();
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message) => {
      this.#onRequest(message);
      this.onmessage?.(message);
    };
    await inner.start();
    const lines = new BoundedLines({
      onLine: (line) => void this.#input.push(line),
      onTooLong: (id) => this.#refuseLong(id),
    });
    this.#stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#inner.send(message);
    } finally {
      // An answer that nobody can read any more is not waited for either.
      if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    }
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** Resolves when every request that was read has its answer, at the latest after `ms`. */
  async answered(ms: number): Promise<void> {
    // What was read last is handed on within this turn of the loop.
    await turn();
    const isDone = () => this.#isOver || this.#pending.size === 0;
    if (isDone()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, ms);
    this.#onAnswer = () => {
      if (isDone()) resolve();
    };
    await promise;
    clearTimeout(limit);
  }

  /** A request that is too long to be read is answered, so that its sender does not wait for ever. */
  #refuseLong(id: Id | undefined): void {
    const message = `A message of more than ${MESSAGE_BYTES_MAX} bytes is not read; nothing was changed`;
    this.onerror?.(new Error(message));
    if (id === undefined) return;
    const error = { code: -32600, message, data: { code: 'file_too_large', max_bytes: MESSAGE_BYTES_MAX } };
    void this.#inner.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
  }

  #onRequest(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#pending.add(message.id);
    // A cancelled request has no answer to wait for.
    else if (message.method === 'notifications/cancelled')
      this.#settle((message.params as { requestId: Id }).requestId);
  }

  #settle(id: Id): void {
    this.#pending.delete(id);
    this.#onAnswer();
  }
}
