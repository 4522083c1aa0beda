// Work as a user whom the file system refuses things: root may read and write anything, and tests often run as root.
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const NOBODY = 65_534;

function give(path: string, owner: number): void {
  chownSync(path, owner, owner);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const full = join(path, entry.name);
    if (entry.isDirectory()) give(full, owner);
    else if (entry.isFile()) chownSync(full, owner, owner);
  }
}

/**
 * Runs `work` with this process's rights taken away where it is root's; `folders` are given to the ordinary user for
 * that time. Elsewhere it just runs it. Nothing else of the process may need root meanwhile.
 */
export async function asOrdinaryUser<T>(folders: readonly string[], work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  for (const folder of folders) give(folder, NOBODY);
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    for (const folder of folders) give(folder, 0);
  }
}
