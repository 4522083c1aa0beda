// What the command line does when its output has nowhere to go: words and a status, never a stack.

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.skipIf(!existsSync('/dev/full'))('output that cannot be written', () => {
  let home: GbrainHome;
  beforeAll(() => {
    home = new GbrainHome();
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
  });

  function toFull(args: readonly string[], stream: 'stdout' | 'stderr') {
    const full = openSync('/dev/full', 'w');
    try {
      const stdio: ('ignore' | 'pipe' | number)[] =
        stream === 'stdout' ? ['ignore', full, 'pipe'] : ['ignore', 'pipe', full];
      return spawnSync(home.launcher, [...args], { env: home.env, stdio, encoding: 'utf8' });
    } finally {
      closeSync(full);
    }
  }

  it.each([[['version']], [['version', '--json']], [['help']]])('%s is told on stderr', (args) => {
    const { status, stderr } = toFull(args, 'stdout');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Error \[storage_error\]: Writing the output failed on the disk that it goes to \(disk_full/,
    );
    expect(stderr).not.toMatch(/node:|at \w+ \(/);
  });

  it('leaves what stdout holds when only stderr is refused', () => {
    const { status, stdout } = toFull(['version', '--json'], 'stderr');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('version');
  });
});
