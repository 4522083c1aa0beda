// The typed fault of this room and the one place where a system error becomes one; knows no error codes of the wire.

/**
 * Closed set of reasons why a brain's lock, record or socket cannot be used here.
 *
 * - `network_file_system`: the folder is on a file system whose locks do not hold between machines.
 * - `read_only`, `no_permission`, `disk_full`, `missing_folder`: what the system said of the folder.
 * - `foreign_file`: something that is not a file stands where the lock or record goes.
 * - `no_socket_folder`: no folder was found that is private to the user and short enough for a socket.
 * - `other`: anything else; the system's own error is in `cause`.
 */
export type OwnerFaultKind =
  | 'network_file_system'
  | 'read_only'
  | 'no_permission'
  | 'disk_full'
  | 'missing_folder'
  | 'foreign_file'
  | 'no_socket_folder'
  | 'other';

/** Thrown when a brain cannot be owned or announced at this place; never when another process has it open. */
export class OwnerFault extends Error {
  readonly fault: OwnerFaultKind;
  /** The file or folder that the fault is about. */
  readonly path: string;
  constructor(fault: OwnerFaultKind, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OwnerFault';
    this.fault = fault;
    this.path = path;
  }
}

const KINDS: Readonly<Record<string, OwnerFaultKind>> = {
  EROFS: 'read_only',
  EACCES: 'no_permission',
  EPERM: 'no_permission',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  ENOENT: 'missing_folder',
  ENOTDIR: 'missing_folder',
  EISDIR: 'foreign_file',
};

const WORDS: Readonly<Record<OwnerFaultKind, string>> = {
  network_file_system: 'is on a network file system',
  read_only: 'is on a read-only file system',
  no_permission: 'may not be written by this user',
  disk_full: 'cannot grow: the disk or the quota is full',
  missing_folder: 'has no folder to stand in',
  foreign_file: 'is not a file',
  no_socket_folder: 'has no private folder for its socket',
  other: 'cannot be used',
};

/** The `code` of a system error (`ENOENT`, ...), or undefined for any other value. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Converts a system error about `path`; an OwnerFault passes through. */
export function toOwnerFault(error: unknown, path: string): OwnerFault {
  if (error instanceof OwnerFault) return error;
  const kind = KINDS[errnoOf(error) ?? ''] ?? 'other';
  const detail = kind === 'other' && error instanceof Error ? ` (${error.message})` : '';
  return new OwnerFault(kind, path, `${path} ${WORDS[kind]}${detail}`, error);
}
