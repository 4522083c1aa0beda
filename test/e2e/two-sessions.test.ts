// Several processes on one brain: status-only and its recovery, sharing over the owner's socket, races at the start.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { GbrainHome, runProgram } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { describe, expect, test } from 'vitest';

const LIST_CHANGED = 'notifications/tools/list_changed';

async function open(home: GbrainHome, args: string[] = [], env: Record<string, string> = {}): Promise<McpPipe> {
  const pipe = new McpPipe(home.start(['serve', ...args], env));
  await pipe.initialize();
  return pipe;
}

/** Asks for the status until the server has its brain; it tries a lock at most every five seconds. */
async function untilRecovered(pipe: McpPipe): Promise<void> {
  for (;;) {
    const { status } = await pipe.body<{ status: string }>('gbrain_status');
    if (status === 'recovered') return;
    expect(status).toBe('unavailable');
  }
}

interface Status {
  reason: string;
  fix: { next: string; argv?: string[]; mcp?: { tool: string } };
  user_message: string;
  decisions?: { id: string; options: { id: string; argv?: string[] }[] }[];
}

/** A server without a brain: one tool, every other one refused, and after `recover` it goes on where it is. */
async function expectDown(home: GbrainHome, reason: string, recover: () => void | Promise<void>): Promise<Status> {
  const pipe = await open(home);
  const status = await pipe.body<Status & { contract_version: number; brain_path: string }>('gbrain_status');
  expect(status).toMatchObject({ status: 'unavailable', reason, contract_version: 1, brain_path: home.brainPath });
  expect(status.user_message).not.toBe('');
  expect(await pipe.toolNames()).toEqual(['gbrain_status']);
  expect(await pipe.envelope('get_page', { slug: 'notes/a' })).toMatchObject({ code: 'serve_status_only', reason });
  await recover();
  await untilRecovered(pipe);
  await pipe.notification(LIST_CHANGED);
  expect(await pipe.body('get_page', { slug: 'notes/a' })).toMatchObject({ title: 'A' });
  expect(await pipe.close()).toEqual({ exit: 0, signal: null });
  return status;
}

const withPage = async (): Promise<GbrainHome> => {
  const home = await GbrainHome.withBrain();
  await home.json(['put', 'notes/a'], { stdin: '# A\n' });
  return home;
};

describe('a server without a brain', () => {
  test('lock_held: the owner ends, and the second server opens the brain in place', async () => {
    await using home = await withPage();
    const owner = await open(home);
    await owner.body('list_pages');
    const status = await expectDown(home, 'lock_held', async () => {
      await owner.close();
    });
    expect(status.fix).toMatchObject({ next: 'tell_user_to_run', mcp: { tool: 'gbrain_status' } });
    expect(status.decisions?.[0]?.options.map(({ id }) => id)).toEqual(['close_owner', 'share_local']);
  });

  test('lock_held: the choice to share is applied by its command, and both sessions work', async () => {
    await using home = await withPage();
    const owner = await open(home);
    await owner.body('list_pages');
    await expectDown(home, 'lock_held', async () => {
      const pipe = await open(home);
      const { decisions } = await pipe.body<Status>('gbrain_status');
      const { argv } = decisions![0]!.options.find(({ id }) => id === 'share_local')!;
      expect((await home.run(argv!.slice(1))).exit).toBe(0);
      await pipe.close();
    });
    expect(await owner.body('list_pages')).toHaveLength(1);
  });

  test('missing_brain: the folder comes back', async () => {
    await using home = await withPage();
    const aside = `${home.folder}/aside`;
    renameSync(home.brainPath, aside);
    const status = await expectDown(home, 'missing_brain', () => renameSync(aside, home.brainPath));
    expect(status.fix.next).toBe('ask_user');
    expect(status.decisions?.[0]).toMatchObject({ id: 'missing_brain_recovery', default: 'reconnect' });
    const refused = await home.run(['list', '--json'], { env: { GBRAIN_HOME: `${home.folder}/none` } });
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'no_brain' });
  });

  test('config_unreadable: the file is corrected', async () => {
    await using home = await withPage();
    const file = `${home.root}/config.json`;
    const good = readFileSync(file);
    writeFileSync(file, '{ "engine": ');
    const status = await expectDown(home, 'config_unreadable', () => writeFileSync(file, good));
    expect(status.fix).toMatchObject({ next: 'tell_user_to_run', argv: ['cat', file] });
  });

  test('brain_unopenable: a damaged folder is refused and left as it is, then restored', async () => {
    await using home = await withPage();
    const file = `${home.brainPath}/global/pg_control`;
    const good = readFileSync(file);
    writeFileSync(file, Buffer.alloc(good.length, 0x55));
    const damaged = readFileSync(file);
    const refused = await home.run(['list', '--json']);
    expect(refused.exit).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ class: 'unavailable', code: 'brain_unopenable' });
    await expectDown(home, 'brain_unopenable', () => {
      expect(readFileSync(file)).toEqual(damaged);
      writeFileSync(file, good);
    });
  });

  test('repair_failed: every command stops for the user with exit 3, until the record is gone', async () => {
    await using home = await withPage();
    const record = `${home.brainPath}.repair-failed.json`;
    writeFileSync(record, '{"version":1}\n');
    for (const args of [['list'], ['get', 'notes/a'], ['init']]) {
      const done = await home.run([...args, '--json']);
      expect(done.exit, args.join(' ')).toBe(3);
      const refused = JSON.parse(done.stdout) as { fix: { argv: string[] } };
      expect(refused).toMatchObject({ code: 'recovery_required', fix: { next: 'ask_user' } });
      const ran = await runProgram(refused.fix.argv, { env: home.env });
      expect([ran.exit, ran.stdout]).toEqual([0, '{"version":1}\n']);
    }
    expect((await home.run(['help'])).exit).toBe(0);
    const status = await expectDown(home, 'repair_failed', () => rmSync(record));
    expect(status.fix.next).toBe('tell_user_to_run');
  });

  test('a folder that another program has replaced while it was open is not mixed up with it', async () => {
    await using home = await withPage();
    const copy = `${home.folder}/copy`;
    cpSync(home.brainPath, copy, { recursive: true });
    renameSync(home.brainPath, `${home.folder}/old`);
    renameSync(copy, home.brainPath);
    expect(await home.json(['get', 'notes/a'])).toMatchObject({ title: 'A' });
  });
});

