// Transcripts 1 and 3 to 6 of the operator contract over the built binary: structure, key order, codes, fix, next
// and argv are those of the frozen fixtures; test/wire/transcripts.json names what is left out, added or changed, and
// why.
import { readFileSync, statSync } from 'node:fs';
import { checkoutPath } from '@gbrain/testkit/gbrain-binary';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { valueAt } from '@gbrain/testkit/script';
import { describe, expect, test } from 'vitest';

interface Golden {
  fixture: string;
  /** Path of the document inside the fixture, where it holds more. */
  part?: string;
  /** `next` by path of the step; fixtures hold none. */
  next: Record<string, string>;
  left_out: Record<string, string>;
  added: Record<string, { why: string; before?: string; value: unknown }>;
  changed: Record<string, { why: string; value: unknown }>;
}

const read = (path: string): unknown => JSON.parse(readFileSync(checkoutPath(path), 'utf8'));
const goldens = read('test/wire/transcripts.json') as Record<string, Golden>;

const DOCS_BASE = 'https://docs.example/gbrain';
/** Sentences, which are ours. */
const PROSE = new Set(['message', 'why', 'user_message', 'label', 'question', 'default_reason', 'risk']);

type Json = Record<string, unknown>;

/** A document without its sentences and without what differs from machine to machine. */
function shapeOf(document: unknown, machine: readonly [string | RegExp, string][]): unknown {
  let text = JSON.stringify(document, (key, value: unknown) => {
    if (PROSE.has(key)) return typeof value === 'string' && value !== '' ? '(sentence)' : value;
    // The command at its end is part of the contract, the sentence before it is not.
    if (key === 'suggestion') return String(value).replace(/^.*?(Next: |$)/s, '(sentence) $1');
    return value;
  });
  for (const [what, placeholder] of machine) text = text.replaceAll(what as string, placeholder);
  return JSON.parse(text);
}

function parentOf(document: unknown, path: string): [holder: Json | unknown[], key: string] {
  const keys = path.split('.');
  const key = keys.pop()!;
  return [(keys.length === 0 ? document : valueAt(document, keys.join('.'))) as Json, key];
}

function remove(document: unknown, path: string): void {
  const [holder, key] = parentOf(document, path);
  if (valueAt(document, path) === undefined) throw new Error(`${path} is not in the fixture, so it is not left out`);
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete (holder as Json)[key];
}

function add(document: unknown, path: string, { before, value }: Golden['added'][string]): void {
  const [holder, key] = parentOf(document, path);
  if (Array.isArray(holder)) {
    holder.splice(Number(key), 0, value);
    return;
  }
  const entries = Object.entries(holder);
  const at = before === undefined ? entries.length : entries.findIndex(([name]) => name === before);
  entries.splice(at, 0, [key, value]);
  for (const name of Object.keys(holder)) delete holder[name];
  Object.assign(holder, Object.fromEntries(entries));
}

/** What the specification's transcript is today: the frozen fixture with the golden's differences. */
function expectedOf(golden: Golden): unknown {
  const file = read(`test/fixtures/agent-contract/v1/${golden.fixture}`);
  const document = golden.part === undefined ? file : valueAt(file, golden.part);
  for (const path of Object.keys(golden.left_out)) remove(document, path);
  for (const [path, one] of Object.entries(golden.added)) add(document, path, one);
  for (const [path, { value }] of Object.entries(golden.changed)) {
    const [holder, key] = parentOf(document, path);
    (holder as Json)[key] = value;
  }
  for (const [path, next] of Object.entries(golden.next)) {
    add(document, `${path}.next`, { why: '', before: 'why', value: next });
  }
  return document;
}

const shown = (value: unknown): string => JSON.stringify(value, null, 2);
const FIXED = '/home/alice-example/.gbrain';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;

/** Text equality, so that the order of keys counts. */
function expectTranscript(number: string, actual: unknown, machine: [string | RegExp, string][]): void {
  const expected = shapeOf(expectedOf(goldens[number]!), []);
  expect(shown(shapeOf(actual, [[DOCS_BASE, '{{DOCS_BASE}}'], ...machine]))).toBe(shown(expected));
}

