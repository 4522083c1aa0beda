// Thousands of calls whose arguments do not fit, made from the registry's own schemas: each ends in one block with a
// registered code, none in a fault of ours, and what `next: run` names succeeds to the letter.
import { type Document, HomeInProcess, productRegistry, type ServedSession } from '@gbrain/testkit/home-in-process';
import type { RenderedAction } from '@gbrain/wire/action';
import fc from 'fast-check';
import { flagOf } from 'gbrain/command-line';
import type { Operation } from 'gbrain/operation';
import { type WireProperty, wireSchema } from 'gbrain/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SEED = Number(process.env.GBRAIN_FUZZ_SEED ?? 20_260_301);
const CALLS = 2_400;
const LINES = 300;
/** A repeat of what `next: run` names succeeds at least this often. Source: goals, Memory that can be trusted. */
const SUCCEEDS = 0.99;
/** Codes of faults of ours; no argument may lead to one. */
const OURS = ['internal_error', 'internal', 'database_error', 'storage_error', 'timeout'];

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '-',
    '--',
    '../..',
    '\0',
    '\u2028',
    '[AGENT]',
    "'; drop table pages; --",
    '{',
    '1e999',
    '漢字',
    '🧪',
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constant('x'.repeat(20_000)),
);

const anything = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom(-1, 0, 2 ** 53, Number.MAX_VALUE, true, false, null),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 8 }), text, { maxKeys: 3 }),
);

/** A value that a field may well be given: mostly of its type, often beyond its bounds or set. */
function valueFor(property: WireProperty): fc.Arbitrary<unknown> {
  const near: Record<WireProperty['type'], fc.Arbitrary<unknown>> = {
    string: property.enum ? fc.oneof(fc.constantFrom(...property.enum), text) : text,
    number: fc.oneof(fc.double(), fc.integer({ min: -5, max: 200 })),
    integer: fc.integer({ min: -5, max: 200 }),
    boolean: fc.boolean(),
    array: fc.array(property.items ? fc.constant({}) : text, { maxLength: 3 }),
    object: fc.dictionary(fc.string({ maxLength: 8 }), text, { maxKeys: 2 }),
  };
  return fc.oneof({ weight: 2, arbitrary: near[property.type] }, { weight: 3, arbitrary: anything });
}

const fieldsOf = (operation: Operation): [string, WireProperty][] =>
  // How long a call waits is not what this is about.
  Object.entries(wireSchema(operation, { listFullOnly: true }).properties).filter(([field]) => field !== 'wait_ms');

const foreign = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), anything, { maxKeys: 1 });

/** Arguments of which nothing is sure: fields left out, given wrong, and some that the operation does not have. */
function wildArgs(operation: Operation): fc.Arbitrary<Document> {
  const fields = fieldsOf(operation).map(([field, property]) => [field, valueFor(property)]);
  const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
  return fc.tuple(known, foreign).map(([mine, other]) => ({ ...other, ...mine }));
}

/** A call that succeeds, with one mistake in it: what a caller gets wrong. */
function nearArgs(operation: Operation, base: Document): fc.Arbitrary<Document> {
  const all = fieldsOf(operation);
  // Any text is a text; what can be of the wrong kind is everything else.
  const narrow = all.filter(([, { type, enum: words }]) => type !== 'string' || words);
  const fields = narrow.length > 0 ? narrow : all;
  if (fields.length === 0) return foreign.map((other) => ({ ...base, ...other }));
  const wrong = fc
    .constantFrom(...fields)
    .chain(([field, { type }]) =>
      fc.oneof(anything, type === 'string' ? text : fc.string()).map((value) => ({ [field]: value })),
    );
  return fc.tuple(wrong, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, foreign)).map(([one, other]) => ({
    ...base,
    ...other,
    ...one,
  }));
}

/** What a run has seen. */
interface Seen {
  refused: number;
  followed: number;
  /** Steps that were to succeed and did not, with what became of them. */
  dead: string[];
}

const EXAMPLES = [
  'notes/a',
  'people/alice-example',
  'people/bob-example',
  'companies/acme',
  'companies/acme-example',
  'projects/pilot',
  'inbox/old-note',
];

let home: HomeInProcess;
let session: ServedSession;

beforeAll(async () => {
  home = await HomeInProcess.withBrain();
  session = await home.serve();
  const put = (slug: string) => session.pipe.body('put_page', { slug, content: `# ${slug}\n\nSee [[notes/a]].\n` });
  // What the operations' own examples speak of.
  for (const slug of EXAMPLES) await put(slug);
});

afterAll(() => home[Symbol.asyncDispose]());

/** How often each operation's step came to each code. */
function countsOf(dead: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const one of dead) counts.set(one.slice(0, 40), (counts.get(one.slice(0, 40)) ?? 0) + 1);
  return [...counts].map(([what, n]) => `${n} ${what}`).join('\n');
}

const brief = (value: unknown): string => JSON.stringify(value).slice(0, 300);

