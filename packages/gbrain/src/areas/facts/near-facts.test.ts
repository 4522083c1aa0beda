// Facts by meaning on both engines, with a provider on loopback: what is worded otherwise is found once it is embedded,
// a fact without a vector says so, and nothing near brings back what is over or hidden.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { type ScriptedProvider, startScriptedProvider, wordVector } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import type { OkOutcome } from 'gbrain/outcome';
import { sql } from 'gbrain/store/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embedHash } from '../vectors/embed-input.ts';

const SIZE = 64;
/** A model to which these words mean the same. */
const meaning = (text: string): number[] =>
  wordVector(
    text
      .toLowerCase()
      .replace(/\bvessel|\bskiff/gu, 'boat')
      .replace(/\bmends?|\brepairs?/gu, 'fix'),
    SIZE,
  );

eachStore('facts by meaning', (given) => {
  let provider: ScriptedProvider;
  let host: TestHost;
  const recall = async (query: string, caller = AGENT) => {
    const outcome = (await host.call('recall', { query }, caller)) as OkOutcome;
    const { facts } = outcome.output as { facts: { fact: string }[] };
    return { facts: facts.map((one) => one.fact), notices: outcome.notices };
  };
  const remember = (fact: string, more: object = {}, caller = AGENT) =>
    host.ok<{ id: string }>('remember', { fact, provenance: 'the harbour master', ...more }, caller);
  const embed = (args: object) => host.call('embed', { stale: true, ...args }, OWNER, { approval: { yes: true } });

  beforeAll(async () => {
    provider = await startScriptedProvider(({ job, texts }) =>
      job === 'embedding' ? { vectors: texts.map(meaning) } : undefined,
    );
    const settings = {
      ...provider.settings,
      embedding_model: 'compatible:words',
      embedding_dimensions: String(SIZE),
      // Facts wait here until they are embedded; what remember does with a model is near-duplicate.test.
      'embedding.on_write': 'false',
    };
    host = testHost(given().store, { settings });
    await host.ok('pricing_set', { model: 'compatible:words', rate: 1 });
    await host.ok('put_page', { slug: 'notes/quay', content: '# Quay\n\nThe quay is long.\n' });
    await remember('Ines repairs the skiff');
    await remember('Paul grows quinces');
    await embed({});
  });
  afterAll(() => provider.close());

  test('wait until they are embedded, and a question says so', async () => {
    const { facts, notices } = await recall('mends the vessel');
    expect(facts).toEqual([]);
    const notice = notices.find(({ code }) => code === 'facts_unembedded')!;
    expect(notice.fix).toMatchObject({ argv: expect.arrayContaining(['embed', '--stale', '--facts', '--dry-run']) });
    expect(notice.fix!.then).toMatchObject({ consent: ['paid'] });
    expect(await host.ok('embed', { stale: true, facts: true, dry_run: true })).toMatchObject({
      of: 'fact',
      waiting: { texts: 2, pages: 2 },
    });
    expect(await embed({ facts: true })).toMatchObject({ output: { status: 'complete', of: 'fact', embedded: 2 } });
  });

  test('are found though they are worded otherwise, and no longer when they are over', async () => {
    const first = await recall('mends the vessel');
    expect(first.facts).toEqual(['Ines repairs the skiff']);
    expect(first.notices.map(({ code }) => code)).not.toContain('facts_unembedded');
    expect(await host.ok('query', { query: 'mends the vessel' })).toEqual(
      expect.arrayContaining([expect.objectContaining({ result_type: 'fact' })]),
    );
    const { id } = await remember('Olaf mends the boat');
    await embed({ facts: true });
    expect((await recall('mends the vessel')).facts).toContain('Olaf mends the boat');
    const forgotten = await host.ok('forget', { id }, AGENT);
    expect(forgotten).toMatchObject({ similar_active: { state: 'checked', candidates: [] } });
    expect((await recall('mends the vessel')).facts).toEqual(['Ines repairs the skiff']);
  });

  test('forgetting one names those that say much the same, and leaves them', async () => {
    const { id } = await remember('The lantern hangs on the mole of the north harbour');
    const { id: other } = await remember('The lantern hangs at the mole of the north harbour');
    expect(await host.ok('forget', { id: (await remember('A buoy is red')).id }, AGENT)).toMatchObject({
      similar_active: { state: 'not_checked_pending' },
    });
    await embed({ facts: true });
    expect(await host.ok('forget', { id }, AGENT)).toMatchObject({
      expired: true,
      similar_active: { state: 'checked', candidates: [{ fact_id: other, similarity: expect.any(Number) }] },
    });
    expect((await recall('lantern mole')).facts).toHaveLength(1);
  });

  test('near ones are for those alone who may see them', async () => {
    await remember('Mara fixes the vessel', { visibility: 'private' }, OWNER);
    await embed({ facts: true });
    expect((await recall('mends the vessel')).facts).toEqual(['Ines repairs the skiff']);
    expect((await recall('mends the vessel', OWNER)).facts).toContain('Mara fixes the vessel');
    expect(host.faults).toEqual([]);
  });

  test('are named by their text as the program names it', async () => {
    const fact = 'Zoë’s naïve 🦊 \\ "quote"';
    await remember(fact);
    const [row] = await given().store.query<{ embed_hash: string }>(sql`
      select embed_hash from facts where fact = ${fact}`);
    expect(row!.embed_hash).toBe(embedHash({ title: '', headingPath: [], text: fact }));
  });
});
