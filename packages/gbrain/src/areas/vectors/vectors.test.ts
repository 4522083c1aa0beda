// Vectors on both engines, made by a provider on loopback: what waits, what is stored, every way in which a provider
// can fail, profiles that swap, and the feed that an index follows.

import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import {
  type ProviderScript,
  type ScriptedProvider,
  startScriptedProvider,
  wordVector,
} from '@gbrain/testkit/scripted-provider';
import { eachStore, openTestPglite, storeSuite } from '@gbrain/testkit/stores';
import { raw, sql } from 'gbrain/store/sql';
import type { Store } from 'gbrain/store/store';
import { afterEach, describe, expect, test } from 'vitest';
import { VectorIndex } from '../../index/vectors/vector-index.ts';
import { capTokens, embedHash, embedInput } from './embed-input.ts';
import { packVector, toUnit, unpackVector } from './packed-vector.ts';
import { vectorSourceOf } from './stored-vectors.ts';
import { hasVector } from './vector-source.ts';

const APPROVED = { approval: { yes: true } };
const DIMENSIONS = '64';
let provider: ScriptedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

async function given(
  store: Store,
  script: ProviderScript = () => undefined,
  settings: Record<string, string> = {},
): Promise<TestHost> {
  await provider?.close();
  provider = await startScriptedProvider(script);
  const own = { embedding_model: 'compatible:words', embedding_dimensions: DIMENSIONS };
  const host = testHost(store, { settings: { ...provider.settings, ...own, ...settings } });
  await host.ok('pricing_set', { model: 'compatible:words', rate: 1 });
  return host;
}

/** An empty brain with `count` pages of a text each. */
async function withPages(host: TestHost, store: Store, count: number): Promise<void> {
  await store.query(sql`delete from embedding_profiles`);
  for (const table of ['page_chunks', 'page_keys', 'pages']) await store.query(raw(`delete from ${table}`));
  await store.query(sql`delete from spend_calls`);
  await store.query(sql`delete from spend_groups`);
  for (let i = 0; i < count; i++) {
    await host.ok('put_page', { slug: `tea/page-${i}`, content: `# Tea ${i}\n\nLeaves number ${i} are steeped.\n` });
  }
}

const embed = async (host: TestHost, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
  const outcome = await host.call('embed', { stale: true, ...args }, OWNER, APPROVED);
  if (outcome.kind === 'failed') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.output as Record<string, unknown>;
};

const embedRefused = async (host: TestHost, args: Record<string, unknown> = {}) => {
  const outcome = await host.call('embed', { stale: true, ...args }, OWNER, APPROVED);
  if (outcome.kind === 'ok') throw new Error(`embed succeeded: ${JSON.stringify(outcome.output)}`);
  return outcome.failure;
};

const textsSent = (): string[] => provider!.hits.flatMap(({ texts }) => texts);

describe('texts and vectors', () => {
  test('title and headings lead the text, each once', () => {
    expect(embedInput({ title: 'Tea', headingPath: ['Tea', 'Green'], text: 'Hot.' })).toBe('Tea > Green\n\nHot.');
    expect(embedInput({ title: '', headingPath: [], text: 'Hot.' })).toBe('Hot.');
    const hash = embedHash({ title: 'Tea', headingPath: [], text: 'Hot.' });
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(embedHash({ title: 'Tee', headingPath: [], text: 'Hot.' })).not.toBe(hash);
  });

  test('a text is cut at a code point, by bytes', () => {
    expect(capTokens('abcdef', 4)).toBe('abcd');
    expect(capTokens('浦东冷链', 7)).toBe('浦东');
    expect(capTokens('a😀b', 4)).toBe('a');
    expect(capTokens('a😀b', 5)).toBe('a😀');
  });

  test('a packed vector keeps its direction', () => {
    const unit = toUnit(wordVector('one two three four five', 60), 60) as Float32Array;
    const most = Math.max(...unit.map(Math.abs));
    const before = new Uint8Array(4 + 60);
    new DataView(before.buffer).setFloat32(0, most / 127, true);
    before.set(new Uint8Array(Int8Array.from(unit, (one) => Math.round((one / most) * 127)).buffer), 4);
    // The second is a row from before there were signs.
    for (const bytes of [packVector(unit), before]) {
      const index = new VectorIndex(60);
      index.put([{ pageId: 1, chunkIndex: 0, code: unpackVector(bytes, 60) }]);
      expect(index.search(unit, 1, () => true).hits[0]!.cosine).toBeGreaterThan(0.9999);
    }
  });

  test.each([
    [[1, 2], 'wrong_size'],
    [[1, 2, Number.NaN], 'not_finite'],
    [[1, 2, null], 'not_finite'],
    [[1e308, 1e308, 1e308], 'not_finite'],
    [[0, 0, 0], 'zero'],
    ['text', 'wrong_size'],
  ])('%j is %s', (raw, why) => {
    expect(toUnit(raw, 3)).toBe(why);
  });
});

