// One session: messages and their outcomes, events, transcript, environments, the end. It keeps no copy of anything.
import type { EventPage } from '@gbrain/brain-protocol/event';
import type { SessionStatus, SessionSummary, TranscriptView, UserInput } from '@gbrain/brain-protocol/session';
import { type SessionEnvironments, toEnvironments } from './control.ts';
import { BrainError } from './errors.ts';
import { type LiveFrame, type SessionEvent, streamSession, toSessionEvent } from './events.ts';
import { type OutputOptions, type StructuredOutcome, sendStructured } from './structured.ts';
import type { Transport } from './transport.ts';
import { type TurnOutcome, TurnReader } from './turn.ts';

/** What the user says: words, or blocks with media. */
export type SendInput = string | UserInput;

/** Choices of one message. */
export interface SendOptions {
  /** Default: a random one. The same key sends the same message once, also after a crash of either side. */
  idempotencyKey?: string;
  /** Aborting it cancels the turn once that has begun; `send` then gives the turn's outcome. */
  signal?: AbortSignal;
  /** Sees every record and live frame of the turn as it comes. */
  onEvent?(event: SessionEvent | LiveFrame): void;
}

/** What a handle needs of its client. */
export interface SessionPorts {
  transport: Transport;
  newKey(): string;
  /** The session is over for this process: its tools are forgotten. */
  onGone(sessionId: string): void;
}

/** A session of the server. */
export class SessionHandle {
  readonly id: string;
  readonly environments: SessionEnvironments;
  readonly #ports: SessionPorts;
  readonly #path: string;
  #structured = false;
  #state: SessionSummary;

  constructor(summary: SessionSummary, ports: SessionPorts) {
    this.id = summary.session_id;
    this.#state = summary;
    this.#ports = ports;
    this.#path = `/v1/sessions/${encodeURIComponent(this.id)}`;
    this.environments = toEnvironments((body) =>
      ports.transport.request('POST', `${this.#path}/environments`, { body, key: ports.newKey() }),
    );
  }

  /** As the server last told it; `refresh` asks anew. */
  get state(): { id: string; status: SessionStatus; lastSequence: number } {
    const { status, last_sequence } = this.#state;
    return { id: this.id, status, lastSequence: last_sequence };
  }

  /** Asks the server for the session's state. */
  async refresh(): Promise<SessionHandle['state']> {
    this.#state = await this.#ports.transport.request<SessionSummary>('GET', this.#path);
    return this.state;
  }

