// An export and an import into an empty brain give the same memory; a second import changes nothing.
import { AGENT, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore, openTestPglite } from '@gbrain/testkit/stores';
import { exports } from 'gbrain/generated/exports';
import type { Store } from 'gbrain/store/store';
import { expect, test } from 'vitest';

interface Recalled {
  facts: { fact_id: string; fact: string }[];
}

/** Every row of the parts of this area, by part. */
async function rowsOf(store: Store): Promise<Map<string, unknown[]>> {
  const all = new Map<string, unknown[]>();
  for (const { area, value: part } of exports) {
    if (area !== 'facts') continue;
    const kept: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const { rows, next } = await part.read(store, 'default', after);
      kept.push(...rows.map((row) => JSON.parse(JSON.stringify(row))));
      if (next === null) break;
      after = next;
    }
    all.set(part.name, kept);
  }
  return all;
}

async function restore(store: Store, kept: Map<string, unknown[]>): Promise<void> {
  const parts = exports.map(({ value }) => value).sort((a, b) => (a.order ?? 50) - (b.order ?? 50));
  for (const part of parts) {
    const rows = (kept.get(part.name) ?? []).map((row) => part.parse(row));
    expect(rows).not.toContain(undefined);
    if (rows.length > 0) await store.batch(part.restore('default', rows));
  }
}

const recall = async (host: TestHost, args: object) => (await host.ok<Recalled>('recall', { ...args }, AGENT)).facts;

eachStore('kept facts', (given) => {
  test('an empty brain that takes the export in remembers and forgets the same', async () => {
    const host = testHost(given().store);
    const save = (args: object) => host.ok<{ id: string }>('remember', { provenance: 'x', ...args }, AGENT);
    const old = await save({ fact: 'The office is in Lyon' });
    await save({ fact: 'The office is in Paris', replaces: old.id });
    await save({ fact: 'Kept for a while', ttl: '30d', entity: 'projects/pilot', kind: 'commitment' });
    const gone = await save({ fact: 'The code word is heron' });
    await host.ok('forget', { id: gone.id, reason: 'asked to' }, AGENT);
    const kept = await rowsOf(given().store);

    await using other = await openTestPglite().then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => opened.remove(),
    }));
    const second = testHost(other.store);
    await restore(other.store, kept);
    await restore(other.store, kept);
    expect(await rowsOf(other.store)).toEqual(kept);
    for (const args of [{}, { query: 'where is the office' }, { supersessions: true }, { entity: 'projects/pilot' }])
      expect(await recall(second, args)).toEqual(await recall(host, args));
    const again = { fact: 'the code word is heron', provenance: 'x' };
    expect(await second.refused('remember', again, AGENT)).toMatchObject({ reason: 'fact_withdrawn' });
    const next = await second.ok<{ id: string }>('remember', { fact: 'New here', provenance: 'x' }, AGENT);
    expect(Number(next.id)).toBeGreaterThan(Number(gone.id));
    expect([...host.faults, ...second.faults]).toEqual([]);
  });

  test('updates, disputes, series and conclusions are the same after a way through files', async () => {
    const host = testHost(given().store);
    const save = (fact: string, more: object = {}) =>
      host.ok<{ id: string }>('remember', { fact, provenance: 'register', entity: 'projects/mill', ...more }, AGENT);
    const budget = await save('The budget of the mill is $50,000');
    await save('The mill opens on Monday', { derived_from: [budget.id] });
    await save('The budget of the mill was raised to $60k');
    await save('The budget of the mill is $70,000', { provenance: 'press' });
    await using other = await openTestPglite().then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => opened.remove(),
    }));
    const second = testHost(other.store);
    await restore(other.store, await rowsOf(given().store));
    const asked: [string, object][] = [
      ['recall', { entity: 'projects/mill', include_expired: true }],
      ['recall', { entity: 'projects/mill', as_of: '2026-03-01T09:00:00.010Z' }],
      ['find_contradictions', {}],
      ['find_trajectory', { entity_slug: 'projects/mill' }],
    ];
    for (const [op, args] of asked)
      expect(await second.ok(op, { ...args }, AGENT)).toEqual(await host.ok(op, { ...args }, AGENT));
    const { facts } = await second.ok<{ facts: { premise_changed?: string[] }[] }>('recall', { grep: 'Monday' }, AGENT);
    expect(facts[0]!.premise_changed).toEqual([budget.id]);
    const again = { fact: 'FYI: the mill opens on Monday!', provenance: 'x', entity: 'projects/mill' };
    expect(await second.ok('remember', again, AGENT)).toMatchObject({ status: 'duplicate', near_duplicate: true });
    expect([...host.faults, ...second.faults]).toEqual([]);
  });

  test('facts of a page hold since the same moment', async () => {
    const content = [
      '---\ntitle: Weir\n---\nText.\n\n## Facts\n',
      '<!--- gbrain:facts:begin -->\n| # | claim | visibility |\n|---|---|---|',
      '| 1 | The weir is low | world |\n| 2 | ~~The weir is shut~~ | world |\n<!--- gbrain:facts:end -->\n',
    ].join('\n');
    const host = testHost(given().store);
    await host.ok('put_page', { slug: 'places/weir', content });
    await using other = await openTestPglite().then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => opened.remove(),
    }));
    let clock = Date.UTC(2027, 0, 1);
    const second = testHost(other.store, { now: () => new Date(clock++) });
    await second.ok('put_page', { slug: 'places/weir', content });
    await restore(other.store, await rowsOf(given().store));
    for (const args of [
      { entity: 'places/weir', include_expired: true },
      { grep: 'weir', as_of: '2026-06-01' },
    ]) {
      const without = (rows: Recalled['facts']) =>
        rows.map(({ fact_id: _, id: __, ...row }: Record<string, unknown>) => row);
      const facts = without((await recall(host, args)) as never);
      expect(facts.length).toBeGreaterThan(0);
      expect(without((await recall(second, args)) as never)).toEqual(facts);
    }
  });

  test('rows that are none are not put back', () => {
    for (const { area, value: part } of exports)
      if (area === 'facts') for (const row of [null, 1, {}, { uid: 'x' }, []]) expect(part.parse(row)).toBeUndefined();
  });
});