eachStore('embed', (at) => {
  test('asks first, embeds once, and a second run calls nobody', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 5);
    const dry = await host.ok('embed', { stale: true, dry_run: true });
    expect(dry).toMatchObject({ status: 'dry_run', profile: 'new', waiting: { texts: 5, pages: 5 } });
    expect(dry.est_usd as number).toBeGreaterThan(0);
    const refusal = await host.refused('embed', { stale: true });
    expect(refusal).toMatchObject({
      code: 'confirmation_required',
      exit: 3,
      consent: { effects: ['paid'], est_usd: dry.est_usd, approve: { argv: ['gbrain', 'embed', '--stale'] } },
    });
    expect(provider!.hits).toEqual([]);
    const done = await embed(host);
    expect(done).toMatchObject({ status: 'complete', embedded: 5, refused: {}, waiting: { texts: 0 } });
    expect(done.usd as number).toBeGreaterThan(0);
    const hits = provider!.hits.length;
    expect(await host.ok('embed', { stale: true })).toMatchObject({ status: 'complete', embedded: 0 });
    expect(provider!.hits.length).toBe(hits);
  });

  test('a page that is written again keeps the vectors of its unchanged texts', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 1);
    const part = (name: string) => `## ${name}\n\n${`${name} has many words of its own. `.repeat(80)}\n`;
    await host.ok('put_page', { slug: 'tea/long', content: `# Long\n\n${part('Alpha')}${part('Beta')}`, force: true });
    await embed(host);
    provider!.hits.length = 0;
    const changed = `# Long\n\n${part('Alpha')}${part('Gamma')}`;
    await host.ok('put_page', { slug: 'tea/long', content: changed, force: true });
    await embed(host);
    expect(textsSent().some((text) => text.includes('Gamma has'))).toBe(true);
    expect(textsSent().every((text) => !text.includes('Beta has'))).toBe(true);
    expect(textsSent().filter((text) => !text.includes('Gamma'))).toEqual([]);
  });

  test('a half answer keeps its half, and only the rest is asked again', async () => {
    const { store } = at();
    const host = await given(store, ({ texts }, i) =>
      i === 0 ? { vectors: [wordVector(texts[0]!, 64), wordVector(texts[2]!, 64)], indexes: [0, 2] } : undefined,
    );
    await withPages(host, store, 4);
    expect(await embed(host)).toMatchObject({ status: 'complete', embedded: 4 });
    const [first, second] = provider!.hits.map(({ texts }) => texts);
    expect(first!.length).toBe(4);
    expect(second).toEqual([first![1], first![3]]);
  });

  test('NaN and null in one vector cost that text only; it is not asked again by itself', async () => {
    const { store } = at();
    const host = await given(store, ({ texts }) => {
      const rows = texts.map((text, index) => {
        const numbers = wordVector(text, 64).join(',');
        const odd = text.includes('number 1 ') ? numbers.replace(/^-?\d+/, 'NaN') : numbers;
        return `{"index":${index},"embedding":[${odd}]}`;
      });
      return { raw: `{"data":[${rows.join(',')}],"usage":{"prompt_tokens":9}}` };
    });
    await withPages(host, store, 3);
    expect(await embed(host)).toMatchObject({ status: 'complete', embedded: 2, refused: { not_finite: 1 } });
    expect(await embed(host)).toMatchObject({ embedded: 0, waiting: { texts: 0 }, refused_before: 1 });
    expect(provider!.hits.length).toBe(1);
    await provider!.close();
    provider = await startScriptedProvider();
    for (const [key, value] of Object.entries(provider.settings)) await host.fileConfig.write(key, value);
    expect(await embed(host, { all: true })).toMatchObject({ embedded: 1, refused_before: 1 });
  });

  test.each([
    [
      'the wrong size',
      {
        vectors: [
          [1, 2],
          [1, 2],
          [1, 2],
        ],
      },
      'embedding_failed',
      'wrong_size',
    ],
    ['zeros', { vectors: [0, 1, 2].map(() => new Array(64).fill(0)) }, 'embedding_failed', 'zero'],
    ['fewer without places', { raw: '{"data":[{"embedding":[1]}]}' }, 'embedding_failed', 'invalid_response'],
    ['no JSON', { raw: '<html>' }, 'embedding_failed', 'invalid_response'],
    ['401', { status: 401 }, 'embedding_auth_failed', 'auth'],
    [
      'no credit',
      { status: 429, body: '{"error":{"message":"insufficient_quota"}}' },
      'embedding_auth_failed',
      'quota',
    ],
    ['404', { status: 404 }, 'embedding_failed', 'not_found'],
    ['500', { status: 500 }, 'embedding_unavailable', 'overloaded'],
    ['a cut connection', { cut: true as const }, 'embedding_unavailable', 'network'],
    ['429 for long', { status: 429, headers: { 'retry-after': '600' } }, 'embedding_unavailable', 'rate_limited'],
  ])('%s ends the run with one code, loses nothing and marks nothing', async (_, answer, code, reason) => {
    const { store } = at();
    const host = await given(store, (__, i) => (i === 0 ? answer : undefined));
    await withPages(host, store, 3);
    const failure = await embedRefused(host);
    expect(failure).toMatchObject({ code, reason });
    expect(failure.message).not.toContain('scripted');
    expect(provider!.hits.length).toBe(1);
    expect((await host.ok('embed', { dry_run: true })).waiting).toMatchObject({ texts: 3 });
    expect(failure.fix?.argv?.slice(0, 2)).toEqual(['gbrain', 'embed']);
    // The same command, which every one of these fixes leads to.
    expect(await embed(host)).toMatchObject({ status: 'complete', embedded: 3 });
  });

  test('a call that was refused for its rate is made again at once where it may be', async () => {
    const { store } = at();
    const host = await given(store, (_, i) => (i < 2 ? { status: 429, headers: { 'retry-after': '0' } } : undefined));
    await withPages(host, store, 2);
    expect(await embed(host)).toMatchObject({ embedded: 2 });
    expect(provider!.hits.length).toBe(3);
  });

  test('a text that the model finds too long is cut until it fits', async () => {
    const { store } = at();
    const host = await given(store, ({ texts }) =>
      texts.some((text) => text.length > 700) ? { status: 400, body: '{"error":"maximum context length"}' } : undefined,
    );
    await withPages(host, store, 1);
    await host.ok('put_page', { slug: 'tea/long', content: `# Long\n\n${'words of tea '.repeat(200)}\n` });
    expect(await embed(host)).toMatchObject({ status: 'complete', refused: {} });
  });

  test('a cap ends the run; what was embedded is kept and the fix goes on with twice as much', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 3);
    await host.ok('pricing_set', { model: 'compatible:words', rate: 2000 });
    const outcome = await host.call('embed', { stale: true, limit: 1 }, OWNER, {
      approval: { yes: true, maxUsd: 0.01 },
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'cost_cap_exceeded', exit: 1 } });
    expect(provider!.hits).toEqual([]);
    const argv = outcome.kind === 'failed' ? outcome.failure.fix?.argv : undefined;
    expect(argv).toEqual(['gbrain', 'embed', '--stale', '--limit', '1', '--max-usd', '0.25', '--yes']);
    const again = await host.call('embed', { stale: true, limit: 1 }, OWNER, { approval: { yes: true, maxUsd: 0.25 } });
    expect(again).toMatchObject({ kind: 'ok', output: { status: 'partial', embedded: 1 } });
  });

  test('a run that is cancelled keeps what it has and frees the rest', async () => {
    const { store } = at();
    const end = new AbortController();
    const host = await given(
      store,
      (_, i) => {
        if (i === 1) end.abort();
        return i === 1 ? { silent: true } : undefined;
      },
      { compatible_base_url: '' },
    );
    await host.fileConfig.write('compatible_base_url', provider!.settings.compatible_base_url);
    await withPages(host, store, 100);
    const outcome = await host.call('embed', { stale: true }, OWNER, { ...APPROVED, signal: end.signal });
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(await embed(host)).toMatchObject({ status: 'complete', embedded: 36 });
    expect(await store.query(sql`select 1 from embedding_claims`)).toEqual([]);
  });

  test('a new model is built beside the old one, which is searched until all is there', async () => {
    const { store } = at();
    const model = 'openai:text-embedding-3-small';
    const host = await given(store, undefined, { embedding_model: model, embedding_dimensions: '512' });
    await withPages(host, store, 4);
    await embed(host);
    const source = vectorSourceOf(store, host);
    const old = (await source.profile())!.signature;
    await host.fileConfig.write('embedding_dimensions', '256');
    expect(await embed(host, { limit: 3 })).toMatchObject({ status: 'partial', swapped: false, profile: 'building' });
    expect((await source.profile())!.signature).toBe(old);
    expect((await source.readVectors(undefined, 100)).vectors.length).toBe(4);
    expect(await embed(host)).toMatchObject({ status: 'complete', swapped: true, embedded: 1 });
    expect(await source.profile()).toEqual({ signature: `${model}:256:1`, dimensions: 256 });
    expect(await store.query(sql`select 1 from embedding_profiles`)).toHaveLength(1);
  });

  test('chunks of an older version get their names before they are embedded', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 2);
    const before = await store.query(sql`select embed_hash from page_chunks order by page_id, chunk_index`);
    await store.query(sql`update page_chunks set embed_hash = null`);
    expect((await host.ok('embed', { dry_run: true })).waiting).toMatchObject({ texts: 2 });
    expect(await embed(host)).toMatchObject({ status: 'complete', embedded: 2 });
    const after = await store.query(sql`select embed_hash from page_chunks order by page_id, chunk_index`);
    expect(after).toEqual(before);
  });
});

