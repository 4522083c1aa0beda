// Rerankers of every family on loopback: the order that they give, and that a fault leaves the order as it was.

import { testHost } from '@gbrain/testkit/host';
import { type ProviderAnswer, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { openTestPglite, storeSuite } from '@gbrain/testkit/stores';
import { afterEach, expect, test } from 'vitest';
import { rerankDocuments, type SearchMode } from './rerank.ts';

const DOCUMENTS = ['coffee beans', 'green tea leaves', 'tea'];
let provider: ScriptedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

storeSuite('rerankers', { open: () => openTestPglite() }, (at) => {
  async function ranked(
    settings: Record<string, string>,
    rest: { answer?: ProviderAnswer; documents?: readonly string[]; mode?: SearchMode } = {},
  ) {
    provider = await startScriptedProvider(() => rest.answer);
    const host = testHost(at().store, { settings: { ...provider.settings, ...settings } });
    const { documents = DOCUMENTS, mode = 'balanced' } = rest;
    return rerankDocuments({ store: at().store, host }, { query: 'green tea', documents, mode });
  }

  test.each([
    ['voyage:rerank-2.5', '/voyage/v1/rerank'],
    ['cohere:rerank-v3.5', '/cohere/v2/rerank'],
    ['llama-server:bge-reranker', '/llama_server/v1/rerank'],
  ])('%s gives an order and is paid', async (model, path) => {
    const result = await ranked({ rerank_model: model });
    expect(result).toEqual({ order: [1, 2, 0], scores: [0, 1, 0.5], model });
    expect(provider!.hits.map((hit) => hit.path)).toEqual([path]);
  });

  test('what is beyond the input of the mode stands at the end, and is not sent', async () => {
    const documents = [...Array.from({ length: 25 }, (_, i) => `coffee ${i}`), 'green tea'];
    const result = await ranked({ rerank_model: 'voyage:rerank-2.5' }, { documents });
    expect(result).toMatchObject({ order: documents.map((_, i) => i) });
    expect(provider!.hits[0]!.texts).toHaveLength(25);
  });

  test.each([
    [{ status: 500 }, { failed: 'provider_error', detail: 'overloaded' }],
    [{ status: 429 }, { failed: 'provider_error', detail: 'rate_limited' }],
    [{ status: 401 }, { failed: 'provider_error', detail: 'auth' }],
    [{ scores: [1] }, { failed: 'provider_error', detail: 'invalid_response' }],
    [{ raw: '{}' }, { failed: 'provider_error', detail: 'invalid_response' }],
    [{ cut: true as const }, { failed: 'provider_error', detail: 'network' }],
  ])('%j leaves the order as it was', async (answer, result) => {
    expect(await ranked({ rerank_model: 'voyage:rerank-2.5' }, { answer })).toEqual(result);
  });

  const raw = (...rows: [number, unknown][]): ProviderAnswer => {
    const results = rows.map(([index, relevance_score]) => ({ index, relevance_score }));
    return {
      raw: JSON.stringify({ id: 'r', object: 'list', data: results, results, meta: {}, usage: { total_tokens: 9 } }),
    };
  };
  const RERANKERS = ['voyage:rerank-2.5', 'cohere:rerank-v3.5', 'llama-server:bge-reranker'];

  test.each([
    ['a place that was not sent', raw([0, 0.5], [1, 0.9], [7, 0.8])],
    ['one place twice', raw([0, 0.5], [1, 0.9], [1, 0.1])],
    ['one place twice beside all others', raw([0, 0.5], [1, 0.9], [2, 0.3], [1, 0.1])],
    ['too few', raw([1, 0.9], [0, 0.5])],
    ['none', raw()],
    ['a score that is no number', raw([0, 0.5], [1, 'NaN'], [2, 0.3])],
    ['no score', raw([0, 0.5], [1, null], [2, 0.3])],
    ['a negative place', raw([0, 0.5], [-1, 0.9], [2, 0.3])],
  ])('%s leaves the order as it was, whoever answers so', async (_, answer) => {
    for (const rerank_model of RERANKERS) {
      expect(await ranked({ rerank_model }, { answer })).toEqual({
        failed: 'provider_error',
        detail: 'invalid_response',
      });
      await provider!.close();
    }
  });

  test('results out of order, with scores below zero and beyond one, are ordered by their scores', async () => {
    for (const rerank_model of RERANKERS) {
      const answer = raw([2, -3.5], [0, -11], [1, 7.25]);
      expect(await ranked({ rerank_model }, { answer })).toMatchObject({ order: [1, 2, 0], scores: [-11, 7.25, -3.5] });
      await provider!.close();
    }
  });

  test('mode, settings, keys and caps decide whether it is asked', async () => {
    expect(await ranked({}, { mode: 'conservative' })).toEqual({ skipped: 'off' });
    expect(await ranked({ 'search.reranker.enabled': 'true' }, { mode: 'conservative' })).toMatchObject({
      model: 'voyage:rerank-2.5',
    });
    expect(await ranked({ rerank_model: 'off' })).toEqual({ skipped: 'off' });
    expect(await ranked({ voyage_api_key: '', rerank_model: 'voyage:rerank-2.5' })).toEqual({ skipped: 'no_key' });
    expect(await ranked({ voyage_api_key: '', cohere_api_key: '' })).toEqual({ skipped: 'no_provider' });
    expect(await ranked({ 'spend.unattended_max_usd_per_day': '0' })).toEqual({
      failed: 'budget',
      detail: 'cost_cap_exceeded',
    });
    expect(provider!.hits).toEqual([]);
  });
});
