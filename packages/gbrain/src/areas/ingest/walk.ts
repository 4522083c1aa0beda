// The one walker of a folder of files: every path below a root, once, in a fixed order. It opens no file, follows no
// link and decides nothing but which folders to enter, which its caller says.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** What stands at a path. A folder is listed only when it was not entered. */
export type FoundKind = 'file' | 'symlink' | 'special' | 'folder' | 'unreadable_folder' | 'bad_name' | 'long_path';

/** One path below the root. */
export interface Found {
  kind: FoundKind;
  /** With `/` between its parts, as the file system spells them; bytes that are not UTF-8 are shown as `\xNN`. */
  path: string;
  /** Why a folder was not entered, or the system's code when it could not be. */
  why?: string;
}

/** Longest path below the root, in bytes: what an index entry holds. */
export const PATH_BYTES_MAX = 2000;
/** Folders that are read side by side. */
const WIDTH = 32;

/** How a walk is bounded and told of. */
export interface WalkOptions {
  signal: AbortSignal;
  /** Why a folder is left out; undefined when it is entered. */
  leaveOut(path: string, name: string): string | undefined;
  onFolder?(folders: number): void;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function nameOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // A name that is no text cannot be a page's path; it is told as it is.
    return undefined;
  }
}

/** Bytes of a name as text that shows each of them. */
export const shownName = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
    )
    .join('');

function kindOf(entry: Dirent<Buffer>): FoundKind {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

interface Level {
  found: Found[];
  folders: string[];
}

/** Reads one folder; its entries go to `into`, the folders to enter to `into.folders`. */
async function readFolder(root: string, folder: string, options: WalkOptions, into: Level): Promise<void> {
  let entries: Dirent<Buffer>[];
  try {
    entries = await readdir(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The root itself is the caller's affair; a folder that has gone meanwhile holds nothing.
    if (folder === '') throw error;
    if (code !== 'ENOENT') into.found.push({ kind: 'unreadable_folder', path: folder, why: code ?? 'unknown' });
    return;
  }
  const prefix = folder === '' ? '' : `${folder}/`;
  for (const entry of entries) {
    const name = nameOf(entry.name);
    if (name === undefined) {
      into.found.push({ kind: 'bad_name', path: `${prefix}${shownName(entry.name)}` });
      continue;
    }
    const path = `${prefix}${name}`;
    const kind = kindOf(entry);
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) into.found.push({ kind: 'long_path', path });
    else if (kind !== 'folder') into.found.push({ kind, path });
    else {
      const why = options.leaveOut(path, name);
      if (why === undefined) into.folders.push(path);
      else into.found.push({ kind, path, why });
    }
  }
}

/**
 * Every path below a root: files, links and what else there is, and folders that were not entered. In the order of
 * their text, so that two walks of one tree agree. Rejects with the system's error when the root cannot be read.
 */
export async function walkFolder(root: string, options: WalkOptions): Promise<Found[]> {
  const level: Level = { found: [], folders: [''] };
  let folders = 0;
  while (level.folders.length > 0) {
    options.signal.throwIfAborted();
    const now = level.folders.splice(0, WIDTH);
    await Promise.all(now.map((folder) => readFolder(root, folder, options, level)));
    folders += now.length;
    options.onFolder?.(folders);
  }
  return level.found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
