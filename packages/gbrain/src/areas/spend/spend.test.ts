// Money: what is reserved, settled, refused and named, on both engines, against a provider on loopback.

import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore, openTestPglite, storeSuite } from '@gbrain/testkit/stores';
import { type Cap, toMicros } from '@gbrain/wire/caps';
import { Raised } from 'gbrain/failure';
import type { Store } from 'gbrain/store/store';
import { afterEach, describe, expect, test } from 'vitest';
import { askChat, isReply } from '../models/ask-chat.ts';
import { listPrice } from './list-prices.ts';
import { costMicros } from './prices.ts';
import { LedgerPurse, openDayPurse } from './purse.ts';
import { openGroup, readGroup } from './spend.sql.ts';

const QUESTION = { system: 'Answer.', prompt: 'What is tea?', maxOutputTokens: 100 };
const SONNET = 'anthropic:claude-sonnet-4-6';
let provider: ScriptedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

async function given(store: Store, script: ProviderScript, settings: Record<string, string> = {}): Promise<TestHost> {
  provider = await startScriptedProvider(script);
  return testHost(store, { settings: { ...provider.settings, chat_model: SONNET, ...settings } });
}

async function purseOf(host: TestHost, store: Store, cap: Cap): Promise<LedgerPurse> {
  const groupId = await openGroup(store, {
    id: host.newId(),
    key: null,
    operation: 'test',
    capMicros: cap.capUsd === null ? null : toMicros(cap.capUsd),
    capSource: cap.source,
    via: 'test',
    estMicros: null,
    at: host.now(),
  });
  const resume = { op: 'pricing_list', input: {} };
  return new LedgerPurse({ store, host }, { groupId, operation: 'test', cap, resume });
}

const raised = async (run: Promise<unknown>): Promise<Raised> => {
  const error = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Raised);
  return error as Raised;
};

describe('prices', () => {
  test('a dated name costs what its plain one does, and an unknown one has no price', () => {
    expect(listPrice('openai:gpt-4o-2024-08-06')).toMatchObject({ input_micros: 2_500_000 });
    expect(listPrice('compatible:anything')).toBeUndefined();
    expect(listPrice('constructor')).toBeUndefined();
  });

  test('a cost is rounded up and never nothing', () => {
    const price = listPrice('openai:text-embedding-3-small')!;
    expect(costMicros(price, { input: 1, output: 0 })).toBe(1);
    expect(costMicros(price, { input: 1_000_000, output: 0 })).toBe(20_000);
    expect(costMicros(listPrice('cohere:rerank-v3.5')!, { input: 500, output: 0 })).toBe(2_000);
  });
});

