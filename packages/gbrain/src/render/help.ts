// Help from the registry: first steps, the commands in groups, and one command in full. Models and their text; pure.
import { shellQuote } from '@gbrain/wire/shell-quote';
import { callArgv, flagOf } from '../command-line.ts';
import { CLI_GROUPS, type HumanView, type Operation } from '../operation.ts';
import type { Registry } from '../registry.ts';
import { type WireProperty, wireSchema } from '../schema.ts';
import { explained } from './table.ts';
import { displayWidth, padTo, wrapWords } from './text-width.ts';

type Row = readonly [name: string, text: string];

/** Commands of one group. */
export interface HelpGroup {
  name: string;
  commands: { usage: string; summary: string }[];
  /** A few command lines that show the group at work. */
  examples: { command: string; title: string }[];
}

/** One command in full. */
export interface HelpPage {
  usage: string;
  summary: string;
  takes: { name: string; text: string }[];
  flags: { name: string; text: string }[];
  examples: { command: string; title: string }[];
  tool?: string;
}

/** Rows of two aligned columns; the first has a bounded width. */
export function twoColumns(rows: readonly Row[], indent = '  '): string[] {
  const width = Math.min(Math.max(0, ...rows.map(([left]) => displayWidth(left))), 44);
  return rows.map(([left, right]) =>
    displayWidth(left) > width
      ? `${indent}${left}\n${indent}${' '.repeat(width)}  ${right}`
      : `${indent}${padTo(left, width)}  ${right}`.trimEnd(),
  );
}

/** The command with its positionals: `get <slug>`. */
export function usage({ cli, ...operation }: Operation): string {
  const { required = [] } = wireSchema({ cli, ...operation } as Operation, { listFullOnly: true });
  const words = (cli.positionals ?? []).map((field) => (required.includes(field) ? `<${field}>` : `[${field}]`));
  return [cli.command, ...words].join(' ');
}

const exampleOf = (operation: Operation, at = 0): HelpGroup['examples'] =>
  operation.examples.slice(at, at + 1).map(({ title, input }) => ({
    command: typed(operation, input),
    title,
  }));

/** Examples of a group in its list; a command that is named alone has its own on its page. */
const EXAMPLES_A_GROUP = 2;

/** The groups that have commands, or only the given commands. */
export function helpGroups(registry: Registry, only?: readonly string[]): HelpGroup[] {
  return CLI_GROUPS.flatMap((name) => {
    const operations = registry.operations
      .filter(({ cli }) => cli.group === name && (!only || only.includes(cli.command)))
      .sort((a, b) => (a.cli.command < b.cli.command ? -1 : 1));
    if (operations.length === 0) return [];
    const common = operations.filter(({ cli }) => cli.isCommon);
    const shown = (common.length > 0 ? common : operations.slice(0, 1)).slice(0, EXAMPLES_A_GROUP);
    return [
      {
        name,
        commands: operations.map((one) => ({ usage: usage(one), summary: one.summary })),
        examples: shown.flatMap((one) => exampleOf(one)),
      },
    ];
  });
}

/** What a new user types first, in order: an operation, its input, and why. */
const FIRST_STEPS: readonly [op: string, input: Record<string, unknown>, why: string][] = [
  ['init', {}, 'make the brain of this machine; no key needed'],
  ['capture', { content: 'Alice likes tea' }, 'save a note'],
  ['put_page', { slug: 'people/alice' }, 'save a page of markdown from a pipe or --file'],
  ['search', { query: 'who likes tea' }, 'find pages'],
  ['get_page', { slug: 'people/alice' }, 'read one'],
  ['run_doctor', {}, 'see whether everything works, and what to do if not'],
];

/** The first steps as command lines. */
export function firstSteps(registry: Registry): HelpGroup['examples'] {
  return FIRST_STEPS.flatMap(([op, input, why]) => {
    const operation = registry.operation(op);
    return operation ? [{ command: typed(operation, input), title: why }] : [];
  });
}

/**
 * The command line as a person types it: without the bare `--`, which is there for texts that begin with a dash, and
 * with the words of a question bare where the command takes them so.
 */
function typed(operation: Operation, input: Record<string, unknown>): string {
  const argv = callArgv(operation, input);
  const end = argv.indexOf('--');
  const last = argv.slice(end + 1);
  if (end === -1 || last.some((word) => word.startsWith('-'))) return shellQuote(argv);
  const isBare = operation.cli.joinRest && last.every((word) => /^[\w ]+$/.test(word));
  return shellQuote([...argv.slice(0, end), ...(isBare ? last.flatMap((word) => word.split(' ')) : last)]);
}

const title = (version: string): string => `gbrain ${version}: the memory of AI agents`;

