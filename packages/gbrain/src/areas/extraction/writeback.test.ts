// What agents save without being asked: a hook that only puts turns down, and a drain that keeps to its budgets.
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestHost, testHost } from '@gbrain/testkit/host';
import { type ProviderAnswer, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import type { Store } from 'gbrain/store/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secretDetector } from '../secrets/detector.ts';
import { countBanked } from './turn-bank.ts';

const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
let root: string;
let provider: ScriptedProvider;
let answer: ((turn: string) => ProviderAnswer | undefined) | undefined;

const turnIn = (body: unknown): string => /<turn>\\n(.*?)\\n<\/turn>/s.exec(JSON.stringify(body))![1]!;
const finds = (turn: string, more: object = {}): ProviderAnswer => ({
  text: JSON.stringify({
    facts: [{ fact: turn, quote: turn, kind: 'fact', entity: null, said_by: 'user', notability: 'medium', ...more }],
  }),
  inputTokens: 1000,
  outputTokens: 100,
});

beforeAll(async () => {
  // Loaded once: compiling it here takes longer on a busy machine than the hook gives itself.
  await secretDetector();
  provider = await startScriptedProvider(({ body }) => answer?.(turnIn(body)) ?? finds(turnIn(body)));
});
afterAll(() => provider.close());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gbrain-writeback-'));
  provider.hits.length = 0;
  answer = undefined;
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hostWith = (store: Store, settings: Record<string, string>): TestHost =>
  testHost(store, { homeRoot: join(root, 'home'), settings });

const entry = (type: string, content: unknown, more: object = {}) => {
  const said = { sessionId: 's-1', timestamp: '2026-02-01T09:30:00.000Z', message: { role: type, content } };
  return `${JSON.stringify({ type, ...said, ...more })}\n`;
};

async function session(...lines: string[]): Promise<string> {
  const file = join(root, 'session.jsonl');
  await writeFile(file, lines.join(''));
  return file;
}

const stop = async (on: TestHost, transcript_path: string, session_id = 's-1') =>
  (await on.ok<{ banked: number }>('hook_stop', { payload: JSON.stringify({ session_id, transcript_path }) })).banked;

const banked = async (): Promise<string[]> => {
  const folder = join(root, 'home', 'turns');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => (JSON.parse(text) as { text: string }).text).sort();
};

describe('the hook', () => {
  const nowhere = {} as Store;

  test('puts down what the user said once, and nothing of what is never saved', async () => {
    const on = hostWith(nowhere, { 'memory.auto_writeback': 'salient' });
    const file = await session(
      entry('user', 'We ship on Fridays from now on'),
      entry('assistant', [{ type: 'text', text: 'I think that you prefer tea.' }]),
      entry('user', [{ type: 'tool_result', content: 'The build is green since Monday' }]),
      entry('user', 'Thanks!'),
      entry('user', 'What is a bilby?'),
      entry('user', '/compact keep the plan'),
      entry('user', `The deploy key is ${KEY}`),
      entry('user', 'A subagent states a thing', { isSidechain: true }),
      '{"type":"user","sess',
    );
    expect(await stop(on, file)).toBe(2);
    expect(await banked()).toEqual(['The deploy key is [redacted github_token]', 'We ship on Fridays from now on']);
    expect(await stop(on, file)).toBe(0);
  });

  test.each(['off', undefined])('does nothing while memory.auto_writeback is %s', async (mode) => {
    const on = hostWith(nowhere, mode ? { 'memory.auto_writeback': mode } : {});
    expect(await stop(on, await session(entry('user', 'We ship on Fridays')))).toBe(0);
    expect(await banked()).toEqual([]);
  });

  test('never fails: whatever it is given, it ends well and puts nothing down', async () => {
    const on = hostWith(nowhere, { 'memory.auto_writeback': 'all' });
    const said = await session(entry('user', 'We ship on Fridays'));
    const odd = [
      {},
      { payload: '' },
      { payload: 'no json' },
      { payload: '[1]' },
      { payload: JSON.stringify({ session_id: 's', transcript_path: join(root, 'missing.jsonl') }) },
      { payload: JSON.stringify({ session_id: 's', transcript_path: 'relative.jsonl' }) },
      { payload: JSON.stringify({ session_id: 's', transcript_path: root }) },
      { payload: JSON.stringify({ session_id: 7, transcript_path: said }) },
    ];
    for (const args of odd) expect(await on.ok('hook_stop', args)).toEqual({ banked: 0 });
    await writeFile(join(root, 'home'), 'a file where the home should be');
    expect(await stop(on, said)).toBe(0);
    expect(on.faults).toEqual([]);
  });

  test('a session puts down thirty turns and no more; a paste is none', async () => {
    const on = hostWith(nowhere, { 'memory.auto_writeback': 'all' });
    let sum = await stop(on, await session(entry('user', 'y '.repeat(6_000))));
    for (let i = 0; i < 33; i++) sum += await stop(on, await session(entry('user', `Room ${i} is painted blue`)));
    expect(sum).toBe(30);
    expect(await stop(on, await session(entry('user', 'Room 99 is painted red')), 's-2')).toBe(1);
  });
});

