// One client's connection as its owner serves it: greeting, frames in, frames out. Knows one socket and no other.
import type { Socket } from 'node:net';
import type { ClientFrame, OwnerFrame, RefusalReason } from './frames.ts';
import {
  createFrameDecoder,
  encodeFrame,
  GREETING_BYTES_MAX,
  isSameSecret,
  MalformedFrame,
  PROTOCOL,
  parseClientFrame,
  readFrames,
} from './frames.ts';
import type { OwnerInfo } from './rendezvous.ts';
import { type CallAborted, type Handle, ServedCall } from './served-call.ts';

/** Bounds that an owner keeps towards each client. */
export interface HostLimits {
  /** Time for the greeting after the connection was made. */
  greetingMs: number;
  /** Calls in flight on one connection; more are declined as `busy`. */
  callsMax: number;
  /** Unread bytes above which progress is dropped. */
  congestedBytes: number;
  /** Unread bytes above which a client counts as gone. */
  unreadBytesMax: number;
  /** Time that a handler has to react to the abort at a drain's deadline. */
  abortMs: number;
  /** Time that a client has to hang up after a drain, before the owner does. */
  farewellMs: number;
}

/** What a connection needs of its host. */
export interface ConnectionHost {
  readonly info: OwnerInfo;
  readonly secret: string;
  readonly limits: HostLimits;
  readonly handle: Handle;
  isDraining(): boolean;
  /** Called with each call that was started, so that the host outlives it. */
  onCall(call: ServedCall): void;
}

/** Serves one socket until either side ends it. */
export class ServedConnection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  #decoder = createFrameDecoder(GREETING_BYTES_MAX);
  readonly #calls = new Map<number, ServedCall>();
  readonly #greetingTimer: NodeJS.Timeout;
  #caller: { value: unknown } | undefined;
  #ended = false;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#greetingTimer = setTimeout(() => socket.destroy(), host.limits.greetingMs).unref();
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        clearTimeout(this.#greetingTimer);
        this.#abortCalls('client_gone');
        resolve();
      });
    });
    // What went wrong on a socket ends that socket: `close` follows, and its calls are aborted there.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
  }

  /** Tells the client that new calls will be declined. */
  announceDrain(): void {
    if (this.#caller) this.#send({ type: 'draining' });
  }

  /** Ends the connection after what was sent has been read, at the latest after `ms`. */
  async hangUp(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), ms);
    this.#socket.end();
    await this.closed;
    clearTimeout(timer);
  }

  #onData(chunk: Buffer): void {
    try {
      for (const value of readFrames(this.#decoder, chunk)) {
        if (this.#ended) return;
        this.#onFrame(parseClientFrame(value));
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#refuse('malformed', `The connection sent something that is no frame: ${error.message}.`);
    }
  }

  #onFrame(frame: ClientFrame): void {
    if (!this.#caller) {
      if (frame.type !== 'hello') throw new MalformedFrame('the greeting is missing');
      this.#greet(frame);
      return;
    }
    switch (frame.type) {
      case 'hello':
        throw new MalformedFrame('a second greeting');
      case 'call':
        this.#start(frame, this.#caller.value);
        return;
      case 'cancel':
        this.#calls.get(frame.id)?.abort('cancelled', frame.why);
        return;
      case 'stdin':
        if (this.#calls.get(frame.id)?.deliver(frame) === false)
          throw new MalformedFrame('input that nobody asked for');
    }
  }

  #greet(frame: ClientFrame & { type: 'hello' }): void {
    clearTimeout(this.#greetingTimer);
    const { info, secret } = this.#host;
    if (!isSameSecret(frame.secret, secret)) {
      this.#refuse('bad_secret', 'The greeting did not carry the secret of this owner.');
    } else if (frame.protocol !== PROTOCOL) {
      this.#refuse(
        'protocol',
        `This brain is open in process ${info.pid} of gbrain ${info.version}, which speaks owner protocol ` +
          `${PROTOCOL}; gbrain ${frame.version} speaks ${frame.protocol}. Both work once they are the same version.`,
      );
    } else if (this.#host.isDraining()) {
      this.#refuse('draining', `Process ${info.pid} is about to close this brain.`);
    } else {
      if (this.#decoder.pendingBytes > 0) throw new MalformedFrame('more than a greeting');
      this.#caller = { value: frame.caller ?? null };
      this.#decoder = createFrameDecoder();
      this.#send({ type: 'welcome', protocol: PROTOCOL, version: info.version, pid: info.pid });
    }
  }

  #refuse(reason: RefusalReason, message: string): void {
    const { pid, version } = this.#host.info;
    this.#send({ type: 'refused', reason, message, protocol: PROTOCOL, version, pid });
    this.#ended = true;
    this.#abortCalls('client_gone');
    void this.hangUp(this.#host.limits.farewellMs);
  }

  #start(frame: ClientFrame & { type: 'call' }, caller: unknown): void {
    if (this.#calls.has(frame.id)) throw new MalformedFrame('the id of a call that still runs');
    if (this.#host.isDraining()) {
      this.#send({ type: 'declined', id: frame.id, reason: 'draining' });
      return;
    }
    if (this.#calls.size >= this.#host.limits.callsMax) {
      this.#send({ type: 'declined', id: frame.id, reason: 'busy' });
      return;
    }
    const call = new ServedCall(frame, caller, {
      send: (out) => this.#send(out),
      isCongested: () => this.#socket.writableLength > this.#host.limits.congestedBytes,
      handle: this.#host.handle,
    });
    this.#calls.set(frame.id, call);
    this.#host.onCall(call);
    void call.done.then(() => this.#calls.delete(frame.id));
  }

  #send(frame: OwnerFrame): void {
    if (this.#ended || !this.#socket.writable) return;
    const line = encodeFrame(frame);
    // One frame may be large; a second one behind unread megabytes says that nobody reads.
    if (this.#socket.writableLength > this.#host.limits.unreadBytesMax) this.#socket.destroy();
    else this.#socket.write(line);
  }

  #abortCalls(why: CallAborted['why']): void {
    for (const call of this.#calls.values()) call.abort(why);
  }
}