eachStore('the ledger', (at) => {
  test('a call is reserved at its most and settled at what was used', async () => {
    const { store } = at();
    let reserved = 0;
    const host = await given(store, () => ({ text: 'Leaves.', inputTokens: 1000, outputTokens: 100 }));
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    const spy: typeof purse.reserve = purse.reserve.bind(purse);
    purse.reserve = async (call) => {
      const reservation = await spy(call);
      reserved = (await readGroup(store, purse.facts.groupId)).reserved_micros;
      return reservation;
    };
    const reply = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(reply).toMatchObject({ text: 'Leaves.', model: SONNET, usd: 0.0045, hops: [] });
    // 19 bytes of text at most 19 tokens, and 100 tokens out.
    expect(reserved).toBe(Math.ceil(19 * 3 + 100 * 15));
    expect(await readGroup(store, purse.facts.groupId)).toMatchObject({ reserved_micros: 0, spent_micros: 4_500 });
    expect(purse.spentUsd).toBe(0.0045);
  });

  test('a refused call costs nothing; one that may have been billed stays counted and is named', async () => {
    const { store } = at();
    const host = await given(store, (_, i) => (i === 0 ? { status: 429 } : { cut: true }));
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    const first = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(first).toMatchObject({ failed: 'rate_limited', isTransient: true });
    expect(await readGroup(store, purse.facts.groupId)).toMatchObject({ reserved_micros: 0, spent_micros: 0 });
    const second = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(second).toMatchObject({ failed: 'network' });
    expect((await readGroup(store, purse.facts.groupId)).spent_micros).toBe(1_557);
    const usage = await host.ok('get_usage', { days: 1 });
    expect(usage.uncertain).toContainEqual(
      expect.objectContaining({ model: SONNET, why: 'it ended with network', counted_usd: 0.001557 }),
    );
  });

  test('a provider that never answers ends at the deadline, counted', async () => {
    const { store } = at();
    const host = await given(store, () => ({ silent: true }));
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    expect(await askChat(host, QUESTION, { purse, timeoutMs: 50 })).toMatchObject({ failed: 'timeout' });
    expect((await readGroup(store, purse.facts.groupId)).spent_micros).toBe(1_557);
  });

  test('a cap holds over calls at once: what does not fit is refused before it is sent', async () => {
    const { store } = at();
    const host = await given(store, () => ({ text: 'x', inputTokens: 19, outputTokens: 100 }));
    const purse = await purseOf(host, store, { capUsd: 0.005, source: 'derived' });
    const ends = await Promise.allSettled(
      Array.from({ length: 6 }, () => askChat(host, QUESTION, { purse, timeoutMs: 5_000 })),
    );
    const refusals = ends.filter((end) => end.status === 'rejected');
    expect(provider!.hits.length).toBe(3);
    expect(refusals.length).toBe(3);
    expect((await readGroup(store, purse.facts.groupId)).spent_micros).toBeLessThanOrEqual(5_000);
    const last = await raised(askChat(host, QUESTION, { purse, timeoutMs: 5_000 }));
    expect(last).toMatchObject({ code: 'derived_cap_exhausted', data: { capUsd: 0.005, nextCapUsd: 0.25 } });
    expect(last.data.resumeArgv).toEqual(['gbrain', 'pricing', 'list', '--max-usd', '0.25', '--yes']);
  });

  test('no price: refused under a cap of the user, told of under any other, and the fix runs', async () => {
    const { store } = at();
    const host = await given(store, () => ({ text: 'x' }), { chat_model: 'compatible:homemade' });
    const strict = await purseOf(host, store, { capUsd: 1, source: 'user' });
    const refusal = await raised(askChat(host, QUESTION, { purse: strict, timeoutMs: 5_000 }));
    expect(refusal).toMatchObject({ code: 'no_pricing', data: { model: 'compatible:homemade', purpose: 'chat' } });
    expect(provider!.hits).toEqual([]);
    const loose = await purseOf(host, store, { capUsd: 1, source: 'default' });
    expect(await askChat(host, QUESTION, { purse: loose, timeoutMs: 5_000 })).toMatchObject({ text: 'x', usd: null });
    await host.ok('pricing_set', { model: 'compatible:homemade', input: 1, output: 2 });
    expect(await host.ok('pricing_list', { model: 'compatible:homemade' })).toMatchObject({
      prices: [{ input_usd: 1, output_usd: 2, origin: 'registered' }],
    });
    expect(await askChat(host, QUESTION, { purse: strict, timeoutMs: 5_000 })).toMatchObject({ usd: 0.00014 });
  });

  test('a local model needs no price and leaves the ledger alone', async () => {
    const { store } = at();
    const host = await given(store, () => ({ text: 'x' }), { chat_model: 'ollama:llama3.2' });
    const purse = await purseOf(host, store, { capUsd: 0, source: 'user' });
    expect(await askChat(host, QUESTION, { purse, timeoutMs: 5_000 })).toMatchObject({ text: 'x', usd: 0 });
    expect(await readGroup(store, purse.facts.groupId)).toMatchObject({ reserved_micros: 0, spent_micros: 0 });
  });

  test('one cap a day holds for all calls that nobody agrees to one by one', async () => {
    const { store } = at();
    const host = await given(store, () => ({ text: 'x' }), { 'spend.unattended_max_usd_per_day': '0.002' });
    const first = await openDayPurse({ store, host }, 'query');
    const second = await openDayPurse({ store, host }, 'put_page');
    expect(second.facts.groupId).toBe(first.facts.groupId);
    expect(isReply(await askChat(host, QUESTION, { purse: first, timeoutMs: 5_000 }))).toBe(true);
    const refusal = await raised(askChat(host, QUESTION, { purse: second, timeoutMs: 5_000 }));
    expect(refusal).toMatchObject({ code: 'cost_cap_exceeded', data: { operation: 'put_page', day: true } });
  });
});

