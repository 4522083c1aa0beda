// An owner and its clients in one process, for the tests of the socket between them; knows no operation.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { claimBrain, type OwnerLock } from '../../packages/gbrain/src/owner/claim.ts';
import { connectOwner, type OwnerClient } from '../../packages/gbrain/src/owner/client.ts';
import { createFrameDecoder, PROTOCOL, readFrames } from '../../packages/gbrain/src/owner/frames.ts';
import { hostOwner, type OwnerHost } from '../../packages/gbrain/src/owner/host.ts';
import { readOwnerRecord } from '../../packages/gbrain/src/owner/rendezvous.ts';
import type { CallAborted, CallIo, Handle } from '../../packages/gbrain/src/owner/served-call.ts';
import type { HostLimits } from '../../packages/gbrain/src/owner/served-connection.ts';
import { TestHome } from './owner-testbed.ts';

/** Resolves when its `open` is called: tests step handlers with it instead of waiting. */
export class Gate {
  readonly #gate = Promise.withResolvers<void>();
  readonly passed = this.#gate.promise;
  open(): void {
    this.#gate.resolve();
  }
}

/** What is undone after each test, last first. */
export const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An owner in this process that serves a temporary brain. */
export interface Served {
  home: TestHome;
  lock: OwnerLock;
  host: OwnerHost;
  client(caller?: unknown): Promise<OwnerClient>;
}

/** Owns a temporary brain and hosts it until the test ends. */
export async function serve(handle: Handle, limits: Partial<HostLimits> = {}): Promise<Served> {
  const home = new TestHome();
  cleanups.push(() => home[Symbol.dispose]());
  const lock = claimBrain(home.paths, { version: '1.2.3', transport: 'http', serve: true });
  if (!lock.held) throw new Error('the lock was not free');
  cleanups.push(() => lock.release());
  const host = await hostOwner({ lock, handle, limits: { abortMs: 50, farewellMs: 100, ...limits } });
  cleanups.push(() => host.close());
  return {
    home,
    lock,
    host,
    async client(caller = null) {
      const found = await connectOwner(home.paths, { version: '1.2.3', caller });
      if (found.kind !== 'connected') throw new Error(`not connected: ${JSON.stringify(found)}`);
      cleanups.push(() => found.close());
      return found;
    },
  };
}

/** Answers with the call and its caller. */
export const echo: Handle = async (call, io) => ({ call, caller: io.caller });

/** Waits for the abort and says why it came. */
export function untilAborted(io: CallIo): Promise<CallAborted['why']> {
  return new Promise((resolve) =>
    io.signal.addEventListener('abort', () => resolve((io.signal.reason as CallAborted).why), { once: true }),
  );
}

/** A peer without manners: sends what it likes and reads frames one by one. */
export class RawPeer {
  readonly socket: Socket;
  readonly frames: Record<string, unknown>[] = [];
  readonly ended: Promise<unknown>;
  readonly #decoder = createFrameDecoder();
  #wake = () => {};
  constructor(path: string) {
    this.socket = connect({ path });
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      for (const frame of readFrames(this.#decoder, chunk)) this.frames.push(frame as Record<string, unknown>);
      this.#wake();
    });
    this.ended = once(this.socket, 'close');
    this.socket.once('close', () => this.#wake());
    cleanups.push(() => this.socket.destroy());
  }
  send(value: unknown): void {
    this.socket.write(`${JSON.stringify(value)}\n`);
  }
  async next(): Promise<Record<string, unknown> | undefined> {
    while (this.frames.length === 0 && !this.socket.closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.frames.shift();
  }
}

/** A raw peer that the owner has welcomed. */
export async function greetedPeer(served: Served): Promise<RawPeer> {
  const { socket, secret } = readOwnerRecord(served.home.paths)!.reach!;
  const peer = new RawPeer(socket);
  peer.send({ type: 'hello', protocol: PROTOCOL, version: 'raw', secret, caller: null });
  expect((await peer.next())?.type).toBe('welcome');
  return peer;
}
