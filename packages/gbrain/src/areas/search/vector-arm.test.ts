// Search with vectors on both engines, made by a provider on loopback: the arm follows the brain, a fault of it is a
// named stage beside the words' answer, and a budget that is too small says so.
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import {
  type ProviderAnswer,
  type ProviderHit,
  type ScriptedProvider,
  startScriptedProvider,
} from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import type { OkOutcome } from 'gbrain/outcome';
import type { Store } from 'gbrain/store/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeVector } from '../../index/vectors/code.ts';
import { LiveIndex } from './live-index.ts';
import { LiveVectors, type StoredVectors } from './live-vectors.ts';
import type { SnapshotFile } from './snapshot-file.ts';

const TOPICS = ['steep the green leaves', 'sharpen a chisel', 'prune the quince', 'tune a cello', 'patch the canoe'];

const memoryFile = (): SnapshotFile & { bytes?: Uint8Array } => ({
  async read() {
    return this.bytes;
  },
  async write(parts) {
    this.bytes = new Uint8Array(Buffer.concat(parts));
  },
});

interface Retrieval {
  vector_enabled: boolean;
  degraded: { stage: string; reason?: string }[];
}

async function ask(host: TestHost, query: string, args: Record<string, unknown> = {}) {
  const outcome = await host.call('search', { query, ...args });
  if (outcome.kind === 'failed') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  const { output, meta, notices } = outcome as OkOutcome;
  const rows = output as { slug: string; chunk_text: string; delivered?: unknown }[];
  return { rows, retrieval: meta.retrieval as Retrieval, codes: notices.map((one) => one.code) };
}

async function withPages(store: Store, settings: Record<string, string>): Promise<TestHost> {
  const own = { embedding_model: 'compatible:words', embedding_dimensions: '64', rerank_model: 'off' };
  const host = testHost(store, { settings: { ...settings, ...own } });
  await host.ok('pricing_set', { model: 'compatible:words', rate: 1 });
  for (let i = 0; i < 20; i++) {
    const content = `# Page ${i}\n\nHow to ${TOPICS[i % TOPICS.length]}, part ${i}.\n`;
    await host.ok('put_page', { slug: `how/page-${i}`, content });
  }
  return host;
}

