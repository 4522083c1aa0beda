// Keeps stdin and stdout from child processes that would inherit them: their output goes to stderr, they read nothing.
// It changes `node:child_process` for the whole process, and knows nothing of the protocol.
import childProcess, { type ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const STDIN_FD = 0;
const STDOUT_FD = 1;
const STDERR_FD = 2;

/** Functions that wait for their child, with the place of the options among their arguments. */
const SYNC_STARTERS = ['spawnSync', 'execFileSync', 'execSync'] as const;

type Starter = (...args: unknown[]) => unknown;

/**
 * Covers every way of `node:child_process`: `spawn`, `exec`, `execFile`, `fork` and those that wait. Gives what puts
 * everything back. A worker thread has a `node:child_process` of its own, which is not covered.
 */
export function reserveFromChildren(): () => void {
  const table = childProcess as unknown as Record<string, Starter>;
  const restore: (() => void)[] = [];
  // What `spawn` and all that is built on it end in.
  const { prototype } = childProcess.ChildProcess as unknown as { prototype: ChildProcess & { spawn: Starter } };
  const own = prototype.spawn;
  prototype.spawn = function spawn(options, ...rest) {
    return own.call(this, withSafeStdio(options), ...rest);
  };
  restore.push(() => {
    prototype.spawn = own;
  });
  for (const name of SYNC_STARTERS) {
    const original = table[name];
    if (!original) continue;
    table[name] = (...args) => original(...args.map(withSafeStdio));
    restore.push(() => {
      table[name] = original;
    });
  }
  syncBuiltinESMExports();
  return () => {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  };
}

/** Options of a child, with what it would inherit of the protocol's streams replaced; anything else as it is. */
function withSafeStdio(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || !('stdio' in options)) return options;
  const { stdio } = options;
  if (stdio === 'inherit') return { ...options, stdio: ['ignore', STDERR_FD, STDERR_FD] };
  return Array.isArray(stdio) ? { ...options, stdio: stdio.map(toSafe) } : options;
}

function toSafe(entry: unknown, index: number): unknown {
  const fd = entry === 'inherit' ? index : toDescriptor(entry);
  if (fd === STDIN_FD) return 'ignore';
  return fd === STDOUT_FD ? STDERR_FD : entry;
}

/** The descriptor of an entry that is one, or a stream over one. */
function toDescriptor(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'fd' in entry ? entry.fd : entry;
}
