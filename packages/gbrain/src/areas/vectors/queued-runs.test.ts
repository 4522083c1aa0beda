// Runs in the background, on both engines: agreed to once, done by the process that has the brain open, and gone on
// with by a later one under the same cap.
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import type { Store } from 'gbrain/store/store';
import { afterEach, expect, test } from 'vitest';
import type { Approval } from '../../call.ts';
import { embedWrites } from './embed-on-write.ts';

let provider: ScriptedProvider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

const PAGES = 3;

async function given(store: Store, script: ProviderScript): Promise<TestHost> {
  await provider?.close();
  provider = await startScriptedProvider(script);
  const openai = { embedding_model: 'openai:text-embedding-3-small', embedding_dimensions: '256' };
  return testHost(store, { settings: { ...provider.settings, ...openai } });
}

async function withPages(store: Store): Promise<TestHost> {
  await store.query(sql`delete from embedding_profiles`);
  await store.query(sql`delete from embedding_runs`);
  await store.query(sql`delete from pages`);
  const host = await given(store, () => undefined);
  for (let i = 0; i < PAGES; i++) {
    await host.ok('put_page', { slug: `tea/page-${i}`, content: `# Tea ${i}\n\nLeaves number ${i} are steeped.\n` });
  }
  return host;
}

const ASKED = { stale: true, background: true };

async function queue(host: TestHost, approval: Approval): Promise<Record<string, unknown>> {
  const outcome = await host.call('embed', ASKED, OWNER, { approval });
  if (outcome.kind !== 'ok') throw new Error(`refused: ${JSON.stringify(outcome.failure)}`);
  return outcome.output as Record<string, unknown>;
}

/** Lets one server work until it has nothing to do, or `boundMs` is over. */
async function serve(store: Store, host: TestHost, boundMs = 20_000): Promise<void> {
  const embedding = embedWrites({ store, host, report: (error) => expect(error).toBeUndefined() }, { isServer: true });
  await embedding.stop(boundMs);
}

const looked = (host: TestHost) => host.ok('embed', { stale: true, dry_run: true });
const sent = (): number => provider!.hits.flatMap(({ texts }) => texts).length;

eachStore('embed --background', (at) => {
  test('asks first, answers at once, and a server does it', async () => {
    const { store } = at();
    const host = await withPages(store);
    expect(await host.refused('embed', ASKED)).toMatchObject({ code: 'confirmation_required' });
    expect(await queue(host, { yes: true })).toMatchObject({ status: 'queued', waiting: { texts: PAGES } });
    expect(sent()).toBe(0);
    await serve(store, host);
    expect(sent()).toBe(PAGES);
    expect(await looked(host)).toMatchObject({
      waiting: { texts: 0 },
      background: { state: 'complete', embedded: PAGES },
    });
    await serve(store, host);
    expect(sent()).toBe(PAGES);
  });

  test('goes on after a process that ended, and ends at the cap that was agreed to', async () => {
    const { store } = at();
    const first = await withPages(store);
    await queue(first, { yes: true, maxUsd: 0 });
    await serve(store, await given(store, () => ({ silent: true })), 200);
    const host = await given(store, () => undefined);
    await serve(store, host);
    expect(sent()).toBe(0);
    expect(await looked(host)).toMatchObject({
      waiting: { texts: PAGES },
      background: { state: 'cost_cap_exceeded', embedded: 0 },
    });
    await queue(host, { yes: true });
    await serve(store, await given(store, () => ({ silent: true })), 200);
    const later = await given(store, () => undefined);
    await serve(store, later);
    expect(await looked(later)).toMatchObject({ waiting: { texts: 0 }, background: { state: 'complete' } });
  });

  test('waits after a fault that may pass, and ends with the word of one that does not', async () => {
    const { store } = at();
    await queue(await withPages(store), { yes: true });
    const faulty = await given(store, () => ({ status: 503 }));
    await serve(store, faulty);
    expect(await looked(faulty)).toMatchObject({ background: { state: 'open', embedded: 0 } });
    await store.query(sql`update embedding_profiles set not_before = null`);
    const refusing = await given(store, () => ({ status: 401 }));
    await serve(store, refusing);
    expect(await looked(refusing)).toMatchObject({ background: { state: 'auth', embedded: 0 } });
  });
});
