// One owner a brain, proven with real processes: races, kills, stops, users and disks that say no.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claimBrain } from '../../packages/gbrain/src/owner/claim.ts';
import { connectOwner } from '../../packages/gbrain/src/owner/client.ts';
import { readOwnerRecord } from '../../packages/gbrain/src/owner/rendezvous.ts';
import { Child, TestHome } from './owner-testbed.ts';

const children: Child[] = [];
const homes: TestHome[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

function makeHome(): TestHome {
  const home = new TestHome();
  homes.push(home);
  return home;
}

async function spawn(home: TestHome, options = {}): Promise<Child> {
  const child = new Child(home.paths.brain, options);
  children.push(child);
  await child.next('ready');
  return child;
}

/** Root may read and write anything, so where the tests run as root these processes run as somebody else. */
const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function giveToUser(path: string): void {
  if ('uid' in asUser) chownSync(path, 65_534, 65_534);
}

const mount = (folder: string, options: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  using home = new TestHome();
  return mount(home.folder, 'size=4k') && spawnSync('umount', [home.folder]).status === 0;
}

const open = { do: 'open' };
const echo = (value: unknown) => ({ do: 'call', call: { op: 'echo', value } });

async function race(contenders: Child[]): Promise<{ owner: Child; clients: Child[] }> {
  for (const child of contenders) child.send(open);
  const results = await Promise.all(contenders.map((child) => child.next('owner', 'client', 'held', 'error')));
  expect(results.map((result) => result.event).sort()).toEqual([...contenders.slice(1).map(() => 'client'), 'owner']);
  const owner = contenders[results.findIndex((result) => result.event === 'owner')]!;
  return { owner, clients: contenders.filter((child) => child !== owner) };
}

describe('two processes that open one brain at the same moment', () => {
  test('become one owner and one client, 100 times of 100', async () => {
    const home = makeHome();
    const pair = [await spawn(home), await spawn(home)];
    const wins = new Map<Child, number>();
    for (let round = 0; round < 100; round += 1) {
      const { owner, clients } = await race(pair);
      wins.set(owner, (wins.get(owner) ?? 0) + 1);
      const reply = await clients[0]!.ask(echo(round), 'outcome', 'error');
      expect(reply.outcome).toEqual({ value: round, by: owner.process.pid });
      await clients[0]!.ask({ do: 'release' }, 'released');
      await owner.ask({ do: 'release' }, 'released');
    }
    expect([...wins.values()].reduce((sum, count) => sum + count)).toBe(100);
  });

  test('win the bare lock one at a time, never none and never both', async () => {
    const home = makeHome();
    const pair = [await spawn(home), await spawn(home)];
    for (let round = 0; round < 100; round += 1) {
      for (const child of pair) child.send({ do: 'claim' });
      const held = await Promise.all(pair.map(async (child) => (await child.next('claimed', 'error')).held));
      expect(held.toSorted()).toEqual([false, true]);
      const winner = pair[held.indexOf(true)]!;
      writeFileSync(`${home.paths.brain}.witness`, '');
      await winner.ask({ do: 'release' }, 'released');
    }
  });
});

test('an owner that is killed over and over is followed by exactly one of those that wait', async () => {
  const home = makeHome();
  let crowd = await Promise.all([1, 2, 3, 4].map(() => spawn(home)));
  for (let round = 0; round < 12; round += 1) {
    const { owner, clients } = await race(crowd);
    await owner.kill();
    rmSync(`${home.paths.brain}.witness`);
    // What a crash leaves: a record that names a dead process and a socket that nobody serves.
    expect(readOwnerRecord(home.paths)?.info.pid).toBe(owner.process.pid);
    expect(await connectOwner(home.paths, { version: 'x', caller: null })).toMatchObject({ kind: 'none' });
    crowd = [...clients, await spawn(home)];
  }
  const { owner } = await race(crowd);
  expect(readdirSync(`${home.paths.brain}.run`)).toHaveLength(1);
  await owner.ask({ do: 'release' }, 'released');
  expect(readdirSync(`${home.paths.brain}.run`)).toEqual([]);
  expect(readdirSync(home.folder).sort()).toEqual(['brain.owner.lock', 'brain.run']);
});

test('a call in flight when the owner is killed ends as a lost link that was sent', async () => {
  const home = makeHome();
  const { owner, clients } = await race([await spawn(home), await spawn(home)]);
  clients[0]!.send({ do: 'call', call: { op: 'hold' } });
  await owner.next('holding');
  await owner.kill();
  expect(await clients[0]!.next('error', 'outcome')).toMatchObject({ name: 'LinkLost', sent: true });
  expect(await clients[0]!.ask(echo(1), 'error', 'outcome')).toMatchObject({ name: 'LinkLost', sent: false });
});

test('a client that is killed in mid-call aborts its own call and nothing else', async () => {
  const home = makeHome();
  const { owner, clients } = await race([await spawn(home), await spawn(home), await spawn(home)]);
  const [dying, living] = clients as [Child, Child];
  living.send({ do: 'call', call: { op: 'hold' } });
  await owner.next('holding');
  dying.send({ do: 'call', call: { op: 'hold' } });
  await owner.next('holding');
  await dying.kill();
  expect(await owner.next('aborted')).toMatchObject({ why: 'client_gone' });
  owner.send({ do: 'release' });
  expect(await owner.next('aborted')).toMatchObject({ why: 'draining' });
  expect(await living.next('outcome', 'error')).toMatchObject({ event: 'outcome', outcome: 'let go' });
});

test('an owner that is stopped is still the owner', async () => {
  const home = makeHome();
  const { owner } = await race([await spawn(home)]);
  owner.process.kill('SIGSTOP');
  const late = await spawn(home);
  const result = await late.ask({ ...open, deadlineMs: 600 }, 'owner', 'client', 'held');
  expect(result).toMatchObject({ event: 'held', held: { record: { pid: owner.process.pid, serve: true } } });
  expect(result.held).toMatchObject({ refusal: { reason: 'silent' } });
  expect(JSON.stringify(result.held)).not.toContain('secret');
  owner.process.kill('SIGCONT');
  expect((await late.ask(open, 'owner', 'client', 'held')).event).toBe('client');
});

test('an owner that hosts no socket is named, after waits that were announced', async () => {
  const home = makeHome();
  const owner = await spawn(home);
  await owner.ask({ ...open, host: false }, 'owner');
  const late = await spawn(home);
  const result = await late.ask({ ...open, deadlineMs: 100 }, 'owner', 'client', 'held');
  expect(result).toMatchObject({ event: 'held', held: { record: { pid: owner.process.pid, transport: 'stdio' } } });
  expect(result.held).not.toHaveProperty('refusal');
  expect(result.waits).toBeGreaterThan(0);
  expect(await late.ask({ ...open, deadlineMs: 0 }, 'owner', 'client', 'held')).toMatchObject({
    event: 'held',
    waits: 0,
  });
});

test('a dead record that names a living process does not keep anybody out', async () => {
  const home = makeHome();
  const { owner } = await race([await spawn(home)]);
  await owner.kill();
  rmSync(`${home.paths.brain}.witness`);
  // The number of the dead owner was given to a process that has nothing to do with the brain: this one.
  const text = readFileSync(home.paths.record, 'utf8').replace(/"pid": \d+/, `"pid": ${process.pid}`);
  writeFileSync(home.paths.record, text);
  expect(readOwnerRecord(home.paths)?.info.pid).toBe(process.pid);
  await race([await spawn(home)]);
});

describe('what others left', () => {
  test.each([
    ['an empty record', ''],
    ['half a record', '{"pid": 12, "proto'],
    ['a record of something else', '{"name": "x", "pid": "12"}'],
    ['noise', '\u0000\uffff'.repeat(50_000)],
  ])('%s keeps nobody out and is replaced', async (_, text) => {
    const home = makeHome();
    writeFileSync(home.paths.record, text);
    const { owner } = await race([await spawn(home), await spawn(home)]);
    expect(readOwnerRecord(home.paths)?.info.pid).toBe(owner.process.pid);
  });

  test('noise in the lock file keeps nobody out, and still only one gets in', async () => {
    const home = makeHome();
    const pair = [await spawn(home), await spawn(home)];
    for (let round = 0; round < 20; round += 1) {
      writeFileSync(home.paths.lock, 'noise '.repeat(5_000));
      const { owner, clients } = await race(pair);
      writeFileSync(home.paths.lock, 'noise '.repeat(5_000));
      expect(claimBrain(home.paths, { version: 'x', transport: 'cli', serve: false }).held).toBe(false);
      await clients[0]!.ask({ do: 'release' }, 'released');
      await owner.ask({ do: 'release' }, 'released');
    }
  });

  test('a record that a stranger could have written is not believed', async () => {
    const home = makeHome();
    await race([await spawn(home)]);
    chmodSync(home.paths.record, 0o622);
    expect(readOwnerRecord(home.paths)).toBe(null);
    chmodSync(home.paths.record, 0o600);
    expect(readOwnerRecord(home.paths)).not.toBe(null);
  });
});

test('an owner that lost its lock but still listens is not joined by a second one', async () => {
  const home = makeHome();
  const { owner } = await race([await spawn(home)]);
  rmSync(home.paths.lock);
  const late = await spawn(home);
  expect((await late.ask(open, 'owner', 'client', 'held')).event).toBe('client');
  await late.ask({ do: 'release' }, 'released');
  owner.process.kill('SIGSTOP');
  expect((await late.ask({ ...open, deadlineMs: 100 }, 'owner', 'client', 'held')).event).toBe('held');
});

test('nothing that an owner makes is open to others, whatever the umask is', async () => {
  for (const umask of [0o000, 0o077, 0o777]) {
    const home = makeHome();
    giveToUser(home.folder);
    const before = process.umask(umask);
    let owner: Child;
    try {
      // A process takes its umask from its parent.
      owner = new Child(home.paths.brain, asUser);
    } finally {
      process.umask(before);
    }
    children.push(owner);
    await owner.next('ready');
    await owner.ask(open, 'owner');
    const mode = (path: string) => statSync(path).mode & 0o777;
    const socket = readOwnerRecord(home.paths)?.reach?.socket;
    expect(mode(home.paths.record)).toBe(0o600);
    expect(mode(home.paths.lock)).toBe(0o600);
    expect(mode(`${home.paths.brain}.run`)).toBe(0o700);
    expect(mode(socket!)).toBe(0o600);
    const late = await spawn(home, asUser);
    expect((await late.ask(open, 'owner', 'client', 'held')).event).toBe('client');
    await owner.kill();
    rmSync(`${home.paths.brain}.witness`);
    await late.ask({ do: 'release' }, 'released');
    expect((await late.ask(open, 'owner', 'client', 'held', 'error')).event).toBe('owner');
  }
});

test('a home whose path is longer than any socket address works', async () => {
  const home = makeHome();
  const long = join(home.folder, 'x'.repeat(120), 'y'.repeat(120));
  mkdirSync(long, { recursive: true });
  const at = { ...home, paths: { ...home.paths, brain: join(long, 'brain') } } as TestHome;
  const { owner, clients } = await race([await spawn(at), await spawn(at)]);
  expect((await clients[0]!.ask(echo('far'), 'outcome', 'error')).outcome).toMatchObject({ value: 'far' });
  await owner.ask({ do: 'release' }, 'released');
});

describe('a place that says no', () => {
  async function faultIn(home: TestHome, options = {}): Promise<unknown> {
    const child = await spawn(home, options);
    const result = await child.ask(open, 'owner', 'client', 'held', 'error');
    return result.fault ?? result;
  }

  test('a folder that this user may not write gives no_permission', async () => {
    const home = makeHome();
    chmodSync(home.folder, 0o555);
    expect(await faultIn(home, asUser)).toBe('no_permission');
    chmodSync(home.folder, 0o755);
  });

  test.each([0o444, 0o400])('a lock file that this user may only read (%o) is no lock: no_permission', async (mode) => {
    const home = makeHome();
    giveToUser(home.folder);
    writeFileSync(home.paths.lock, '');
    giveToUser(home.paths.lock);
    chmodSync(home.paths.lock, mode);
    expect(await faultIn(home, asUser)).toBe('no_permission');
  });

  test('a file size limit of zero gives disk_full, and the lock is free again', async () => {
    const home = makeHome();
    const limited = ['-c', `ulimit -f 0; exec "$0" "$@"`, process.execPath];
    const child = await spawn(home, { execPath: '/bin/sh', execArgv: limited });
    expect((await child.ask(open, 'owner', 'client', 'held', 'error')).fault).toBe('disk_full');
    expect(readdirSync(home.folder)).toEqual(['brain.owner.lock']);
    await race([await spawn(home)]);
  });

  test.runIf(canMount())('a full disk gives disk_full', async () => {
    const home = makeHome();
    mount(home.folder, 'size=64k');
    try {
      writeFileSync(join(home.folder, 'ballast'), Buffer.alloc(64 * 1024));
      expect(await faultIn(home)).toBe('disk_full');
      rmSync(join(home.folder, 'ballast'));
      await race([await spawn(home)]);
    } finally {
      await Promise.all(children.splice(0).map((child) => child.kill()));
      spawnSync('umount', [home.folder]);
    }
  });

  test('a read-only file system gives read_only', async () => {
    const home = makeHome();
    // /sys is mounted read-only or refuses new files on every Linux; either is a typed fault.
    const sys = { ...home, paths: { ...home.paths, brain: '/sys/brain' } } as TestHome;
    expect(['read_only', 'no_permission']).toContain(await faultIn(sys, asUser));
  });
});
