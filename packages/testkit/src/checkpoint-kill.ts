// Kills a server, or its workers, while the journal's log is being folded into the database: stopped first, then looked
// at, so that it dies inside for certain. Linux only: it reads the states of threads in /proc.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { dataPaths } from '@gbrain/brain/journal/data-dir';
import type { BrainProcess } from './brain-process.ts';

/** Where SQLite's shared memory says how many pages of the log are folded, and how many are being folded. */
const FOLDED_AT = 96;
const FOLDING_AT = 128;

/** Waits until a fold goes on and kills in its middle. The server must be armed to stay in `during_checkpoint`. */
export async function killInCheckpoint(brain: BrainProcess, kill: 'server' | 'worker' | 'both'): Promise<void> {
  const paths = dataPaths(brain.dataDir);
  const memory = openSync(`${paths.journal}-shm`, 'r');
  try {
    while (!(await stopInside(brain.pid, memory))) await new Promise((resolve) => setImmediate(resolve));
    const workers = JSON.parse(readFileSync(paths.workers, 'utf8')) as { pid: number }[];
    if (kill !== 'server') for (const { pid } of workers) process.kill(-pid, 'SIGKILL');
    process.kill(brain.pid, kill === 'worker' ? 'SIGCONT' : 'SIGKILL');
  } finally {
    closeSync(memory);
  }
}

/** Stops the process inside a fold; false, and it goes on, when it had left the fold before it stood. */
async function stopInside(pid: number, memory: number): Promise<boolean> {
  if (!isFolding(memory)) return false;
  process.kill(pid, 'SIGSTOP');
  while (!isStopped(pid)) await new Promise((resolve) => setImmediate(resolve));
  if (isFolding(memory)) return true;
  process.kill(pid, 'SIGCONT');
  return false;
}

function isFolding(memory: number): boolean {
  const bytes = Buffer.alloc(FOLDING_AT + 4);
  readSync(memory, bytes, 0, bytes.length, 0);
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return (numbers[FOLDING_AT / 4] ?? 0) > (numbers[FOLDED_AT / 4] ?? 0);
}

/** True when none of its threads runs any more. */
function isStopped(pid: number): boolean {
  const states = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The name before it may hold anything, brackets too.
    return text.charAt(text.lastIndexOf(')') + 2);
  });
  return states.every((state) => state === 'T');
}
