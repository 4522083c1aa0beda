// Completion in the real shells: what each proposes for a command line, against what the registry says may stand there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from 'gbrain/generated/errors';
import { notices } from 'gbrain/generated/notices';
import { operations } from 'gbrain/generated/operations';
import { settings } from 'gbrain/generated/settings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildRegistry } from '../../registry.ts';
import { wireSchema } from '../../schema.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { completionModel, VOCABULARY_FIELDS } from './completion-model.ts';
import { zshScript } from './completion-zsh.ts';

const registry = buildRegistry({ operations, errors, notices, settings });
const CHECKS = ['brain_score', 'worker'];
const model = completionModel(registry, CHECKS);

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gbrain-completion-'));
  for (const [shell, script] of Object.entries(SCRIPTS)) writeFileSync(join(folder, shell), script(model));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (shell: Shell): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

function run(shell: Shell, args: string[], env: Record<string, string> = {}): string {
  const done = spawnSync(shell, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
  });
  if (done.status !== 0 || done.stderr !== '') throw new Error(`${shell} ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}

/** What stands in for zsh's own completion system: it prints what it is given. */
const ZSH_STANDINS = `
compdef() { :; }
_files() { print -r -- '<files>'; }
_describe() { print -rl -- \${(P)2%%:*}; }
compadd() { shift; print -rl -- \${(P)1}; }
`;

/** The proposals of a shell for a command line; its last word is the one that is typed. */
const PROPOSE: Record<Shell, (words: string[]) => string[]> = {
  bash: (words) =>
    run('bash', [
      '--norc',
      '-c',
      `source ${folder}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gbrain; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'test',
      ...words,
    ])
      .split('\n')
      .filter(Boolean),
  zsh: (words) => {
    const script = `${ZSH_STANDINS}\nsource ${folder}/zsh\nwords=("$@"); CURRENT=$#; _gbrain`;
    const typed = words.at(-1)!;
    // Choosing by what is typed is the completion system's, not the script's.
    return run('zsh', ['-f', '-c', script, 'test', ...words])
      .split('\n')
      .filter((word) => word !== '' && word.startsWith(typed));
  },
  fish: (words) =>
    run('fish', ['--no-config', '-c', `source ${folder}/fish; complete -C "$argv[1]"`, words.join(' ')])
      .split('\n')
      .map((line) => line.split('\t')[0]!)
      .filter((word) => word !== '' && word !== 'gbrain'),
};

/** Command lines and what must, and must not, be proposed. */
const LINES: [words: string[], wanted: string[], unwanted: string[]][] = [
  [
    ['gbrain', ''],
    ['get', 'doctor', 'config', 'completion'],
    ['show', '--json'],
  ],
  [['gbrain', 'g'], ['get', 'graph'], ['list']],
  [['gbrain', 'config', ''], ['get', 'set', 'unset'], ['list']],
  [['gbrain', 'config', 'set', 's'], ['search.mode', 'serve.share_local'], ['mcp_surface']],
  [['gbrain', 'list', '--so'], ['--sort', '--source'], ['--json']],
  [['gbrain', 'list', '--sort', ''], ['updated', 'created', 'title'], ['--sort']],
  [['gbrain', 'list', '--limit', '5', '--sort', 't'], ['title'], ['updated']],
  [['gbrain', 'errors', 'page_'], ['page_not_found', 'page_identity_changed'], ['timeout']],
  [['gbrain', 'errors', '--timeout', '5', 'page_n'], ['page_not_found'], ['timeout']],
  [['gbrain', 'notices', 'mute', ''], ['unknown_param', 'first_run_decisions'], ['degraded_recall']],
  [['gbrain', 'doctor', '--only', ''], CHECKS, ['--json']],
  [['gbrain', 'completion', ''], ['bash', 'zsh', 'fish'], ['get']],
  [['gbrain', 'call', 'get_p'], ['get_page'], ['gbrain_status']],
  [['gbrain', 'serve', '--surface', ''], ['verbs', 'starter', 'full'], ['status']],
];

describe.each(Object.keys(SCRIPTS) as Shell[])('%s', (shell) => {
  test.skipIf(!has(shell))('reads the script without a word', () => {
    expect(run(shell, shell === 'zsh' ? ['-f', '-n', join(folder, shell)] : ['-n', join(folder, shell)])).toBe('');
  });

  test.skipIf(!has(shell)).each(LINES)('%j', (words, wanted, unwanted) => {
    const proposed = PROPOSE[shell](words);
    expect(proposed).toEqual(expect.arrayContaining(wanted));
    expect(proposed.filter((word) => unwanted.includes(word))).toEqual([]);
  });
});

describe('the model', () => {
  test('holds every command and every flag of it', () => {
    const paths = registry.operations.flatMap(({ cli }) => [cli.command, ...(cli.aliases ?? [])]);
    const plain = new Set(paths.map((path) => path.split(' --')[0]!));
    expect(model.map(({ path }) => path).toSorted()).toEqual([...plain].sort());
    const names = new Map(model.map(({ path, flags }) => [path, flags.map(({ name }) => name)]));
    for (const path of paths) {
      const [command = '', mode] = path.split(/ (?=--)/);
      expect(names.get(command)).toEqual(expect.arrayContaining(['--json', ...(mode ? [mode] : [])]));
    }
    for (const flags of names.values()) expect(new Set(flags).size).toBe(flags.length);
  });

  test('takes the words of a field from the registry only where there is such a field', () => {
    for (const one of VOCABULARY_FIELDS) {
      const [name = '', field = ''] = one.split('.');
      const operation = registry.operation(name);
      expect([one, operation !== undefined]).toEqual([one, true]);
      expect(Object.keys(wireSchema(operation!, { listFullOnly: true }).properties)).toContain(field);
    }
  });

  test('every command is proposed by bash, one word after the other', () => {
    for (const { path } of model) {
      const words = path.split(' ');
      const proposed = PROPOSE.bash(['gbrain', ...words.slice(0, -1), words.at(-1)!]);
      expect([path, proposed.includes(words.at(-1)!)]).toEqual([path, true]);
    }
  });
});
