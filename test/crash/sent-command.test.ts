// A command whose brain a server has open is sent there as it was typed: it says and ends as it would by itself, and an
// owner that dies before its answer leaves one write, told to whoever made it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { describe, expect, test } from 'vitest';

/** Command lines whose output is the same each time: texts, documents, refusals, input, files, environment. */
const LINES: readonly { argv: readonly string[]; stdin?: string; env?: Record<string, string> }[] = [
  { argv: ['get', 'notes/a'] },
  { argv: ['get', 'notes/a', '--json'] },
  { argv: ['get', 'notes/a', '--pager'] },
  { argv: ['get', 'notes/aa'] },
  { argv: ['get', 'notes/a', '--bogus'] },
  { argv: ['get', '--help'] },
  { argv: ['list', '--sort', 'bogus', '--json'] },
  { argv: ['list'], env: { GBRAIN_SOURCE: 'nowhere' } },
  { argv: ['put', 'notes/a', '--json'], stdin: '# Another text\n' },
  { argv: ['put', 'notes/a', '--file', 'note.md'] },
  { argv: ['put', 'notes/a', '--file', '/dev/stdin'], stdin: '# A\n' },
  { argv: ['put', 'notes/latin'], stdin: '# A\n\0' },
  { argv: ['call', 'get_page', '{"slug":"notes/a"}'] },
  { argv: ['history', 'notes/a', '--json'] },
];

async function withPage(): Promise<GbrainHome> {
  const home = await GbrainHome.withBrain();
  writeFileSync(join(home.folder, 'note.md'), '# A\n');
  await home.json(['put', 'notes/a'], { stdin: '# A\n' });
  return home;
}

async function serve(home: GbrainHome, env = {}): Promise<McpPipe> {
  const server = new McpPipe(home.start(['serve'], env));
  await server.initialize();
  await server.toolNames();
  return server;
}

describe('a command that is sent to a server', () => {
  test('says and ends as it would by itself', { timeout: 240_000 }, async () => {
    await using home = await withPage();
    const all = async () => {
      const ends: unknown[] = [];
      for (const { argv, stdin = 'closed', env = {} } of LINES) {
        const { exit, stdout, stderr } = await home.run(argv, { stdin, env });
        ends.push({ argv, exit, stdout, stderr });
      }
      return ends;
    };
    const alone = await all();
    await serve(home);
    expect(await all()).toEqual(alone);
  });

  test('is written once when the server dies with the answer', { timeout: 240_000 }, async () => {
    await using home = await withPage();
    const server = await serve(home, { GBRAIN_FAULT_POINT: 'outcome_ready:kill' });
    const reply = await home.json(['put', 'notes/b'], { stdin: '# B\n\nPiped once.\n' });
    await server.ended;
    expect(reply).toMatchObject({ state: 'committed', status: 'created' });
    expect(await home.json(['get', 'notes/b'])).toMatchObject({
      content: '# B\n\nPiped once.\n',
      revision: reply.revision,
    });
    expect(await home.json(['history', 'notes/b'])).toMatchObject({ versions: [] });
  });
});
