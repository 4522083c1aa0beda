// Vectors that follow writes, on both engines: what was written gets them, nothing older does, and no write waits.

import { type TestHost, testHost } from '@gbrain/testkit/host';
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import type { Store } from 'gbrain/store/store';
import { afterEach, expect, test } from 'vitest';
import { readCoverage } from './coverage.ts';
import { embedWrites, embedWritten } from './embed-on-write.ts';
import { readLiveProfile } from './profiles.sql.ts';

let provider: ScriptedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

async function given(store: Store, script: ProviderScript, settings: Record<string, string> = {}): Promise<TestHost> {
  await store.query(sql`delete from embedding_profiles`);
  provider = await startScriptedProvider(script);
  const openai = { embedding_model: 'openai:text-embedding-3-small', embedding_dimensions: '256' };
  return testHost(store, { settings: { ...provider.settings, ...openai, ...settings } });
}

const put = (host: TestHost, slug: string) =>
  host.ok('put_page', { slug, content: `# ${slug}\n\nWritten as ${slug}.\n`, force: true });

const sent = (): string[] => provider!.hits.flatMap(({ texts }) => texts);

eachStore('embedding what is written', (at) => {
  test('gives new pages their vectors, and leaves older ones to a backfill', async () => {
    const { store } = at();
    const host = await given(store, () => undefined);
    await put(host, 'before');
    const faults: unknown[] = [];
    const embedding = embedWrites({ store, host, report: (error) => faults.push(error) });
    await put(host, 'after');
    await embedding.stop(10_000);
    expect(faults).toEqual([]);
    expect(sent()).toEqual(['after\n\n# after\n\nWritten as after.']);
    expect(await readCoverage(store, host)).toMatchObject({ waiting: { texts: 1 }, live: expect.any(String) });
    const doctor = await host.ok<{ checks: { name: string; status: string; fix?: { argv: string[] } }[] }>(
      'run_doctor',
      {
        only: ['embed_staleness'],
      },
    );
    expect(doctor.checks).toMatchObject([{ name: 'embed_staleness', status: 'warn' }]);
    expect(doctor.checks[0]!.fix!.argv).toEqual(
      expect.arrayContaining(['embed', '--stale', '--max-usd', '0.25', '--yes']),
    );
    expect(await host.ok('embed', { stale: true, dry_run: true })).toMatchObject({ waiting: { texts: 1 } });
    expect(await host.ok('get_usage', {})).toMatchObject({ models: [{ purpose: 'embed', failed: 0 }] });
  });

  test('leaves what was written with no_embed until it is asked for, or written without it', async () => {
    const { store } = at();
    const host = await given(store, () => undefined);
    const embedding = embedWrites({ store, host, report: (error) => expect(error).toBeUndefined() });
    await host.ok('put_page', { slug: 'held/one', content: '# One\n\nHeld back.\n', force: true, no_embed: true });
    await host.ok('put_page', { slug: 'held/two', content: '# Two\n\nHeld back too.\n', force: true, no_embed: true });
    await put(host, 'open');
    await host.ok('put_page', { slug: 'held/two', content: '# Two\n\nNo longer.\n', force: true });
    await embedding.stop(10_000);
    expect(sent().filter((text) => /Held|longer/.test(text))).toEqual([expect.stringContaining('No longer.')]);
    await host.call('embed', { slug: 'held/one' }, undefined, { approval: { yes: true } });
    expect(sent().at(-1)).toContain('Held back.');
  });

  test('stays away for a while after a fault, and longer the next time', async () => {
    const { store } = at();
    let clock = Date.UTC(2026, 2, 1, 9);
    const host = await given(store, () => ({ status: 500 }));
    const timed: TestHost = { ...host, now: () => new Date(clock++) };
    await put(host, 'a');
    const opened = new Date(0);
    const brain = { store, host: timed, report: () => undefined };
    expect(await embedWritten(brain, opened)).toBe(false);
    expect(await embedWritten(brain, opened)).toBe(false);
    expect(provider!.hits.length).toBe(1);
    const first = await readLiveProfile(store);
    expect(first).toMatchObject({ fault: 'overloaded' });
    clock = first!.not_before!.getTime() + 1;
    await embedWritten(brain, opened);
    expect(provider!.hits.length).toBe(2);
    const second = await readLiveProfile(store);
    const away = (row: typeof first) => row!.not_before!.getTime() - row!.fault_at!.getTime();
    expect(away(second)).toBe(2 * away(first));
    // One call that may have been billed and the next are both counted.
    expect((await host.ok<{ uncertain: unknown[] }>('get_usage', {})).uncertain.length).toBeGreaterThanOrEqual(2);
  });

  test('asks nobody where it is off, without a key, and beyond the cap of the day', async () => {
    const { store } = at();
    const cases: Record<string, string>[] = [
      { embedding_model: 'off' },
      { 'embedding.on_write': 'false' },
      { openai_api_key: '' },
      { 'spend.unattended_max_usd_per_day': '0' },
    ];
    for (const settings of cases) {
      const host = await given(store, () => undefined, settings);
      await put(host, 'b');
      await embedWritten({ store, host, report: () => undefined }, new Date(0));
      expect(provider!.hits).toEqual([]);
      await provider!.close();
    }
    expect(await readLiveProfile(store)).toMatchObject({ fault: 'cost_cap_exceeded' });
  });

  test('a process that ends does not wait for a provider that does not answer', async () => {
    const { store } = at();
    const host = await given(store, () => ({ silent: true }));
    const embedding = embedWrites({ store, host, report: () => undefined });
    await put(host, 'c');
    await embedding.stop(100);
    expect(await store.query(sql`select 1 from embedding_claims`)).toEqual([]);
    expect(await readLiveProfile(store)).toMatchObject({ fault: null });
  });
});
