// The lock inside one process; races, kills and other users are under test/crash.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, type HeldLock } from './lock.ts';
import type { OwnerFault } from './owner-fault.ts';

let folder: string;
let path: string;
const open: HeldLock[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gbrain-lock-'));
  path = join(folder, 'brain.owner.lock');
});
afterEach(() => {
  for (const lock of open.splice(0)) lock.release();
  rmSync(folder, { recursive: true });
});

function take(): HeldLock {
  const lock = acquireLock(path);
  if (!lock.held) throw new Error('the lock was not free');
  open.push(lock);
  return lock;
}

function faultOf(lockPath: string): OwnerFault {
  try {
    acquireLock(lockPath);
  } catch (error) {
    return error as OwnerFault;
  }
  throw new Error('no fault');
}

test('a second attempt in the same process is refused, and does not free the first', () => {
  const lock = take();
  expect(acquireLock(path).held).toBe(false);
  expect(acquireLock(path).held).toBe(false);
  expect(lock.check()).not.toBe('lost');
  lock.release();
  expect(lock.check()).toBe('lost');
  lock.release();
  expect(take().held).toBe(true);
});

test('a second attempt in another thread is refused, and does not free the first', async () => {
  const lock = take();
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ acquireLock }) => parentPort.postMessage(acquireLock(workerData.path).held));
  `;
  const module = new URL('./lock.ts', import.meta.url).href;
  const worker = new Worker(script, { eval: true, workerData: { module, path } });
  const [held] = await once(worker, 'message');
  await worker.terminate();
  expect(held).toBe(false);
  expect(lock.check()).not.toBe('lost');
});

test('the lock file is empty, closed to others, and leaves nothing beside it', () => {
  const before = process.umask(0);
  try {
    take();
  } finally {
    process.umask(before);
  }
  expect(readdirSync(folder)).toEqual(['brain.owner.lock']);
  expect(statSync(path).size).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file of one byte, which SQLite takes for empty, is locked', () => {
  writeFileSync(path, 'x');
  take();
  expect(acquireLock(path).held).toBe(false);
});

test.each([
  ['a pid', Buffer.from('4711\n')],
  ['pages of noise', Buffer.alloc(64 * 1024, 0xa5)],
  ['the start of a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4096, 0xff)])],
])('a file that holds %s is emptied in place and locked', (_, content) => {
  writeFileSync(path, content);
  const inode = statSync(path).ino;
  take();
  expect(statSync(path)).toMatchObject({ ino: inode, size: 0 });
  expect(acquireLock(path).held).toBe(false);
});

test('a file that somebody fills while it is locked stays locked and is left alone', () => {
  const lock = take();
  // From another process: closing a descriptor of the file in this one would free the lock.
  const fill = `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'noise'.repeat(1000))`;
  expect(spawnSync(process.execPath, ['-e', fill]).status).toBe(0);
  expect(acquireLock(path).held).toBe(false);
  expect(lock.check()).not.toBe('lost');
  expect(statSync(path).size).toBe(5000);
});

test.each(['delete', 'wal'])('a real database in %s mode serves as well, and keeps what it holds', (mode) => {
  const foreign = new DatabaseSync(path);
  foreign.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (x); INSERT INTO t VALUES (1)`);
  foreign.close();
  const lock = take();
  expect(acquireLock(path).held).toBe(false);
  lock.release();
  const again = new DatabaseSync(path);
  expect(again.prepare('SELECT x FROM t').all()).toEqual([{ x: 1 }]);
  again.close();
});

test.runIf(process.platform === 'linux')('a lock that was lost is told from one that is held', () => {
  const lock = take();
  expect(lock.check()).toBe('held');
  readFileSync(path);
  expect(lock.check()).toBe('lost');
});

test.runIf(process.platform === 'linux')('a lock whose file was removed counts as lost', () => {
  const lock = take();
  rmSync(path);
  expect(lock.check()).toBe('lost');
});

test('places that cannot hold a lock give typed faults', () => {
  mkdirSync(path);
  expect(faultOf(path)).toMatchObject({ name: 'OwnerFault', fault: 'foreign_file', path });
  const missing = join(folder, 'no', 'brain.owner.lock');
  expect(faultOf(missing)).toMatchObject({ fault: 'missing_folder', path: missing });
  const long = join(folder, 'x'.repeat(300));
  expect(faultOf(long).fault).toBe('other');
});

test('no fault tells its reader to delete anything', () => {
  mkdirSync(path);
  for (const place of [path, join(folder, 'no', 'x')]) expect(faultOf(place).message).not.toMatch(/delete|remove|rm /i);
});
