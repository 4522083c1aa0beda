// The steps of the pipeline one by one: access, repair, parse, target, consent, deadline, gates, payload.
import { AGENT, OWNER } from '@gbrain/testkit/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Approval, CallIo } from '../call.ts';
import type { Caller, Context } from '../context.ts';
import { Raised } from '../failure.ts';
import type { Host } from '../host.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { buildRegistry, type Registry } from '../registry.ts';
import { field } from '../schema.ts';
import { StoreError } from '../store/store.ts';
import { denialOf } from './access.ts';
import { requireConsent } from './consent.ts';
import { startDeadline } from './deadline.ts';
import { openGates } from './gates.ts';
import { normaliseThrown } from './normalise.ts';
import { parseInput } from './parse.ts';
import { withPayload } from './payload.ts';
import { clampValue, repairValue } from './repair.ts';
import { brainIdOf, meantTarget, resolveTarget, scopeOf } from './target.ts';

function operation(more: Partial<Operation> = {}, shape: z.ZodRawShape = {}): Operation {
  const spec = defineOperation({
    name: 'sample',
    title: 'Sample',
    summary: 'A sample of an operation.',
    requirement: 'none',
    scope: 'read',
    surface: 'starter',
    where: 'brain',
    routesSource: false,
    mutating: false,
    idempotent: true,
    input: () => shape,
    output: () => z.unknown(),
    errors: [],
    cli: { command: 'sample', group: 'Pages', human: () => '' },
    examples: [],
    run: async () => null,
  });
  return { ...spec, ...more };
}

function raised(run: () => unknown): Raised {
  try {
    run();
  } catch (error) {
    if (error instanceof Raised) return error;
    throw error;
  }
  throw new Error('nothing was raised');
}

async function raisedBy(run: Promise<unknown>): Promise<Raised> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Raised) return error;
  throw error ?? new Error('nothing was raised');
}

const hostOf = (more: Partial<Host>): Host => ({ ambient: {}, ...more }) as Host;

describe('access', () => {
  const caller = (more: Partial<Caller>): Caller => ({ ...AGENT, ...more });
  it.each<[string, Partial<Operation>, Partial<Caller>, string | undefined]>([
    ['a tool of the surface', {}, { surface: 'starter' }, undefined],
    ['a tool beyond the surface', {}, { surface: 'verbs' }, 'hidden'],
    ['a command that is no tool', { surface: 'cli' }, {}, 'cli_only'],
    ['a local tool over HTTP', { localOnly: true }, { transport: 'http' }, 'local_only'],
    ['a local tool on the pipe', { localOnly: true }, {}, undefined],
    ['a write of a reader', { mutating: true }, { access: 'read-only' }, 'read_only'],
    ['a write scope of a reader', { scope: 'write' }, { access: 'read-only' }, 'read_only'],
    ['a scope that is not held', { scope: 'admin' }, { scopes: ['write'] }, 'scope'],
    ['a scope that is implied', { scope: 'read' }, { scopes: ['write'] }, undefined],
    ['agent is implied by none', { scope: 'agent' }, { scopes: ['admin'] }, 'scope'],
    ['a shut gate', { gate: 'a.b' }, {}, 'gate'],
    ['anything for the owner', { scope: 'agent', surface: 'cli', gate: 'a.b' }, OWNER, undefined],
  ])('%s', (_, op, who, wanted) => expect(denialOf(operation(op), caller(who))).toBe(wanted));

  it('knows no tool that is not registered, and opens a gate that is open', () => {
    expect(denialOf(undefined, OWNER)).toBe('unknown');
    expect(denialOf(operation({ gate: 'a.b' }), AGENT, new Set(['a.b']))).toBeUndefined();
  });
});

describe('gates', () => {
  it('are shut unless their setting is read and true', async () => {
    const operations = ['on', 'off', 'unset', 'broken'].map((gate) => ({ gate }));
    const values: Record<string, unknown> = { on: true, off: false };
    const setting = async (key: string) => {
      if (key === 'broken') throw new Error('no file');
      return { value: values[key], plane: 'file' };
    };
    const host = hostOf({ registry: { operations } as unknown as Registry, setting: setting as Host['setting'] });
    expect([...(await openGates(host))]).toEqual(['on']);
  });
});

