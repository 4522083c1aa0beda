// npm run check: types, lint and the fast tests, in the time that one waits for.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name: string): string => join(root, 'node_modules/.bin', name);

const STEPS: [name: string, command: string, args: string[]][] = [
  ['types', process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json']],
  ['lint', bin('biome'), ['check', '--error-on-warnings']],
  [
    'tests',
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'tools', 'packages/wire', 'packages/gbrain/src/pipeline'],
  ],
];

for (const [name, command, args] of STEPS) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`check: ${name} failed\n`);
    process.exit(1);
  }
}
