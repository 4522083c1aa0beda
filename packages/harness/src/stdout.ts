// Keeps stdout for the protocol: what anything else writes there goes to stderr. Knows nothing of the protocol itself.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { reserveFromChildren } from './child-stdio.ts';

/** The stream's own write, and what puts everything back. */
export interface ReservedStdout {
  write(chunk: Uint8Array): void;
  release(): void;
}

const STDOUT_FD = 1;
const STDERR_FD = 2;

/** Functions of `node:fs` that take a descriptor first; some loggers write to descriptor 1 with them. */
const FD_WRITERS = ['write', 'writeSync', 'writev', 'writevSync'] as const;

/**
 * Reserves stdout. `console`, `process.stdout.write`, `node:fs` writes to descriptor 1 and child processes that inherit
 * it reach stderr from then on. Native code and `node:fs` in a worker thread are beyond reach: what they print ends the
 * worker, and Brain's log says so.
 */
export function reserveStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): ReservedStdout {
  const own = stdout.write;
  const restore: (() => void)[] = [reserveFromChildren()];
  stdout.write = ((...args: Parameters<typeof own>) => stderr.write(...args)) as typeof own;
  restore.push(() => {
    stdout.write = own;
  });
  const table = fs as unknown as Record<string, (fd: number, ...rest: unknown[]) => unknown>;
  for (const name of FD_WRITERS) {
    const original = table[name];
    if (!original) continue;
    table[name] = (fd, ...rest) => original(fd === STDOUT_FD ? STDERR_FD : fd, ...rest);
    restore.push(() => {
      table[name] = original;
    });
  }
  syncBuiltinESMExports();
  return {
    write: (chunk) => void own.call(stdout, chunk),
    release() {
      for (const undo of restore) undo();
      syncBuiltinESMExports();
    },
  };
}