describe('repair', () => {
  it('changes nothing that is of its type already', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.string())), (value) => {
        const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'boolean' : 'integer';
        expect(repairValue(value, { type, ...(type === 'array' && { items: { type: 'string' } }) }, {}, true)).toEqual({
          value,
        });
      }),
    );
  });

  it('reads back what a client turned into text, and guesses nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.string()), fc.dictionary(fc.string(), fc.string())),
        (value) => {
          const type = Array.isArray(value)
            ? 'array'
            : typeof value === 'object'
              ? 'object'
              : typeof value === 'boolean'
                ? 'boolean'
                : 'integer';
          expect(repairValue(JSON.stringify(value), { type }, {}, true)).toEqual({ value });
        },
      ),
    );
    for (const [text, type] of [
      ['0x10', 'integer'],
      ['1e', 'number'],
      ['yes', 'boolean'],
      ['{"a":1}', 'array'],
      ['[1]', 'object'],
      ['007', 'integer'],
    ] as const) {
      expect(repairValue(text, { type }, {}, true)).toEqual({ value: text });
    }
  });

  it.each([
    ['null of an optional argument', null, {}, false, undefined],
    ['null of a required argument', null, {}, true, { value: null }],
    ['an empty text', '', {}, true, undefined],
    ['an empty text that is a value', '', { keepEmpty: true }, true, { value: '' }],
    ['another spelling', 'newest', { aliases: { newest: 'updated' } }, true, { value: 'updated' }],
    ['a number for a text', 12, {}, true, { value: '12' }],
  ] as const)('%s', (_, value, meta, required, wanted) => {
    expect(repairValue(value, { type: 'string' }, meta, required)).toEqual(wanted);
  });

  it('clamps only where it may', () => {
    const bounds = { type: 'integer', minimum: 1, maximum: 9 } as const;
    expect(clampValue('n', 20, bounds, { clamp: true })).toEqual({
      value: 9,
      clamped: { param: 'n', from: 20, to: 9 },
    });
    expect(clampValue('n', 5, bounds, { clamp: true })).toEqual({ value: 5 });
    expect(clampValue('n', 20, bounds, {})).toEqual({ value: 20 });
    expect(clampValue('n', Number.NaN, bounds, { clamp: true })).toEqual({ value: Number.NaN });
  });
});

describe('parse', () => {
  const op = operation(
    {},
    {
      slug: field(z.string(), { example: 'a/b' }),
      sort: z.enum(['updated', 'title']).optional(),
      limit: field(z.number().int().min(1).max(10), { clamp: true }).optional(),
    },
  );

  it('types, clamps, and leaves unknown arguments out with a suggestion', () => {
    const parsed = parseInput(op, { slug: 'x', limit: '50', lmit: 3, _meta: {} }, false);
    expect(parsed.input).toEqual({ slug: 'x', limit: 10 });
    expect(parsed.clamped).toEqual([{ param: 'limit', from: 50, to: 10 }]);
    expect(parsed.unknown).toEqual([{ param: 'lmit', suggestion: 'limit' }]);
  });

  it('refuses unknown arguments where it is strict, and always of a destructive operation', () => {
    expect(raised(() => parseInput(op, { slug: 'x', lmit: 3 }, true)).data).toMatchObject({
      param: 'lmit',
      problem: 'unknown',
      corrected: { slug: 'x' },
    });
    const harsh = operation({ destructive: true }, { slug: z.string() });
    expect(raised(() => parseInput(harsh, { slug: 'x', y: 1 }, false)).code).toBe('invalid_params');
  });

  it('proposes a call that passes', () => {
    const { data } = raised(() => parseInput(op, { slug: 'x', sort: 'titel' }, false));
    expect(data).toMatchObject({ param: 'sort', problem: 'choice', suggestion: 'title', corrected: { sort: 'title' } });
    expect(parseInput(op, data.corrected as Record<string, unknown>, true).input).toEqual({ slug: 'x', sort: 'title' });
  });

  it('takes no name of a prototype for an argument', () => {
    const args = JSON.parse('{"slug":"x","__proto__":{"limit":1},"constructor":1,"toString":2}');
    const parsed = parseInput(op, args, false);
    expect(parsed.input).toEqual({ slug: 'x' });
    expect(parsed.unknown.map(({ param }) => param)).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it('ends in an input or in invalid_params, whatever it is given', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('slug', 'sort', 'limit', 'other'), fc.anything()), (args) => {
        try {
          expect(Object.keys(parseInput(op, args, false).input)).not.toContain('other');
        } catch (error) {
          expect(error).toBeInstanceOf(Raised);
          expect((error as Raised).code).toBe('invalid_params');
        }
      }),
    );
  });
});