/** What `gbrain` alone says: first steps, and the names of the commands. */
export function overviewText(
  at: { version: string; steps: HelpGroup['examples']; groups: readonly HelpGroup[] },
  view: HumanView,
): string {
  const { version, steps, groups } = at;
  const width = Math.max(...groups.map(({ name }) => name.length));
  const under = ' '.repeat(width + 4);
  const room = Math.max(24, Math.min(view.columns, 100) - under.length);
  const names = groups.flatMap(({ name, commands }) => {
    const words = commands.map((one) => one.usage.replace(/ [<[].*$/, ''));
    // A two-word command stays on one line, and two blanks keep its words apart from the next.
    const held = words.map((word) => `${word.replace(' ', '\u00a0')}\u2007`).join(' ');
    const [first = '', ...rest] = wrapWords(held, room).map((line) =>
      line.replaceAll('\u2007', ' ').replaceAll('\u00a0', ' ').trimEnd(),
    );
    return [`  ${view.bold(padTo(name, width))}  ${first}`, ...rest.map((line) => under + line)];
  });
  return [
    view.bold(title(version)),
    '',
    'Start',
    ...explained(
      steps.map(({ command, title: why }) => [command, why]),
      view,
    ),
    '',
    'Commands',
    ...names,
    '',
    view.dim('gbrain help explains each; gbrain <command> --help shows its flags; --json gives one JSON document.'),
  ].join('\n');
}

/** Every command by group, or only those of some groups. */
export function groupsText(groups: readonly HelpGroup[], view: HumanView, version?: string): string {
  const sections = groups.flatMap(({ name, commands, examples }) => [
    view.bold(name),
    ...explained(
      commands.map((one) => [one.usage, one.summary]),
      view,
    ),
    ...examples.map(({ command }) => view.dim(`  e.g. ${command}`)),
    '',
  ]);
  const head = version === undefined ? [] : [title(version), '', 'Usage: gbrain <command> [flags]', ''];
  const foot = 'gbrain <command> --help shows flags and examples; --json gives one JSON document.';
  return [...head, ...sections, ...(version === undefined ? [] : [foot])].join('\n').trimEnd();
}

function flagLeft(field: string, property: WireProperty, short?: string): string {
  const value = property.type === 'boolean' ? '' : ` <${property.enum ? property.enum.join('|') : property.type}>`;
  return `${short ? `-${short}, ` : ''}${flagOf(field)}${value}`;
}

function flagRight(property: WireProperty, isRequired: boolean): string {
  const fallback = property.default === undefined ? '' : ` (default ${JSON.stringify(property.default)})`;
  return `${property.description ?? ''}${fallback}${isRequired ? ' (required)' : ''}`.trim();
}

function flagRows(operation: Operation): [string, string][] {
  const { properties, required = [] } = wireSchema(operation, { listFullOnly: true });
  const { positionals = [], short = {} } = operation.cli;
  const own = Object.entries(properties)
    .filter(([field]) => !positionals.includes(field) && !(field === 'source_id' && operation.routesSource))
    .map(([field, property]): [string, string] => [
      flagLeft(field, property, short[field]),
      flagRight(property, required.includes(field)),
    ]);
  if (operation.cli.stdin) own.push(['--file <path>', `Read ${operation.cli.stdin} from a file; a pipe works too`]);
  if (operation.routesSource) own.push(['--source <id>', 'Source to act on (default "default")']);
  const opensBrain = operation.where === 'brain' || operation.cli.opensBrain;
  if (opensBrain) own.push(['--brain <id>', 'Brain to act on (default "host")']);
  if ('wait_ms' in properties) {
    own.push(['--accept-pending', 'Exit 0 when the write is still pending']);
    own.push(['--wait <s>', 'Wait this many seconds for the commit, up to 600']);
  }
  if (operation.consent) own.push(['--yes', 'The user agreed to what the preview shows']);
  own.push(['--json', 'One JSON document on stdout'], ['--pager', 'Show the output in a pager']);
  own.push(['--timeout <s>', 'Give up after this many seconds']);
  return own;
}

/** One command in full. */
export function helpPage(operation: Operation): HelpPage {
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const takes = (operation.cli.positionals ?? []).map((field) => ({
    name: `<${field}>`,
    text: properties[field]?.description ?? '',
  }));
  return {
    usage: usage(operation),
    summary: operation.summary,
    takes,
    flags: flagRows(operation).map(([name, text]) => ({ name, text })),
    examples: operation.examples.flatMap((_, i) => exampleOf(operation, i)),
    ...(operation.surface !== 'cli' && { tool: `${operation.name} (surface ${operation.surface})` }),
  };
}

/** The page of a command: usage, what it takes, examples that run. */
export function pageText(page: HelpPage, view: HumanView): string {
  const rows = (list: HelpPage['flags']) =>
    explained(
      list.map(({ name, text }) => [name, text]),
      view,
    );
  const examples = page.examples.flatMap(({ command, title: what }) => [`  ${command}`, view.dim(`      ${what}`)]);
  return [
    view.bold(`gbrain ${page.usage}`),
    '',
    ...wrapWords(page.summary, view.columns),
    ...(page.takes.length > 0 ? ['', view.bold('Takes'), ...rows(page.takes)] : []),
    '',
    view.bold('Flags'),
    ...rows(page.flags),
    ...(examples.length > 0 ? ['', view.bold('Examples'), ...examples] : []),
    ...(page.tool ? ['', view.dim(`MCP tool: ${page.tool}`)] : []),
  ].join('\n');
}
