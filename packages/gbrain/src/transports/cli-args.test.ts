// Words to calls: what a printed command says is what it does when it is typed, for every operation and any text.
import { shellQuote } from '@gbrain/wire/shell-quote';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callArgv, flagOf, flagsOf } from '../command-line.ts';
import { Raised } from '../failure.ts';
import { errors } from '../generated/errors.ts';
import { notices } from '../generated/notices.ts';
import { operations } from '../generated/operations.ts';
import { settings } from '../generated/settings.ts';
import type { Operation } from '../operation.ts';
import { parseInput } from '../pipeline/parse.ts';
import { buildRegistry } from '../registry.ts';
import { inputSchema } from '../schema.ts';
import { findCommand, parseCommandLine } from './cli-args.ts';

const registry = buildRegistry({ operations, errors, notices, settings });
const parse = (...argv: string[]) => parseCommandLine(registry, argv, '/');

function refusal(...argv: string[]): Raised {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof Raised) return error;
    throw error;
  }
  throw new Error(`${shellQuote(argv)} was taken`);
}

/** What a call becomes when it is printed as a command and typed again. */
function typedAgain(operation: Operation, input: Record<string, unknown>): Record<string, unknown> {
  const { call } = parseCommandLine(registry, callArgv(operation, input).slice(1), '/');
  return parseInput(operation, call.args, true).input;
}

describe('a printed command', () => {
  const cases = registry.operations
    .filter(({ cli }) => !cli.paths)
    .flatMap((operation) =>
      operation.examples.map(({ title, input }) => [operation.name, title, operation, input] as const),
    );

  it.each(cases)('of %s says what it was made of: %s', (_, __, operation, input) => {
    expect(typedAgain(operation, input)).toEqual(inputSchema(operation).parse(input));
  });

  it('keeps any text, also one that looks like a flag', () => {
    const search = registry.operation('search')!;
    const edge = fc.constantFrom('--json', '-n', '--', '-', '--no-x=1', 'a b', "it's", '[1]', 'null');
    const texts = fc.oneof(edge, fc.string({ unit: 'grapheme', minLength: 1 })).filter((text) => text !== '');
    fc.assert(
      fc.property(texts, texts, (query, since) => {
        expect(typedAgain(search, { query, since })).toEqual({ query, since });
      }),
    );
  });
});

describe('a command line', () => {
  it('has commands of several words, flags in any place, and short ones', () => {
    expect(parse('notices', 'mute', 'weak_retrieval').call).toEqual({
      op: 'mute_notice',
      args: { code: 'weak_retrieval' },
    });
    expect(parse('search', '-n', '3', 'two', 'words', '--json')).toMatchObject({
      json: true,
      call: { op: 'search', args: { query: 'two words', limit: '3' } },
    });
    expect(parse('get', 'a/b', '--brain', 'x', '--source=work', '--timeout', '2').call).toEqual({
      op: 'get_page',
      args: { slug: 'a/b' },
      brain: 'x',
      source: 'work',
      timeoutMs: 2_000,
    });
  });

  it('tells the source that a command acts on from the one that an entry cites', () => {
    const { call } = parse('timeline-add', '--cite', 'a call', '--source', 'work', '--', 'a/b', '2026-11-30', 'Met');
    expect(call).toMatchObject({ source: 'work', args: { source: 'a call', slug: 'a/b' } });
  });

  it('hands --source to a command that filters by source and acts on none', () => {
    expect(parse('write-requests', '--source', 'work').call).toEqual({
      op: 'list_write_requests',
      args: { source_id: 'work' },
    });
  });

  it('takes the wait for a write in seconds, beside the arguments', () => {
    expect(parse('put', 'a', '--content', 'x', '--wait', '0').call).toMatchObject({ args: { slug: 'a' }, waitMs: 0 });
    expect(parse('put', '--wait', '600', 'a').call).toMatchObject({ args: { slug: 'a' }, waitMs: 600_000 });
  });

  it('shows help for nothing, for a group, and for any command with --help', () => {
    expect(parse().call).toMatchObject({ op: 'help' });
    expect(parse('notices').call).toMatchObject({ op: 'help', args: { command: 'notices' } });
    expect(parse('get', '--help').call).toEqual({ op: 'help', args: { command: 'get' } });
    expect(parse('-h').operation.name).toBe('help');
  });

  it.each([
    [['serach', 'x'], 'unknown_command', { command: 'serach', closest: 'search' }],
    [['notices', 'lsit'], 'unknown_command', { command: 'notices lsit', closest: 'notices list' }],
    [['list', '--limt', '3'], 'unknown_flag', { flag: '--limt', closest: '--limit' }],
    [['list', '--limit'], 'invalid_params', { param: 'limit', problem: 'missing' }],
    [['get', 'a', 'b'], 'invalid_params', { param: 'b', problem: 'unknown' }],
    [['get', 'a', '--timeout', 'soon'], 'invalid_params', { param: 'timeout' }],
    [['get', 'a', '--timeout', '-1'], 'invalid_params', { param: 'timeout' }],
    [['put', 'a', '--wait', '601'], 'invalid_params', { param: 'wait', problem: 'range' }],
    [['list', '--wait', '1'], 'unknown_flag', { flag: '--wait' }],
    [['version', '--brain', 'x'], 'unknown_flag', { flag: '--brain' }],
    [['get', 'a', '--yes'], 'unknown_flag', { flag: '--yes' }],
  ] as const)('%j is refused', (argv, code, data) => {
    const { code: got, data: said } = refusal(...argv);
    expect([got, said]).toEqual([code, expect.objectContaining(data)]);
  });

  it('ends in a call or in a refusal that is registered, whatever is typed', () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...registry.operations.flatMap(({ cli }) => cli.command.split(' ')),
        '--json',
        '--',
        '-x',
        '--no-json',
      ),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          expect(registry.operation(parse(...argv).call.op)).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(Raised);
          expect(registry.errors.has((error as Raised).code)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('flags', () => {
  it('are never one for two fields', () => {
    for (const operation of registry.operations) {
      const fields = Object.keys(inputSchema(operation).shape);
      const own = fields.filter((field) => field !== 'source_id').map(flagOf);
      const shared = [
        '--json',
        '--quiet',
        '--help',
        '--brain',
        '--source',
        '--timeout',
        '--yes',
        '--expect',
        '--max-usd',
      ];
      const taken = [...shared, '--file', '--accept-pending', '--wait', ...own];
      expect([operation.name, taken.filter((flag, i) => taken.indexOf(flag) !== i)]).toEqual([operation.name, []]);
      const shorts = Object.values(flagsOf(operation)).flatMap(({ short }) => short ?? []);
      expect([operation.name, new Set(shorts).size]).toEqual([operation.name, shorts.length]);
    }
  });

  it('every command leads to its operation', () => {
    for (const operation of registry.operations) {
      for (const command of [operation.cli.command, ...(operation.cli.aliases ?? [])]) {
        expect(findCommand(registry, command.split(' ')).operation.name).toBe(operation.name);
      }
    }
  });
});
