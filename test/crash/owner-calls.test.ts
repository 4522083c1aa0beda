// Calls over the socket: outcomes, progress, cancel and standard input, whatever the order in which they come.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CallAborted, StdinBroken } from '../../packages/gbrain/src/owner/served-call.ts';
import { echo, Gate, serve, untilAborted } from './owner-served.ts';

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
