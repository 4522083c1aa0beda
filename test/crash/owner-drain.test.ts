// An owner that ends: calls in flight finish, new ones are declined, each is answered exactly once.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { connectOwner } from '../../packages/gbrain/src/owner/client.ts';
import { PROTOCOL } from '../../packages/gbrain/src/owner/frames.ts';
import { readOwnerRecord } from '../../packages/gbrain/src/owner/rendezvous.ts';
import { Gate, greetedPeer, RawPeer, serve, untilAborted } from './owner-served.ts';

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
    await expect(idle.call('late')).rejects.toMatchObject({ name: 'CallDeclined', reason: 'draining' });
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

  test('answers once even when the handler that it gave up on settles after all', async () => {
    const started = new Gate();
    const late = new Gate();
    const settled = new Gate();
    const handle = async (): Promise<string> => {
      started.open();
      await late.passed;
      settled.open();
      return 'too late';
    };
    const served = await serve(handle, { abortMs: 1, farewellMs: 60_000 });
    const peer = await greetedPeer(served);
    peer.send({ type: 'call', id: 1, call: null, stdin: false });
    await started.passed;
    const drained = served.host.close();
    expect(await peer.next()).toEqual({ type: 'draining' });
    expect(await peer.next()).toMatchObject({ type: 'failed', id: 1, reason: 'abandoned' });
    late.open();
    await settled.passed;
    // What the handler's end would send is sent before this turn of the loop is over.
    await new Promise((resolve) => setImmediate(resolve));
    peer.socket.end();
    expect(await peer.next()).toBe(undefined);
    expect(await drained).toEqual({ abandoned: 1 });
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
