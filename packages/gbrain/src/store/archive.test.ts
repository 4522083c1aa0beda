// A folder survives packing, and no altered archive is unpacked.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packFolder, unpackEntries, writeEntries } from './archive.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gbrain-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sample(): string {
  const from = join(folder, 'from');
  mkdirSync(join(from, 'a/b'), { recursive: true });
  mkdirSync(join(from, 'empty'));
  for (const [path, size] of Object.entries({ zero: 0, 'a/one': 1, 'a/b/block': 512, 'a/b/more': 1_300 })) {
    writeFileSync(join(from, path), Buffer.alloc(size, path));
  }
  return from;
}

test('a folder comes back equal, and packs to equal bytes', () => {
  const from = sample();
  const archive = packFolder(from);
  const to = join(folder, 'to');
  mkdirSync(to);
  writeEntries(to, unpackEntries(archive));
  const list = (root: string) => readdirSync(root, { recursive: true }).sort();
  expect(list(to)).toEqual(list(from));
  expect(readFileSync(join(to, 'a/b/more'))).toEqual(readFileSync(join(from, 'a/b/more')));
  expect(packFolder(to)).toEqual(archive);
});

test('a path beyond 100 bytes is refused when packing', () => {
  const from = join(folder, 'long');
  mkdirSync(join(from, 'x'.repeat(60)), { recursive: true });
  writeFileSync(join(from, 'x'.repeat(60), 'y'.repeat(60)), '');
  expect(() => packFolder(from)).toThrow('path too long');
});

test('what is already there is never overwritten', () => {
  const entries = unpackEntries(packFolder(sample()));
  const to = join(folder, 'to');
  mkdirSync(to);
  writeEntries(to, entries);
  expect(() => writeEntries(to, entries)).toThrow('EEXIST');
});

test.each<[string, (tar: Buffer) => Buffer]>([
  ['cut inside a file', (tar) => tar.subarray(0, 1_100)],
  ['cut before its end mark', (tar) => tar.subarray(0, tar.length - 1_024)],
  ['with an altered header', (tar) => Buffer.concat([Buffer.from('b'), tar.subarray(1)])],
])('an archive %s is refused', (_, alter) => {
  const tar = zstdDecompressSync(packFolder(sample()));
  expect(() => unpackEntries(zstdCompressSync(alter(tar)))).toThrow(RangeError);
});

test('a path that leads out of the folder is refused', () => {
  const tar = zstdDecompressSync(packFolder(sample()));
  const at = tar.indexOf('a/one');
  tar.write('../ne', at);
  // The header's checksum is made right again, so that only the path is wrong.
  const start = at - (at % 512);
  let sum = 0;
  for (let i = 0; i < 512; i += 1) sum += i >= 148 && i < 156 ? 32 : (tar[start + i] as number);
  tar.write(sum.toString(8).padStart(6, '0'), start + 148);
  expect(() => unpackEntries(zstdCompressSync(tar))).toThrow('leads out');
});