describe('target', () => {
  const brain = { id: 'host', hasSource: async (id: string) => id === 'default' || id === 'work' } as never;
  const op = operation({ routesSource: true });
  const at = (source?: string) => ({ brain, host: hostOf({ ambient: source ? { source } : {} }) });

  it('takes the argument, then the flag, then the environment, then the default', async () => {
    const call = { op: 'sample', args: {} };
    const found = async (args: Record<string, unknown>, flag?: string, ambient?: string) =>
      (await resolveTarget(op, { ...call, ...(flag && { source: flag }) }, args, at(ambient))).source;
    expect(await found({ source_id: 'work' }, 'default', 'default')).toBe('work');
    expect(await found({}, 'work', 'default')).toBe('work');
    expect(await found({}, undefined, 'work')).toBe('work');
    expect(await found({})).toBe('default');
    expect((await resolveTarget(operation(), call, { source_id: 'work' }, at())).source).toBe('default');
    expect(brainIdOf({ ...call, brain: 'b' }, hostOf({ ambient: { brain: 'a' } }))).toBe('b');
  });

  it('refuses names that are none and sources that are not there', async () => {
    const call = { op: 'sample', args: {} };
    expect((await raisedBy(resolveTarget(op, call, { source_id: '../x' }, at()))).code).toBe('invalid_source');
    expect((await raisedBy(resolveTarget(op, call, { source_id: 'gone' }, at()))).code).toBe('unknown_source');
    expect(meantTarget(op, { op: 'sample', args: { source_id: 'x; rm' } }, hostOf({})).source).toBe('default');
  });

  it('shows what is private to the owner alone', () => {
    expect(scopeOf(OWNER, { brain: 'host', source: 'work' })).toEqual({ sources: ['work'], visibility: 'all' });
    expect(scopeOf(AGENT, { brain: 'host', source: 'work' }).visibility).toBe('world');
  });
});

describe('consent', () => {
  const request = { effects: ['destructive'], plan_hash: 'abc', preview_argv: ['gbrain'] };
  const settings: Record<string, unknown> = {};
  const ctx = { host: hostOf({ setting: (async (key: string) => ({ value: settings[key] })) as Host['setting'] }) };
  const ask = (more: object, approval?: Approval) =>
    requireConsent(
      operation({ consent: async () => ({ ...request, ...more }) as never }),
      ctx as Context,
      {},
      approval,
    );
  const code = async (more: object, approval?: Approval) =>
    ask(more, approval).then(
      () => 'runs',
      (error: Raised) => error.code,
    );

  it.each<[string, object, Approval | undefined, string]>([
    ['nothing was said', {}, undefined, 'confirmation_required'],
    ['yes without the plan', {}, { yes: true }, 'confirmation_required'],
    ['the plan without yes', {}, { yes: false, expect: 'abc' }, 'confirmation_required'],
    ['yes to this plan', {}, { yes: true, expect: 'abc' }, 'runs'],
    ['yes to another plan', {}, { yes: true, expect: 'old' }, 'preview_changed'],
    ['a plan without a hash', { plan_hash: undefined }, { yes: true }, 'confirmation_required'],
    ['money for what destroys', { est_usd: 1 }, { yes: false, maxUsd: 5 }, 'confirmation_required'],
    ['yes to an installation', { effects: ['persistent_install'] }, { yes: true }, 'runs'],
    ['an installation', { effects: ['persistent_install'] }, undefined, 'confirmation_required'],
  ])('%s', async (_, more, approval, wanted) => expect(await code(more, approval)).toBe(wanted));

  it('is not asked again for what the home has agreed to, and never given for what destroys', async () => {
    settings['consent.preapprove.persistent_install'] = true;
    expect(await code({ effects: ['persistent_install'] })).toBe('runs');
    expect(await code({ effects: ['persistent_install', 'destructive'] })).toBe('confirmation_required');
    delete settings['consent.preapprove.persistent_install'];
  });
});