eachStore('the vector source', (at) => {
  test('gives what was stored since a cursor, and the vectors of pages as they stand', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 3);
    await embed(host, { limit: 2 });
    const source = vectorSourceOf(store, host);
    const first = await source.readVectors(undefined, 1);
    const second = await source.readVectors(first.next, 10);
    expect([first.vectors.length, first.hasMore, second.vectors.length, second.hasMore]).toEqual([1, true, 1, false]);
    await embed(host);
    const third = await source.readVectors(second.next, 10);
    expect(third.vectors.length).toBe(1);
    expect((await source.readVectors('other:64:1@9:9', 10)).vectors.length).toBe(3);
    const [vector] = third.vectors;
    const pages = await source.vectorsOf([vector!.pageId]);
    expect(pages).toEqual([vector]);
    expect(vector!.code.lows).toHaveLength(64);
    await host.ok('delete_page', { slug: 'tea/page-0' });
    expect((await source.readVectors(undefined, 10)).vectors.length).toBe(2);
  });

  test('embeds a query once, in its role, and says why when it cannot', async () => {
    const { store } = at();
    const host = await given(store);
    await withPages(host, store, 1);
    const source = vectorSourceOf(store, host);
    expect(await source.embedQuery('steeped leaves')).toEqual({ unavailable: 'no_vectors' });
    await embed(host);
    provider!.hits.length = 0;
    const vector = await source.embedQuery('steeped leaves');
    expect(hasVector(vector) && vector.length).toBe(64);
    await source.embedQuery('steeped leaves');
    expect(provider!.hits.length).toBe(1);
    await host.fileConfig.write('embedding.query_timeout_ms', '100');
    const slow = await startScriptedProvider(() => ({ silent: true }));
    await host.fileConfig.write('compatible_base_url', slow.settings.compatible_base_url);
    expect(await source.embedQuery('another')).toEqual({ unavailable: 'timeout', detail: 'timeout' });
    await slow.close();
    expect(await source.embedQuery('another')).toEqual({ unavailable: 'provider_error', detail: 'network' });
    await host.fileConfig.write('spend.unattended_max_usd_per_day', '0');
    expect(await source.embedQuery('another')).toEqual({ unavailable: 'budget', detail: 'cost_cap_exceeded' });
    await host.fileConfig.write('embedding_model', 'off');
    expect(await source.embedQuery('another')).toMatchObject({ unavailable: 'no_provider' });
  });
});

