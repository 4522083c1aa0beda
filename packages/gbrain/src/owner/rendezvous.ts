// Where a brain's lock, owner record and socket are, and how the record is read; knows nothing of what is said there.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { errnoOf } from './owner-fault.ts';

/** What the paths depend on besides the brain; read once at the edge, from the environment and the system. */
export interface Machine {
  platform: NodeJS.Platform;
  /** Numeric user id; null on Windows. */
  uid: number | null;
  /** Folder that the system made for this user's sockets (`XDG_RUNTIME_DIR`), when there is one. */
  runtimeDir?: string;
  /** Folder for temporary files; used only below a folder of its own, private to the user. */
  tempDir: string;
}

/** The places of one brain on one machine. */
export interface OwnerPaths {
  /** Absolute path of the brain's data folder, links resolved. */
  readonly brain: string;
  readonly lock: string;
  readonly record: string;
  /** Where a socket may go, best first; each is the path without the random end that names one owner. */
  readonly socketStems: readonly string[];
  readonly uid: number | null;
  readonly platform: NodeJS.Platform;
}

/** How the owner is reached by its own client. Source: AGENT_OPERATOR v1, transcript 6 (`lock_owner`). */
export type OwnerTransport = 'stdio' | 'http' | 'cli';

/** What may be told of an owner. */
export interface OwnerInfo {
  pid: number;
  /** When it took the lock, ISO 8601 in UTC. */
  startedAt: string;
  protocol: number;
  version: string;
  transport: OwnerTransport;
  /** True for a server, false for one command. */
  serve: boolean;
}

/** The owner record as read: who it is, and how to reach it once it listens. */
export interface OwnerRecord {
  info: OwnerInfo;
  /** Absent while the owner opens or closes the brain. */
  reach?: { socket: string; secret: string };
}

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, the closing zero included. */
export const SOCKET_PATH_BYTES_MAX = 103;
/** A record is a few hundred bytes; a longer file is none. */
const RECORD_BYTES_MAX = 16 * 1024;
/** `-` or nothing, 12 hex digits, `.sock`. */
const SOCKET_NAME_BYTES = 12 + '.sock'.length;

/**
 * The places of a brain, computed from a path whose links are resolved. A stem that leaves no room for the random end
 * is left out; on Windows sockets are named pipes, whose names are no files.
 */
export function ownerPathsAt(brain: string, machine: Machine): OwnerPaths {
  const path = machine.platform === 'win32' ? win32 : posix;
  const key = createHash('sha256').update(brain).digest('hex').slice(0, 12);
  const stems: string[] = [];
  if (machine.platform === 'win32') {
    stems.push(`\\\\.\\pipe\\gbrain-${key}-`);
  } else {
    stems.push(`${brain}.run/`);
    if (machine.runtimeDir) stems.push(`${path.join(machine.runtimeDir, 'gbrain')}/${key}-`);
    stems.push(`${path.join(machine.tempDir, `gbrain-${machine.uid}`)}/${key}-`);
    if (machine.tempDir !== '/tmp') stems.push(`/tmp/gbrain-${machine.uid}/${key}-`);
  }
  const fits = (stem: string) =>
    machine.platform === 'win32' || Buffer.byteLength(stem) + SOCKET_NAME_BYTES <= SOCKET_PATH_BYTES_MAX;
  return {
    brain,
    lock: `${brain}.owner.lock`,
    record: `${brain}.owner.json`,
    socketStems: stems.filter(fits),
    uid: machine.uid,
    platform: machine.platform,
  };
}

/**
 * Resolves links first, so that two names of one brain meet at one lock. The brain itself need not exist yet; the
 * folder above it must, else the paths are those of the name as given.
 */
export function readOwnerPaths(brainPath: string, machine: Machine): OwnerPaths {
  const given = resolve(brainPath);
  const real = realPath(given) ?? join(realPath(dirname(given)) ?? dirname(given), basename(given));
  return ownerPathsAt(real, machine);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Facts of the running system; `env` comes from the composition root. */
export function machineFacts(env: Readonly<Record<string, string | undefined>>): Machine {
  const platform = process.platform;
  const runtimeDir = env.XDG_RUNTIME_DIR;
  return {
    platform,
    uid: process.getuid?.() ?? null,
    ...(runtimeDir?.startsWith('/') ? { runtimeDir } : {}),
    tempDir: env.TMPDIR?.startsWith('/') ? env.TMPDIR.replace(/(?<=.)\/+$/, '') : '/tmp',
  };
}

/** The socket path of one owner: a stem and 12 hex digits of its own. */
export const socketPath = (stem: string, token: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? `${stem}${token}` : `${stem}${token}.sock`;

/**
 * The owner record, or null when there is none, it is not one, or it is not this user's own: a record that others may
 * write could lead the secret to a socket of theirs. Never throws for what the file holds.
 */
export function readOwnerRecord(paths: OwnerPaths): OwnerRecord | null {
  let fd: number;
  try {
    fd = openSync(paths.record, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    // Absent, unreadable or a link: nothing is known of the owner, and the lock decides whether there is one.
    return null;
  }
  try {
    const { mode, uid, size } = fstatSync(fd);
    if (size > RECORD_BYTES_MAX || !isOwn(paths.uid, uid) || (paths.uid !== null && (mode & 0o022) !== 0)) return null;
    return parseOwnerRecord(readFileSync(fd, 'utf8'));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** True for the user's own files, and for root, who may read any. */
const isOwn = (uid: number | null, owner: number): boolean => uid === null || uid === 0 || uid === owner;

/** Gives what a record says, or null when it says too little to name an owner. */
export function parseOwnerRecord(text: string): OwnerRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Record<string, unknown>;
  const { pid, started_at, protocol, version, transport, serve, socket, secret } = row;
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || !Number.isSafeInteger(protocol)) return null;
  if (!isTransport(transport)) return null;
  if (typeof version !== 'string' || typeof started_at !== 'string' || typeof serve !== 'boolean') return null;
  const info = { pid: pid as number, startedAt: started_at, protocol: protocol as number, version, transport, serve };
  if (typeof socket !== 'string' || typeof secret !== 'string') return { info };
  return { info, reach: { socket, secret } };
}

const isTransport = (value: unknown): value is OwnerTransport =>
  value === 'stdio' || value === 'http' || value === 'cli';

/** The record as it is stored. */
export function renderOwnerRecord({ info, reach }: OwnerRecord): string {
  const { pid, startedAt, protocol, version, transport, serve } = info;
  const row = { pid, started_at: startedAt, protocol, version, transport, serve, ...reach };
  return `${JSON.stringify(row, null, 2)}\n`;
}

/** True when a folder is real, this user's own and closed to everybody else. */
export function isPrivateFolder(folder: string, uid: number | null): boolean {
  if (uid === null) return true;
  try {
    const stat = lstatSync(folder);
    return stat.isDirectory() && isOwn(uid, stat.uid) && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
