// Facts out of conversations: what is asked about, what it costs and who agrees, and that every turn is paid for once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { type ProviderAnswer, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { IngestReply } from './ingest-reply.ts';

const AT = '2026-02-01T09:30:00.000Z';
const SAID = [
  'Tilda leads the otter project',
  'Thanks!',
  'What is an otter?',
  '/compact now please',
  'Tilda lives in Narvik',
  'x'.repeat(9_000),
];

const transcript = (id: string, said: readonly string[]): string =>
  said
    .flatMap((text) => [
      { role: 'user', content: text },
      { role: 'assistant', content: [{ type: 'text', text: 'Tilda seems tired.' }] },
    ])
    .map((message) => `${JSON.stringify({ type: message.role, sessionId: id, cwd: '/x', timestamp: AT, message })}\n`)
    .join('');

let root: string;
let provider: ScriptedProvider;
let answer: ((turn: string) => ProviderAnswer | undefined) | undefined;

/** What stands between the tags of the turn. */
const turnIn = (body: unknown): string => /<turn>\\n(.*?)\\n<\/turn>/s.exec(JSON.stringify(body))![1]!;
const found = (turn: string): ProviderAnswer => ({
  text: JSON.stringify({
    facts: [{ fact: turn, quote: turn, kind: 'fact', entity: null, said_by: 'user', notability: 'high' }],
  }),
  inputTokens: 1000,
  outputTokens: 100,
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gbrain-ingest-facts-'));
  provider = await startScriptedProvider(({ body }) => answer?.(turnIn(body)) ?? found(turnIn(body)));
});
afterAll(async () => {
  await provider.close();
  await rm(root, { recursive: true, force: true });
});
afterEach(() => {
  provider.hits.length = 0;
  answer = undefined;
});

