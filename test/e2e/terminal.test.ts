// What a person sees: commands on a pseudo-terminal of a given width, made by the `script` program of the system.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { displayWidth } from 'gbrain/render/text-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const hasScript = spawnSync('script', ['--version']).status === 0;
const ESC = '\u001b';
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');

describe.skipIf(!hasScript)('on a terminal', () => {
  let home: GbrainHome;

  beforeAll(async () => {
    home = await GbrainHome.withBrain();
    const wide = '漢字の長い題名がここにあります。'.repeat(8);
    await home.json(['put', 'notes/wide', '--content', `# ${wide}\n\nA river runs by. ${wide}\n`]);
    await home.json(['put', 'notes/river', '--content', '# River\n\nThe river bank is wide.\n']);
  });

  afterAll(() => home[Symbol.asyncDispose]());

  /** Output of a command line on a terminal, as it came. */
  function shown(line: string, more: { columns?: number; env?: Record<string, string> } = {}): string {
    const { columns = 80, env = {} } = more;
    const command = `stty cols ${columns}; ${home.launcher} ${line}`;
    const done = spawnSync('script', ['-qec', command, '/dev/null'], {
      env: { ...home.env, TERM: 'xterm-256color', ...env },
      cwd: home.folder,
      encoding: 'utf8',
    });
    return done.stdout.replaceAll('\r\n', '\n');
  }

  test('colours are there, and on a pipe they are not', async () => {
    const text = shown('search river');
    expect(text).toContain(ESC);
    expect(plain(text)).toContain('notes/river');
    expect((await home.run(['search', 'river'])).stdout).not.toContain(ESC);
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['TERM', 'dumb'],
    ] as const) {
      const env = { [name]: value };
      expect(shown('search river', { env })).not.toContain(ESC);
    }
  });

  test('the answer comes first, notes stand below it', () => {
    const lines = plain(shown('search river')).split('\n');
    const at = (what: RegExp) => lines.findIndex((line) => what.test(line));
    expect(at(/notes\/river/)).toBeGreaterThanOrEqual(0);
    expect(at(/^Note \[degraded_recall\]/)).toBeGreaterThan(at(/notes\/river/));
  });

  test.each([60, 100])('rows fit %i columns, wide characters included', (columns) => {
    for (const line of ['list', 'search river --limit 5']) {
      const rows = plain(shown(line, { columns }))
        .split('\n')
        .filter((row) => /notes\/|漢|river/.test(row) && !/Note \[/.test(row));
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.filter((row) => displayWidth(row) > columns)).toEqual([]);
    }
  });

  test('a pager shows the output when it is asked for, and only then', () => {
    const paged = join(home.folder, 'paged.txt');
    const env = { GBRAIN_PAGER: `cat > ${paged}` };
    shown('list', { env });
    expect(existsSync(paged)).toBe(false);
    shown('list --pager', { env });
    expect(existsSync(paged)).toBe(true);
  });

  test('an import draws a bar that is gone when it is over, and none on a pipe', async () => {
    const notes = join(home.folder, 'many');
    mkdirSync(notes);
    for (let n = 0; n < 300; n += 1) {
      writeFileSync(join(notes, `note-${n}.md`), `# Note ${n}\n`);
      utimesSync(join(notes, `note-${n}.md`), 0, 0);
    }
    const drawn = shown('import many').split(`\r${ESC}[K`);
    expect(drawn.find((line) => /^importing {2}\[#+-+\] {2}\d+\/300 \d+ %/.test(line))).toBeDefined();
    expect(drawn.at(-1)).toContain('Imported 300');
    expect((await home.run(['import', 'many'])).stderr).not.toContain(ESC);
  });

  test('a mistake names what was probably meant', () => {
    expect(plain(shown('serach river'))).toMatch(/did you mean "search"\?\nFix: gbrain help search\n/);
  });
});
