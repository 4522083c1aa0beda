// Doctor over the built binary: words and documents of a slow read, agent apps and their servers, readiness over MCP.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { describe, expect, test } from 'vitest';

interface Row {
  name: string;
  status: string;
  message: string;
  readiness_state?: string;
  readiness_reason?: string;
  fix?: { argv?: string[]; next: string; consent: string[]; actor: string; then?: { argv: string[] } };
  fix_unavailable_reason?: string;
}

interface Report {
  status: string;
  health_score: number;
  checks: Row[];
  complete: boolean;
  elapsed_ms: number;
  incomplete?: { field: string; reason: string }[];
}

const READING = '[gbrain] reading doctor; large brains can take minutes\n';

const rowOf = (report: Report, name: string): Row => report.checks.find((row) => row.name === name)!;

async function doctor(home: GbrainHome, args: string[] = [], env: Record<string, string> = {}) {
  const done = await home.run(['doctor', ...args, '--json'], { env });
  return { ...done, report: JSON.parse(done.stdout) as Report };
}

/** A file of an agent app. */
function writeConfig(home: GbrainHome, path: string, text: string): void {
  const file = join(home.folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const claude = (home: GbrainHome, command: string, args: string[]) =>
  writeConfig(home, '.claude.json', JSON.stringify({ mcpServers: { gbrain: { type: 'stdio', command, args } } }));

describe('a healthy keyless brain', () => {
  test('has no warning, in one document, after one line on stderr', async () => {
    await using home = await GbrainHome.withBrain();
    await home.json(['put', 'notes/one', '--content', '# One\n']);
    const { exit, stderr, report } = await doctor(home);
    expect(report.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(report).toMatchObject({ status: 'healthy', health_score: 100, complete: true });
    expect(report.elapsed_ms).toBeGreaterThan(0);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: READING });
  });

  test('reads the same through a server that has the brain open', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    await pipe.body('list_pages');
    const { report } = await doctor(home);
    expect(report).toMatchObject({ status: 'healthy', complete: true });
    expect(rowOf(report, 'owner_process').message).toContain(`PID ${pipe.process.pid}`);
    const overMcp = (await pipe.body('run_doctor')) as unknown as Report;
    expect(overMcp.checks.map(({ name }) => name)).toEqual(report.checks.map(({ name }) => name));
    await pipe.close();
  });
});

describe('what is wrong', () => {
  test('no brain: exit 1, the step, and what was not read', async () => {
    await using home = new GbrainHome();
    const { exit, report } = await doctor(home);
    expect(exit).toBe(1);
    expect(report).toMatchObject({ status: 'unhealthy', complete: false });
    expect(rowOf(report, 'connection').fix).toMatchObject({
      argv: ['gbrain', 'init', '--pglite', '--no-embedding'],
      next: 'run',
    });
    expect(report.incomplete?.map(({ reason }) => reason)).toEqual(report.incomplete?.map(() => 'not_read'));
    expect((await home.run(rowOf(report, 'connection').fix!.argv!.slice(1))).exit).toBe(0);
    expect((await doctor(home)).report.status).toBe('healthy');
  });

  test('a damaged configuration file is one failure, and doctor goes on', async () => {
    await using home = await GbrainHome.withBrain();
    writeFileSync(join(home.root, 'config.json'), '{ "engine": ');
    const { exit, report } = await doctor(home);
    expect(exit).toBe(1);
    const failed = report.checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    expect(failed).toEqual(['configuration', 'connection']);
    expect(rowOf(report, 'disk_space').status).toBe('ok');
  });

  test('a value that its setting does not take is a warning: exit 0, and its step clears it', async () => {
    await using home = await GbrainHome.withBrain();
    writeFileSync(join(home.root, 'config.json'), '{ "engine": "pglite", "search.mode": "fast", "serch.mode": "x" }');
    const { exit, report } = await doctor(home);
    expect({ exit, status: report.status }).toEqual({ exit: 0, status: 'warnings' });
    const { fix } = rowOf(report, 'configuration');
    expect(fix).toMatchObject({ argv: ['gbrain', 'config', 'unset', 'search.mode'], next: 'tell_user_to_run' });
    expect((await home.run(fix!.argv!.slice(1))).exit).toBe(0);
    expect((await doctor(home, ['--only', 'configuration'])).report.status).toBe('healthy');
  });

  test('a failed automatic repair: checks without an engine still run', async () => {
    await using home = await GbrainHome.withBrain();
    writeFileSync(`${home.brainPath}.repair-failed.json`, '{}');
    const { exit, report } = await doctor(home);
    expect(exit).toBe(1);
    expect(rowOf(report, 'pglite_data_dir')).toMatchObject({ status: 'fail' });
    expect((await doctor(home, ['--only', 'disk_space'])).exit).toBe(0);
  });

  test('another brain is refused before anything is read', async () => {
    await using home = await GbrainHome.withBrain();
    const done = await home.run(['doctor', '--brain', 'work', '--json']);
    expect(done.exit).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ code: 'unknown_brain', fix: { next: 'run' } });
  });
});