eachStore('search with vectors', (given) => {
  let provider: ScriptedProvider;
  let host: TestHost;
  let answer: ((hit?: ProviderHit) => ProviderAnswer | undefined) | undefined;

  beforeAll(async () => {
    provider = await startScriptedProvider((hit) => answer?.(hit));
    host = await withPages(given().store, provider.settings);
  });
  afterAll(() => provider.close());

  test('keyless, it says that there are no embeddings, once as configuration', async () => {
    const keyless = testHost(given().store);
    const { rows, retrieval } = await ask(keyless, 'quince');
    expect(rows).not.toEqual([]);
    expect(retrieval).toMatchObject({ vector_enabled: false });
    expect(retrieval.degraded).toEqual([{ stage: 'embed_unavailable', reason: 'no_provider' }]);
  });

  test('with vectors every arm runs, and pages written or deleted since are followed', async () => {
    const made = await host.call('embed', { stale: true }, OWNER, { approval: { yes: true } });
    expect(made.kind).toBe('ok');
    const { rows, retrieval, codes } = await ask(host, 'how to prune the quince', { limit: 5 });
    expect(retrieval).toMatchObject({ vector_enabled: true, degraded: [] });
    expect(codes).not.toContain('degraded_recall');
    expect(rows.slice(0, 4).map(({ slug }) => Number(slug.split('-')[1]) % 5)).toEqual([2, 2, 2, 2]);
    await host.ok('delete_page', { slug: rows[0]!.slug });
    const after = await ask(host, 'how to prune the quince', { limit: 20 });
    expect(after.rows.map(({ slug }) => slug)).not.toContain(rows[0]!.slug);
    await host.ok('restore_page', { slug: rows[0]!.slug });
    expect(host.faults).toEqual([]);
  });

  test('an explained search, its diagnosis and the figures of the index tell of the vectors', async () => {
    const { rows, retrieval } = await ask(host, 'how to tune a cello', { explain: true, limit: 3 });
    expect(rows[0]).toMatchObject({ cosine: expect.any(Number), keyword_hit: true, base_score: expect.any(Number) });
    expect(retrieval).toMatchObject({
      rows: 'full',
      terms: expect.arrayContaining([expect.objectContaining({ text: 'cello' })]),
    });
    const target = rows[0]!.slug;
    const diagnosed = (await host.ok('search_diagnose', { query: 'how to tune a cello', target })) as {
      layers: { words: number; vectors: { rank: number; cosine: number } };
      degraded: unknown[];
    };
    expect(diagnosed).toMatchObject({ degraded: [], layers: { words: expect.any(Number) } });
    expect(diagnosed.layers.vectors.rank).toBeGreaterThan(0);
    expect(diagnosed.layers.vectors.cosine).toBeGreaterThan(0);
    expect(await host.ok('search_stats', {})).toMatchObject({
      vectors: { count: expect.any(Number), bytes: expect.any(Number) },
    });
  });

  test('a page that the provider refused is counted as held, and as one that could match where it could', async () => {
    await host.ok('put_page', { slug: 'how/held-page', content: '# Held page\n\nHow to gild a frame.\n' });
    answer = () => ({ raw: JSON.stringify({ data: [{ index: 0, embedding: Array(64).fill(null) }] }) });
    await host.call('embed', { stale: true }, OWNER, { approval: { yes: true } });
    answer = undefined;
    const near = await ask(host, 'the held frame');
    expect(near.retrieval).toMatchObject({ coverage: { embedding_holds: { count: 1, could_affect: 1 } } });
    await host.ok('delete_page', { slug: 'how/held-page' });
    expect((await ask(host, 'tune a cello')).retrieval).toMatchObject({ coverage: { embedding_holds: { count: 0 } } });
  });

  test('a reranker has the last word, but not over names; one that fails leaves the order and is named', async () => {
    const settings = { ...provider.settings, embedding_model: 'off', rerank_model: 'voyage:rerank-2.5' };
    const reranked = testHost(given().store, { settings });
    await reranked.ok('pricing_set', { model: 'voyage:rerank-2.5', rate: 1 });
    const plain = (await ask(testHost(given().store), 'prune quince', { limit: 4 })).rows.map(({ slug }) => slug);
    answer = (hit?: ProviderHit) => (hit?.job === 'rerank' ? { scores: hit.texts.map((_, i) => i) } : undefined);
    const turned = await ask(reranked, 'prune quince', { limit: 4, fields: 'full' });
    expect(turned.rows.map(({ slug }) => slug)).not.toEqual(plain);
    expect(turned.rows[0]).toMatchObject({ rerank_score: expect.any(Number), rerank_from: expect.any(Number) });
    expect((await ask(reranked, 'Page 7', { limit: 4 })).rows[0]!.slug).toBe('how/page-7');
    answer = () => ({ status: 500 });
    const failed = await ask(reranked, 'prune quince', { limit: 4 });
    answer = undefined;
    expect(failed.rows.map(({ slug }) => slug)).toEqual(plain);
    expect(failed.retrieval.degraded).toContainEqual({ stage: 'rerank_failed', reason: 'provider_error' });
    expect(failed.codes).toContain('degraded_recall');
    expect(reranked.faults).toEqual([]);
  });

  test('vectors are kept in a file, which the next process reads with what changed since', async () => {
    const { store } = given();
    const part = (n: number) => `## Part ${n}\n\n${`How to bind book ${n} in green cloth. `.repeat(40)}\n`;
    const long = Array.from({ length: 60 }, (_, n) => part(n)).join('\n');
    await host.ok('put_page', { slug: 'how/bind', content: `# Binding\n\n${long}` });
    await host.ok('put_page', { slug: 'how/late', content: '# Late\n\nHow to gild the late leaf.\n' });
    await host.call('embed', { stale: true }, OWNER, { approval: { yes: true } });
    const files = { file: memoryFile(), vectorsFile: memoryFile() };
    const open = () => LiveIndex.open({ store, incarnation: 'one', language: 'english', ...files });
    const figures = async (live: LiveIndex) => {
      await live.current();
      return (await live.vectors.current())!.stats();
    };
    const first = await open();
    const all = await figures(first);
    await first.close();
    expect(files.vectorsFile.bytes!.length).toBeGreaterThan(all.vectors * 64);
    await host.ok('delete_page', { slug: 'how/late' });
    const second = await open();
    expect((await figures(second)).vectors).toBe(all.vectors - 1);
    await host.ok('restore_page', { slug: 'how/late' });
    expect((await figures(second)).vectors).toBe(all.vectors);
    await second.close();
    files.vectorsFile.bytes!.fill(1, -64);
    expect((await figures(await open())).vectors).toBe(all.vectors);
    expect(host.faults).toEqual([]);
  });

  test('a provider that fails leaves the answer of the words, and names the stage on every call', async () => {
    const alone = (await ask(testHost(given().store), 'tune cello')).rows.map(({ slug }) => slug);
    for (const [status, text] of [
      [500, 'tune the cello'],
      [400, 'tune your cello'],
    ] as const) {
      answer = () => ({ status });
      const { rows, retrieval, codes } = await ask(host, text);
      answer = undefined;
      expect(retrieval.degraded).toEqual([{ stage: 'embed_unavailable', reason: 'provider_error' }]);
      expect(new Set(rows.map(({ slug }) => slug))).toEqual(new Set(alone));
      expect(codes).toContain('degraded_recall');
    }
    answer = () => ({ status: 500 });
    const outcome = (await host.call('search', { query: 'tune her cello' })) as OkOutcome;
    answer = undefined;
    const notice = outcome.notices.find(({ code }) => code === 'degraded_recall');
    expect(notice).toMatchObject({
      why: expect.stringContaining('only because the embedding provider failed or could not be reached.'),
      fix: { argv: expect.arrayContaining(['gbrain', 'doctor']) },
    });
  });

  test('a budget below the first row cuts it and says so; without salvage nothing is left', async () => {
    const long = `# Ledger\n\n${'kept in the zinc box '.repeat(120)}\n`;
    await host.ok('put_page', { slug: 'long/ledger', content: long });
    const cut = await ask(host, 'zinc box', { token_budget: 200, snippet_chars: 0 });
    expect(cut.rows).toHaveLength(1);
    expect(cut.rows[0]!.chunk_text.length).toBeLessThanOrEqual(800);
    expect(cut.rows[0]!.delivered).toEqual({ truncated: true });
    expect(cut.retrieval.degraded).toContainEqual({ stage: 'budget_truncated', reason: 'first_result_truncated' });
    const strict = testHost(given().store, { env: { GBRAIN_SEARCH_SALVAGE: 'off' } });
    const dropped = await ask(strict, 'zinc box', { token_budget: 200, snippet_chars: 0 });
    expect(dropped.rows).toEqual([]);
    expect(dropped.retrieval.degraded).toContainEqual({ stage: 'budget_dropped_all' });
  });

  test('a call may ask for another mode, and only the owner for a larger one', async () => {
    const agent = { ...OWNER, transport: 'stdio' as const, owner: false };
    const budget = async (mode: string, caller = OWNER) => {
      const outcome = await host.call('search', { query: 'quince', mode }, caller);
      const { retrieval } = (outcome as OkOutcome).meta as { retrieval: { token_budget: { budget: number } } };
      return retrieval.token_budget.budget;
    };
    expect(await budget('conservative', agent)).toBe(4_000);
    expect(await budget('tokenmax', agent)).toBe(12_000);
    expect(await budget('tokenmax')).toBe(32_000);
  });

  test('search modes names the mode in use', async () => {
    const modes = await host.ok<{ mode: string; origin: string; modes: { mode: string }[] }>('search_modes');
    expect(modes).toMatchObject({ mode: 'balanced', origin: 'default' });
    expect(modes.modes.map(({ mode }) => mode)).toEqual(['conservative', 'balanced', 'tokenmax']);
  });
});

