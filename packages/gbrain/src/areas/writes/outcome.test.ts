// A write whose outcome its caller does not hear leads to its receipt, which says exactly what became of it.
import { testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import type { Action } from '@gbrain/wire/action';
import { type Store, StoreError } from 'gbrain/store/store';
import { expect, test } from 'vitest';

function callOf(fix: Action | undefined): [string, Record<string, unknown>] {
  if (!fix?.mcp) throw new Error(`no call in ${JSON.stringify(fix)}`);
  return [fix.mcp.tool, fix.mcp.arguments];
}

/** A store with another way to run a transaction; methods of a class are bound to it. */
const withTx = (store: Store, tx: Store['tx']): Store => ({
  facts: store.facts,
  query: (statement, options) => store.query(statement, options),
  batch: (statements, options) => store.batch(statements, options),
  tx,
  close: () => store.close(),
});

eachStore('outcome of a write', (given) => {
  test('pending: its receipt runs, then is committed', async () => {
    const { store } = given();
    const gate = Promise.withResolvers<void>();
    const waiting = testHost(withTx(store, (body, options) => gate.promise.then(() => store.tx(body, options))));
    const pending = await waiting.refused('put_page', { slug: 'fix/pending', content: 'x', wait_ms: 0 });
    expect(pending.code).toBe('write_pending');
    expect(await waiting.ok(...callOf(pending.fix))).toMatchObject({ state: 'running' });
    gate.resolve();
    await waiting.ok('put_page', { slug: 'fix/after', content: 'x' });
    expect(await waiting.ok(...callOf(pending.fix))).toMatchObject({ state: 'committed' });
  });

  test('unknown: no receipt where nothing took effect, and the same request goes through', async () => {
    const { store } = given();
    const losing = testHost(withTx(store, () => Promise.reject(new StoreError('outcome_unknown', 'lost'))));
    const request = { slug: 'fix/lost', content: 'x', request_id: 'fix-lost' };
    const unknown = await losing.refused('put_page', request);
    expect(unknown.code).toBe('write_outcome_unknown');
    const host = testHost(store);
    const [op, args] = callOf(unknown.fix);
    expect(await host.refused(op, args)).toMatchObject({ code: 'not_found' });
    await host.ok('put_page', request);
    expect(await host.ok(op, args)).toMatchObject({ state: 'committed' });
  });
});
