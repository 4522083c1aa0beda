// Puts files down whole: written aside, synced, then linked or renamed into place, so that no reader and no crash sees
// half of one. It knows bytes and paths, and decides nothing.
import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashOf } from '../ingest/read-file.ts';

/** What stands at a path. */
export type Standing = { kind: 'nothing' } | { kind: 'file'; hash: string; sizeBytes: number } | { kind: 'other' };

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** Looks at a path without following a link. Rejects with the system's error when it cannot be read. */
export async function lookAt(path: string): Promise<Standing> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) return { kind: 'other' };
    const bytes = await readFile(path);
    return { kind: 'file', hash: hashOf(bytes), sizeBytes: bytes.length };
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'nothing' };
    throw error;
  }
}

/** A folder that is in the way of a path: it is a file or a link. */
export class BlockedPath extends Error {}

/** Folders below one root that are known to be real folders. */
export class Folders {
  readonly #root: string;
  readonly #known = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes the folders of a path. Rejects with BlockedPath where one of them is a link or a file. */
  make(path: string): Promise<void> {
    const folder = dirname(path);
    const known = this.#known.get(folder);
    if (known) return known;
    const made = this.#makeOne(folder);
    this.#known.set(folder, made);
    made.catch(() => this.#known.delete(folder));
    return made;
  }

  async #makeOne(folder: string): Promise<void> {
    if (folder === '.') return;
    await this.make(folder);
    const full = join(this.#root, folder);
    try {
      await mkdir(full);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await lstat(full)).isDirectory()) throw new BlockedPath(folder);
    }
  }
}

/** Names that no file of ours gets; a crash may leave one, and the next run takes it away. */
export const asideName = (): string => `.gbrain-${randomBytes(6).toString('hex')}.tmp`;

/** True for what `asideName` gives. */
export const isAside = (name: string): boolean => /^\.gbrain-[0-9a-f]{12}\.tmp$/.test(name);

async function writeAside(folder: string, bytes: Uint8Array, isDurable: boolean): Promise<string> {
  const path = join(folder, asideName());
  const handle = await open(path, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    if (isDurable) await handle.datasync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  return path;
}

/** Systems without hard links say one of these. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** A file to put down. */
export interface WriteAsk {
  path: string;
  bytes: Uint8Array;
  /** Folder on the same file system for what is not in place yet. */
  aside: string;
  /** False: only where nothing stands. */
  replace: boolean;
  /** Whether the bytes must be on the disk before the name is. */
  isDurable: boolean;
}

/** Puts a file down; false when something stands there and it may not be replaced. */
export async function putFile({ path, bytes, aside, replace, isDurable }: WriteAsk): Promise<boolean> {
  const written = await writeAside(aside, bytes, isDurable);
  try {
    if (replace) {
      await rename(written, path);
      return true;
    }
    try {
      await link(written, path);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      if (!NO_LINKS.has(codeOf(error))) throw error;
      if ((await lookAt(path)).kind !== 'nothing') return false;
      await rename(written, path);
    }
    return true;
  } finally {
    await rm(written, { force: true }).catch(() => undefined);
  }
}

/** Makes sure that the names in a folder are on the disk, where the system can say so. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    // Some systems open no folders; their file systems keep names in a journal of their own.
    if (!['EPERM', 'EISDIR', 'EINVAL', 'EACCES', 'EBADF'].includes(codeOf(error))) throw error;
  }
}
