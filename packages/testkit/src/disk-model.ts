// What a disk may hold after the power went: a log of file operations, cut somewhere, with unsynced parts lost or torn.
// Pure but for writing the result; it must not know databases.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An operation on a file below a root folder, in the order in which it happened. */
export type DiskOperation =
  | { kind: 'create' | 'mkdir' | 'unlink' | 'rmdir' | 'sync'; path: string }
  | { kind: 'write'; path: string; position: number; bytes: Uint8Array }
  | { kind: 'truncate'; path: string; sizeBytes: number }
  | { kind: 'rename'; path: string; to: string };

/** A source of numbers in [0, 1); seeded, so that a failure can be run again. */
export type Random = () => number;

/** Mulberry32: a small seeded generator. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a disk writes whole or not at all. */
const sectorBytes = 512;

type Change = { position: number; bytes: Uint8Array } | { sizeBytes: number };

/** A file's content on the disk, and what was written since its last sync. */
interface Inode {
  durable: Buffer;
  pending: Change[];
  /** A synced file keeps its name even when its folder was not synced (every journaling file system). */
  nameIsDurable: boolean;
}

type NameChange = { path: string; inode: Inode | undefined };

/**
 * The disk after `operations`, when the power goes at their end. Synced content is there; of the rest each sector may
 * be there or not, in any order, and of a folder's unsynced names the first few may be.
 */
export class DiskModel {
  readonly #base: string;
  readonly #live = new Map<string, Inode>();
  readonly #durable = new Map<string, Inode>();
  readonly #touched = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #names = new Map<string, NameChange[]>();

  constructor(base: string) {
    this.#base = base;
  }

  apply(operation: DiskOperation): void {
    switch (operation.kind) {
      case 'create':
        if (!this.#find(operation.path))
          this.#rename(operation.path, { durable: Buffer.alloc(0), pending: [], nameIsDurable: false });
        break;
      case 'write':
        this.#find(operation.path)?.pending.push({ position: operation.position, bytes: operation.bytes });
        break;
      case 'truncate':
        this.#find(operation.path)?.pending.push({ sizeBytes: operation.sizeBytes });
        break;
      case 'unlink':
        this.#rename(operation.path, undefined);
        break;
      case 'rename': {
        const inode = this.#find(operation.path);
        this.#rename(operation.path, undefined);
        this.#rename(operation.to, inode);
        break;
      }
      case 'sync':
        this.#sync(operation.path);
        break;
      case 'mkdir':
        this.#folders.add(operation.path);
        break;
    }
  }

  /** Writes one of the possible disks into an absent folder, chosen by `random`. */
  writeTo(folder: string, random: Random): void {
    cpSync(this.#base, folder, { recursive: true });
    for (const path of this.#folders) mkdirSync(join(folder, path), { recursive: true });
    for (const changes of this.#names.values()) {
      const kept = Math.floor(random() * (changes.length + 1));
      for (const { path, inode } of changes.slice(0, kept)) this.#settle(path, inode);
    }
    for (const path of this.#touched) {
      const inode = this.#durable.get(path);
      rmSync(join(folder, path), { force: true });
      if (inode) writeFileSync(join(folder, path), crash(inode, random));
    }
  }

  #find(path: string): Inode | undefined {
    if (this.#touched.has(path)) return this.#live.get(path);
    try {
      const inode: Inode = { durable: readFileSync(join(this.#base, path)), pending: [], nameIsDurable: true };
      this.#touched.add(path);
      this.#live.set(path, inode);
      this.#durable.set(path, inode);
      return inode;
    } catch {
      // Not in the base: the file does not exist yet, or it is a folder.
      return undefined;
    }
  }

  #rename(path: string, inode: Inode | undefined): void {
    this.#find(path);
    this.#touched.add(path);
    if (inode) this.#live.set(path, inode);
    else this.#live.delete(path);
    const folder = dirname(path);
    this.#names.set(folder, [...(this.#names.get(folder) ?? []), { path, inode }]);
  }

  #sync(path: string): void {
    const inode = this.#touched.has(path) ? this.#live.get(path) : this.#find(path);
    if (!inode) {
      const folder = path === '' ? '.' : path;
      for (const change of this.#names.get(folder) ?? []) this.#settle(change.path, change.inode);
      this.#names.delete(folder);
      return;
    }
    inode.durable = inode.pending.reduce(applyChange, inode.durable);
    inode.pending = [];
    if (!inode.nameIsDurable) {
      inode.nameIsDurable = true;
      const folder = dirname(path);
      const changes = this.#names.get(folder) ?? [];
      if (changes.some((change) => change.path === path && change.inode === inode)) this.#settle(path, inode);
    }
  }

  #settle(path: string, inode: Inode | undefined): void {
    if (inode) this.#durable.set(path, inode);
    else this.#durable.delete(path);
  }
}

function applyChange(content: Buffer, change: Change): Buffer {
  const size = 'bytes' in change ? Math.max(content.length, change.position + change.bytes.length) : change.sizeBytes;
  const next = size === content.length ? content : Buffer.concat([content.subarray(0, size)], size);
  if ('bytes' in change) next.set(change.bytes, change.position);
  return next;
}

/** One of the contents that an inode may have after a crash. */
function crash(inode: Inode, random: Random): Buffer {
  const chance = [0, 1, 0.5, 0.1, 0.9][Math.floor(random() * 5)] as number;
  let content: Buffer = Buffer.from(inode.durable);
  for (const change of inode.pending) {
    if ('sizeBytes' in change) {
      if (random() < chance) content = applyChange(content, change);
      continue;
    }
    for (let at = 0; at < change.bytes.length; ) {
      const end = Math.min(change.bytes.length, at + sectorBytes - ((change.position + at) % sectorBytes));
      const part = { position: change.position + at, bytes: change.bytes.subarray(at, end) };
      if (random() < chance) content = applyChange(content, part);
      at = end;
    }
  }
  return content;
}