storeSuite('families of embedding models', { open: () => openTestPglite() }, (at) => {
  test.each([
    ['openai:text-embedding-3-small', '512', '/openai/v1/embeddings', { dimensions: 512 }],
    ['voyage:voyage-4', '256', '/voyage/v1/embeddings', { input_type: 'document', output_dimension: 256 }],
    ['google:gemini-embedding-001', '768', '/google/v1beta/models/gemini-embedding-001:batchEmbedContents', {}],
    ['mistral:codestral-embed', '256', '/mistral/v1/embeddings', { output_dimension: 256 }],
    ['cohere:embed-v4.0', '256', '/cohere/v2/embed', { input_type: 'search_document', output_dimension: 256 }],
    ['ollama:nomic-embed-text', '768', '/ollama/v1/embeddings', {}],
    ['llama-server:any', undefined, '/llama_server/v1/embeddings', {}],
    ['lm-studio:any', undefined, '/lm_studio/v1/embeddings', {}],
  ])('%s embeds documents and queries', async (model, size, path, body) => {
    const { store } = at();
    const settings = { embedding_model: model, ...(size && { embedding_dimensions: size }) };
    const host = await given(store, undefined, settings);
    if (!size) await host.fileConfig.write('embedding_dimensions', undefined);
    await withPages(host, store, 2);
    provider!.hits.length = 0;
    const isLocal = /^(ollama|llama|lm)/.test(model);
    const done = isLocal ? await host.ok('embed', { stale: true }) : await embed(host);
    expect(done).toMatchObject({ status: 'complete', embedded: 2, model, ...(isLocal && { usd: 0 }) });
    const hit = provider!.hits.find(({ texts }) => texts.length === 2)!;
    expect(hit.path).toBe(path);
    expect(hit.body).toMatchObject(body);
    if (model.includes('nomic')) expect(hit.texts[0]).toMatch(/^search_document: /);
    expect(hasVector(await vectorSourceOf(store, host).embedQuery('tea'))).toBe(true);
    const asked = provider!.hits.at(-1)!;
    const role = JSON.stringify(asked.body);
    if (/^(voyage|cohere|google|ollama)/.test(model)) expect(role).toMatch(/query/i);
  });

  test.each([
    [{ embedding_model: 'nobody:none' }, 'embedding_unconfigured', 'unknown_model'],
    [{ embedding_model: 'off' }, 'embedding_unconfigured', 'off'],
    [{ embedding_model: 'compatible:odd', embedding_dimensions: '' }, 'embedding_configuration', 'size_unknown'],
    [
      { embedding_model: 'voyage:voyage-4', embedding_dimensions: '300' },
      'embedding_configuration',
      'size_not_offered',
    ],
  ])('%j is refused before anything is called', async (settings, code, reason) => {
    const host = await given(at().store, undefined, settings);
    const failure = await host.refused('embed', { stale: true });
    expect(failure).toMatchObject({ code, reason });
    expect(failure.fix).toBeDefined();
    expect(provider!.hits).toEqual([]);
    if (reason === 'size_not_offered') {
      expect(failure.fix?.argv?.slice(1)).toEqual(['config', 'set', 'embedding_dimensions', '1024']);
      await host.ok('config_set', { key: 'embedding_dimensions', value: '1024' });
      expect(await host.ok('embed', { dry_run: true })).toMatchObject({ dimensions: 1024 });
    }
  });

  test('a key that is missing is named, and nothing is configured by a key of another job', async () => {
    const host = testHost(at().store, { settings: { embedding_model: 'voyage:voyage-4' } });
    expect(await host.refused('embed', {})).toMatchObject({ code: 'embedding_unconfigured', reason: 'key_missing' });
    const other = testHost(at().store, { settings: { anthropic_api_key: 'k' } });
    expect(await other.refused('embed', {})).toMatchObject({ reason: 'not_configured' });
  });
});