describe('a signal in the middle', () => {
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal}: the document at once, and the line on stderr`, async () => {
      await using home = await GbrainHome.withBrain();
      const done = await home.run(['doctor', '--json'], {
        env: { GBRAIN_FAULT_POINT: 'store_opening:hold' },
        onStart: (child) => {
          child.stderr!.on('data', (chunk: Buffer) => {
            if (String(chunk).includes('held at')) child.kill(signal);
          });
        },
      });
      expect(done.exit).toBe(exit);
      const document = JSON.parse(done.stdout) as Record<string, unknown>;
      expect(Object.keys(document).slice(0, 6)).toEqual(['error', 'code', 'signal', 'read', 'elapsed_ms', 'complete']);
      expect(document).toMatchObject({ error: 'interrupted', signal, read: 'doctor', complete: false });
      expect(done.stderr).toMatch(
        new RegExp(`\\[gbrain\\] Interrupted by ${signal} after \\d+ s while reading doctor\\n$`),
      );
    });
  }

  test('--quiet leaves the words of the start out', async () => {
    await using home = await GbrainHome.withBrain();
    expect((await doctor(home, ['--quiet'])).stderr).toBe('');
  });
});

describe('agent apps', () => {
  const only = ['--only', 'harness_wiring'];

  /** Runs the fix of a row as it is printed; the app's own registration then starts a server that answers. */
  async function connectedBy(home: GbrainHome, row: Row, env: Record<string, string>): Promise<void> {
    expect(row.fix?.argv?.[0]).toBe('gbrain');
    const done = await home.run(row.fix?.argv?.slice(1) ?? [], { env });
    expect(done).toMatchObject({ exit: 0 });
    const after = rowOf((await doctor(home, only, env)).report, 'harness_wiring');
    expect(after).toMatchObject({ status: 'ok', readiness_reason: 'registration_verified' });
  }

  test('none here: nothing to do', async () => {
    await using home = await GbrainHome.withBrain({ env: { PATH: '/usr/bin:/bin' } });
    const row = rowOf((await doctor(home, only)).report, 'harness_wiring');
    expect(row).toMatchObject({
      status: 'ok',
      readiness_state: 'not_applicable',
      readiness_reason: 'no_harness_detected',
    });
  });

  test('one that is not connected: connected by the fix, with the user’s consent', async () => {
    await using home = await GbrainHome.withBrain();
    const bin = join(home.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n');
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { PATH: `${bin}:${home.env.PATH}` };
    const row = rowOf((await doctor(home, only, env)).report, 'harness_wiring');
    expect(row).toMatchObject({ status: 'ok', readiness_state: 'missing' });
    expect(row.fix).toMatchObject({
      argv: ['gbrain', 'bootstrap', 'harness', '--harness', 'claude-code', '--yes'],
      consent: ['persistent_install'],
    });
    await connectedBy(home, row, env);
  });

  test.each([
    ['Claude Code', '.claude.json', (path: string) => JSON.stringify({ mcpServers: { gbrain: entry(path) } })],
    [
      'Codex',
      '.codex/config.toml',
      (path: string) =>
        `model = "x"\n\n[mcp_servers.gbrain]\ncommand = "${path}"\nargs = ["serve", "--surface", "starter"]\n`,
    ],
    [
      'OpenCode',
      '.config/opencode/opencode.json',
      (path: string) =>
        '{ // mine\n "mcp": { "memory": { "type": "local", ' +
        `"command": ["${path}", "serve", "--surface", "starter"], }, } }`,
    ],
  ])('%s: its server is started, lists tools and answers a search', async (_, file, text) => {
    await using home = await GbrainHome.withBrain();
    writeConfig(home, file, text(home.launcher));
    const { exit, report } = await doctor(home, only);
    const row = rowOf(report, 'harness_wiring');
    expect(row).toMatchObject({ status: 'ok', readiness_reason: 'registration_verified' });
    expect(row.message).toMatch(/(search|recall) answers$/);
    expect(exit).toBe(0);
    // Read beside other checks, it starts nothing.
    expect(rowOf((await doctor(home)).report, 'harness_wiring').readiness_reason).toBe('registration_unverified');
  });

  test('a server that runs already is not started again', async () => {
    await using home = await GbrainHome.withBrain();
    claude(home, home.launcher, ['serve', '--surface', 'starter']);
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    await pipe.body('list_pages');
    const row = rowOf((await doctor(home, only)).report, 'harness_wiring');
    expect(row).toMatchObject({ status: 'ok', readiness_reason: 'wired_running' });
    await pipe.close();
  });

  test('a path that is not there: put right by the fix', async () => {
    await using home = await GbrainHome.withBrain();
    const bin = join(home.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n');
    chmodSync(join(bin, 'claude'), 0o755);
    claude(home, '/nowhere/gbrain', ['serve']);
    const env = { PATH: `${bin}:${home.env.PATH}` };
    const row = rowOf((await doctor(home, only, env)).report, 'harness_wiring');
    expect(row).toMatchObject({ status: 'warn', readiness_reason: 'binary_unresolved' });
    await connectedBy(home, row, env);
  });

  test('a server that ends, or says nothing MCP, is a failure that quotes it', async () => {
    await using home = await GbrainHome.withBrain();
    claude(home, '/bin/sh', ['-c', 'echo no memory here >&2; exit 3', 'gbrain', 'serve']);
    const ended = await doctor(home, only);
    expect(ended.exit).toBe(1);
    expect(rowOf(ended.report, 'harness_wiring').message).toContain('it ended with status 3: no memory here');
  });

  test('a server without its brain says why', async () => {
    await using home = new GbrainHome();
    claude(home, home.launcher, ['serve', '--surface', 'starter']);
    const row = rowOf((await doctor(home, only)).report, 'harness_wiring');
    expect(row).toMatchObject({ status: 'warn', readiness_reason: 'serve_status_only' });
  });
});

function entry(command: string) {
  return { type: 'stdio', command, args: ['serve', '--surface', 'starter'] };
}

describe('readiness over MCP', () => {
  test('whoami, the resource and the instructions tell the same', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    const hello = (await pipe.initialize()) as unknown as { instructions?: string };
    const who = (await pipe.body('whoami')) as unknown as { readiness: { capability: string; state: string }[] };
    expect(who.readiness.map(({ capability, state }) => [capability, state])).toEqual([
      ['embeddings', 'disabled_by_choice'],
      ['chat_llm', 'disabled_by_choice'],
      ['worker', 'ok'],
      ['writeback', 'missing'],
      ['backup', 'not_applicable'],
      ['tool_surface', 'ok'],
      ['sync', 'not_applicable'],
      ['migrations', 'ok'],
      ['harness_wiring', 'not_applicable'],
    ]);
    const read = (await pipe.result('resources/read', { uri: 'gbrain://capabilities' })) as {
      contents: { text: string }[];
    };
    expect((JSON.parse(read.contents[0]!.text) as typeof who).readiness).toEqual(who.readiness);
    expect(hello.instructions ?? '').toContain('Not set up: writeback');
    await pipe.close();
  });
});

describe('figures', () => {
  test('status, stats, health and identity on the command line', async () => {
    await using home = await GbrainHome.withBrain();
    await home.json(['put', 'people/ada', '--content', '# Ada\n\nKnows [[people/bob]].\n']);
    await home.json(['put', 'people/bob', '--content', '# Bob\n']);
    const status = await home.run(['status', '--json']);
    expect(status.stderr).toBe('[gbrain] reading status; large brains can take minutes\n');
    expect(JSON.parse(status.stdout)).toMatchObject({
      brain: { engine: 'pglite', path: home.brainPath, state: 'present' },
      owner: null,
      counts: { page_count: 2, link_count: 1 },
      complete: true,
    });
    expect(await home.json(['stats'])).toMatchObject({ page_count: 2, deleted_count: 0, link_count: 1 });
    expect(await home.json(['health'])).toMatchObject({ page_count: 2, dead_links: 0, brain_score: 75 });
    expect(await home.json(['identity'])).toMatchObject({ engine: 'pglite', page_count: 2, update_available: null });
    for (const command of ['status', 'stats', 'health', 'identity']) {
      const done = await home.run([command]);
      expect({ command, exit: done.exit, esc: done.stdout.includes('\u001b') }).toEqual({
        command,
        exit: 0,
        esc: false,
      });
    }
  });

  test('status of a home without a brain says so', async () => {
    await using home = new GbrainHome();
    const done = await home.run(['status', '--json']);
    expect(done.exit).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ brain: { state: 'no_brain' }, counts: null, complete: false });
  });
});
