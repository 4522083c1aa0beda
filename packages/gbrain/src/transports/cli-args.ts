// Words of a command line to a call: which command, which flags it takes, what is unknown. It runs nothing.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseCap } from '@gbrain/wire/caps';
import { closest } from '@gbrain/wire/did-you-mean';
import type { Call } from '../call.ts';
import { flagOf, flagsOf } from '../command-line.ts';
import { raise } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { Registry } from '../registry.ts';
import { type WireSchema, wireSchema } from '../schema.ts';

/** What the command line says beside the call itself. */
export interface CliRequest {
  operation: Operation;
  call: Call;
  json: boolean;
  quiet: boolean;
  /** `--pager`: a person wants to page through the output. */
  pager: boolean;
  /** `--accept-pending`, or `--no-accept-pending` as false: whether a pending write counts as success. */
  acceptPending?: boolean;
  /** `--file`: the path that fills the command's payload field. */
  file?: string;
}

function fieldOfFlag(schema: WireSchema, flag: string): string | undefined {
  return Object.keys(schema.properties).find((field) => flagOf(field).slice(2) === flag);
}

function unknownFlag(operation: Operation, flag: string, known: readonly string[]): never {
  const near = closest(flag.replace(/^-+/, ''), known);
  raise('unknown_flag', {
    command: operation.cli.command,
    flag: flag.slice(0, 60),
    ...(near && { closest: `--${near}` }),
  });
}

interface Words {
  values: Record<string, string | boolean | (string | boolean)[]>;
  positionals: string[];
}

function readWords(operation: Operation, words: readonly string[]): Words {
  const options = flagsOf(operation);
  const parsed = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const config =
      options[token.name] ?? (token.rawName.startsWith('--no-') ? options[token.name.replace(/^no-/, '')] : undefined);
    if (!config) unknownFlag(operation, token.rawName, Object.keys(options));
    if (config.type === 'string' && token.value === undefined) {
      raise('invalid_params', {
        tool: operation.name,
        param: token.name,
        problem: 'missing',
        expected: `a value after ${token.rawName}`,
      });
    }
  }
  return { values: parsed.values as Words['values'], positionals: parsed.positionals };
}

function takePositionals(operation: Operation, given: readonly string[]): Record<string, unknown> {
  const { positionals = [], joinRest } = operation.cli;
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const args: Record<string, unknown> = {};
  const last = positionals.length - 1;
  const takesRest = last >= 0 && (joinRest || properties[positionals[last]!]?.type === 'array');
  if (given.length > positionals.length && !takesRest) {
    const extra = given[positionals.length]!;
    raise('invalid_params', {
      tool: operation.name,
      param: extra.slice(0, 60),
      problem: 'unknown',
      expected: 'no further word',
    });
  }
  positionals.forEach((field, i) => {
    const isList = properties[field]?.type === 'array';
    if (i === last && takesRest) {
      if (given.length > i) args[field] = isList ? given.slice(i) : given.slice(i).join(' ');
    } else if (given[i] !== undefined) args[field] = given[i];
  });
  return args;
}

function takeFlags(operation: Operation, values: Words['values']): Record<string, unknown> {
  const schema = wireSchema(operation, { listFullOnly: true });
  const args: Record<string, unknown> = {};
  for (const [flag, value] of Object.entries(values)) {
    const field = fieldOfFlag(schema, flag);
    // Where a source is resolved, the flag goes beside the arguments.
    if (!field || (field === 'source_id' && operation.routesSource)) continue;
    const isList = schema.properties[field]?.type === 'array' && Array.isArray(value);
    // One value may itself be a JSON list or a comma list; several values are the list.
    args[field] =
      isList && value.length === 1 ? listOf(String(value[0]), schema.properties[field]?.items?.type) : value;
  }
  return args;
}

const listOf = (text: string, itemType: string | undefined): unknown =>
  text.trimStart().startsWith('[') || itemType === 'object' ? text : text.split(',').map((part) => part.trim());

/** The cap that a flag names; a bare 0 is none, and uncapped is a word. Source: facts/contract D.7. */
function capOf(operation: Operation, value: unknown): number | 'off' | undefined {
  if (value === undefined) return undefined;
  const cap = parseCap(String(value));
  if (cap !== undefined) return cap;
  return raise('invalid_params', {
    tool: operation.name,
    param: 'max_usd',
    problem: 'shape',
    given: String(value).slice(0, 60),
    expected: 'an amount in US dollars above 0, such as 2.50, or off for no cap',
    fix: {
      call: { op: 'help', input: { command: operation.cli.command } },
      only: 'cli',
      why: 'It shows what the command takes; nothing ran.',
    },
  });
}

