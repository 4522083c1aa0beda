// Registering with agent apps changes one entry in each file, keeps everything else, and can be taken back to the byte.
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import fc from 'fast-check';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHarnessFiles } from '../../health/harness/registrations.ts';
import { APPS, type AppId } from './apps.ts';
import { EditRefused, editServers, readServers } from './edit-config.ts';
import { applyStep, planWiring } from './wire-plan.ts';

const appOf = (id: AppId) => APPS.find((app) => app.id === id)!;
const ENTRY = { command: '/opt/gbrain', args: ['serve'] };
type Reply = { apps: { app: string; action: string; diff: string; file: string }[] };

let home: string;
let host: TestHost;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gbrain-wire-'));
  host = testHost({} as never, {
    homeRoot: join(home, '.gbrain'),
    launcher: '/opt/gbrain/bin/gbrain',
    env: { HOME: home, PATH: '' },
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const at = (...parts: string[]) => join(home, ...parts);
async function put(text: string, ...parts: string[]): Promise<string> {
  await mkdir(dirname(at(...parts)), { recursive: true });
  await writeFile(at(...parts), text);
  return at(...parts);
}
async function run(args: object): Promise<Reply> {
  const outcome = await host.call('bootstrap_harness', args as never, OWNER, { approval: { yes: true } });
  if (outcome.kind !== 'ok') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.output as Reply;
}

const CLAUDE = `{
  "numStartups": 12, "tipsHistory": {"a": [1,2,  3]},
  "mcpServers": {
    "other": { "command": "npx", "args": ["-y", "other"], "env": { "API_KEY": "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4" } }
  },
  "projects": {}
}
`;
const CODEX = `# my settings
model = "o9"

[mcp_servers.other] # keep me
command = "npx"
args = [
  "-y",
  "[odd]",
]

# about the profile
[profiles.fast]
model = "small"
`;
const OPENCODE = `{
  // the theme
  "theme": "dark",
  "mcp": {
    "other": { "type": "remote", "url": "https://x.example/mcp" }, // trailing
  },
}
`;

describe('files', () => {
  test.each([
    ['claude-code', CLAUDE, ['.claude.json']],
    ['codex', CODEX, ['.codex', 'config.toml']],
    ['opencode', OPENCODE, ['.config', 'opencode', 'opencode.jsonc']],
    ['cursor', CLAUDE, ['.cursor', 'mcp.json']],
  ] as [AppId, string, string[]][])(
    '%s: added once, everything else stays, and taken back to the byte',
    async (id, text, path) => {
      const file = await put(text, ...path);
      const preview = await run({ harness: id, dry_run: true });
      expect(preview.apps[0]).toMatchObject({ action: 'added', file });
      expect(preview.apps[0]!.diff).toContain('/opt/gbrain/bin/gbrain');
      expect(await readFile(file, 'utf8')).toBe(text);

      expect((await run({ harness: id })).apps[0]).toMatchObject({ action: 'added' });
      const wired = await readFile(file, 'utf8');
      for (const line of text
        .split('\n')
        .filter((one) => /keep me|about the profile|the theme|tipsHistory|odd/.test(one))) {
        expect(wired).toContain(line.trim().replace(/,$/, ''));
      }
      const servers = await readServers(appOf(id), wired);
      expect(Object.keys(servers).sort()).toEqual(['gbrain', 'other']);
      const registered = (await readHarnessFiles(host.env)).flatMap(({ registrations }) => registrations);
      expect(registered.map(({ argv }) => argv)).toEqual([['/opt/gbrain/bin/gbrain', 'serve', '--surface', 'starter']]);

      expect((await run({ harness: id })).apps[0]).toMatchObject({ action: 'unchanged', diff: '' });
      expect((await run({ harness: id, remove: true })).apps[0]).toMatchObject({ action: 'removed' });
      expect(await readFile(file, 'utf8')).toBe(text);
      expect((await run({ harness: id, remove: true })).apps[0]).toMatchObject({ action: 'unchanged' });
    },
  );

  test.each(APPS.map(({ id }) => id))('%s without a file gets one, and the undo takes it away', async (id) => {
    const [added] = (await run({ harness: id })).apps;
    expect((await stat(added!.file)).mode & 0o777).toBe(0o600);
    await run({ harness: id, remove: true });
    await expect(stat(added!.file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('an older entry is updated with its own settings kept, and the undo brings it back as it was', async () => {
    const text =
      '{"mcpServers":{"memory":{"command":"/old/gbrain","args":["serve"],"env":{"GBRAIN_SOURCE":"work"},"timeout":9}}}';
    const file = await put(text, '.cursor', 'mcp.json');
    expect((await run({ harness: 'cursor', surface: 'full' })).apps[0]).toMatchObject({ action: 'updated' });
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers).toEqual({
      memory: {
        command: '/opt/gbrain/bin/gbrain',
        args: ['serve', '--surface', 'full'],
        env: { GBRAIN_SOURCE: 'work' },
        timeout: 9,
      },
    });
    await run({ harness: 'cursor', surface: 'verbs' });
    expect((await run({ harness: 'cursor', remove: true })).apps[0]).toMatchObject({ action: 'restored' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(text));
  });

  test('a home of its own goes into the entry', async () => {
    host = testHost({} as never, {
      homeRoot: at('brain'),
      launcher: '/g',
      env: { HOME: home, GBRAIN_HOME: at('brain') },
    });
    const [added] = (await run({ harness: 'codex' })).apps;
    expect(parseToml(await readFile(added!.file, 'utf8'))).toMatchObject({
      mcp_servers: { gbrain: { env: { GBRAIN_HOME: at('brain') } } },
    });
  });

  test.each([
    ['without hooks', '{\n  "theme": "dark",\n  "model": "x"\n}\n'],
    [
      'with hooks of others',
      '{"hooks": {"Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ], "Notification": []}}',
    ],
    ['with other kinds of hooks', '{\n\t"hooks": {\n\t\t"PreToolUse": []\n\t}, // mine\n\t"theme": "dark"\n}\n'],
    ['that are not there', undefined],
  ])('the Stop hook in settings %s: while facts are saved unasked, and taken back to the byte', async (_, text) => {
    const file = at('.claude', 'settings.json');
    if (text !== undefined) await put(text, '.claude', 'settings.json');
    expect((await run({ harness: 'claude-code' })).apps).toHaveLength(1);
    host = testHost({} as never, {
      homeRoot: join(home, '.gbrain'),
      launcher: '/opt/gbrain/bin/gbrain',
      env: { HOME: home, PATH: '' },
      settings: { 'memory.auto_writeback': 'salient' },
    });
    const wire = (args: object = {}) => run({ harness: 'claude-code', ...args });
    expect((await wire()).apps).toMatchObject([
      { part: 'server', action: 'unchanged' },
      { part: 'stop_hook', action: 'added', file },
      { part: 'instructions', action: 'added', file: at('.claude', 'CLAUDE.md') },
    ]);
    const { parse } = await import('jsonc-parser');
    const { hooks } = parse(await readFile(file, 'utf8')) as { hooks: { Stop: { hooks: object[] }[] } };
    const command = '/opt/gbrain/bin/gbrain hook stop >/dev/null 2>&1 || true';
    expect(hooks.Stop.at(-1)).toEqual({ hooks: [{ type: 'command', command, timeout: 5 }] });
    expect((await wire()).apps[1]).toMatchObject({ action: 'unchanged', diff: '' });
    const removed = { action: 'removed' };
    expect((await wire({ remove: true })).apps).toMatchObject([removed, removed, removed]);
    await expect(stat(at('.claude', 'CLAUDE.md'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(text);
    expect((await wire({ remove: true })).apps).toHaveLength(1);
  });

  test.each([
    ['codex', ['.codex', 'AGENTS.md'], '# Mine\n\nBe brief.\n'],
    ['codex', ['.codex', 'AGENTS.md'], 'Be brief.'],
    ['opencode', ['.config', 'opencode', 'AGENTS.md'], '# Mine\r\n\r\nBe brief.\r\n'],
    ['claude-code', ['.claude', 'CLAUDE.md'], 'Be brief.\n\n\n'],
    ['claude-code', ['.claude', 'CLAUDE.md'], undefined],
  ] as [AppId, string[], string | undefined][])(
    '%s: instructions in %j after %j, and taken back',
    async (id, path, text) => {
      if (text !== undefined) await put(text, ...path);
      host = testHost({} as never, {
        homeRoot: join(home, '.gbrain'),
        launcher: '/opt/gbrain/bin/gbrain',
        env: { HOME: home, PATH: '' },
        settings: { 'memory.auto_writeback': 'all' },
      });
      const of = ({ apps }: Reply) => apps.find(({ file }) => file === at(...path));
      expect(of(await run({ harness: id }))).toMatchObject({ action: 'added' });
      const wired = await readFile(at(...path), 'utf8');
      expect(wired.startsWith(text ?? '')).toBe(true);
      expect(wired).toContain('Never save greetings');
      expect(of(await run({ harness: id }))).toMatchObject({ action: 'unchanged' });
      // An older block is replaced where it stands, and words around it stay.
      await writeFile(at(...path), `${wired.replace('## Memory (gbrain)', '## Old')}after\n`);
      expect(of(await run({ harness: id }))).toMatchObject({ action: 'updated' });
      expect(await readFile(at(...path), 'utf8')).toBe(`${wired}after\n`);
      await writeFile(at(...path), wired);
      expect(of(await run({ harness: id, remove: true }))).toMatchObject({ action: 'removed' });
      expect(await readFile(at(...path), 'utf8').catch(() => undefined)).toBe(text);
    },
  );

  test('instructions whose marks are no pair are left as they are', async () => {
    const file = await put('<!-- gbrain:begin -->\nmine\n', '.codex', 'AGENTS.md');
    host = testHost({} as never, { env: { HOME: home, PATH: '' }, settings: { 'memory.auto_writeback': 'all' } });
    expect(await host.refused('bootstrap_harness', { harness: 'codex', dry_run: true })).toMatchObject({
      code: 'harness_file_refused',
      reason: 'not_editable',
    });
    expect(await readFile(file, 'utf8')).toBe('<!-- gbrain:begin -->\nmine\n');
  });

  test('a Stop hook that stands where a list should is left alone', async () => {
    const file = await put('{"hooks": {"Stop": "none"}}', '.claude', 'settings.json');
    host = testHost({} as never, { env: { HOME: home, PATH: '' }, settings: { 'memory.auto_writeback': 'all' } });
    expect(await host.refused('bootstrap_harness', { harness: 'claude-code', dry_run: true })).toMatchObject({
      code: 'harness_file_refused',
      reason: 'not_editable',
    });
    expect(await readFile(file, 'utf8')).toBe('{"hooks": {"Stop": "none"}}');
  });

  test('a link stays a link, rights stay, and the diff shows no credential of a neighbour', async () => {
    const real = await put(CLAUDE, 'dotfiles', 'claude.json');
    await chmod(real, 0o640);
    await symlink(real, at('.claude.json'));
    const [added] = (await run({ harness: 'claude-code' })).apps;
    expect((await lstat(at('.claude.json'))).isSymbolicLink()).toBe(true);
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    expect(added!.diff).not.toContain('sk-proj');
  });

  test('all: the apps that are here, and none where there is none', async () => {
    expect(await run({ harness: 'all' })).toMatchObject({ apps: [] });
    await mkdir(at('.codex'));
    await put('{}', '.claude.json');
    expect((await run({ harness: 'all' })).apps.map(({ app }) => app)).toEqual(['claude-code', 'codex']);
  });

  test.each([
    ['claude-code', '{ "mcpServers": ', ['.claude.json'], 'not_readable'],
    ['claude-code', '[]', ['.claude.json'], 'not_readable'],
    ['codex', 'model = ', ['.codex', 'config.toml'], 'not_readable'],
    ['codex', 'mcp_servers = { gbrain = { command = "gbrain" } }\n', ['.codex', 'config.toml'], 'not_editable'],
    ['codex', '[mcp_servers]\ngbrain.command = "gbrain"\n', ['.codex', 'config.toml'], 'not_editable'],
  ] as [AppId, string, string[], string][])('%s: %j is left as it is', async (id, text, path, reason) => {
    const file = await put(text, ...path);
    expect(await host.refused('bootstrap_harness', { harness: id, dry_run: true })).toMatchObject({
      code: 'harness_file_refused',
      reason,
    });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('a file that changed after the plan is left as it is', async () => {
    const file = await put(CLAUDE, '.claude.json');
    const [step] = await planWiring(host, { app: 'claude-code', surface: 'starter', isRemoval: false });
    await writeFile(file, `${CLAUDE}\n`);
    await expect(applyStep(host, step!, false)).rejects.toMatchObject({ code: 'harness_file_refused' });
    expect(await readFile(file, 'utf8')).toBe(`${CLAUDE}\n`);
  });

  test('without the word of the user nothing is written, and the refusal shows the way', async () => {
    await put(CLAUDE, '.claude.json');
    const refused = await host.refused('bootstrap_harness', { harness: 'claude-code' });
    expect(refused).toMatchObject({
      code: 'confirmation_required',
      exit: 3,
      consent: { effects: ['persistent_install'] },
    });
    expect(refused.consent!.preview_argv).toEqual(expect.arrayContaining(['--dry-run', '--json']));
    expect(await readFile(at('.claude.json'), 'utf8')).toBe(CLAUDE);
  });
});

describe('edits', () => {
  const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
  const scalar = fc.oneof(fc.string({ maxLength: 12 }), fc.integer({ min: 0, max: 999 }), fc.boolean());
  const table = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
    maxKeys: 4,
    noNullPrototype: true,
  });
  const settings = fc.record({
    top: fc.dictionary(key, fc.oneof(scalar, table), { maxKeys: 4, noNullPrototype: true }),
    servers: fc.dictionary(key, table, { maxKeys: 3, noNullPrototype: true }),
  });

  test.each(['json', 'toml'])('any settings (%s): in and out again means what it meant', async (format) => {
    const app = appOf(format === 'json' ? 'cursor' : 'codex');
    await fc.assert(
      fc.asyncProperty(settings, async ({ top, servers }) => {
        const { gbrain: _, ...others } = servers;
        const content = { ...top, [app.path[0]!]: others };
        const text = format === 'json' ? JSON.stringify(content, null, 2) : stringifyToml(content);
        const read = (one: string) =>
          format === 'json' ? JSON.parse(one) : JSON.parse(JSON.stringify(parseToml(one)));
        const wired = await editServers(app, text, 'gbrain', ENTRY);
        expect(read(wired)).toEqual({ ...read(text), [app.path[0]!]: { ...others, gbrain: ENTRY } });
        const back = read(await editServers(app, wired, 'gbrain', undefined));
        expect({ [app.path[0]!]: {}, ...back }).toEqual({ [app.path[0]!]: {}, ...read(text) });
      }),
      { numRuns: 60 },
    );
  });

  test('a text that is no settings is refused and not repaired', async () => {
    await expect(editServers(appOf('cursor'), '{"a":1', 'gbrain', ENTRY)).rejects.toBeInstanceOf(EditRefused);
  });
});
