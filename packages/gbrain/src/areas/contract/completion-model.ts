// What a shell can complete of a gbrain command line, as plain data from the registry. It knows no shell.
import { isMuteable } from '@gbrain/wire/notice-ledger';
import { flagOf, flagsOf } from '../../command-line.ts';
import type { Operation } from '../../operation.ts';
import type { Registry } from '../../registry.ts';
import { wireSchema } from '../../schema.ts';

/** A flag of a command. */
export interface CompletionFlag {
  /** With its dashes. */
  name: string;
  short?: string;
  text: string;
  takesValue: boolean;
  /** Words that its value can be; a value that is a path, or anything else, has none. */
  values: string[];
  isPath: boolean;
}

/** One command. */
export interface CompletionCommand {
  /** Its words: `notices list`. */
  path: string;
  text: string;
  flags: CompletionFlag[];
  /** Words of each positional in order; empty where anything goes. */
  positionals: string[][];
}

/** Fields whose words come from a registry and not from their schema: `operation.field`. */
type Vocabulary = Record<string, (registry: Registry, checks: readonly string[]) => string[]>;

const VOCABULARY: Vocabulary = {
  'errors.code': (registry) => [...registry.errors.keys()],
  'config_get.key': (registry) => [...registry.settings.keys()],
  'config_set.key': (registry) => [...registry.settings.keys()],
  'config_unset.key': (registry) => [...registry.settings.keys()],
  'mute_notice.code': muteable,
  'notices_unmute.code': muteable,
  // A shell completes one word at a time; the first word of several commands lists them.
  'help.command': (registry) => [...new Set(registry.operations.map(({ cli }) => cli.command.split(' ')[0]!))],
  'call_tool.name': toolNames,
  'request_tools.tools': toolNames,
  'run_doctor.only': (_, checks) => [...checks],
};

function muteable(registry: Registry): string[] {
  return [...registry.notices].filter(([code, { kind }]) => isMuteable(code, kind)).map(([code]) => code);
}

function toolNames(registry: Registry): string[] {
  return registry.operations
    .filter(({ surface, statusOnly }) => surface !== 'cli' && !statusOnly)
    .map(({ name }) => name);
}

/** The fields of the vocabulary, so that a test can hold it to the registry. */
export const VOCABULARY_FIELDS: readonly string[] = Object.keys(VOCABULARY);

const FLAG_TEXTS: Record<string, string> = {
  json: 'One JSON document on stdout',
  quiet: 'No progress, no words of a slow read',
  pager: 'Show the output in a pager',
  help: 'Flags and examples',
  brain: 'Brain to act on',
  source: 'Source to act on',
  timeout: 'Give up after this many seconds',
  file: 'Read the text from a file',
  yes: 'The user agreed to what the preview shows',
  expect: 'Plan that the user agreed to',
  'max-usd': 'Most that the run may cost, in US dollars, or off',
  'max-cost': 'The same as --max-usd',
  'accept-pending': 'Exit 0 when the write is still pending',
  wait: 'Wait this many seconds for the commit, up to 600',
};

interface Words {
  registry: Registry;
  checks: readonly string[];
}

function wordsOf(operation: Operation, field: string, { registry, checks }: Words): string[] {
  const named = VOCABULARY[`${operation.name}.${field}`];
  if (named) return named(registry, checks);
  const property = wireSchema(operation, { listFullOnly: true }).properties[field];
  return [...(property?.enum ?? property?.items?.enum ?? [])];
}

function flagsFor(operation: Operation, words: Words): CompletionFlag[] {
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const fields = new Map(Object.keys(properties).map((field) => [flagOf(field).slice(2), field]));
  const { positionals = [] } = operation.cli;
  return Object.entries(flagsOf(operation)).flatMap(([flag, config]) => {
    const field = fields.get(flag);
    // A positional is typed as a word; its flag exists for fixes.
    if (field !== undefined && positionals.includes(field)) return [];
    const text = (field !== undefined && properties[field]?.description) || FLAG_TEXTS[flag] || '';
    return [
      {
        name: `--${flag}`,
        ...(config.short && { short: `-${config.short}` }),
        text,
        takesValue: config.type === 'string',
        values: field === undefined ? [] : wordsOf(operation, field, words),
        isPath: flag === 'file',
      },
    ];
  });
}

/** Every command with what may follow it, in the order of its words; a mode (`doctor --remediate`) is flags of it. */
export function completionModel(registry: Registry, checks: readonly string[]): CompletionCommand[] {
  const words = { registry, checks };
  const all = registry.operations.flatMap((operation) => {
    const { command, aliases = [], positionals = [] } = operation.cli;
    const rest = {
      text: operation.summary,
      flags: flagsFor(operation, words),
      positionals: positionals.map((field) => wordsOf(operation, field, words)),
    };
    return [command, ...aliases].map((path) => ({ path, ...rest }));
  });
  const commands = all.filter(({ path }) => !isMode(path));
  for (const mode of all.filter(({ path }) => isMode(path))) {
    const [path, name] = mode.path.split(/ (?=--)/) as [string, string];
    const command = commands.find((one) => one.path === path);
    const flag = { name, text: mode.text, takesValue: false, values: [], isPath: false };
    if (!command) commands.push({ ...mode, path, flags: [flag, ...mode.flags] });
    else command.flags.push(flag, ...mode.flags.filter((one) => command.flags.every((own) => own.name !== one.name)));
  }
  return commands.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const isMode = (path: string): boolean => path.includes(' --');

/** First words of the command line, and the second words of those that have some. */
export function leadingWords(commands: readonly CompletionCommand[]): Map<string, string[]> {
  const leading = new Map<string, string[]>();
  for (const { path } of commands) {
    const [first = '', second] = path.split(' ');
    leading.set(first, [...(leading.get(first) ?? []), ...(second ? [second] : [])]);
  }
  return leading;
}
