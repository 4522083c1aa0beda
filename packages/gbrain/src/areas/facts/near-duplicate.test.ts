// remember where facts are compared by meaning, with a provider on loopback: the same in quite other words takes the
// place of what it says, what only lies near stays beside it, and a provider that fails costs no write.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import {
  type ProviderAnswer,
  type ScriptedProvider,
  startScriptedProvider,
  wordVector,
} from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SIZE = 64;
/** A model to which these words mean the same, and that hardly tells figures, names and order apart. */
const meaning = (text: string): number[] =>
  wordVector(
    text
      .toLowerCase()
      .replace(/\bis fond of|\benjoys|\blikes/gu, 'likes')
      .replace(/\bdoes not swim/gu, 'swims')
      .replace(/\d+|\bnora|\botto/gu, ' thing ')
      .split(/\W+/u)
      .sort()
      .join(' '),
    SIZE,
  );

interface Saved {
  id: string;
  status: string;
  superseded_fact_id?: string;
  near_duplicate?: true;
  degraded_dedup?: true;
}

eachStore('the same by meaning', (given) => {
  let provider: ScriptedProvider;
  let host: TestHost;
  let failing: ProviderAnswer | undefined;
  let now = Date.UTC(2026, 0, 5);
  const remember = (fact: string, more: object = {}, caller = AGENT) =>
    host.ok<Saved>('remember', { fact, provenance: `talk ${now}`, ...more }, caller);

  beforeAll(async () => {
    provider = await startScriptedProvider(({ job, texts }) => {
      if (failing) return failing;
      return job === 'embedding' ? { vectors: texts.map(meaning) } : undefined;
    });
    const settings = { ...provider.settings, embedding_model: 'compatible:words', embedding_dimensions: String(SIZE) };
    const tick = () => {
      now += 1000;
      return new Date(now);
    };
    host = testHost(given().store, { settings, now: tick });
    await host.ok('pricing_set', { model: 'compatible:words', rate: 1 });
    expect(await remember('Nora likes rowing')).toMatchObject({ degraded_dedup: true });
    expect(provider.hits).toEqual([]);
    await host.ok('put_page', { slug: 'notes/quay', content: '# Quay\n\nThe quay is long.\n' });
    await host.call('embed', { stale: true }, OWNER, { approval: { yes: true } });
    await host.call('embed', { stale: true, facts: true }, OWNER, { approval: { yes: true } });
  });
  afterAll(() => provider.close());

  test('in other words takes the place of what it says, and has its vector at once', async () => {
    const before = provider.hits.length;
    const first = await remember('Nora enjoys the sea in winter');
    const second = await remember('Nora is fond of the sea in winter');
    expect(first.degraded_dedup).toBeUndefined();
    expect(second).toMatchObject({ status: 'superseded', superseded_fact_id: first.id, near_duplicate: true });
    expect(second.degraded_dedup).toBeUndefined();
    expect(provider.hits.length).toBe(before + 2);
    const found = await host.call('recall', { query: 'who likes the sea in winter' }, AGENT);
    expect(found).toMatchObject({ notices: [], output: { facts: [{ fact: 'Nora is fond of the sea in winter' }] } });
  });

  test('a text that has a vector is not paid for again', async () => {
    const before = provider.hits.length;
    expect(await remember('Nora is fond of the sea in winter')).toMatchObject({ status: 'duplicate' });
    expect(provider.hits.length).toBe(before);
  });

  test.each([
    ['a figure', 'Nora rows 12 miles on Sundays', 'Nora rows 14 miles on Sundays'],
    ['a name', 'The oars belong to Nora', 'The oars belong to Otto'],
    ['a denial', 'Nora swims in the lake', 'Nora does not swim in the lake'],
    ['the order', 'Nora taught Otto to sail', 'Otto taught Nora to sail'],
    ['an entity', 'The slip is free', 'The slip is available'],
  ])('%s apart they are two', async (what, first, second) => {
    const entity = (n: number) => (what === 'an entity' ? { entity: `slip/${n}` } : {});
    await remember(first, entity(1));
    expect(await remember(second, entity(2))).toMatchObject({ status: 'inserted' });
  });

  test('an agent does not replace what the owner said, nor a fact of another kind', async () => {
    await remember('Otto likes the harbour lights', { kind: 'belief' }, OWNER);
    expect(await remember('Otto enjoys the harbour lights', { kind: 'belief' })).toMatchObject({ status: 'inserted' });
    await remember('Otto likes the old crane', { kind: 'belief' });
    expect(await remember('Otto enjoys the old crane', { kind: 'preference' })).toMatchObject({ status: 'inserted' });
  });

  test('a provider that fails costs no write, and is left alone for a while', async () => {
    failing = { status: 500 };
    const before = provider.hits.length;
    expect(await remember('Otto keeps a parrot')).toMatchObject({ status: 'inserted', degraded_dedup: true });
    expect(provider.hits.length).toBe(before + 1);
    expect(await remember('Otto keeps a macaw')).toMatchObject({ status: 'inserted', degraded_dedup: true });
    expect(provider.hits.length).toBe(before + 1);
    failing = undefined;
    now += 3_600_000;
    expect((await remember('Otto keeps a finch')).degraded_dedup).toBeUndefined();
    expect(host.faults).toEqual([]);
  });
});