describe('deadline', () => {
  it('is the caller’s where it is asked for, within ten minutes', () => {
    const never = new AbortController().signal;
    const limit = (own?: number, asked?: number) => {
      const deadline = startDeadline(never, own, asked);
      deadline.end();
      return deadline.limitMs;
    };
    expect([limit(), limit(5), limit(5, 9), limit(5, 10 ** 9)]).toEqual([60_000, 5, 9, 600_000]);
    expect(limit(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('tells the end of the time from a cancel', async () => {
    const cancel = new AbortController();
    const first = startDeadline(cancel.signal, 1);
    await new Promise((resolve) => first.signal.addEventListener('abort', resolve));
    expect(first.cause()).toBe('timeout');
    const second = startDeadline(cancel.signal, 60_000);
    expect(second.cause()).toBeUndefined();
    cancel.abort('stop');
    expect([second.cause(), second.signal.aborted]).toEqual(['cancelled', true]);
    second.end();
  });
});

describe('payload', () => {
  const op = operation({ cli: { command: 'sample', group: 'Pages', stdin: 'content', human: () => '' } });
  const io = (...chunks: Uint8Array[]): CallIo => ({
    signal: new AbortController().signal,
    progress: () => undefined,
    stdin: async function* () {
      yield* chunks;
    },
  });

  it('puts any text together from any pieces, byte order mark included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(), async (tail, at) => {
        const text = `\ufeff${tail}`;
        const bytes = Buffer.from(text);
        const cut = at % (bytes.length + 1);
        const args = await withPayload(op, {}, io(bytes.subarray(0, cut), bytes.subarray(cut)));
        expect(args.content).toBe(text);
      }),
    );
  });

  it('names the first byte that is not UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.constantFrom(0xff, 0xc0, 0xf8), async (head, bad) => {
        const bytes = Buffer.concat([Buffer.from(head), Buffer.from([bad, 0x41])]);
        const { data } = await raisedBy(withPayload(op, {}, io(bytes)));
        expect(data.expected).toBe(`UTF-8 text; byte ${Buffer.byteLength(head)} is not`);
      }),
    );
  });

  it('refuses one that is too long, and leaves a given argument alone', async () => {
    const mega = new Uint8Array(1_000_000).fill(0x61);
    expect((await raisedBy(withPayload(op, {}, io(mega, mega, mega, mega, mega, mega)))).code).toBe(
      'payload_too_large',
    );
    expect(await withPayload(op, { content: '' }, io(mega))).toEqual({ content: '' });
    expect(await withPayload(operation(), {}, io(mega))).toEqual({});
  });
});

describe('normalise', () => {
  const row = (summary: string) => ({
    class: 'server' as const,
    summary,
    message: (data: Record<string, unknown>) => `${summary} ${data.reason ?? ''}`,
    suggestion: 'Nothing.',
    example: {},
  });
  const names = ['internal_error', 'database_error', 'storage_error', 'timeout', 'cancelled', 'write_outcome_unknown'];
  const errors = Object.fromEntries([...names, 'migrations_pending'].map((name) => [name, row(name)]));
  const registry = buildRegistry({
    operations: [],
    errors: [{ area: 'a', file: 'a.errors.ts', value: errors }],
    notices: [],
    settings: [],
  });
  const point = { operation: 'sample', input: {}, mutating: false, idempotent: true };

  it('says nothing of what was thrown', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (secret) => {
        const failure = normaliseThrown(registry, new Error(secret), point);
        expect(failure.code).toBe('internal_error');
        expect(JSON.stringify(failure)).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
    const thrown = new StoreError('other', 'duplicate key value violates unique constraint "pages_pkey"');
    expect(normaliseThrown(registry, thrown, point)).toMatchObject({ code: 'database_error' });
    expect(JSON.stringify(normaliseThrown(registry, thrown, point))).not.toContain('pages_pkey');
  });

  it('is the signal’s when the signal had fired, but a raised code stands', () => {
    const stopped = { cause: 'timeout', limitMs: 5 } as const;
    expect(normaliseThrown(registry, new Error('x'), point, stopped).code).toBe('timeout');
    expect(normaliseThrown(registry, new Raised('storage_error'), point, stopped).code).toBe('storage_error');
    expect(() => normaliseThrown(registry, new Raised('no_such_code'), point)).toThrow('not registered');
  });
});
