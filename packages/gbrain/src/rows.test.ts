// The kinds of file that register: settings and their planes, fixes, registry, wire schemas in the plain dialect.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callArgv } from './command-line.ts';
import { buildFailure, type ErrorRow } from './failure.ts';
import { type FixSpec, toAction } from './fix.ts';
import { errors } from './generated/errors.ts';
import { notices } from './generated/notices.ts';
import { operations } from './generated/operations.ts';
import { settings } from './generated/settings.ts';
import type { Operation } from './operation.ts';
import { buildRegistry } from './registry.ts';
import { toolDefinition } from './render/tools.ts';
import { field, metaOf, wireSchema } from './schema.ts';
import { findSetting, parseSetting, type SettingRow } from './settings.ts';

const indexes = { operations, errors, notices, settings };
const registry = buildRegistry(indexes);
const sample = registry.operation('get_page')!;
const of = (shape: z.ZodRawShape, more: Partial<Operation> = {}): Operation => ({
  ...sample,
  routesSource: false,
  input: () => shape,
  ...more,
});

describe('settings', () => {
  const number: SettingRow = { type: 'number', min: 0, max: 10, default: 3, env: 'N', summary: '', requirement: '' };

  it('come from the environment, then the file, then the default; a bad value is skipped', () => {
    const find = (env: string | undefined, file: string | undefined) =>
      findSetting(number, 'n', { env: { N: env }, file: new Map(file === undefined ? [] : [['n', file]]) });
    expect(find('5', '7')).toEqual({ value: 5, plane: 'env' });
    expect(find('', '7')).toEqual({ value: 7, plane: 'file' });
    expect(find('50', '7')).toEqual({ value: 7, plane: 'file' });
    expect(find('x', 'y')).toEqual({ value: 3, plane: 'default' });
  });

  it.each<[SettingRow['type'], string, unknown]>([
    ['boolean', 'ON', true],
    ['boolean', '0', false],
    ['boolean', 'maybe', undefined],
    ['number', '', undefined],
    ['number', '10', 10],
    ['number', '10.5', undefined],
    ['number', 'NaN', undefined],
    ['enum', 'b', 'b'],
    ['enum', 'B', undefined],
    ['string', 'a1', 'a1'],
    ['string', '1a', undefined],
  ])('a %s of %j is %j', (type, text, value) => {
    const row = { type, min: 0, max: 10, values: ['a', 'b'], pattern: /^[a-z]\d$/, summary: '', requirement: '' };
    const parsed = parseSetting(row as unknown as SettingRow, text);
    expect(parsed.ok ? parsed.value : undefined).toBe(value);
  });
});

describe('a registry', () => {
  it('refuses what is declared twice', () => {
    const twice = <T>(list: readonly T[]) => [...list, list[0]!];
    expect(() => buildRegistry({ ...indexes, operations: twice(operations) })).toThrow('declared twice');
    expect(() => buildRegistry({ ...indexes, errors: twice(errors) })).toThrow('declared twice');
    const other = { ...operations[0]!, value: { ...operations[0]!.value, name: 'other_name' } };
    expect(() => buildRegistry({ ...indexes, operations: [...operations, other] })).toThrow(/command .* twice/);
  });

  it('finds the longest command', () => {
    expect(registry.command(['notices', 'mute', 'x'])).toMatchObject({
      operation: { name: 'mute_notice' },
      rest: ['x'],
    });
    expect(registry.command(['nothing'])).toBeUndefined();
    expect(registry.command([])).toBeUndefined();
  });
});

describe('a wire schema', () => {
  it('is plain: no choice of types, no references, no bounds beyond what a number can hold', () => {
    const { properties, required } = wireSchema(
      of({
        text: z.string().describe('A text'),
        count: z.number().int().default(3),
        list: z.array(z.object({ a: z.string().optional() })).optional(),
      }),
    );
    expect(required).toEqual(['text']);
    expect(properties).toEqual({
      text: { type: 'string', description: 'A text' },
      count: { type: 'integer', default: 3 },
      list: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      },
    });
    expect(() => wireSchema(of({ either: z.union([z.string(), z.number()]) }))).toThrow('no single type');
  });

  it('hides what only the full surface lists, and closes when it is told to', () => {
    const op = of({ a: z.string(), b: field(z.string(), { fullOnly: true }).optional() });
    expect(Object.keys(wireSchema(op).properties)).toEqual(['a']);
    expect(Object.keys(wireSchema(op, { listFullOnly: true, closed: true }).properties)).toEqual([
      'a',
      'b',
      '_meta',
      'dry_run',
    ]);
    expect(wireSchema(op, { closed: true }).additionalProperties).toBe(false);
    expect(metaOf(op, 'b').fullOnly).toBe(true);
  });

  it('has source_id wherever a source is resolved', () => {
    const resolving = registry.operations.filter(({ routesSource }) => routesSource);
    expect(resolving.filter((one) => !('source_id' in wireSchema(one).properties))).toEqual([]);
  });

  it('comes with annotations that say what a call does', () => {
    const op = (more: Partial<Operation>) => toolDefinition(of({}, more)).annotations;
    expect(op({ mutating: false })).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(op({ mutating: true, destructive: true, idempotent: false })).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
  });
});