eachStore('the fallback chain', (at) => {
  const chain = { chat_fallback_chain: 'google:gemini-2.5-flash, nobody:none, openai:gpt-5-mini' };

  test('goes on after a fault and after a refusal, pays for every attempt, and says so', async () => {
    const { store } = at();
    const host = await given(
      store,
      ({ path }) => {
        if (path.startsWith('/anthropic')) return { status: 529 };
        return path.startsWith('/google') ? { text: '', refused: true } : { text: 'From the third.' };
      },
      chain,
    );
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    const reply = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(reply).toMatchObject({
      text: 'From the third.',
      model: 'openai:gpt-5-mini',
      hops: [
        { from: SONNET, to: 'google:gemini-2.5-flash', reason: 'overloaded' },
        { from: 'google:gemini-2.5-flash', to: 'openai:gpt-5-mini', reason: 'refused' },
      ],
    });
    expect(provider!.hits.map(({ key }) => key)).toEqual(['key-of-anthropic', 'key-of-google', 'key-of-openai']);
  });

  test('stops at a refusal where the user wants it so', async () => {
    const { store } = at();
    const host = await given(store, () => ({ text: '', refused: true }), {
      ...chain,
      chat_fallback_on_refusal: 'false',
    });
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    expect(await askChat(host, QUESTION, { purse, timeoutMs: 5_000 })).toMatchObject({ failed: 'refused', hops: [] });
    expect(provider!.hits.length).toBe(1);
  });
});

storeSuite('families', { open: () => openTestPglite() }, (at) => {
  test.each([
    ['anthropic:claude-haiku-4-5', '/anthropic/v1/messages'],
    ['openai:gpt-5-mini', '/openai/v1/responses'],
    ['google:gemini-2.5-flash', '/google/v1beta/models/gemini-2.5-flash:generateContent'],
    ['mistral:mistral-small-latest', '/mistral/v1/chat/completions'],
    ['cohere:command-a-03-2025', '/cohere/v2/chat'],
    ['ollama:llama3.2', '/ollama/v1/chat/completions'],
    ['llama-server:default', '/llama_server/v1/chat/completions'],
    ['lm-studio:qwen3', '/lm_studio/v1/chat/completions'],
    ['compatible:model', '/compatible/v1/chat/completions'],
  ])('%s answers with what it used', async (model, path) => {
    const { store } = at();
    const host = await given(store, () => ({ text: 'Tea.', inputTokens: 31, outputTokens: 7 }), { chat_model: model });
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    const reply = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(reply).toMatchObject({ text: 'Tea.', finish: 'stop', model, inputTokens: 31, outputTokens: 7 });
    expect(provider!.hits.map((hit) => hit.path)).toEqual([path]);
  });

  test.each([
    [{ status: 401 }, 'model_unusable'],
    [{ status: 404 }, 'model_unusable'],
    [{ status: 400 }, 'provider_error'],
    [{ status: 500 }, 'provider_error'],
    [{ raw: '{"half": ' }, 'provider_error'],
    [{ raw: '{}' }, 'provider_error'],
    [{ cut: true as const }, 'network'],
  ])('%j is %s, in words of ours', async (answer, failed) => {
    const { store } = at();
    const host = await given(store, () => answer);
    const purse = await purseOf(host, store, { capUsd: 1, source: 'derived' });
    const reply = await askChat(host, QUESTION, { purse, timeoutMs: 5_000 });
    expect(reply).toMatchObject({ failed, why: expect.stringContaining(SONNET) });
    expect(JSON.stringify(reply)).not.toContain('scripted');
  });
});

eachStore('operations of spend', (at) => {
  test('bad prices are refused with a fix that runs, and agents on the pipe cannot set any', async () => {
    const host = testHost(at().store);
    const halves = [{ input: 1 }, { output: 1 }, { output: 1, per_call: 1 }, { rate: 1, input: 1, output: 1 }];
    const bad = [{ model: 'no-colon', rate: 1 }, { rate: -1 }, {}, ...halves];
    for (const args of bad.map((one) => ({ model: 'a:b', ...one }))) {
      expect(await host.refused('pricing_set', args)).toMatchObject({ code: 'invalid_params' });
    }
    const { fix } = await host.refused('pricing_set', { model: 'a:b' });
    expect(fix?.argv).toEqual(['gbrain', 'pricing', 'list', 'a:b']);
    expect(await host.ok('pricing_list', { model: 'a:b' })).toMatchObject({ prices: [] });
    expect(await host.refused('pricing_set', { model: 'a:b', rate: 1 }, AGENT)).toMatchObject({ code: 'unknown_tool' });
    expect(await host.ok('get_usage', {}, OWNER)).toMatchObject({ models: [], uncertain: [] });
  });
});
