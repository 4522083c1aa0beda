// The other side of the local socket: greets an owner and sends it calls. Knows nothing of operations or of locks.
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { ClientFrame, OwnerFrame, RefusalReason } from './frames.ts';
import { createFrameDecoder, encodeFrame, MalformedFrame, PROTOCOL, parseOwnerFrame, readFrames } from './frames.ts';
import { errnoOf } from './owner-fault.ts';
import { isPrivateFolder, type OwnerInfo, type OwnerPaths, readOwnerRecord } from './rendezvous.ts';
import { CallDeclined, type CallOptions, LinkLost, SentCall } from './sent-call.ts';

/** Who connects. */
export interface ConnectOptions {
  version: string;
  /** A JSON value that every handler of this connection's calls sees. */
  caller: unknown;
  /** Time for the greeting, 2000 unless told; an owner that is stopped does not answer. */
  greetingMs?: number;
  /** Ends the attempt; a connection that was made stays. */
  signal?: AbortSignal;
}

/** A greeted owner. */
export interface OwnerClient {
  readonly kind: 'connected';
  readonly owner: { pid: number; version: string };
  /** Resolves once the connection is closed, by whichever side. */
  readonly closed: Promise<void>;
  /**
   * Sends a JSON value and gives the owner's outcome. Nothing is ever sent twice.
   *
   * @throws LinkLost, CallDeclined, CallFailed; FrameTooLarge or the signal's reason before anything was sent.
   */
  call(call: unknown, options?: CallOptions): Promise<unknown>;
  /** Hangs up; calls without an outcome reject with LinkLost. */
  close(): void;
}

/** Why no connection came about although an owner is named. */
export type ConnectRefusal = {
  /** The owner's reason; `silent` when it does not answer, `unreachable` when this process may not connect. */
  reason: RefusalReason | 'silent' | 'unreachable';
  message: string;
};

/** Outcome of one attempt; `owner` is what the record says, which alone proves nothing. */
export type ConnectOutcome =
  | OwnerClient
  | { readonly kind: 'none'; readonly owner: OwnerInfo | null }
  | ({ readonly kind: 'refused'; readonly owner: OwnerInfo | null } & ConnectRefusal);

const GREETING_MS = 2_000;

/**
 * Reads the owner record and greets the owner that it names. `none`: nobody is there to be greeted. Rejects only with
 * the signal's reason.
 */
export async function connectOwner(paths: OwnerPaths, options: ConnectOptions): Promise<ConnectOutcome> {
  options.signal?.throwIfAborted();
  const record = readOwnerRecord(paths);
  const owner = record?.info ?? null;
  if (!record?.reach) return { kind: 'none', owner };
  const { socket: path, secret } = record.reach;
  if (paths.platform !== 'win32' && !isPrivateFolder(dirname(path), paths.uid)) {
    // Gone with its socket, or open to others, who could have put a socket of their own there.
    return { kind: 'none', owner };
  }
  const socket = connect({ path });
  const link = new Link(socket);
  const { caller, version } = options;
  link.send({ type: 'hello', protocol: PROTOCOL, version, secret, caller: caller === undefined ? null : caller });
  const greeting = await raceGreeting(link, options);
  if (greeting === 'connected') return link;
  socket.destroy();
  options.signal?.throwIfAborted();
  return greeting === 'none' ? { kind: 'none', owner } : { kind: 'refused', owner, ...greeting };
}

type Greeting = 'connected' | 'none' | ConnectRefusal;