describe('transcripts of the operator contract', () => {
  test('1: a caller mistake over MCP, and the fix and its check as given', async () => {
    await using home = await GbrainHome.withBrain({ env: { LLMS_REPO_BASE: DOCS_BASE } });
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    const reply = await pipe.call('list_pages', { sort: 'bogus' });
    expect(reply.isError).toBe(true);
    expect(reply.content).toHaveLength(1);
    const envelope = JSON.parse(reply.content[0]!.text) as { fix: { mcp: Step; verify: { mcp: Step } } };
    expectTranscript('1', envelope, []);
    for (const step of [envelope.fix.mcp, envelope.fix.verify.mcp]) {
      expect(await pipe.body(step.tool, step.arguments)).toEqual([]);
    }
  });

  test('3: an empty search over MCP is the bare array, and a notice that the user can act on', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    const reply = await pipe.call('search', { query: 'quokka-journey-marker' });
    const golden = read('test/fixtures/agent-contract/v1/bare-array-result.json') as typeof reply;
    expect(reply.content[0]).toEqual(golden.content[0]);
    // Line by line: the sentences are ours, everything else is the contract's.
    const lines = (text: string | undefined) =>
      text?.replace('{{next}}', 'tell_user_to_run').replace(/^(why|user_message): .+$/gm, '$1: (sentence)');
    expect(reply.content).toHaveLength(2);
    expect(lines(reply.content[1]?.text)).toBe(lines(golden.content[1]?.text));
    expect(reply.content[1]?.text).toContain('0 results');
    const [notice] = (reply._meta?.gbrain_notices ?? []) as { fix: Json }[];
    const [expected] = (golden._meta?.gbrain_notices ?? []) as { fix: Json }[];
    const fix = { ...expected!.fix, next: 'tell_user_to_run', why: notice?.fix.why };
    expect(notice).toMatchObject({ ...expected, fix, why: expect.any(String), user_message: expect.any(String) });
    expect((await home.run((fix as unknown as { argv: string[] }).argv.slice(1))).exit).toBe(0);
  });

  test('4: the first run on a keyless brain is one document with one bundle', async () => {
    await using home = new GbrainHome();
    const done = await home.run(['init', '--pglite', '--no-embedding', '--json']);
    expect(done).toMatchObject({ exit: 0, stderr: '' });
    const document = JSON.parse(done.stdout) as { content: { root: string; root_identity: string } };
    const { dev, ino } = statSync(document.content.root);
    expect(document.content.root_identity).toBe(`${dev}:${ino}`);
    // The fixture shows one id twice; ids of a brain and of its source are two.
    expectTranscript('4', document, [
      [home.root, FIXED],
      [UUID, '7f3c2a10-5b6e-4d1a-9c8b-2e4f6a8d0c11'],
      [`${dev}:${ino}`, '(device and inode of the content root)'],
    ]);
  });

  test('5: a caller mistake on the verbs surface, to the letter, and the fix as given', async () => {
    await using home = await GbrainHome.withBrain({ env: { LLMS_REPO_BASE: DOCS_BASE } });
    const pipe = new McpPipe(home.start(['serve', '--surface', 'verbs']));
    await pipe.initialize();
    const { call } = read('test/fixtures/agent-contract/v1/journey/caller-mistake.json') as { call: Step };
    const reply = await pipe.call(call.tool, call.arguments);
    expect(reply.isError).toBe(true);
    expect(reply.content).toHaveLength(1);
    const envelope = JSON.parse(reply.content[0]!.text) as Envelope & { fix: { mcp: Step } };
    expectTranscript('5', envelope, []);
    const error = expectedOf(goldens['5']!) as Envelope;
    expect(envelope).toMatchObject({ message: error.message, suggestion: error.suggestion });
    const again = await pipe.body(envelope.fix.mcp.tool, envelope.fix.mcp.arguments);
    expect(again).toMatchObject({ facts: [], total: 0, results: [], protocol_version: 1 });
  });

  test('6: a second session on a locked brain has one tool, which says who has the brain', async () => {
    await using home = await GbrainHome.withBrain();
    const owner = new McpPipe(home.start(['serve']));
    await owner.initialize();
    await owner.body('list_pages');
    const second = new McpPipe(home.start(['serve']));
    await second.initialize();
    const reply = await second.call('gbrain_status');
    expect(reply.isError).toBeUndefined();
    expect(reply.content).toHaveLength(1);
    const pid = String(owner.process.pid);
    expectTranscript('6', JSON.parse(reply.content[0]!.text), [
      [home.root, FIXED],
      [`"${pid}"`, '"48213"'],
      [TIME, '2026-10-03T16:20:00.000Z'],
    ]);
    expect(await second.toolNames()).toEqual(['gbrain_status']);
  });
});

interface Envelope {
  message: string;
  suggestion: string;
}

interface Step {
  tool: string;
  arguments: Json;
}
