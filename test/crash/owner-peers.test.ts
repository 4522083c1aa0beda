// Peers that misbehave on either side of the socket lose their own connection and nothing else.
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimBrain } from '../../packages/gbrain/src/owner/claim.ts';
import { connectOwner } from '../../packages/gbrain/src/owner/client.ts';
import { encodeFrame, PROTOCOL } from '../../packages/gbrain/src/owner/frames.ts';
import { hostOwner } from '../../packages/gbrain/src/owner/host.ts';
import { readOwnerRecord, renderOwnerRecord } from '../../packages/gbrain/src/owner/rendezvous.ts';
import { cleanups, echo, Gate, greetedPeer, RawPeer, type Served, serve, untilAborted } from './owner-served.ts';
import { TestHome } from './owner-testbed.ts';

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

  test('that does not read misses progress and no outcome', async () => {
    const told = new Gate();
    const served = await serve(
      async (_, io) => {
        for (let tick = 0; tick < 1_000; tick += 1) io.progress('x'.repeat(10_000));
        told.open();
        return 'done';
      },
      { congestedBytes: 200_000 },
    );
    const peer = await greetedPeer(served);
    peer.socket.pause();
    peer.send({ type: 'call', id: 1, call: null, stdin: false });
    await told.passed;
    peer.socket.resume();
    let ticks = 0;
    let frame = await peer.next();
    for (; frame?.type === 'progress'; frame = await peer.next()) ticks += 1;
    expect(frame).toEqual({ type: 'outcome', id: 1, outcome: 'done' });
    expect(ticks).toBeGreaterThan(0);
    expect(ticks).toBeLessThan(200);
  });

  test('that never reads its outcomes counts as gone', async () => {
    const gone = new Gate();
    const served = await serve(
      async (call, io) => {
        io.signal.addEventListener('abort', () => gone.open());
        if (call === 'wait') await gone.passed;
        return 'x'.repeat(300_000);
      },
      { unreadBytesMax: 1_000_000 },
    );
    const peer = await greetedPeer(served);
    peer.socket.pause();
    peer.send({ type: 'call', id: 1, call: 'wait', stdin: false });
    for (let id = 2; id < 20; id += 1) peer.send({ type: 'call', id, call: 'outcome', stdin: false });
    await gone.passed;
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
    served.lock.publish({ socket: path, secret: 's' });
    expect(await ask(served)).toMatchObject({ kind: 'refused', reason: 'silent', owner: { transport: 'http' } });
  });

  test('stays away from a socket in a folder that others may write', async () => {
    const served = await serve(echo);
    const folder = join(served.home.folder, 'open');
    mkdirSync(folder, { mode: 0o755 });
    let visitors = 0;
    const stranger = createServer(() => {
      visitors += 1;
    });
    await once(stranger.listen(join(folder, 'x.sock')), 'listening');
    cleanups.push(() => stranger.close());
    served.lock.publish({ socket: join(folder, 'x.sock'), secret: 's' });
    expect(await ask(served)).toMatchObject({ kind: 'none' });
    expect(visitors).toBe(0);
    chmodSync(folder, 0o700);
    expect(await ask(served)).toMatchObject({ kind: 'refused', reason: 'silent' });
    expect(visitors).toBe(1);
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
