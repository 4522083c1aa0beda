// npm test: installs, builds and runs every test; its last line is "N passed, N failed".
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, run } from './setup.mjs';

install();
const built = run('tools/build.ts');
if (built !== 0) process.exit(built);

const report = join(root, 'node_modules', '.test-report.json');
rmSync(report, { force: true });
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const status = run('node_modules/vitest/vitest.mjs', ['run', ...reporters, ...process.argv.slice(2)]);
const {
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  success,
} = JSON.parse(readFileSync(report, 'utf8'));
// A file that could not even load has no test in it, and is a failure all the same.
const broken = success || failed > 0 ? failed : 1;
process.stdout.write(`${passed} passed, ${broken} failed${skipped ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = status === 0 && broken === 0 ? 0 : 1;
