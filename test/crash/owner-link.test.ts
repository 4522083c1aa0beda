// The socket between an owner and its clients: calls, progress, input, cancel, drain, and peers that misbehave.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { claimBrain, type OwnerLock } from '../../packages/gbrain/src/owner/claim.ts';
import { connectOwner, type OwnerClient } from '../../packages/gbrain/src/owner/client.ts';
import { createFrameDecoder, encodeFrame, PROTOCOL, readFrames } from '../../packages/gbrain/src/owner/frames.ts';
import { hostOwner, type OwnerHost } from '../../packages/gbrain/src/owner/host.ts';
import { readOwnerRecord, renderOwnerRecord } from '../../packages/gbrain/src/owner/rendezvous.ts';
import {
  type CallAborted,
  type CallIo,
  type Handle,
  StdinBroken,
} from '../../packages/gbrain/src/owner/served-call.ts';
import type { HostLimits } from '../../packages/gbrain/src/owner/served-connection.ts';
import { TestHome } from './owner-testbed.ts';

/** Resolves when its `open` is called: tests step handlers with it instead of waiting. */
class Gate {
  readonly #gate = Promise.withResolvers<void>();
  readonly passed = this.#gate.promise;
  open(): void {
    this.#gate.resolve();
  }
}

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Served {
  home: TestHome;
  lock: OwnerLock;
  host: OwnerHost;
  client(caller?: unknown): Promise<OwnerClient>;
}

