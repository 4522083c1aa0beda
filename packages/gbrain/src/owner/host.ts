// The owner's side of the local socket: listens, serves any number of clients, drains. Knows nothing of operations.
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnerLock, placeSocket } from './claim.ts';
import { OwnerFault, toOwnerFault } from './owner-fault.ts';
import type { OwnerInfo } from './rendezvous.ts';
import type { Handle, ServedCall } from './served-call.ts';
import { type ConnectionHost, type HostLimits, ServedConnection } from './served-connection.ts';

/** What hosting takes. */
export interface HostOptions {
  /** The brain, owned by this process; without it nothing may listen. */
  lock: OwnerLock;
  handle: Handle;
  limits?: Partial<HostLimits>;
}

/** A host that listens. */
export interface OwnerHost {
  /** Path of the socket, or name of the pipe. */
  readonly address: string;
  /**
   * Ends the host without losing a call: new connections and calls are declined, calls in flight finish, or are
   * aborted after `deadlineMs`. Resolves when every connection is closed. A second call joins the first one, and its
   * deadline counts when it is sooner. The lock stays held.
   */
  drain(deadlineMs: number): Promise<DrainReport>;
  /** A drain whose deadline is now. */
  close(): Promise<DrainReport>;
}

/** How a drain went. */
export interface DrainReport {
  /** Calls whose handlers did not settle even after the abort; what they did is not known. */
  abandoned: number;
}

/** Bounds of a host unless it is told others. */
export const HOST_LIMITS: Readonly<HostLimits> = {
  greetingMs: 5_000,
  callsMax: 1_024,
  congestedBytes: 1024 * 1024,
  unreadBytesMax: 64 * 1024 * 1024,
  abortMs: 2_000,
  farewellMs: 500,
};

/** Most connections at a time; one more is closed at once. */
const CONNECTIONS_MAX = 1_024;

/**
 * Listens on a socket that is private to the user and publishes it in the owner record.
 *
 * @throws OwnerFault when no socket can be placed or the record cannot be written; nothing listens then.
 */
export async function hostOwner(options: HostOptions): Promise<OwnerHost> {
  const { lock } = options;
  const address = placeSocket(lock);
  const secret = randomBytes(32).toString('base64url');
  const host = new Host(options, secret, address);
  await host.listen();
  try {
    lock.publish({ socket: address, secret });
  } catch (error) {
    await host.close();
    throw error;
  }
  return host;
}

class Host implements OwnerHost, ConnectionHost {
  readonly address: string;
  readonly info: OwnerInfo;
  readonly secret: string;
  readonly limits: HostLimits;
  readonly handle: Handle;
  readonly #lock: OwnerLock;
  readonly #server: Server;
  readonly #connections = new Set<ServedConnection>();
  readonly #calls = new Set<ServedCall>();
  readonly #deadline = new AbortController();
  #drained: Promise<DrainReport> | undefined;

  constructor({ lock, handle, limits }: HostOptions, secret: string, address: string) {
    this.#lock = lock;
    this.info = lock.info;
    this.secret = secret;
    this.address = address;
    this.handle = handle;
    this.limits = { ...HOST_LIMITS, ...limits };
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(toOwnerFault(error, this.address)));
      this.#server.listen({ path: this.address, exclusive: true }, resolve);
    });
    // Later errors are connections that could not be accepted (out of descriptors): only their clients notice.
    this.#server.removeAllListeners('error').on('error', () => {});
    if (process.platform !== 'win32') chmodSync(this.address, 0o600);
  }

  isDraining(): boolean {
    return this.#drained !== undefined;
  }

  onCall(call: ServedCall): void {
    this.#calls.add(call);
    void call.done.then(() => this.#calls.delete(call));
  }

  #accept(socket: Socket): void {
    const connection = new ServedConnection(socket, this);
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
  }

  drain(deadlineMs: number): Promise<DrainReport> {
    const timer = setTimeout(() => this.#deadline.abort(), deadlineMs);
    // Assigned before the first await inside, so that no call slips in between.
    this.#drained ??= Promise.resolve().then(() => this.#drainOnce());
    return this.#drained.finally(() => clearTimeout(timer));
  }

  close(): Promise<DrainReport> {
    this.#deadline.abort();
    return this.drain(0);
  }

  async #drainOnce(): Promise<DrainReport> {
    const serverClosed = new Promise((resolve) => this.#server.close(resolve));
    let abandoned = 0;
    try {
      this.#publishEnd();
    } finally {
      for (const connection of this.#connections) connection.announceDrain();
      abandoned = await this.#settleCalls();
      await Promise.all([...this.#connections].map((connection) => this.#partFrom(connection)));
      await serverClosed;
    }
    return { abandoned };
  }

  /** The record only tells others what to expect: an owner that cannot write it, on a full disk, ends all the same. */
  #publishEnd(): void {
    try {
      this.#lock.publish();
    } catch (error) {
      if (!(error instanceof OwnerFault)) throw error;
    }
  }

  /** A client hangs up by itself once it has read that the owner ends, so no call of its is left unread. */
  async #partFrom(connection: ServedConnection): Promise<void> {
    const enough = new AbortController();
    const timeout = delay(this.limits.farewellMs, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([connection.closed, timeout]);
    enough.abort();
    await connection.hangUp(this.limits.farewellMs);
  }

  /** Waits for every handler, aborts the rest at the deadline, and gives how many did not settle even then. */
  async #settleCalls(): Promise<number> {
    const allDone = Promise.all([...this.#calls].map((call) => call.done));
    await Promise.race([allDone, aborted(this.#deadline.signal)]);
    for (const call of this.#calls) call.abort('draining');
    if (this.#calls.size > 0) {
      const settled = new AbortController();
      const grace = delay(this.limits.abortMs, undefined, { signal: settled.signal }).catch(() => {});
      await Promise.race([allDone, grace]);
      settled.abort();
    }
    const abandoned = this.#calls.size;
    for (const call of this.#calls) call.abandon();
    return abandoned;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
