// One call as its owner runs it: signal, progress, standard input on demand, one final frame. Knows no sockets.
import type { FailureReason, OwnerFrame } from './frames.ts';
import { FrameTooLarge } from './frames.ts';

/** What a handler may use while it runs a call. */
export interface CallIo {
  /** Aborted with CallAborted when the client cancels or vanishes, or when a drain has run out of time. */
  readonly signal: AbortSignal;
  /** What the client said of itself in its greeting. */
  readonly caller: unknown;
  /** Sends a JSON value; values are dropped while the client does not read. After the outcome it does nothing. */
  progress(value: unknown): void;
  /**
   * The client's standard input; empty when it offered none. A chunk is fetched when it is asked for, at most
   * STDIN_CHUNK_BYTES_MAX bytes each. Throws StdinBroken when the input failed, and the signal's reason on abort, so
   * that partial input never looks complete. Every call gives the rest of the same stream.
   */
  stdin(): AsyncIterable<Uint8Array>;
}

/** Runs one call; the outcome is a JSON value. A rejection reaches the client as `failed`. */
export type Handle = (call: unknown, io: CallIo) => Promise<unknown>;

/** Why a call's signal was aborted. */
export class CallAborted extends Error {
  override name = 'CallAborted';
  readonly why: 'cancelled' | 'client_gone' | 'draining';
  /** What the client said of its cancel. */
  readonly told?: string;
  constructor(why: CallAborted['why'], told?: string) {
    super({ cancelled: 'cancelled', client_gone: 'the client is gone', draining: 'the owner ends' }[why]);
    this.why = why;
    if (told !== undefined) this.told = told;
  }
}

/** The client's standard input ended in an error; the message is the client's. */
export class StdinBroken extends Error {
  override name = 'StdinBroken';
}

interface Pull {
  resolve(chunk: Uint8Array | null): void;
  reject(error: unknown): void;
}

/** A call between its `call` frame and its final one. */
export class ServedCall {
  /** Resolves when the handler has settled, whatever became of the client. */
  readonly done: Promise<void>;
  readonly #id: number;
  readonly #send: (frame: OwnerFrame) => void;
  readonly #abort = new AbortController();
  readonly #offersStdin: boolean;
  #settled = false;
  #stdinEnd: { error?: unknown } | undefined;
  #pull: Pull | undefined;

  constructor(frame: { id: number; call: unknown; stdin: boolean }, caller: unknown, link: CallLink) {
    this.#id = frame.id;
    this.#send = link.send;
    this.#offersStdin = frame.stdin;
    const io: CallIo = {
      signal: this.#abort.signal,
      caller,
      progress: (value) => {
        if (!this.#settled && !link.isCongested()) this.#send({ type: 'progress', id: this.#id, value: orNull(value) });
      },
      stdin: () => this.#readStdin(),
    };
    this.done = this.#run(frame.call, io, link.handle);
  }

  async #run(call: unknown, io: CallIo, handle: Handle): Promise<void> {
    try {
      const outcome = await handle(call, io);
      this.#settle({ type: 'outcome', id: this.#id, outcome: orNull(outcome) });
    } catch (error) {
      this.#settle(this.#failed('fault', error instanceof Error ? error.message : String(error)));
    }
  }

  /** The one place that ends a call towards the client; the first final frame wins. */
  #settle(frame: OwnerFrame): void {
    if (this.#settled) return;
    this.#settled = true;
    try {
      this.#send(frame);
    } catch (error) {
      const tooLarge = error instanceof FrameTooLarge || error instanceof RangeError;
      this.#send(this.#failed(tooLarge ? 'outcome_too_large' : 'fault', (error as Error).message));
    }
  }

  #failed(reason: FailureReason, message: string): OwnerFrame {
    return { type: 'failed', id: this.#id, reason, message };
  }

  /** Aborts the signal and wakes a handler that waits for input. */
  abort(why: CallAborted['why'], told?: string): void {
    const reason = new CallAborted(why, told);
    this.#abort.abort(reason);
    this.#endStdin({ error: reason });
  }

  /** Tells the client that nothing more will come of the call although its handler still runs. */
  abandon(): void {
    this.#settle(this.#failed('abandoned', 'the owner ended before the call did'));
  }

  /** Takes a `stdin` frame; false when none was asked for. */
  deliver(frame: { chunk?: string; end?: true; error?: string }): boolean {
    if (!this.#pull) return this.#stdinEnd !== undefined;
    if (frame.chunk === undefined) {
      this.#endStdin(frame.error === undefined ? {} : { error: new StdinBroken(frame.error) });
      return true;
    }
    const { resolve } = this.#pull;
    this.#pull = undefined;
    resolve(Buffer.from(frame.chunk, 'base64'));
    return true;
  }

  #endStdin(end: { error?: unknown }): void {
    this.#stdinEnd ??= end;
    const pull = this.#pull;
    this.#pull = undefined;
    if (end.error === undefined) pull?.resolve(null);
    else pull?.reject(end.error);
  }

  async *#readStdin(): AsyncGenerator<Uint8Array> {
    while (this.#offersStdin || this.#stdinEnd?.error !== undefined) {
      if (this.#stdinEnd?.error !== undefined) throw this.#stdinEnd.error;
      if (this.#stdinEnd) return;
      if (this.#pull) throw new Error('standard input is being read already');
      const chunk = await new Promise<Uint8Array | null>((resolve, reject) => {
        this.#pull = { resolve, reject };
        this.#send({ type: 'want_stdin', id: this.#id });
      });
      if (chunk === null) return;
      yield chunk;
    }
  }
}

/** What a call needs of its connection. */
export interface CallLink {
  /** Sends a frame, or does nothing once the client is gone. Throws FrameTooLarge. */
  send(frame: OwnerFrame): void;
  /** True while the client does not read what it was sent. */
  isCongested(): boolean;
  handle: Handle;
}

const orNull = (value: unknown): unknown => (value === undefined ? null : value);
