// Elections inside one process: what is waited for, what is said meanwhile, and what ends at once.
import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideWaitMs, type ElectOptions, openOrForward, type Wait } from '../../packages/gbrain/src/owner/elect.ts';
import { encodeFrame } from '../../packages/gbrain/src/owner/frames.ts';
import { hostOwner } from '../../packages/gbrain/src/owner/host.ts';
import { cleanups, echo, Gate, type Served, serve } from './owner-served.ts';
import { TestHome } from './owner-testbed.ts';

const identity = { version: '2.0.0', transport: 'cli', serve: false } as const;

const optionsFor = (served: Pick<Served, 'home'>, more: Partial<ElectOptions> = {}): ElectOptions => ({
  paths: served.home.paths,
  identity,
  caller: { transport: 'cli' },
  deadlineMs: 30_000,
  ...more,
});

test('a free brain is owned, announced, and free again after release', async () => {
  const home = new TestHome();
  cleanups.push(() => home[Symbol.dispose]());
  for (let round = 0; round < 3; round += 1) {
    const election = await openOrForward(optionsFor({ home }, { deadlineMs: 0 }));
    if (election.kind !== 'owner') throw new Error(election.kind);
    expect(election.lock.info).toMatchObject({ pid: process.pid, version: '2.0.0', transport: 'cli', serve: false });
    expect(await openOrForward(optionsFor({ home }, { deadlineMs: 0 }))).toEqual({
      kind: 'held',
      record: election.lock.info,
    });
    election.lock.release();
    election.lock.release();
    expect(() => election.lock.publish()).toThrow('released');
  }
});

test('an owner that listens later is waited for, and each wait is told', async () => {
  const served = await serve(echo);
  await served.host.close();
  const waits: Wait[] = [];
  const told = new Gate();
  const election = openOrForward(
    optionsFor(served, {
      onWait: (wait) => {
        waits.push(wait);
        told.open();
      },
    }),
  );
  await told.passed;
  const host = await hostOwner({ lock: served.lock, handle: echo });
  const found = await election;
  if (found.kind !== 'client') throw new Error(found.kind);
  expect(await found.client.call(1)).toEqual({ call: 1, caller: { transport: 'cli' } });
  expect(waits[0]).toMatchObject({ why: 'opening', owner: { pid: process.pid, transport: 'http' } });
  found.client.close();
  await host.close();
});

test('an owner that drains is followed by whoever waits', async () => {
  const gate = new Gate();
  const started = new Gate();
  const served = await serve(async () => {
    started.open();
    return gate.passed;
  });
  const client = await served.client();
  const call = client.call('last');
  await started.passed;
  const told = new Gate();
  const drained = served.host.drain(60_000);
  const election = openOrForward(optionsFor(served, { onWait: () => told.open() }));
  await told.passed;
  gate.open();
  await call;
  await drained;
  served.lock.release();
  const found = await election;
  if (found.kind !== 'owner') throw new Error(found.kind);
  found.lock.release();
});

test('a wait ends with the signal', async () => {
  const served = await serve(echo);
  await served.host.close();
  const abort = new AbortController();
  const onWait = () => abort.abort(new Error('the user left'));
  const election = openOrForward(optionsFor(served, { signal: abort.signal, onWait }));
  await expect(election).rejects.toThrow('the user left');
  expect(served.lock.check()).not.toBe('lost');
});

/** An owner of another make: answers every greeting with one frame. */
async function answerWith(served: Served, reason: 'protocol' | 'bad_secret'): Promise<void> {
  await served.host.close();
  const path = `${served.home.paths.brain}.run/other.sock`;
  const frame = { type: 'refused', reason, message: 'in words', protocol: 2, version: '9', pid: 1 } as const;
  const server = createServer((socket) => socket.end(encodeFrame(frame)));
  await once(server.listen(path), 'listening');
  cleanups.push(() => server.close());
  served.lock.publish({ socket: path, secret: 's' });
}

test('another protocol ends the election at once, with the words of the owner', async () => {
  const served = await serve(echo);
  await answerWith(served, 'protocol');
  const waits: Wait[] = [];
  const election = await openOrForward(optionsFor(served, { onWait: (wait) => waits.push(wait) }));
  expect(election).toEqual({
    kind: 'held',
    record: served.lock.info,
    refusal: { reason: 'protocol', message: 'in words' },
  });
  expect(waits).toEqual([]);
});

test('another secret is tried again until the time is up', async () => {
  const served = await serve(echo);
  await answerWith(served, 'bad_secret');
  const waits: Wait[] = [];
  const election = await openOrForward(optionsFor(served, { deadlineMs: 60, onWait: (wait) => waits.push(wait) }));
  expect(election).toMatchObject({ kind: 'held', refusal: { reason: 'bad_secret' } });
  expect(waits.map((wait) => wait.why)).toContain('bad_secret');
});

test('a wait is positive, short, and never passes the deadline', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -1_000, max: 1_000_000 }), (tries, leftMs) => {
      const waitMs = decideWaitMs(tries, leftMs);
      expect(waitMs).toBeLessThanOrEqual(Math.max(0, leftMs));
      expect(waitMs).toBeLessThanOrEqual(250);
      expect(waitMs > 0).toBe(leftMs >= 1);
    }),
  );
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((tries) => decideWaitMs(tries, 1_000))).toEqual([
    5, 10, 20, 40, 80, 160, 250, 250,
  ]);
});