function approvalOf(operation: Operation, values: Words['values']): Call['approval'] {
  const { yes, expect } = values;
  const maxUsd = capOf(operation, values['max-usd'] ?? values['max-cost']);
  if (yes === undefined && expect === undefined && maxUsd === undefined) return undefined;
  return {
    yes: yes === true,
    ...(typeof expect === 'string' && { expect }),
    ...(maxUsd !== undefined && { maxUsd }),
  };
}

function timeoutOf(operation: Operation, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (!(seconds > 0)) {
    raise('invalid_params', {
      tool: operation.name,
      param: 'timeout',
      problem: 'type',
      expected: 'a number of seconds above 0',
    });
  }
  return Math.round(seconds * 1000);
}

const WAIT_S_MAX = 600;

/** Time to wait for a write. Source: facts/contract J.3 (`--wait`). */
function waitOf(operation: Operation, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = value === '' ? Number.NaN : Number(value);
  if (seconds >= 0 && seconds <= WAIT_S_MAX) return Math.round(seconds * 1000);
  return raise('invalid_params', {
    tool: operation.name,
    param: 'wait',
    problem: 'range',
    expected: `a number of seconds from 0 to ${WAIT_S_MAX}`,
  });
}

/** The command that words name; raises `unknown_command` with the closest one. No words name `help`. */
export function findCommand(
  registry: Registry,
  words: readonly string[],
): { operation: Operation; rest: readonly string[] } {
  const first = words.findIndex((word) => word.startsWith('-'));
  const named = first === -1 ? words : words.slice(0, first);
  const found = named.length > 0 ? registry.command(words) : undefined;
  if (found) return found;
  const help = registry.operation('help')!;
  if (named.length === 0) {
    const rest = words.filter((word) => word !== '--help' && word !== '-h');
    // Without any word it is the short page; `gbrain --help` is the long one.
    return { operation: help, rest: rest.length === words.length ? [...rest, '--overview'] : rest };
  }
  const commands = registry.operations.map(({ cli }) => cli.command);
  const groups = [...new Set(commands.filter((c) => c.includes(' ')).map((c) => c.split(' ')[0]!))];
  if (named.length === 1 && groups.includes(named[0]!)) return { operation: help, rest: named };
  const pair = named.slice(0, 2).join(' ');
  const isGroup = groups.includes(named[0]!);
  const near = isGroup ? closest(pair, commands) : (closest(named[0]!, commands) ?? closest(pair, commands));
  const command = isGroup || near?.includes(' ') ? pair : named[0]!;
  raise('unknown_command', { command: command.slice(0, 80), ...(near && { closest: near }) });
}

/** A path means what it means where it was typed, whichever process runs the command. */
function absolutePaths(operation: Operation, args: Record<string, unknown>, cwd: string): Record<string, unknown> {
  const named = operation.cli.paths?.flatMap((field) => {
    const path = args[field];
    return typeof path === 'string' && path !== '' ? [[field, resolve(cwd, path)]] : [];
  });
  return { ...args, ...Object.fromEntries(named ?? []) };
}

/**
 * Reads a whole command line that was typed in `cwd`. Raises `unknown_command`, `unknown_flag` or `invalid_params`.
 */
export function parseCommandLine(registry: Registry, argv: readonly string[], cwd: string): CliRequest {
  const { operation, rest } = findCommand(registry, argv);
  const { values, positionals } = readWords(operation, rest);
  const json = values.json === true;
  const quiet = values.quiet === true;
  const pager = values.pager === true;
  if (values.help === true) {
    const help = registry.operation('help')!;
    return { operation: help, call: { op: 'help', args: { command: operation.cli.command } }, json, quiet, pager };
  }
  const timeoutMs = timeoutOf(operation, values.timeout);
  const approval = approvalOf(operation, values);
  const waitMs = waitOf(operation, values.wait);
  const given = { ...takePositionals(operation, positionals), ...takeFlags(operation, values) };
  const args = absolutePaths(operation, given, cwd);
  return {
    operation,
    json,
    quiet,
    pager,
    ...(typeof values.file === 'string' && operation.cli.stdin && { file: values.file }),
    ...(typeof values['accept-pending'] === 'boolean' && { acceptPending: values['accept-pending'] }),
    call: {
      op: operation.name,
      args,
      ...(typeof values.brain === 'string' && { brain: values.brain }),
      ...(typeof values.source === 'string' && operation.routesSource && { source: values.source }),
      ...(approval && { approval }),
      ...(timeoutMs && { timeoutMs }),
      ...(waitMs !== undefined && { waitMs }),
    },
  };
}
