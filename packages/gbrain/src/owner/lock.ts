// The lock that makes one process the owner of a brain; the kernel frees it at process death. Knows nothing of sockets.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { requireLocalFileSystem } from './file-system.ts';
import { errnoOf, OwnerFault, toOwnerFault } from './owner-fault.ts';

/** What the kernel says of a lock that this process took: `unknown` where it cannot be asked (all but Linux). */
export type LockCheck = 'held' | 'lost' | 'unknown';

/** The lock as long as this process has it. */
export interface HeldLock {
  readonly held: true;
  readonly path: string;
  /**
   * Asks the kernel whether the lock is still there. It is lost when this process opened and closed the lock file by
   * any other way (POSIX locks belong to process and file, not to a descriptor), or when the file was replaced.
   */
  check(): LockCheck;
  /** Frees the lock; a second call does nothing. The file stays: replaced, it would let two processes lock two. */
  release(): void;
}

/** Outcome of one attempt; `held: false` means that a living process (this one included) has it. */
export type LockAttempt = HeldLock | { readonly held: false };

// Result codes of SQLite, without their extension. Source: sqlite.org/rescode.html.
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** First byte of the range that SQLite locks; a reserved lock is the byte after it. Source: SQLite, os.h. */
const RESERVED_BYTE = 0x40000000 + 1;

// A connection that nothing refers to would be collected, closed, and the lock with it.
const held = new Set<DatabaseSync>();

/**
 * Takes the lock or is refused at once; never waits.
 *
 * The lock is a write transaction kept open on an otherwise empty SQLite file. `BEGIN IMMEDIATE` locks one byte, so of
 * two processes that try at the same moment exactly one wins; `BEGIN EXCLUSIVE` takes two steps, and both can lose.
 * Content that is no database is emptied in place, never replaced, so that a lock on the file stays good.
 *
 * @throws OwnerFault when the place cannot hold a lock: a network file system, read-only, full, not permitted,
 *   or a folder where the file goes.
 */
export function acquireLock(lockPath: string): LockAttempt {
  const folder = dirname(lockPath);
  try {
    requireLocalFileSystem(folder);
  } catch (error) {
    throw toOwnerFault(error, lockPath);
  }
  let attempt = tryBegin(lockPath);
  if (attempt.code === NOT_A_DATABASE || attempt.code === CORRUPT) {
    // Readers are let in beside the holder, so this says nothing of who holds the lock; the second attempt does.
    if (isOpenHere(lockPath)) return { held: false };
    emptyFile(lockPath);
    attempt = tryBegin(lockPath);
  }
  if (attempt.db) return toHeldLock(attempt.db, lockPath);
  if (attempt.code === BUSY || attempt.code === LOCKED) return { held: false };
  throw explain(lockPath, attempt.error);
}

interface Begin {
  db?: DatabaseSync;
  code?: number;
  error?: unknown;
}

function tryBegin(path: string): Begin {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    // With its journal in memory the file never gets a companion that a crash would leave behind.
    // The write, which is never committed, makes sure of the lock: on a file that may only be read, BEGIN IMMEDIATE
    // is taken for a read and locks nothing.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE; PRAGMA user_version = 1');
    return { db };
  } catch (error) {
    db?.close();
    const code = (error as { errcode?: unknown }).errcode;
    return { error, ...(typeof code === 'number' ? { code: code & 0xff } : {}) };
  }
}

function toHeldLock(db: DatabaseSync, path: string): HeldLock {
  held.add(db);
  // By path, not by descriptor: closing a second descriptor of this file would free the lock.
  const { mode, uid } = statSync(path);
  // SQLite makes files as the umask has it: readable by others, or not even by their owner.
  if (uid === process.getuid?.() && (mode & 0o777) !== 0o600) chmodSync(path, 0o600);
  return {
    held: true,
    path,
    check() {
      return held.has(db) ? askKernel(path) : 'lost';
    },
    release() {
      if (!held.delete(db)) return;
      db.close();
    },
  };
}

function askKernel(path: string): LockCheck {
  if (process.platform !== 'linux') return 'unknown';
  try {
    if (isListed(path)) return 'held';
  } catch (error) {
    return errnoOf(error) === 'ENOENT' && !existsSync(path) ? 'lost' : 'unknown';
  }
  // Stacked file systems list another inode than they show. A lock that is known to be there tells which it is.
  const probe = `${path}.${process.pid}.check`;
  const { db } = tryBegin(probe);
  try {
    return db && isListed(probe) ? 'lost' : 'unknown';
  } finally {
    db?.close();
    rmSync(probe, { force: true });
  }
}

/**
 * True when `/proc/locks` has this process' lock on the file. Not asked at every acquisition: the kernel lists all
 * locks of the machine at one moment, which costs up to 20 ms.
 */
function isListed(path: string): boolean {
  const inode = String(statSync(path).ino);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => {
      // "1: POSIX  ADVISORY  WRITE 5545 fe:00:9978143 1073741825 1073741825"
      const [, kind, , access, pid, place, start, end] = line.split(/\s+/);
      if (kind !== 'POSIX' || access !== 'WRITE' || Number(pid) !== process.pid) return false;
      if (place?.split(':')[2] !== inode) return false;
      return Number(start) <= RESERVED_BYTE && (end === 'EOF' || RESERVED_BYTE <= Number(end));
    });
}

/**
 * True when this process has the file open, which only a lock on it does: emptying it would open and close it once more
 * and so free that lock. Windows locks belong to a handle and have no such trap.
 */
function isOpenHere(path: string): boolean {
  if (process.platform === 'win32') return false;
  const { dev, ino } = statSync(path);
  return readdirSync('/dev/fd').some((fd) => {
    try {
      const open = fstatSync(Number(fd));
      return open.dev === dev && open.ino === ino;
    } catch {
      // The descriptor of the listing itself is closed by now.
      return false;
    }
  });
}

function emptyFile(path: string): void {
  try {
    truncateSync(path, 0);
  } catch (error) {
    throw toOwnerFault(error, path);
  }
}

/** SQLite hides the system's reason, so the folder is asked for it by making and removing a file beside the lock. */
function explain(path: string, sqlite: unknown): OwnerFault {
  try {
    if (!statSync(path).isFile()) return new OwnerFault('foreign_file', path, `${path} is not a file`, sqlite);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') return toOwnerFault(error, path);
  }
  const probe = `${path}.${process.pid}.probe`;
  try {
    closeSync(openSync(probe, 'wx', 0o600));
    unlinkSync(probe);
  } catch (error) {
    return toOwnerFault(error, path);
  }
  return toOwnerFault(sqlite, path);
}