  /** Sends a message and waits for the end of its turn, over lost connections and restarts of the server. */
  send(input: SendInput, options?: SendOptions): Promise<TurnOutcome>;
  /** The same, and the answer as a value of a type. Turns of one handle are then taken one after another. */
  send<T>(input: SendInput, options: SendOptions & { output: OutputOptions<T> }): Promise<StructuredOutcome<T>>;
  async send<T>(
    input: SendInput,
    options: SendOptions & { output?: OutputOptions<T> } = {},
  ): Promise<TurnOutcome | StructuredOutcome<T>> {
    const { output, ...rest } = options;
    if (this.#structured) throw new BrainError('conflict', 'A structured answer is being worked on.', { status: 409 });
    if (!output) return this.#sendOnce(toUserInput(input), rest);
    this.#structured = true;
    let { idempotencyKey } = rest;
    try {
      return await sendStructured(toUserInput(input), output, (next) => {
        const sent = this.#sendOnce(next, { ...rest, ...(idempotencyKey !== undefined && { idempotencyKey }) });
        // A correction is another message than the first.
        if (idempotencyKey !== undefined) idempotencyKey += '+';
        return sent;
      });
    } finally {
      this.#structured = false;
    }
  }

  /** Sends a message and resolves once its turn has durably begun, with the turn's sequence. */
  submit(input: SendInput, { idempotencyKey, signal }: SendOptions = {}): Promise<number> {
    return this.#ports.transport.request<number>('POST', `${this.#path}/messages`, {
      body: { input: toUserInput(input) },
      key: idempotencyKey ?? this.#ports.newKey(),
      headers: { prefer: 'respond-async' },
      signal,
    });
  }

  /** What has become of a turn so far; `pending` while it runs. */
  async outcome(sequence: number): Promise<TurnOutcome> {
    const reader = new TurnReader(sequence);
    for (let cursor = sequence; ; ) {
      const page = await this.readEvents(cursor);
      for (const event of page) if (reader.take(event)) return reader.outcome;
      const last = page.at(-1);
      if (!last) return reader.outcome;
      cursor = last.sequence;
    }
  }

  /** Waits for the end of a turn; `signal` only ends the waiting. */
  async wait(sequence: number, options: Pick<SendOptions, 'signal' | 'onEvent'> = {}): Promise<TurnOutcome> {
    const reader = new TurnReader(sequence);
    const { signal, onEvent } = options;
    for await (const event of this.stream(sequence, signal)) {
      onEvent?.(event);
      if (reader.take(event)) break;
    }
    return reader.outcome;
  }

  /** One page of recorded events after a cursor: at most 1,000; empty at the end of the history. */
  async readEvents(after = 0): Promise<SessionEvent[]> {
    const page = await this.#ports.transport.request<EventPage>('GET', `${this.#path}/events?after=${after}`);
    return page.events.map(toSessionEvent);
  }

  /**
   * Records after a cursor (0 is the start), live, each once and in order, over lost connections, until the session is
   * over or the signal aborts.
   */
  async *events(after = 0, signal?: AbortSignal): AsyncGenerator<SessionEvent> {
    for await (const event of this.stream(after, signal)) if (!event.live) yield event;
  }

  /** The same with live frames between them, such as pieces of an answer. */
  stream(after = 0, signal?: AbortSignal): AsyncGenerator<SessionEvent | LiveFrame> {
    return streamSession(this.#ports.transport, this.id, after, signal);
  }

  /** What the loop saved of the conversation. Works for sleeping and ended sessions alike. */
  transcript(): Promise<TranscriptView> {
    return this.#ports.transport.request('GET', `${this.#path}/transcript`);
  }

  /** Stops the turn that runs, and tools in the background; nothing on a session that does nothing. */
  async interrupt(options: Pick<SendOptions, 'idempotencyKey'> = {}): Promise<void> {
    await this.#mutate('POST', '/cancel', options);
  }

  /** Ends the session for good; it stays readable. Ending it again changes nothing. */
  async end(options: Pick<SendOptions, 'idempotencyKey'> = {}): Promise<SessionHandle['state']> {
    this.#state = await this.#mutate<SessionSummary>('POST', '/end', options);
    return this.state;
  }

  /** Removes an ended or failed session: records, secrets, native state. */
  async delete(options: Pick<SendOptions, 'idempotencyKey'> = {}): Promise<void> {
    await this.#mutate('DELETE', '', options);
    this.#ports.onGone(this.id);
  }

  async #sendOnce(input: UserInput, options: SendOptions): Promise<TurnOutcome> {
    const { idempotencyKey, signal, onEvent } = options;
    if (signal?.aborted) throw signal.reason;
    const sequence = await this.submit(input, idempotencyKey === undefined ? {} : { idempotencyKey });
    // The turn has begun: what the signal stops from here on is the turn, never the waiting for its end.
    const stop = () => void this.interrupt().catch(() => {});
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    try {
      return await this.wait(sequence, onEvent ? { onEvent } : {});
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #mutate<T = void>(method: string, path: string, { idempotencyKey }: Pick<SendOptions, 'idempotencyKey'>): Promise<T> {
    const key = idempotencyKey ?? this.#ports.newKey();
    return this.#ports.transport.request<T>(method, `${this.#path}${path}`, { key });
  }
}

function toUserInput(input: SendInput): UserInput {
  return typeof input === 'string' ? { message: input } : input;
}