async function raceGreeting(link: Link, options: ConnectOptions): Promise<Greeting> {
  const { promise, resolve } = Promise.withResolvers<Greeting>();
  const silent = { reason: 'silent', message: 'The process that has this brain open does not answer.' } as const;
  const timer = setTimeout(() => resolve(silent), options.greetingMs ?? GREETING_MS);
  const onAbort = () => resolve('none');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([link.greeting, promise]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** What a failed connection says of the owner. */
function toGreeting(error: unknown): Greeting {
  const code = errnoOf(error);
  if (code === 'EACCES' || code === 'EPERM') {
    return { reason: 'unreachable', message: 'This process may not connect to the one that has this brain open.' };
  }
  // A full backlog: somebody listens and does not accept.
  if (code === 'EAGAIN') return { reason: 'silent', message: 'The process that has this brain open does not answer.' };
  return 'none';
}

class Link implements OwnerClient {
  readonly kind = 'connected';
  readonly closed: Promise<void>;
  readonly greeting: Promise<Greeting>;
  owner = { pid: 0, version: '' };
  readonly #socket: Socket;
  readonly #decoder = createFrameDecoder();
  readonly #calls = new Map<number, SentCall>();
  #greet: ((greeting: Greeting) => void) | undefined;
  #lastId = 0;
  #isDraining = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    const greeting = Promise.withResolvers<Greeting>();
    this.greeting = greeting.promise;
    this.#greet = greeting.resolve;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => {
      this.#greet?.(toGreeting(error));
      socket.destroy();
    });
    socket.once('close', () => {
      this.#greet?.('none');
      for (const call of this.#calls.values()) call.reject(new LinkLost(true));
      this.#calls.clear();
      closed.resolve();
    });
  }

  send(frame: ClientFrame): void {
    if (this.#socket.writable) this.#socket.write(encodeFrame(frame));
  }

  async call(call: unknown, options: CallOptions = {}): Promise<unknown> {
    options.signal?.throwIfAborted();
    if (this.#isDraining) throw new CallDeclined('draining');
    if (!this.#socket.writable) throw new LinkLost(false);
    this.#lastId += 1;
    const id = this.#lastId;
    this.send({ type: 'call', id, call: call === undefined ? null : call, stdin: options.stdin !== undefined });
    const sent = new SentCall(id, options, (frame) => this.send(frame));
    this.#calls.set(id, sent);
    return sent.outcome;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    try {
      for (const value of readFrames(this.#decoder, chunk)) this.#onFrame(parseOwnerFrame(value));
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#socket.destroy();
    }
  }

  #onFrame(frame: OwnerFrame): void {
    if (this.#greet) {
      this.#onGreeting(frame, this.#greet);
      return;
    }
    if (frame.type === 'draining') {
      this.#isDraining = true;
      this.#leaveWhenIdle();
      return;
    }
    if (!('id' in frame)) throw new MalformedFrame(`${frame.type} after the greeting`);
    const call = this.#calls.get(frame.id);
    switch (frame.type) {
      case 'progress':
        call?.progress(frame.value);
        return;
      case 'want_stdin':
        void call?.feed();
        return;
      case 'outcome':
        call?.resolve(frame.outcome);
        break;
      case 'declined':
        call?.reject(new CallDeclined(frame.reason));
        break;
      case 'failed':
        call?.fail(frame.reason, frame.message);
    }
    this.#calls.delete(frame.id);
    this.#leaveWhenIdle();
  }

  #onGreeting(frame: OwnerFrame, greet: (greeting: Greeting) => void): void {
    if (frame.type !== 'welcome' && frame.type !== 'refused') throw new MalformedFrame('no greeting');
    this.#greet = undefined;
    this.owner = { pid: frame.pid, version: frame.version };
    greet(frame.type === 'welcome' ? 'connected' : { reason: frame.reason, message: frame.message });
  }

  /** Hangs up first when the owner drains, so that it never closes a connection with a call of ours unread. */
  #leaveWhenIdle(): void {
    if (this.#isDraining && this.#calls.size === 0) this.#socket.end();
  }
}

/** True while some process listens at the socket, whether it answers or not. */
export async function isListening(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', (error) => resolve(errnoOf(error) === 'EAGAIN'));
    });
  } finally {
    socket.destroy();
  }
}