describe('live vectors', () => {
  test('start anew with another profile, and are none without one', async () => {
    const vector = (pageId: number) => ({ pageId, chunkIndex: 0, code: encodeVector(Float32Array.of(1, pageId)) });
    let profile: { signature: string; dimensions: number } | undefined;
    const seen: (string | undefined)[] = [];
    const source: StoredVectors = {
      profile: async () => profile,
      readVectors: async (since) => {
        seen.push(since);
        return { vectors: since === undefined ? [vector(1), vector(2)] : [], next: 'end', hasMore: false };
      },
      markOf: async () => undefined,
      vectorsOf: async (ids) => ids.filter((id) => id === 2).map(vector),
    };
    const live = new LiveVectors(source);
    expect(await live.current()).toBeNull();
    profile = { signature: 'a', dimensions: 2 };
    expect((await live.current())!.stats().vectors).toBe(2);
    live.touch([1, 2]);
    const [first, second] = await Promise.all([live.current(), live.current()]);
    expect(first).toBe(second);
    expect(first!.stats()).toMatchObject({ vectors: 1, pages: 1 });
    profile = { signature: 'b', dimensions: 2 };
    expect((await live.current())!.stats().vectors).toBe(2);
    expect(seen).toEqual([undefined, 'end', 'end', undefined]);
    profile = undefined;
    expect(await live.current()).toBeNull();
  });
});
