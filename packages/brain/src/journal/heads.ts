// The heads file: the commit counter and each session's chain head, written beside the database and never synced.
// It may lag behind the database; when it is ahead, acknowledged records are gone. It knows no SQL.
import { hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const SLOT = 64;
const MAGIC = 'BRHEADS2';

/** One session's head as the file has it. */
export interface Head {
  sequence: number;
  chain: Uint8Array;
}

/** What the file said at one moment. */
export interface HeadsView {
  /** Commit counter; undefined for a new or torn header. */
  counter: number | undefined;
  /** The head of the session with that number in the database; undefined when the slot is empty or torn. */
  findHead(no: number): Head | undefined;
}

/** The file, open for writing. Session numbers are never used again, and neither are their slots. */
export interface HeadsWriter {
  writeHead(no: number, head: Head): void;
  clearHead(no: number): void;
  /** Written after the heads of the same commit. */
  writeCounter(counter: number): void;
  close(): void;
}

/** Reads the whole file at once; an absent file says nothing. */
export function readHeads(path: string): HeadsView {
  let bytes: Buffer = Buffer.alloc(0);
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const find = (position: number): Buffer | undefined => {
    if (bytes.length < position + SLOT) return undefined;
    const slot = bytes.subarray(position, position + SLOT);
    return check(slot.subarray(0, SLOT - 16), position).equals(slot.subarray(SLOT - 16)) ? slot : undefined;
  };
  const header = find(0);
  return {
    counter: header?.toString('latin1', 0, 8) === MAGIC ? Number(header.readBigUInt64LE(8)) : undefined,
    findHead(no) {
      const slot = find(no * SLOT);
      const sequence = slot ? Number(slot.readBigUInt64LE(0)) : 0;
      return slot && sequence > 0 ? { sequence, chain: new Uint8Array(slot.subarray(8, 40)) } : undefined;
    },
  };
}

/** Opens the file for writing and makes it when it is absent. */
export function openHeads(path: string): HeadsWriter {
  closeSync(openSync(path, 'a', 0o600));
  const fd = openSync(path, 'r+');
  const write = (position: number, fill: (slot: Buffer) => void) => {
    const slot = Buffer.alloc(SLOT);
    fill(slot);
    check(slot.subarray(0, SLOT - 16), position).copy(slot, SLOT - 16);
    writeSync(fd, slot, 0, SLOT, position);
  };
  return {
    writeHead(no, head) {
      write(no * SLOT, (slot) => {
        slot.writeBigUInt64LE(BigInt(head.sequence), 0);
        slot.set(head.chain, 8);
      });
    },
    clearHead: (no) => write(no * SLOT, () => {}),
    writeCounter(counter) {
      write(0, (slot) => {
        slot.write(MAGIC, 0, 'latin1');
        slot.writeBigUInt64LE(BigInt(counter), 8);
      });
    },
    close: () => closeSync(fd),
  };
}

/** 16 bytes that tell a whole slot at its place from a torn or moved one. */
function check(body: Buffer, position: number): Buffer {
  return hash('sha256', Buffer.concat([body, Buffer.from(String(position))]), 'buffer').subarray(0, 16);
}