async function serve(handle: Handle, limits: Partial<HostLimits> = {}): Promise<Served> {
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

const echo: Handle = async (call, io) => ({ call, caller: io.caller });

/** Waits for the abort and says why it came. */
function untilAborted(io: CallIo): Promise<CallAborted['why']> {
  return new Promise((resolve) =>
    io.signal.addEventListener('abort', () => resolve((io.signal.reason as CallAborted).why), { once: true }),
  );
}

/** A peer without manners: sends what it likes and reads frames one by one. */
class RawPeer {
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

async function greetedPeer(served: Served): Promise<RawPeer> {
  const { socket, secret } = readOwnerRecord(served.home.paths)!.reach!;
  const peer = new RawPeer(socket);
  peer.send({ type: 'hello', protocol: PROTOCOL, version: 'raw', secret, caller: null });
  expect((await peer.next())?.type).toBe('welcome');
  return peer;
}

describe('calls', () => {
  test('carry JSON both ways and tell the handler who calls', async () => {
    const served = await serve(echo);
    const client = await served.client({ transport: 'cli', user: 'änn' });
    expect(client.owner).toEqual({ pid: process.pid, version: '1.2.3' });
    const call = { op: 'x', text: 'a\nb\u2028\u{1f9e0}', list: [1, null, { __proto__x: true }] };
    expect(await client.call(call)).toEqual({ call, caller: { transport: 'cli', user: 'änn' } });
    expect(await client.call(undefined)).toEqual({ call: null, caller: { transport: 'cli', user: 'änn' } });
  });

  test('never get lost or mixed up: 5 clients, any number of calls, answered in any order', async () => {
    const gates = new Map<string, Gate>();
    const arrived = new Map<string, Gate>();
    const served = await serve(async (call, io) => {
      const { key, ticks } = call as { key: string; ticks: number };
      arrived.get(key)!.open();
      for (let tick = 0; tick < ticks; tick += 1) io.progress({ key, tick });
      await gates.get(key)!.passed;
      return { key, caller: io.caller };
    });
    const clients = await Promise.all([0, 1, 2, 3, 4].map((caller) => served.client(caller)));
    let run = 0;
    const calls = fc.array(fc.record({ client: fc.nat({ max: 4 }), ticks: fc.nat({ max: 3 }), order: fc.nat() }), {
      minLength: 1,
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(calls, async (plan) => {
        run += 1;
        const pending = plan.map(({ client, ticks }, i) => {
          const key = `${run}/${i}`;
          gates.set(key, new Gate());
          arrived.set(key, new Gate());
          const seen: unknown[] = [];
          const outcome = clients[client]!.call({ key, ticks }, { onProgress: (value) => seen.push(value) });
          return { key, client, ticks, seen, outcome, order: plan[i]!.order };
        });
        await Promise.all(pending.map(({ key }) => arrived.get(key)!.passed));
        for (const { key } of pending.toSorted((a, b) => a.order - b.order)) gates.get(key)!.open();
        for (const { key, client, ticks, seen, outcome } of pending) {
          expect(await outcome).toEqual({ key, caller: client });
          expect(seen).toEqual(Array.from({ length: ticks }, (_, tick) => ({ key, tick })));
        }
        gates.clear();
        arrived.clear();
      }),
      { numRuns: 40 },
    );
  });

  test('that end in a throw, or in something that is no JSON, end as failed', async () => {
    const served = await serve(async (call) => {
      if (call === 'throw') throw new Error('it broke');
      if (call === 'bigint') return 1n;
      return 'x'.repeat(65 * 1024 * 1024);
    });
    const client = await served.client();
    await expect(client.call('throw')).rejects.toMatchObject({
      name: 'CallFailed',
      reason: 'fault',
      message: 'it broke',
    });
    await expect(client.call('bigint')).rejects.toMatchObject({ name: 'CallFailed', reason: 'fault' });
    await expect(client.call('large')).rejects.toMatchObject({ reason: 'outcome_too_large' });
    await expect(client.call('x'.repeat(65 * 1024 * 1024))).rejects.toMatchObject({ name: 'FrameTooLarge' });
    await expect(client.call('throw')).rejects.toMatchObject({ reason: 'fault' });
  });

  test('above the limit of a connection are declined, and others still run', async () => {
    const gate = new Gate();
    const served = await serve(async () => gate.passed, { callsMax: 2 });
    const client = await served.client();
    const first = [client.call(1), client.call(2)];
    await expect(client.call(3)).rejects.toMatchObject({ name: 'CallDeclined', reason: 'busy' });
    const other = (await served.client()).call(4);
    gate.open();
    expect(await Promise.all([...first, other])).toEqual([null, null, null]);
  });
});

describe('cancel', () => {
  test('aborts one call, which answers for itself; a write past its commit keeps its outcome', async () => {
    const started = [new Gate(), new Gate()];
    const served = await serve(async (call, io) => {
      started[call as number]!.open();
      const why = await untilAborted(io);
      return call === 0 ? { cancelled: why } : { receipt: 'written' };
    });
    const client = await served.client();
    const aborts = [new AbortController(), new AbortController()];
    const calls = aborts.map(({ signal }, i) => client.call(i, { signal }));
    await Promise.all(started.map((gate) => gate.passed));
    aborts[0]!.abort();
    expect(await calls[0]).toEqual({ cancelled: 'cancelled' });
    aborts[1]!.abort();
    expect(await calls[1]).toEqual({ receipt: 'written' });
  });

  test('before the call was sent sends nothing', async () => {
    let calls = 0;
    const served = await serve(async () => {
      calls += 1;
    });
    const client = await served.client();
    await expect(client.call(1, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    await client.call(2);
    expect(calls).toBe(1);
  });

  test('comes too when the listener of progress fails', async () => {
    const aborted = new Gate();
    const served = await serve(async (_, io) => {
      io.progress(1);
      await untilAborted(io);
      aborted.open();
    });
    const client = await served.client();
    const onProgress = () => {
      throw new Error('listener');
    };
    await expect(client.call(1, { onProgress })).rejects.toThrow('listener');
    await aborted.passed;
  });
});

describe('standard input', () => {
  const MB = 1024 * 1024;

  async function* megabytes(count: number, onPull: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < count; i += 1) {
      onPull(i * MB);
      yield Buffer.alloc(MB, i);
    }
  }

  test('is fetched as it is read: 10 MB, never more than one part ahead', async () => {
    let taken = 0;
    let pulled = 0;
    let ahead = 0;
    const served = await serve(async (_, io) => {
      const sums = new Map<number, number>();
      for await (const chunk of io.stdin()) {
        expect(chunk.length).toBeLessThanOrEqual(64 * 1024);
        sums.set(chunk[0]!, (sums.get(chunk[0]!) ?? 0) + chunk.length);
        expect(chunk.every((byte) => byte === chunk[0])).toBe(true);
        taken += chunk.length;
        // A handler that is slow: nothing may arrive that it did not ask for.
        await new Promise((resolve) => setImmediate(resolve));
        ahead = Math.max(ahead, pulled - taken);
      }
      return [...sums.values()];
    });
    const client = await served.client();
    const stdin = megabytes(10, (bytes) => {
      pulled = bytes + MB;
    });
    expect(await client.call('sum', { stdin })).toEqual(Array(10).fill(MB));
    expect(taken).toBe(10 * MB);
    expect(ahead).toBeLessThanOrEqual(MB);
  });

  test('is not touched when nobody reads it, and is let go when the handler stops early', async () => {
    let returned = 0;
    const served = await serve(async (call, io) => {
      if (call === 'ignore') return 'done';
      for await (const chunk of io.stdin()) return chunk.length;
      return 'empty';
    });
    const client = await served.client();
    const source = (): AsyncIterable<Uint8Array> & { pulls: number } => ({
      pulls: 0,
      [Symbol.asyncIterator]() {
        return {
          next: async () => {
            this.pulls += 1;
            return { done: false, value: Buffer.alloc(10) };
          },
          return: async () => {
            returned += 1;
            return { done: true, value: undefined };
          },
        };
      },
    });
    const ignored = source();
    expect(await client.call('ignore', { stdin: ignored })).toBe('done');
    expect(ignored.pulls).toBe(0);
    const some = source();
    expect(await client.call('first', { stdin: some })).toBe(10);
    expect(some.pulls).toBe(1);
    expect(returned).toBe(1);
    expect(await client.call('first')).toBe('empty');
  });

  test('that fails is an error and never an end', async () => {
    const seen: unknown[] = [];
    const served = await serve(async (_, io) => {
      try {
        for await (const chunk of io.stdin()) seen.push(chunk.length);
        seen.push('end');
      } catch (error) {
        seen.push((error as Error).name);
        throw error;
      }
    });
    const client = await served.client();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('no input for 60 s');
    }
    await expect(client.call(1, { stdin: broken() })).rejects.toMatchObject({
      reason: 'fault',
      message: 'no input for 60 s',
      cause: { message: 'no input for 60 s' },
    });
    expect(seen).toEqual([4, StdinBroken.name]);
  });

  test('of a client that vanishes, or of a call that is cancelled, throws the reason', async () => {
    const seen: unknown[] = [];
    const reading = [new Gate(), new Gate()];
    const over = new Gate();
    const served = await serve(async (call, io) => {
      try {
        reading[call as number]!.open();
        for await (const _ of io.stdin()) seen.push('chunk');
        seen.push('end');
      } catch (error) {
        seen.push((error as CallAborted).why);
        if (seen.length === 2) over.open();
      }
    });
    const never: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    };
    const abort = new AbortController();
    const client = await served.client();
    const cancelled = client.call(0, { stdin: never, signal: abort.signal });
    await reading[0]!.passed;
    abort.abort();
    await cancelled;
    const lost = client.call(1, { stdin: never });
    await reading[1]!.passed;
    client.close();
    await expect(lost).rejects.toMatchObject({ name: 'LinkLost', sent: true });
    await over.passed;
    expect(seen).toEqual(['cancelled', 'client_gone']);
  });
});

describe('a drain', () => {
  test('lets calls finish, declines new ones, and answers each exactly once', async () => {
    const gate = new Gate();
    let started = 0;
    const served = await serve(async (call) => {
      started += 1;
      await gate.passed;
      return call;
    });
    const client = await served.client();
    const idle = await served.client();
    const before = Array.from({ length: 20 }, (_, i) => client.call(i));
    // The calls are in the owner's hands once a later one on the same connection is.
    const racing = await greetedPeer(served);
    racing.send({ type: 'call', id: 7, call: 'first', stdin: false });
    while (started < 21) await new Promise((resolve) => setImmediate(resolve));
    const drained = served.host.drain(60_000);
    racing.send({ type: 'call', id: 8, call: 'late', stdin: false });
    expect(await racing.next()).toEqual({ type: 'draining' });
    expect(await racing.next()).toEqual({ type: 'declined', id: 8, reason: 'draining' });
    await idle.closed;
    await expect(client.call('late')).rejects.toMatchObject({ name: 'CallDeclined', reason: 'draining' });
    const late = await connectOwner(served.home.paths, { version: 'x', caller: null });
    expect(late).toMatchObject({ kind: 'none', owner: { pid: process.pid } });
    gate.open();
    expect(await Promise.all(before)).toEqual(before.map((_, i) => i));
    expect(await racing.next()).toEqual({ type: 'outcome', id: 7, outcome: 'first' });
    expect(await drained).toEqual({ abandoned: 0 });
    expect(started).toBe(21);
    await client.closed;
    expect(await served.host.drain(0)).toEqual({ abandoned: 0 });
  });

  test('aborts what runs at its deadline, and gives up on what does not listen', async () => {
    const forever = new Gate();
    const running = [new Gate(), new Gate()];
    const served = await serve(async (call, io) => {
      running[call as number]!.open();
      if (call === 0) return untilAborted(io);
      await forever.passed;
      return 'too late';
    });
    const client = await served.client();
    const calls = [client.call(0), client.call(1)];
    const settled = Promise.allSettled(calls);
    await Promise.all(running.map((gate) => gate.passed));
    const slow = served.host.drain(600_000);
    expect(await served.host.close()).toEqual({ abandoned: 1 });
    expect(await slow).toEqual({ abandoned: 1 });
    expect(await settled).toMatchObject([
      { status: 'fulfilled', value: 'draining' },
      { status: 'rejected', reason: { name: 'CallFailed', reason: 'abandoned' } },
    ]);
    forever.open();
  });

  test('waits for the handlers of clients that are gone', async () => {
    const commit = new Gate();
    const running = new Gate();
    let written = false;
    const served = await serve(
      async (_, io) => {
        running.open();
        await untilAborted(io);
        await commit.passed;
        written = true;
      },
      { abortMs: 60_000 },
    );
    const client = await served.client();
    const lost = client.call('write');
    await running.passed;
    client.close();
    await expect(lost).rejects.toMatchObject({ sent: true });
    const drained = served.host.drain(0);
    commit.open();
    expect(await drained).toEqual({ abandoned: 0 });
    expect(written).toBe(true);
  });

  test('refuses a greeting in words', async () => {
    const gate = new Gate();
    const served = await serve(async () => gate.passed);
    const { socket, secret } = readOwnerRecord(served.home.paths)!.reach!;
    const holder = await served.client();
    const call = holder.call(1);
    const peer = new RawPeer(socket);
    await once(peer.socket, 'connect');
    // Accepted by the owner once a later connection is greeted.
    await served.client();
    const drained = served.host.drain(60_000);
    peer.send({ type: 'hello', protocol: PROTOCOL, version: 'x', secret, caller: null });
    expect(await peer.next()).toMatchObject({ type: 'refused', reason: 'draining', pid: process.pid });
    await peer.ended;
    gate.open();
    await call;
    await drained;
  });
});

describe('a peer that misbehaves', () => {
  test('with another secret is refused, whatever protocol it names', async () => {
    const served = await serve(echo);
    const record = readOwnerRecord(served.home.paths)!;
    for (const secret of ['', 'x', `${record.reach!.secret}x`]) {
      const peer = new RawPeer(record.reach!.socket);
      peer.send({ type: 'hello', protocol: 99, version: 'x', secret, caller: null });
      expect(await peer.next()).toMatchObject({ type: 'refused', reason: 'bad_secret' });
      await peer.ended;
    }
  });

  test('of another protocol version is refused with both versions named', async () => {
    const served = await serve(echo);
    const { socket, secret } = readOwnerRecord(served.home.paths)!.reach!;
    const peer = new RawPeer(socket);
    peer.send({ type: 'hello', protocol: PROTOCOL + 1, version: '9.9.9', secret, caller: null, later: true });
    const refused = await peer.next();
    expect(refused).toMatchObject({ type: 'refused', reason: 'protocol', protocol: PROTOCOL, version: '1.2.3' });
    expect(refused?.message).toContain('9.9.9');
    expect(refused?.message).toContain('1.2.3');
    await peer.ended;
  });

  test.each<[string, (peer: RawPeer) => void]>([
    ['no JSON', (peer) => peer.socket.write('hello\n')],
    ['an unknown frame', (peer) => peer.send({ type: 'shutdown' })],
    ['a second greeting', (peer) => peer.send({ type: 'hello', protocol: 1, version: 'x', secret: 'x', caller: 0 })],
    ['an id that is in use', (peer) => peer.send({ type: 'call', id: 1, call: 'again', stdin: false })],
    ['input that was not asked for', (peer) => peer.send({ type: 'stdin', id: 1, chunk: 'eA==' })],
    ['a line without an end', (peer) => peer.socket.write(Buffer.alloc(65 * 1024 * 1024, 'x'))],
  ])('by %s loses its own connection only', async (_, misbehave) => {
    const why = Promise.withResolvers<string>();
    const served = await serve(async (call, io) => {
      if (call === 'hold') why.resolve(await untilAborted(io));
      return call;
    });
    const bystander = await served.client();
    const peer = await greetedPeer(served);
    peer.send({ type: 'call', id: 1, call: 'hold', stdin: true });
    misbehave(peer);
    expect(await peer.next()).toMatchObject({ type: 'refused', reason: 'malformed' });
    expect(await why.promise).toBe('client_gone');
    await peer.ended;
    expect(await bystander.call('still here')).toBe('still here');
  });

  test('that says too much before it is known, or nothing at all, is shown out', async () => {
    const served = await serve(echo, { greetingMs: 30 });
    const { socket } = readOwnerRecord(served.home.paths)!.reach!;
    const loud = new RawPeer(socket);
    loud.socket.write(Buffer.alloc(70 * 1024, 'x'));
    expect(await loud.next()).toMatchObject({ type: 'refused', reason: 'malformed' });
    const hasty = new RawPeer(socket);
    const { secret } = readOwnerRecord(served.home.paths)!.reach!;
    const hello = { type: 'hello', protocol: PROTOCOL, version: 'x', secret, caller: null };
    hasty.socket.write(`${JSON.stringify(hello)}\n{"type":"ca`);
    expect(await hasty.next()).toMatchObject({ type: 'refused', reason: 'malformed' });
    const silent = new RawPeer(socket);
    await silent.ended;
    expect(silent.frames).toEqual([]);
  });

  test('that never reads costs bounded memory: progress is dropped, then the connection', async () => {
    const gone = new Gate();
    let sent = 0;
    const served = await serve(
      async (call, io) => {
        if (call === 'progress') {
          for (; sent < 1000; sent += 1) io.progress('x'.repeat(10_000));
          return 'done';
        }
        io.signal.addEventListener('abort', () => gone.open());
        if (call === 'wait') await gone.passed;
        return 'x'.repeat(300_000);
      },
      { congestedBytes: 200_000, unreadBytesMax: 1_000_000 },
    );
    const peer = await greetedPeer(served);
    peer.socket.pause();
    peer.send({ type: 'call', id: 1, call: 'wait', stdin: false });
    peer.send({ type: 'call', id: 2, call: 'progress', stdin: false });
    for (let id = 3; id < 20; id += 1) peer.send({ type: 'call', id, call: 'outcome', stdin: false });
    await gone.passed;
    expect(sent).toBe(1000);
    expect(await (await served.client()).call('outcome')).toHaveLength(300_000);
  });
});

describe('connectOwner', () => {
  const ask = (served: Pick<Served, 'home'>, greetingMs = 50) =>
    connectOwner(served.home.paths, { version: 'x', caller: null, greetingMs });

  test('finds none without a record, without a socket, and at a dead socket', async () => {
    const home = new TestHome();
    cleanups.push(() => home[Symbol.dispose]());
    expect(await ask({ home })).toEqual({ kind: 'none', owner: null });
    const lock = claimBrain(home.paths, { version: '1', transport: 'cli', serve: false });
    if (!lock.held) throw new Error('held');
    cleanups.push(() => lock.release());
    expect(await ask({ home })).toMatchObject({ kind: 'none', owner: { transport: 'cli', serve: false } });
    const host = await hostOwner({ lock, handle: echo });
    const dead = renderOwnerRecord(readOwnerRecord(home.paths)!);
    await host.close();
    lock.publish(JSON.parse(dead));
    expect(await ask({ home })).toMatchObject({ kind: 'none' });
  });

  test('tells a refusal from silence', async () => {
    const served = await serve(echo);
    const { reach } = readOwnerRecord(served.home.paths)!;
    served.lock.publish({ ...reach!, secret: 'of an earlier owner' });
    expect(await ask(served)).toMatchObject({ kind: 'refused', reason: 'bad_secret' });

    const mute = createServer(() => {});
    const path = `${served.home.paths.brain}.run/mute.sock`;
    await once(mute.listen(path), 'listening');
    cleanups.push(() => mute.close());
    expect(mute.address() as AddressInfo | string).toBe(path);
    served.lock.publish({ socket: path, secret: 's' });
    expect(await ask(served)).toMatchObject({ kind: 'refused', reason: 'silent', owner: { transport: 'http' } });
  });

  test('stays away from a socket in a folder that others may write', async () => {
    const served = await serve(echo);
    served.lock.publish({ socket: '/tmp/any.sock', secret: 's' });
    expect(await ask(served)).toMatchObject({ kind: 'none' });
  });

  test('gives up an owner that talks nonsense', async () => {
    const served = await serve(echo);
    const path = `${served.home.paths.brain}.run/odd.sock`;
    const odd = createServer((socket) => socket.end(encodeFrame({ type: 'draining' })));
    await once(odd.listen(path), 'listening');
    cleanups.push(() => odd.close());
    served.lock.publish({ socket: path, secret: 's' });
    expect(await ask(served, 5_000)).toMatchObject({ kind: 'none' });
  });

  test('ends with the signal', async () => {
    const served = await serve(echo);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(connectOwner(served.home.paths, { version: 'x', caller: null, signal })).rejects.toThrow('stop');
  });
});
