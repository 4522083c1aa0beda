// One call as its client sees it: progress, standard input fed on demand, one end. Knows no sockets.
import { type ClientFrame, type DeclineReason, type FailureReason, STDIN_CHUNK_BYTES_MAX } from './frames.ts';

/** What a caller may add to a call. */
export interface CallOptions {
  /** Asks the owner to cancel, and tells it a reason that is a text; the call still ends as the owner answers. */
  signal?: AbortSignal;
  onProgress?(value: unknown): void;
  /**
   * Read only as the owner asks for it. An error it throws reaches the owner as broken input, and the error is also
   * the cause of CallFailed.
   */
  stdin?: AsyncIterable<Uint8Array>;
}

/** The connection ended before the call did. With `sent: false` the owner has not seen it; else ask for its receipt. */
export class LinkLost extends Error {
  override name = 'LinkLost';
  readonly sent: boolean;
  constructor(sent: boolean) {
    super(sent ? 'the connection to the owner was lost during the call' : 'the connection to the owner is closed');
    this.sent = sent;
  }
}

/** The owner did not start the call: it may be sent again, to this owner (`busy`) or to the next one (`draining`). */
export class CallDeclined extends Error {
  override name = 'CallDeclined';
  readonly reason: DeclineReason;
  constructor(reason: DeclineReason) {
    super(reason === 'draining' ? 'the owner is about to close the brain' : 'the owner has too many calls in hand');
    this.reason = reason;
  }
}

/** The owner started the call and has no outcome for it: what it did is not known. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** A call that was sent and has no end yet. */
export class SentCall {
  readonly outcome: Promise<unknown>;
  readonly #id: number;
  readonly #options: CallOptions;
  readonly #send: (frame: ClientFrame) => void;
  readonly #resolve: (outcome: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort: () => void;
  #input: AsyncIterator<Uint8Array> | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  #inputError: unknown;
  #ended = false;

  constructor(id: number, options: CallOptions, send: (frame: ClientFrame) => void) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#id = id;
    this.#options = options;
    this.#send = send;
    this.#onAbort = () => {
      const { reason } = options.signal ?? {};
      this.#send({ type: 'cancel', id, ...(typeof reason === 'string' && { why: reason }) });
    };
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  progress(value: unknown): void {
    if (this.#ended) return;
    try {
      this.#options.onProgress?.(value);
    } catch (error) {
      // The caller's own listener failed: the caller gets its error, and the owner need not go on.
      this.#send({ type: 'cancel', id: this.#id });
      this.reject(error);
    }
  }

  resolve(outcome: unknown): void {
    this.#end();
    this.#resolve(outcome);
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  fail(reason: FailureReason, message: string): void {
    this.reject(new CallFailed(reason, message, this.#inputError));
  }

  #end(): void {
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    // Not awaited: an input that waits for a terminal answers its `return` only with the next key.
    this.#input?.return?.()?.then(undefined, () => {});
  }

  /** Sends the next part of the input, its end, or its error. */
  async feed(): Promise<void> {
    const frame = await this.#nextInput();
    if (!this.#ended) this.#send(frame);
  }

  async #nextInput(): Promise<ClientFrame> {
    const part = { type: 'stdin', id: this.#id } as const;
    try {
      this.#input ??= this.#options.stdin?.[Symbol.asyncIterator]();
      while (this.#rest.length === 0) {
        const next = await this.#input?.next();
        if (!next || next.done) return { ...part, end: true };
        this.#rest = next.value;
      }
    } catch (error) {
      this.#inputError = error;
      return { ...part, error: error instanceof Error ? error.message : String(error) };
    }
    const chunk = Buffer.from(this.#rest.subarray(0, STDIN_CHUNK_BYTES_MAX)).toString('base64');
    this.#rest = this.#rest.subarray(STDIN_CHUNK_BYTES_MAX);
    return { ...part, chunk };
  }
}
