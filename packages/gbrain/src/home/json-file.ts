// Small JSON files of the home: read whole, written through a temporary file, synced and renamed.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { raise } from '../failure.ts';
import { passPoint } from '../fault-points.ts';

/** Content of a JSON file; undefined when there is none. Raises `config_error` when it is not readable JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    raise('config_error', { path, reason: 'unreadable' }, error);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    raise('config_error', { path, reason: 'not_json' }, error);
  }
}

/** What tells one state of a file from the next: every change of ours brings a new file, one by hand a new time. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : 'none';
  } catch {
    // What hinders the look hinders the reading too, and that says it in our words.
    return '';
  }
}

/**
 * A JSON file as `read` makes something of its content, read anew only when the file has changed: for what every call
 * looks up. A read that fails is not kept.
 */
export function keptJson<T>(path: string, read: (content: unknown) => T): () => Promise<T> {
  let kept: { stamp: string; value: T } | undefined;
  return async () => {
    const stamp = stampOf(path);
    if (stamp !== '' && kept?.stamp === stamp) return kept.value;
    const value = read(await readJsonFile(path));
    kept = { stamp, value };
    return value;
  };
}

/** Replaces a JSON file; a reader sees the old or the new content, never half. Mode 0600, folder 0700. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await passPoint('config_written');
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const reason = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'disk_full' : 'read_only';
    raise('storage_error', { operation: `writing ${path}`, reason }, error);
  }
}
