// Plain JavaScript for Node 20: installs what the lock file names and finds the project's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of the project's own Node, else of the Node that runs this; throws when neither is new enough. */
export function findNode() {
  const suffix = process.platform === 'win32' ? 'win-x64/bin/node.exe' : `${process.platform}-${process.arch}/bin/node`;
  const own = join(root, 'node_modules', `node-${suffix}`);
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  throw new Error(`Node ${process.versions.node} is too old and ${own} is not installed: use Node 22.19 or newer`);
}

/** Installs the packages of the lock file, once per content of that file. */
export function install() {
  const stamp = join(root, 'node_modules', '.installed');
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  process.stderr.write('Installing packages (once)\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error('npm ci failed; its own message stands above');
  writeFileSync(stamp, hash);
}

/** Runs a script under the project's Node with this terminal; gives its exit status. */
export function run(script, args = [], options = {}) {
  const done = spawnSync(findNode(), [script, ...args], { cwd: root, stdio: 'inherit', ...options });
  if (done.error) throw done.error;
  return done.status ?? 1;
}