describe('a fix', () => {
  const action = (fix: Partial<FixSpec>) => toAction(registry, { why: 'Because.', ...fix });

  it('names an operation once and is both a command and a call', () => {
    expect(action({ call: { op: 'get_page', input: { slug: 'a/b' } } })).toMatchObject({
      argv: ['gbrain', 'get', '--', 'a/b'],
      mcp: { tool: 'get_page', arguments: { slug: 'a/b' } },
      actor: 'agent',
      consent: [],
      requires_exclusive: false,
    });
    expect(action({ call: { op: 'get_page', input: { slug: 'a/b' } }, only: 'mcp' })).not.toHaveProperty('argv');
    expect(action({ call: { op: 'get_page', input: { slug: 'a/b' } }, only: 'cli' })).not.toHaveProperty('mcp');
    expect(action({ call: { op: 'init', input: {} } })).not.toHaveProperty('mcp');
  });

  it('that names nothing registered is none', () => {
    expect(action({ call: { op: 'no_such_tool', input: {} } })).toBeUndefined();
    const later: FixSpec = { call: { op: 'no_such_tool', input: {} }, why: '' };
    const fix = action({ argv: ['kill', '1'], ...Object.fromEntries([['then', later]]) });
    expect(fix).not.toHaveProperty('then');
  });

  it('carries no text that is too long or that came over a pipe', () => {
    const long = action({ call: { op: 'put_page', input: { slug: 'a/b', content: 'x'.repeat(4001) } } });
    expect(long).toMatchObject({ inputs: [{ name: 'content' }], mcp: { arguments: { content: '<content>' } } });
    expect(JSON.stringify(long).length).toBeLessThan(1000);
    const piped = action({ call: { op: 'put_page', input: { slug: 'a/b' } } });
    expect(piped).toMatchObject({ inputs: [{ name: 'content' }] });
  });

  it('puts its tail before the bare --', () => {
    const fix = action({ call: { op: 'get_page', input: { slug: '-x' } }, argvTail: ['--source', 'default'] });
    expect(fix?.argv).toEqual(['gbrain', 'get', '--source', 'default', '--', '-x']);
  });
});

describe('a failure', () => {
  const row: ErrorRow = { class: 'retryable', summary: 'S.', message: 'M.', suggestion: 'S.', example: {} };
  const at = (mutating: boolean, idempotent: boolean) => ({
    point: { operation: 'x', input: {}, mutating, idempotent },
    toAction: () => undefined,
  });

  it('is never to be repeated where a repeat would act twice', () => {
    expect(buildFailure('c', row, {}, at(false, true)).retryable).toBe(true);
    expect(buildFailure('c', row, {}, at(true, true)).retryable).toBe(true);
    expect(buildFailure('c', row, {}, at(true, false)).retryable).toBe(false);
    expect(buildFailure('c', { ...row, retryable: false }, {}, at(false, true)).retryable).toBe(false);
  });

  it('takes no data for a key of its own unless it is of that kind', () => {
    fc.assert(
      fc.property(
        fc.anything().filter((one) => one !== ''),
        (value) => {
          const failure = buildFailure('c', row, { reason: value, detail: value, why: value }, at(false, true));
          for (const key of ['reason', 'detail', 'why'] as const) {
            expect(failure[key]).toBe(typeof value === 'string' ? value : undefined);
          }
        },
      ),
    );
  });
});

describe('a printed call', () => {
  it('writes lists as repeated flags, and what is off as --no-', () => {
    const list = registry.operation('search')!;
    expect(callArgv(list, { query: 'a', types: ['x', 'y'], limit: 3 })).toEqual([
      ...['gbrain', 'search', '--types', 'x', '--types', 'y', '--limit', '3', '--', 'a'],
    ]);
    expect(callArgv(registry.operation('init')!, { embedding: false, pglite: true })).toEqual([
      ...['gbrain', 'init', '--no-embedding', '--pglite'],
    ]);
  });
});
