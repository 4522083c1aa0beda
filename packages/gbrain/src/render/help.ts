// Help texts from the registry: the grouped list of commands, and one command in full. Pure.

import { shellQuote } from '@gbrain/wire/shell-quote';
import { callArgv, flagOf } from '../command-line.ts';
import { CLI_GROUPS, type Operation } from '../operation.ts';
import type { Registry } from '../registry.ts';
import { type WireProperty, wireSchema } from '../schema.ts';

const pad = (text: string, width: number): string => text.padEnd(width);

/** Rows of two aligned columns; the first has a bounded width. */
export function twoColumns(rows: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.min(Math.max(0, ...rows.map(([left]) => left.length)), 34);
  return rows.map(([left, right]) =>
    left.length > width
      ? `${indent}${left}\n${indent}${' '.repeat(width)}  ${right}`
      : `${indent}${pad(left, width)}  ${right}`,
  );
}

/** Every command by group, or only the given ones. */
export function commandList(registry: Registry, version: string, only?: readonly string[]): string {
  const lines = only ? [] : [`gbrain ${version}: the memory of AI agents`, '', 'Usage: gbrain <command> [flags]', ''];
  for (const group of CLI_GROUPS) {
    const operations = registry.operations.filter(
      ({ cli }) => cli.group === group && (!only || only.includes(cli.command)),
    );
    if (operations.length === 0) continue;
    lines.push(group, ...twoColumns(operations.map((one) => [usage(one), one.summary])), '');
  }
  if (!only) lines.push('gbrain <command> --help shows flags and examples; --json gives one JSON document.');
  return lines.join('\n').trimEnd();
}

/** The command with its positionals: `get <slug>`. */
export function usage({ cli, ...operation }: Operation): string {
  const { required = [] } = wireSchema({ cli, ...operation } as Operation, { listFullOnly: true });
  const words = (cli.positionals ?? []).map((field) => (required.includes(field) ? `<${field}>` : `[${field}]`));
  return [cli.command, ...words].join(' ');
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
    .filter(([field]) => !positionals.includes(field) && field !== 'source_id')
    .map(([field, property]): [string, string] => [
      flagLeft(field, property, short[field]),
      flagRight(property, required.includes(field)),
    ]);
  if (operation.cli.stdin) own.push(['--file <path>', `Read ${operation.cli.stdin} from a file; a pipe works too`]);
  if (operation.routesSource) own.push(['--source <id>', 'Source to act on (default "default")']);
  if (operation.where === 'brain' || operation.cli.opensBrain)
    own.push(['--brain <id>', 'Brain to act on (default "host")']);
  if ('wait_ms' in properties) own.push(['--accept-pending', 'Exit 0 when the write is still pending']);
  if (operation.consent) own.push(['--yes', 'The user agreed to what the preview shows']);
  own.push(['--json', 'One JSON document on stdout'], ['--timeout <s>', 'Give up after this many seconds']);
  return own;
}

/** One command: usage, what it takes, examples that run. */
export function commandHelp(operation: Operation): string {
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const positionals = (operation.cli.positionals ?? []).map((field): [string, string] => [
    `<${field}>`,
    properties[field]?.description ?? '',
  ]);
  const examples = operation.examples.map(({ title, input }): [string, string] => [
    shellQuote(callArgv(operation, input)),
    title,
  ]);
  const tool = operation.surface === 'cli' ? [] : ['', `MCP tool: ${operation.name} (surface ${operation.surface})`];
  return [
    `gbrain ${usage(operation)}`,
    '',
    operation.summary,
    ...(positionals.length > 0 ? ['', 'Takes', ...twoColumns(positionals)] : []),
    '',
    'Flags',
    ...twoColumns(flagRows(operation)),
    ...(examples.length > 0 ? ['', 'Examples', ...examples.map(([left, right]) => `  ${left}\n      ${right}`)] : []),
    ...tool,
  ].join('\n');
}
