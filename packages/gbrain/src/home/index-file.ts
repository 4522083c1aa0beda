// The file in which an index is kept between runs: beside the data folder of an embedded brain, in the home otherwise.
// It is a cache: a file that cannot be read or written costs a rebuild and nothing else.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SnapshotFile } from '../areas/search/snapshot-file.ts';

/** The snapshot file at a path. */
export const indexFileAt = (path: string): SnapshotFile => ({
  read: () => readFile(path).catch(() => undefined),
  write: async (parts) => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, parts, { mode: 0o600 });
      await rename(temporary, path);
    } catch {
      // A full or read-only disk: the next run builds the index from the rows.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  },
});