eachStore('transcripts ingest --facts', (at) => {
  const host = (more: Record<string, string> = {}): TestHost =>
    testHost(at().store, {
      settings: { ...provider.settings, chat_model: 'anthropic:claude-sonnet-4-6', ...more },
    });
  const file = async (name: string, said: readonly string[] = SAID) => {
    const path = join(root, `${name}.jsonl`);
    await writeFile(path, transcript(name, said));
    return path;
  };
  const run = async (on: TestHost, path: string, approval: object = { yes: true }, more: object = {}) => {
    const outcome = await on.call('transcripts_ingest', { path, facts: true, ...more }, OWNER, { approval } as never);
    if (outcome.kind !== 'ok') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
    return outcome.output as IngestReply;
  };
  const recall = async (on: TestHost, args: object) =>
    (await on.ok<{ facts: Record<string, unknown>[] }>('recall', { ...args })).facts;

  test('a look says what it may cost, and the run asks first; a grown session costs what is new', async () => {
    const on = host();
    const path = await file('session-1');
    const look = await run(on, path, {}, { dry_run: true });
    expect(look).toMatchObject({ ingested: 1, facts: { waiting: 2, read: 0, model: 'anthropic:claude-sonnet-4-6' } });
    expect(look.facts!.est_usd).toBeGreaterThan(0);
    const refused = await on.refused('transcripts_ingest', { path, facts: true });
    expect(refused).toMatchObject({ code: 'confirmation_required', exit: 3, consent: { effects: ['paid'] } });
    expect(refused.consent!.approve.argv).toEqual(expect.arrayContaining(['--facts']));
    expect(refused.consent!.preview_argv).toEqual(expect.arrayContaining(['--facts', '--dry-run', '--json']));
    expect(provider.hits).toEqual([]);

    const done = await run(on, path);
    expect(done).toMatchObject({ ingested: 1, facts: { read: 2, left: 0, inserted: 2, failed: 0, usd: 0.009 } });
    expect(provider.hits.map(({ body }) => turnIn(body)).sort()).toEqual([SAID[0], SAID[4]].sort());
    const [fact] = await recall(on, { grep: 'otter project' });
    expect(fact).toMatchObject({
      visibility: 'world',
      source_session: 'session-1',
      valid_from: AT,
      source: expect.stringMatching(/^claude-code session session-1, turn 1, page conversations\/claude-code\//),
    });
    expect(await recall(on, { grep: 'tired' })).toEqual([]);

    // Nothing waits, so nobody is asked for anything.
    expect(await run(on, path, {})).toMatchObject({ unchanged: 1, facts: { waiting: 0, read: 0 } });
    await file('session-1', [...SAID, 'Tilda sold the boat']);
    expect(await run(on, path)).toMatchObject({ ingested: 1, facts: { waiting: 1, read: 1, inserted: 1 } });
    expect(provider.hits.length).toBe(3);
  });

  test('facts of private conversations are private, and none come of one that was deleted', async () => {
    const on = host();
    const path = await file('session-2', ['Ursel keeps the blue keys']);
    expect(await run(on, path, { yes: true }, { private: true })).toMatchObject({ facts: { inserted: 1 } });
    expect(await recall(on, { grep: 'blue keys' })).toMatchObject([{ visibility: 'private' }]);
    const other = await file('session-3', ['Volker keeps the red keys']);
    const plain = await on.ok<IngestReply>('transcripts_ingest', { path: other });
    await on.ok('delete_page', { slug: plain.outcomes[0]!.slug });
    expect(await run(on, other)).toMatchObject({ facts: { waiting: 0, read: 0 } });
  });

  test('a provider that fails ends the run with what is saved, and the same command goes on', async () => {
    const on = host();
    const path = await file('session-4', ['Wanda mends the roof', 'Wanda paints the door', 'Wanda sells the barn']);
    answer = (turn) => (turn.includes('door') ? { status: 500 } : undefined);
    const stopped = await on.call('transcripts_ingest', { path, facts: true }, OWNER, {
      approval: { yes: true },
    } as never);
    expect(stopped).toMatchObject({ kind: 'failed', failure: { code: 'unavailable', reason: 'provider_error' } });
    expect(await recall(on, { grep: 'Wanda' })).toHaveLength(2);
    provider.hits.length = 0;
    answer = (turn) => (turn.includes('door') ? { text: 'prose' } : undefined);
    expect(await run(on, path)).toMatchObject({ unchanged: 1, facts: { waiting: 1, failed: 1, left: 1, read: 0 } });
    answer = undefined;
    expect(await run(on, path)).toMatchObject({ facts: { waiting: 1, left: 0, inserted: 1 } });
    expect(provider.hits.length).toBe(2);
  });

  test('a cap that does not reach stops before it is passed, with the command that goes on', async () => {
    const on = host();
    const path = await file('session-5', ['Xaver brews the ale', 'Xaver bakes the bread']);
    const args = { path, facts: true };
    const approval = { yes: true, maxUsd: 0.01 };
    const stopped = await on.call('transcripts_ingest', args, OWNER, { approval } as never);
    expect(stopped).toMatchObject({ kind: 'failed', failure: { code: 'cost_cap_exceeded' } });
    expect(JSON.stringify(stopped)).toContain('--max-usd');
    expect(provider.hits).toEqual([]);
    expect(await run(on, path, { yes: true, maxUsd: 1 })).toMatchObject({ unchanged: 1, facts: { inserted: 2 } });
  });

  test('without a cap of the user no run may spend more than five dollars', async () => {
    const on = host();
    await on.ok('pricing_set', { model: 'anthropic:claude-sonnet-4-6', input: 9_000, output: 9_000 });
    const path = await file('session-6', ['Yvo carves the oars']);
    const stopped = await on.call('transcripts_ingest', { path, facts: true }, OWNER, {
      approval: { yes: true },
    } as never);
    expect(stopped).toMatchObject({ kind: 'failed', failure: { code: 'derived_cap_exhausted' } });
    expect(JSON.stringify(stopped)).toContain('$5');
    expect(provider.hits).toEqual([]);
  });

  test('without a model nothing is taken in, and the refusal says how pages come in alone', async () => {
    const on = testHost(at().store);
    const path = await file('session-7', ['Zita tunes the harp']);
    const refused = await on.refused('transcripts_ingest', { path, facts: true });
    expect(refused).toMatchObject({ code: 'unavailable', reason: 'no_llm', fix: { actor: 'user' } });
    expect(await on.ok('transcripts_ingest', { path })).toMatchObject({ ingested: 1 });
  });
});