describe('sharing over the owner', () => {
  /** Writes and reads pages of its own in turn; gives the slugs that were acknowledged. */
  async function work(pipe: McpPipe, name: string, turns: number): Promise<string[]> {
    const acknowledged: string[] = [];
    const one = async (turn: number) => {
      const slug = `work/${name}-${turn}`;
      const written = await pipe.body('put_page', { slug, content: `# ${name} ${turn}\n`, request_id: slug });
      expect(written).toMatchObject({ state: 'committed', slug });
      acknowledged.push(slug);
      expect(await pipe.body('get_page', { slug })).toMatchObject({ revision: written.revision });
      if (turn % 5 === 0) expect(await pipe.body<unknown[]>('list_pages', { limit: 5 })).not.toHaveLength(0);
      if (turn % 7 === 0) {
        const edits = [{ old_text: name, new_text: `${name} edited` }];
        await pipe.body('edit_page', { slug, expected_revision: written.revision, edits });
      }
    };
    // A few calls at a time, as agents make them.
    for (let turn = 0; turn < turns; turn += 5) await Promise.all([0, 1, 2, 3, 4].map((step) => one(turn + step)));
    return acknowledged;
  }

  async function allSlugs(pipe: McpPipe): Promise<Set<string>> {
    const slugs = new Set<string>();
    for (let offset = 0; ; offset += 100) {
      const rows = await pipe.body<{ slug: string }[]>('list_pages', { sort: 'created', limit: 100, offset });
      for (const { slug } of rows) slugs.add(slug);
      if (rows.length < 100) return slugs;
    }
  }

  test('five sessions make thousands of calls; nothing is lost when the owner is killed between them', {
    timeout: 240_000,
  }, async () => {
    await using home = await GbrainHome.withBrain();
    await home.json(['config', 'set', 'serve.share_local', 'true']);
    const owner = await open(home);
    await owner.body('list_pages');
    const others = await Promise.all([1, 2, 3, 4].map(() => open(home)));
    const first = await Promise.all([owner, ...others].map((pipe, index) => work(pipe, `a${index}`, 100)));
    // The command line goes the same way.
    await home.json(['put', 'work/terminal'], { stdin: '# Terminal\n' });
    owner.process.kill('SIGKILL');
    const second = await Promise.all(others.map((pipe, index) => work(pipe, `b${index}`, 100)));
    const slugs = await allSlugs(others[0]!);
    const expected = [...first.flat(), ...second.flat(), 'work/terminal'];
    expect(expected.filter((slug) => !slugs.has(slug))).toEqual([]);
    expect(slugs.size).toBe(901);
    for (const pipe of others) expect(pipe.stderr).not.toMatch(/lock|failed unexpectedly/);
    expect(await others[1]!.body('get_page', { slug: 'work/a0-0', content_only: true })).toMatchObject({
      content: '# a0 edited 0\n',
    });
  });
});

describe('two servers that start at once', () => {
  test('are one owner and one without a brain, a hundred times of a hundred', { timeout: 900_000 }, async () => {
    await using home = await withPage();
    const counts = { owner: 0, second: 0 };
    for (let round = 0; round < 100; round += 1) {
      const pair = [new McpPipe(home.start(['serve'])), new McpPipe(home.start(['serve']))];
      const lists = await Promise.all(
        pair.map(async (pipe) => {
          await pipe.initialize();
          return pipe.toolNames();
        }),
      );
      const [seconds, owners] = [
        lists.filter((names) => names.length === 1),
        lists.filter((names) => names.length > 1),
      ];
      expect([seconds.length, owners.length], `round ${round}`).toEqual([1, 1]);
      counts.owner += owners.length;
      counts.second += seconds.length;
      // However they end: the lock goes with the process.
      for (const pipe of pair) pipe.process.kill('SIGKILL');
      await Promise.all(pair.map(({ ended }) => ended));
    }
    expect(counts).toEqual({ owner: 100, second: 100 });
    expect(await home.json(['get', 'notes/a'])).toMatchObject({ content: '# A\n' });
  });
});
