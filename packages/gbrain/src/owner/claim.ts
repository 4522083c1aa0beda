// Owning a brain: the lock, and under it the owner record and the socket's folder. Knows nothing of the protocol.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PROTOCOL } from './frames.ts';
import { acquireLock, type HeldLock, type LockCheck } from './lock.ts';
import { errnoOf, OwnerFault, toOwnerFault } from './owner-fault.ts';
import {
  isPrivateFolder,
  type OwnerInfo,
  type OwnerPaths,
  type OwnerTransport,
  readOwnerRecord,
  renderOwnerRecord,
  socketPath,
} from './rendezvous.ts';

/** Who takes the brain. */
export interface OwnerIdentity {
  version: string;
  transport: OwnerTransport;
  serve: boolean;
}

/** The brain is this process' own until `release`; whoever has this may write the record and place a socket. */
export interface OwnerLock {
  readonly held: true;
  readonly paths: OwnerPaths;
  readonly info: OwnerInfo;
  /** What the kernel says of the lock. */
  check(): LockCheck;
  /** Writes the record: with `reach` others can connect, without it they only learn who has the brain. */
  publish(reach?: { socket: string; secret: string }): void;
  /** Removes the record, then frees the lock. A second call does nothing. */
  release(): void;
}

/**
 * Takes the lock and announces the owner. Refused at once while any process has it.
 *
 * @throws OwnerFault when the place cannot hold a lock or a record; the lock is free again then.
 */
export function claimBrain(paths: OwnerPaths, identity: OwnerIdentity): OwnerLock | { readonly held: false } {
  const lock = acquireLock(paths.lock);
  if (!lock.held) return lock;
  return announce(lock, paths, identity);
}

/** Announces the owner under a lock that was just taken; frees the lock when that fails. */
export function announce(lock: HeldLock, paths: OwnerPaths, identity: OwnerIdentity): OwnerLock {
  const info: OwnerInfo = {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    protocol: PROTOCOL,
    ...identity,
  };
  let released = false;
  const owner: OwnerLock = {
    held: true,
    paths,
    info,
    check: () => lock.check(),
    publish(reach) {
      if (released) throw new Error('the brain was released');
      writeRecord(paths.record, renderOwnerRecord(reach ? { info, reach } : { info }));
    },
    release() {
      if (released) return;
      released = true;
      try {
        // After a lost lock the record may be the next owner's.
        const written = readOwnerRecord(paths)?.info;
        const isOwn = written?.pid === info.pid && written.startedAt === info.startedAt;
        if (isOwn) rmSync(paths.record, { force: true });
      } finally {
        lock.release();
      }
    },
  };
  try {
    owner.publish();
  } catch (error) {
    lock.release();
    throw error;
  }
  return owner;
}

/**
 * Written beside and renamed, so that a reader sees the old record or the new one, and never half of it. Not synced: a
 * record means something only while its writer lives, and half a record after a power cut names nobody.
 */
function writeRecord(path: string, text: string): void {
  const temp = `${path}.tmp`;
  try {
    // Only the holder of the lock writes here, so a file of that name is what a crash left.
    rmSync(temp, { force: true });
    const fd = openSync(temp, 'wx', 0o600);
    try {
      // Whatever the umask is: the owner may read its record, and nobody else.
      fchmodSync(fd, 0o600);
      writeFileSync(fd, text);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw toOwnerFault(error, path);
  }
}

/**
 * A path for this owner's socket, in the first folder that is, or can be made, private to the user; sockets that dead
 * owners of the same brain left there are removed. The end is random, so that no owner ever takes another's path.
 *
 * @throws OwnerFault `no_socket_folder` when no candidate will do.
 */
export function placeSocket(owner: OwnerLock): string {
  const { socketStems, uid, platform, brain } = owner.paths;
  const token = randomBytes(6).toString('hex');
  const reasons: string[] = [];
  for (const stem of socketStems) {
    if (platform === 'win32') return socketPath(stem, token, platform);
    const folder = stem.endsWith('/') ? stem.slice(0, -1) : dirname(stem);
    const reason = openPrivateFolder(folder, uid);
    if (reason !== undefined) {
      reasons.push(`${folder}: ${reason}`);
      continue;
    }
    removeStale(folder, stem.endsWith('/') ? '' : basename(stem));
    return socketPath(stem, token, platform);
  }
  try {
    // Somebody else may have taken the predictable names; a fresh folder cannot be taken.
    return join(mkdtempSync('/tmp/gbrain-'), `${token}.sock`);
  } catch (error) {
    const why = reasons.join('; ') || 'every other path is too long';
    throw new OwnerFault('no_socket_folder', brain, `no private folder for the socket of ${brain} (${why})`, error);
  }
}

/** Undefined when the folder is there and private; else what is wrong with it. */
function openPrivateFolder(folder: string, uid: number | null): string | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') return errnoOf(error) ?? String(error);
  }
  return isPrivateFolder(folder, uid) ? undefined : 'not private to this user';
}

function removeStale(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && name.endsWith('.sock')) rmSync(join(folder, name), { force: true });
  }
}