eachStore('facts drain', (at) => {
  const model = { chat_model: 'anthropic:claude-sonnet-4-6' };
  const on = (more: Record<string, string> = {}) =>
    hostWith(at().store, { ...provider.settings, ...model, 'memory.auto_writeback': 'salient', ...more });
  const said = async (...texts: string[]) => {
    for (const text of texts) await stop(on(), await session(entry('user', text)));
    expect(await countBanked(on().home)).toBe(texts.length);
  };
  const drain = (host: TestHost) => host.ok<Record<string, unknown>>('facts_drain', {});

  test('takes facts out with their session and time, and the turns go', async () => {
    await said('Gwen leads the heron project', 'Gwen is fond of rye bread');
    answer = (turn) => (turn.includes('rye') ? finds(turn, { notability: 'low' }) : undefined);
    const host = on();
    expect(await drain(host)).toMatchObject({
      mode: 'salient',
      read: 2,
      inserted: 1,
      dropped: { not_notable: 1 },
      waiting: 0,
    });
    const { facts } = await host.ok<{ facts: object[] }>('recall', { session_id: 's-1' });
    expect(facts).toMatchObject([
      {
        fact: 'Gwen leads the heron project',
        source: 'the user, to Claude Code, session s-1',
        valid_from: '2026-02-01T09:30:00.000Z',
        visibility: 'world',
        trust_tier: 'agent_written',
      },
    ]);
    expect(await drain(host)).toMatchObject({ read: 0, waiting: 0 });
    expect(provider.hits.length).toBe(2);
  });

  test.each<[string, Record<string, string>, ProviderAnswer | undefined, string]>([
    ['no model', { chat_model: 'off' }, undefined, 'no_key'],
    ['a provider that is down', {}, { status: 500 }, 'extraction_unavailable'],
    ['a run budget', { 'facts.drain_budget_usd': '0.0001' }, undefined, 'job_over_budget'],
    ['a cap of all unattended calls', { 'spend.unattended_max_usd_per_day': '0' }, undefined, 'daily_budget_exhausted'],
  ])('%s leaves the turn for later', async (_, settings, given, deferred) => {
    await said(`Hugo chairs the ${deferred} board`);
    answer = () => given;
    expect(await drain(on(settings))).toMatchObject({ read: 0, waiting: 1, deferred });
    answer = undefined;
    expect(await drain(on())).toMatchObject({ read: 1, inserted: 1, waiting: 0 });
  });

  test('budgets of a run and of a day end a run before they are passed', async () => {
    await said('Iris tends the north garden', 'Iris tends the south garden');
    // A call costs 0.033 here, and at most some 0.07.
    answer = (turn) => ({ ...finds(turn), outputTokens: 2_000 }) as ProviderAnswer;
    const first = await drain(on({ 'facts.drain_budget_usd': '0.09' }));
    expect(first).toMatchObject({ read: 1, deferred: 'budget_exhausted', waiting: 1 });
    const second = await drain(on({ 'facts.drain_daily_budget_usd': '0.09' }));
    expect(second).toMatchObject({ read: 0, deferred: 'daily_budget_exhausted', waiting: 1 });
    expect(await drain(on())).toMatchObject({ read: 1, waiting: 0 });
  });

  test('answers of no use are asked for three times, and a turn of a month ago goes', async () => {
    await said('Jack mows the meadow');
    answer = () => ({ text: 'prose' });
    for (const waiting of [1, 1]) expect(await drain(on())).toMatchObject({ read: 0, given_up: 0, waiting });
    expect(await drain(on())).toMatchObject({ given_up: 1, waiting: 0 });
    await said('Kate mows the lawn');
    const folder = join(root, 'home', 'turns');
    const [name] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
    const old = new Date(Date.UTC(2026, 0, 1));
    await utimes(join(folder, name!), old, old);
    expect(await drain(on())).toMatchObject({ read: 0, swept: 1, waiting: 0 });
  });

  test('while nothing is to be saved unasked, nothing is read', async () => {
    await said('Liam owns the kiln');
    expect(await drain(on({ 'memory.auto_writeback': 'off' }))).toMatchObject({ mode: 'off', read: 0, waiting: 1 });
    expect(provider.hits).toEqual([]);
  });
});
