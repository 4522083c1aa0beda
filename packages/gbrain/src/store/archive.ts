// A folder as one compressed file and back: ustar inside zstd, read with every length checked.
// It must not know what the files mean.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants as zlib, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const blockBytes = 512;

/** A file or folder of an archive. `path` is relative, with `/`; `bytes` is absent for a folder. */
export interface ArchiveEntry {
  path: string;
  bytes?: Uint8Array;
}

/** Packs a folder, in the order of its names, so that equal folders give equal bytes. Paths are at most 100 bytes. */
export function packFolder(folder: string): Uint8Array {
  const parts: Uint8Array[] = [];
  const walk = (path: string) => {
    const entries = readdirSync(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        parts.push(header(child, undefined));
        walk(child);
      } else {
        const bytes = readFileSync(join(folder, child));
        parts.push(header(child, bytes.length), bytes, new Uint8Array(-bytes.length & (blockBytes - 1)));
      }
    }
  };
  walk('');
  parts.push(new Uint8Array(2 * blockBytes));
  return zstdCompressSync(Buffer.concat(parts), { params: { [zlib.ZSTD_c_compressionLevel]: 12 } });
}

function header(path: string, sizeBytes: number | undefined): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  if (block.write(path, 0, 'utf8') > 100 || Buffer.byteLength(path) > 100)
    throw new RangeError(`path too long: ${path}`);
  const folder = sizeBytes === undefined;
  block.write(folder ? '0000700\0' : '0000600\0', 100);
  block.write('0000000\0'.repeat(2), 108);
  block.write(`${(sizeBytes ?? 0).toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(folder ? '5' : '0', 156);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function checksum(block: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < blockBytes; i += 1) sum += i >= 148 && i < 156 ? 32 : (block[i] as number);
  return sum;
}

/** Reads a packed folder's entries, parents first. Throws RangeError when the archive is cut or altered. */
export function unpackEntries(archive: Uint8Array): ArchiveEntry[] {
  const bytes = zstdDecompressSync(archive);
  const entries: ArchiveEntry[] = [];
  let at = 0;
  for (;;) {
    const block = bytes.subarray(at, at + blockBytes);
    if (block.length < blockBytes) throw new RangeError('the archive ends early');
    at += blockBytes;
    if (block[0] === 0) return entries;
    if (Number.parseInt(block.toString('latin1', 148, 154), 8) !== checksum(block))
      throw new RangeError('a header is altered');
    const path = block.toString('utf8', 0, Math.min(100, block.indexOf(0)));
    if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw new RangeError('a path leads out');
    if (block[156] === 0x35) {
      entries.push({ path });
      continue;
    }
    const sizeBytes = Number.parseInt(block.toString('latin1', 124, 135), 8);
    if (at + sizeBytes > bytes.length) throw new RangeError('the archive ends early');
    entries.push({ path, bytes: bytes.subarray(at, at + sizeBytes) });
    at += Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}

/** Writes entries below an existing folder, private to this user; nothing is synced. */
export function writeEntries(folder: string, entries: readonly ArchiveEntry[]): void {
  for (const { path, bytes } of entries) {
    if (bytes) writeFileSync(join(folder, path), bytes, { mode: 0o600, flag: 'wx' });
    else mkdirSync(join(folder, path), { mode: 0o700 });
  }
}
