// The built gbrain binary for tests: built again when it is older than its sources, once for all test processes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireLock } from 'gbrain/owner/lock';

/** Root folder of the checkout. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Path of a file of the checkout. */
export const checkoutPath = (...parts: string[]): string => join(root, ...parts);

/** Folder of the launcher, for the front of a PATH. */
export const launcherFolder = join(root, 'packages/gbrain/bin');

/** Absolute path of the launcher. */
export const launcher = join(launcherFolder, 'gbrain');

const SOURCES = ['packages/gbrain/src', 'packages/wire/src'];
const BUNDLE = join(root, 'packages/gbrain/dist/gbrain.js');
const POLL_MS = 100;

function newestSourceMs(): number {
  const times = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|sql)$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  return Math.max(...times);
}

function isStale(): boolean {
  const built = statSync(BUNDLE, { throwIfNoEntry: false });
  return !built || built.mtimeMs < newestSourceMs();
}

function waitForLock(path: string) {
  for (;;) {
    const lock = acquireLock(path);
    if (lock.held) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

let isChecked = false;

/** Builds the binary if it is stale; the first caller builds, others wait. Gives the launcher's path. */
export function builtGbrain(): string {
  if (isChecked) return launcher;
  if (isStale()) {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    const lock = waitForLock(join(root, 'node_modules/.gbrain-build.lock'));
    try {
      if (isStale()) build();
    } finally {
      lock.release();
    }
  }
  isChecked = true;
  return launcher;
}

function build(): void {
  const done = spawnSync(process.execPath, [join(root, 'tools/build.ts')], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`the build failed:\n${done.stdout}${done.stderr}`);
}
