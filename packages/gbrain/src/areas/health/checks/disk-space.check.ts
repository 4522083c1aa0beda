// disk_space: the disk of the home has room for what is written next.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineCheck } from '../../../check.ts';

const MIB = 1024 * 1024;
/** A full log segment and a checkpoint need about this much; below it writes fail. */
const FAIL_BYTES = 200 * MIB;
const WARN_BYTES = 1024 * MIB;

/** The nearest folder above a path that exists; the home may not have been made yet. */
async function freeBytes(path: string): Promise<{ path: string; bytes: number }> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return { path: at, bytes: bavail * bsize };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) throw error;
    }
  }
}

/** What so much room means. */
export const decideRoom = (bytes: number): 'ok' | 'warn' | 'fail' =>
  bytes < FAIL_BYTES ? 'fail' : bytes < WARN_BYTES ? 'warn' : 'ok';

export default defineCheck({
  name: 'disk_space',
  category: 'ops',
  summary: 'The disk of the home has room for what is written next.',
  requirement: 'facts/user-faults P10',
  needsBrain: false,
  run: async ({ host }) => {
    const { path, bytes } = await freeBytes(host.home.root);
    const status = decideRoom(bytes);
    const message = `${Math.floor(bytes / MIB).toLocaleString('en')} MiB free`;
    const details = { path, free_bytes: bytes };
    if (status === 'ok') return { status, message, details };
    return {
      status,
      message: `only ${message} at ${path}`,
      details,
      fix: {
        argv: ['df', '-h', path],
        actor: 'user',
        why: 'Nothing that was acknowledged is lost on a full disk, but nothing more can be written.',
        userMessage: `The disk that holds gbrain's data has ${message}. Please free some space.`,
      },
    };
  },
});