function expectRefusal(body: Document, call: string): void {
  expect(productRegistry.errors.has(String(body.code)), call).toBe(true);
  expect(OURS, `${call}: ${brief(body)}`).not.toContain(body.code);
}

async function overMcp(operation: Operation, args: Document, seen: Seen): Promise<void> {
  const call = `${operation.name} ${brief(args)}`;
  const reply = await session.pipe.call(operation.name, args);
  if (!reply.isError) return;
  seen.refused += 1;
  expect(reply.content, call).toHaveLength(1);
  const body = JSON.parse(reply.content[0]!.text) as Document;
  expectRefusal(body, call);
  const fix = body.fix as RenderedAction | undefined;
  if (fix?.next !== 'run' || fix.inputs) return;
  seen.followed += 1;
  expect(fix.mcp, call).toBeDefined();
  const again = await session.pipe.call(fix.mcp!.tool, fix.mcp!.arguments);
  if (again.isError) {
    const { code, message } = JSON.parse(again.content[0]!.text) as Document;
    seen.dead.push(`${operation.name} ${code}: ${brief(message)} after ${call} -> ${brief(fix.mcp)}`);
  }
}

const word = (field: string, value: unknown): string =>
  `${flagOf(field)}=${typeof value === 'string' ? value : JSON.stringify(value ?? '')}`;

async function overTerminal(operation: Operation, args: Document, seen: Seen): Promise<void> {
  const argv = [
    ...operation.cli.command.split(' '),
    ...Object.entries(args).map(([field, value]) => word(field, value)),
  ];
  const { exit, body } = await home.document(argv.slice(0, 12));
  if (exit === 0) return;
  seen.refused += 1;
  expectRefusal(body, brief(argv));
  const fix = body.fix as RenderedAction | undefined;
  if (fix?.next !== 'run' || fix.inputs) return;
  seen.followed += 1;
  expect(fix.argv?.[0], brief(argv)).toBe('gbrain');
  const again = await home.document(fix.argv!.slice(1));
  const { code, message } = again.body;
  if (again.exit !== 0 && code) {
    seen.dead.push(
      `${operation.name} ${code}: ${brief(message)} after ${brief(argv)} -> ${fix.command?.slice(0, 300)}`,
    );
  }
}

/** The first example of an operation that succeeds here whenever it is called. */
async function workingExample(operation: Operation): Promise<Document | undefined> {
  for (const { input } of operation.examples) {
    const first = await session.pipe.call(operation.name, input);
    const second = await session.pipe.call(operation.name, input);
    if (!first.isError && !second.isError) return input;
  }
  return undefined;
}

const nothing = (): Seen => ({ refused: 0, followed: 0, dead: [] });

function expectRefusals({ refused }: Seen, atLeast: number): void {
  expect(refused).toBeGreaterThan(atLeast);
  expect(home.log).toEqual([]);
}

const tools = productRegistry.operations.filter(
  ({ surface, statusOnly, name }) => surface !== 'cli' && !statusOnly && name !== 'run_doctor',
);

test('anything at all: one block, a registered code, no fault', async () => {
  const seen = nothing();
  for (const [n, operation] of tools.entries()) {
    const samples = fc.sample(wildArgs(operation), { numRuns: Math.ceil(CALLS / tools.length), seed: SEED + n });
    for (const args of samples) await overMcp(operation, args, seen);
  }
  expectRefusals(seen, CALLS / 3);
});

test('one mistake in a call that works: what the refusal says to run, works', async () => {
  const seen = nothing();
  for (const [n, operation] of tools.entries()) {
    const base = await workingExample(operation);
    if (!base) continue;
    const samples = fc.sample(nearArgs(operation, base), { numRuns: Math.ceil(CALLS / tools.length), seed: SEED + n });
    for (const args of samples) await overMcp(operation, args, seen);
  }
  expectRefusals(seen, CALLS / 6);
  const { followed, dead } = seen;
  expect(followed).toBeGreaterThan(CALLS / 8);
  const told = `seed ${SEED}, ${followed} followed\n${countsOf(dead)}\n${dead.slice(0, 12).join('\n')}`;
  expect(dead.length, told).toBeLessThanOrEqual(followed * (1 - SUCCEEDS));
});

test('command lines', async () => {
  // What serves never ends, what takes a folder would take any of this machine, and a target is a program to start.
  const apart = [
    'protocol_conformance',
    'serve',
    'init',
    'export',
    'import',
    'sync_brain',
    'run_doctor',
    'config_set',
    'sources_add',
  ];
  const commands = productRegistry.operations.filter(({ name, statusOnly }) => !statusOnly && !apart.includes(name));
  const seen = nothing();
  for (const [n, operation] of commands.entries()) {
    const samples = fc.sample(wildArgs(operation), { numRuns: Math.ceil(LINES / commands.length), seed: SEED + n });
    for (const args of samples) await overTerminal(operation, args, seen);
  }
  expectRefusals(seen, LINES / 3);
});
