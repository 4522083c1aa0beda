// Places that say no: a disk without room, a home that cannot be written, an output that nobody reads. Each command
// ends in a registered code and in no stack, and what was acknowledged before is there after.
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome, type RunResult, runProgram } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { errors } from 'gbrain/generated/errors';
import { describe, expect, test } from 'vitest';

const known = new Set(errors.flatMap(({ value }) => Object.keys(value)));
const RAW = /\bat .+:\d+:\d+|node_modules|SQLSTATE|PANIC|PGlite|wasm|StoreError|TypeError|errno/;
/** Nobody, in the numbers of every Linux. */
const USER = 65_534;

/** Code and reason of a command that ended in words. */
function told(done: RunResult): [code: string, reason?: string] {
  expect(done.stdout + done.stderr).not.toMatch(RAW);
  expect(done.exit).not.toBe(0);
  const { code, reason } = JSON.parse(done.stdout) as { code: string; reason?: string };
  expect(known).toContain(code);
  return reason === undefined ? [code] : [code, reason];
}

/** A command whose files may not grow beyond this many blocks of 512 bytes, as on a disk that is full. */
const limited = (home: GbrainHome, blocks: number, args: string[], stdin?: string) =>
  runProgram(['/bin/sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`, home.launcher, ...args, '--json'], {
    env: home.env,
    ...(stdin !== undefined && { stdin }),
  });

describe('a disk without room', () => {
  test('a write is refused and nothing before it is lost; with room again it is made', async () => {
    await using home = await GbrainHome.withBrain();
    await home.json(['put', 'notes/kept'], { stdin: '# Kept\n' });
    const text = `# Big\n\n${'a line of its own that is long enough\n'.repeat(60_000)}`;
    const args = ['put', 'notes/big', '--request-id', 'big'];
    const [code, reason] = told(await limited(home, 1_000, args, text));
    expect(['storage_error', 'database_error', 'brain_unopenable', 'write_outcome_unknown']).toContain(code);
    if (code === 'storage_error') expect(reason).toBe('disk_full');
    expect(await home.json(['get', 'notes/kept'])).toMatchObject({ title: 'Kept' });
    expect(await home.json(args, { stdin: text })).toMatchObject({ state: 'committed', slug: 'notes/big' });
  });

  test('an import ends in words, and goes on with room again', async () => {
    await using home = await GbrainHome.withBrain();
    const notes = join(home.folder, 'notes');
    mkdirSync(notes);
    for (let n = 0; n < 300; n += 1) {
      const path = join(notes, `note-${n}.md`);
      // Hashes, which no compression makes small.
      const lines = Array.from({ length: 60 }, (_, line) => createHash('sha256').update(`${n} ${line}`).digest('hex'));
      writeFileSync(path, `# Note ${n}\n\n[[note-${(n * 7) % 300}]]\n\n${lines.join('\n')}\n`);
      utimesSync(path, 0, 0);
    }
    const [code, reason] = told(await limited(home, 2_300, ['import', notes]));
    expect([code, reason]).toEqual(['storage_error', 'disk_full']);
    const done = await home.json<{ imported: number; unchanged: number }>(['import', notes]);
    expect(done).toMatchObject({ seen: 300, skipped: 0, failed: 0 });
    expect(done.imported + done.unchanged).toBe(300);
    expect(await home.json(['import', notes])).toMatchObject({ unchanged: 300 });
    expect(await home.json(['backlinks', 'note-7'])).not.toEqual([]);
  });

  test('init leaves nothing half made', async () => {
    await using home = new GbrainHome();
    expect(told(await limited(home, 100, ['init', '--pglite', '--no-embedding']))).toEqual([
      'storage_error',
      'disk_full',
    ]);
    expect((await home.run(['init', '--pglite', '--no-embedding'])).exit).toBe(0);
    expect(await home.json(['list'])).toEqual([]);
  });
});

describe.runIf(process.getuid?.() === 0)('a home that this user cannot write', () => {
  const asUser = (home: GbrainHome, args: string[], stdin?: string) =>
    runProgram(['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', home.launcher, ...args, '--json'], {
      env: home.env,
      cwd: '/',
      ...(stdin !== undefined && { stdin }),
    });

  test('is refused in words by init, by reads and by writes', async () => {
    await using home = await GbrainHome.withBrain();
    chmodSync(home.folder, 0o755);
    chmodSync(home.root, 0o755);
    chmodSync(join(home.root, 'config.json'), 0o644);
    for (const args of [['list'], ['get', 'notes/a'], ['put', 'notes/a']]) {
      expect(told(await asUser(home, args, '# A\n'))[0]).toBe('storage_error');
    }
    rmSync(home.root, { recursive: true, force: true });
    expect(told(await asUser(home, ['init', '--pglite', '--no-embedding']))).toEqual(['storage_error', 'read_only']);
    chownSync(home.folder, USER, USER);
    expect((await asUser(home, ['init', '--pglite', '--no-embedding'])).exit).toBe(0);
    expect(readdirSync(home.root)).toContain('config.json');
  });
});

test('a folder that was removed while somebody stood in it hinders no command', async () => {
  await using home = await GbrainHome.withBrain();
  const gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" list --json';
  const done = await runProgram(['/bin/sh', '-c', gone, home.launcher], { env: home.env, cwd: home.folder });
  expect([done.exit, done.stdout]).toEqual([0, '[]\n']);
  expect(done.stderr).not.toMatch(RAW);
});

describe('an output that nobody reads', () => {
  test('a command ends without a word and its write stands', async () => {
    await using home = await GbrainHome.withBrain();
    const done = await runProgram(['/bin/sh', '-c', '"$0" put notes/a --json | true', home.launcher], {
      env: home.env,
      stdin: '# A\n',
    });
    expect([done.exit, done.stdout]).toEqual([0, '']);
    expect(done.stderr).not.toMatch(RAW);
    expect(await home.json(['get', 'notes/a'])).toMatchObject({ title: 'A' });
  });

  test('a server whose client stops reading ends, and frees the brain', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    await pipe.body('put_page', { slug: 'notes/a', content: '# A\n' });
    pipe.process.stdout.destroy();
    for (let i = 0; i < 20; i += 1) pipe.send({ id: 1_000 + i, method: 'tools/list', params: {} });
    expect((await pipe.ended).signal).toBeNull();
    expect(pipe.stderr).not.toMatch(RAW);
    expect(await home.json(['get', 'notes/a'])).toMatchObject({ title: 'A' });
  });

  test('no input, no output and no error stream at all', async () => {
    await using home = await GbrainHome.withBrain();
    const shell = '"$0" serve <&- >&- 2>&-; "$0" list --json <&-';
    const done = await runProgram(['/bin/sh', '-c', shell, home.launcher], { env: home.env, cwd: join(home.folder) });
    expect([done.exit, done.stdout, done.stderr]).toEqual([0, '[]\n', '']);
  });
});
