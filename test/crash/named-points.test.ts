// kill -9 at each named point of a start and of a write, on the built binary: the next command finds a whole brain, and
// the same request sent again ends as it would have, once.
import { rmSync } from 'node:fs';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import type { FaultPoint } from 'gbrain/fault-points';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Points that only `init` passes. */
const OF_INIT: readonly FaultPoint[] = ['init_made', 'config_written'];
/** Before these nothing of a write stands, */
const BEFORE: readonly FaultPoint[] = [
  'owner_locked',
  'owner_listening',
  'store_opening',
  'store_opened',
  'write_admitted',
  'commit_decided',
  'commit_written',
];
/** and from these on it does, whatever happens to the process. */
const AFTER: readonly FaultPoint[] = ['commit_done', 'outcome_ready', 'owner_closing', 'owner_closed'];

const killedAt = (point: FaultPoint) => ({ env: { GBRAIN_FAULT_POINT: `${point}:kill` } });

describe('a command that is killed', () => {
  let home: GbrainHome;
  beforeAll(async () => {
    home = await GbrainHome.withBrain();
  });
  afterAll(() => home[Symbol.asyncDispose]());

  test.each([...BEFORE, ...AFTER])('at %s', async (point) => {
    const slug = `killed/${point.replace('_', '-')}`;
    const put = ['put', slug, '--request-id', `r-${point}`];
    const content = `# ${point}\n`;
    const dead = await home.run(put, { stdin: content, ...killedAt(point) });
    expect([dead.signal, dead.stdout]).toEqual(['SIGKILL', '']);
    const before = await home.run(['get', slug, '--json']);
    expect(before.exit).toBe(AFTER.includes(point) ? 0 : 1);
    const again = await home.json(put, { stdin: content });
    expect(again).toMatchObject({ state: 'committed', status: 'created' });
    if (before.exit === 0) expect(JSON.parse(before.stdout)).toMatchObject({ revision: again.revision });
  });

  test('wrote nothing twice', async () => {
    const pages = await home.json<unknown>(['list']);
    expect(pages).toHaveLength(BEFORE.length + AFTER.length);
    for (const point of ['commit_written', 'commit_done']) {
      const history = await home.json(['history', `killed/${point.replace('_', '-')}`]);
      expect(history).toMatchObject({ versions: [] });
    }
  });
});

describe('an init that is killed', () => {
  test.each(OF_INIT)('at %s', async (point) => {
    await using home = new GbrainHome();
    const init = ['init', '--pglite', '--no-embedding'];
    await home.run(init, killedAt(point));
    expect((await home.run(init)).exit).toBe(0);
    await home.json(['put', 'notes/a'], { stdin: '# A\n' });
    expect(await home.json(['get', 'notes/a'])).toMatchObject({ title: 'A' });
  });
});

describe('a client that vanishes', () => {
  test('in the middle of its write leaves a receipt, a page and a server that goes on', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve'], { GBRAIN_FAULT_POINT: 'commit_done:hold' }));
    await pipe.initialize();
    await pipe.body('list_pages');
    const gone = home.run(['put', 'notes/gone', '--request-id', 'gone'], {
      stdin: '# Gone\n',
      onStart: (child) => {
        void pipe
          .until(() => pipe.stderr.includes('held at commit_done'), 'the fault point')
          .then(() => child.kill('SIGKILL'));
      },
    });
    expect((await gone).signal).toBe('SIGKILL');
    pipe.process.kill('SIGUSR2');
    const page = await pipe.body('get_page', { slug: 'notes/gone' });
    const receipt = await home.run(['write-request', '--json', '--', 'gone']);
    expect(JSON.parse(receipt.stdout)).toMatchObject({ state: 'committed', revision: page.revision });
    await pipe.close();
  });
});

test('a server whose folder vanishes answers in words', async () => {
  await using home = await GbrainHome.withBrain();
  const pipe = new McpPipe(home.start(['serve']));
  await pipe.initialize();
  await pipe.body('list_pages');
  rmSync(home.brainPath, { recursive: true, force: true });
  const reply = await pipe.call('put_page', { slug: 'notes/a', content: '# A\n' });
  expect(reply.content[0]!.text).not.toMatch(/PGlite|wasm|ENOENT|at .+:\d+/);
  await pipe.close();
});
