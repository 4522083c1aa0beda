// Facts that stand in a page's fence: the text is their home, and its rows follow it in every write.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, expect, test } from 'vitest';

const HEAD = [
  '| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |',
  '|---|---|---|---|---|---|---|---|---|---|',
];
const ROWS = [
  '| 1 | Runs the Lyon office | fact | 0.9 | world | high | 2026-01-01 |  | letter |  |',
  '| 2 | Is paid too little | belief | 0.5 | private | low |  |  | hearsay |  |',
  '| 3 | Ran the Nice office | fact | 1 | world | medium |  | 2025-12-31 | letter |  |',
];
const page = (rows: readonly string[]) =>
  [
    '---',
    'title: Bob Example',
    'type: person',
    '---',
    'Bob Example is a manager.',
    '',
    '## Facts',
    '',
    '<!--- gbrain:facts:begin -->',
    ...HEAD,
    ...rows,
    '<!--- gbrain:facts:end -->',
    '',
  ].join('\n');

interface Recalled {
  facts: { fact_id: string; fact: string; confidence: number; source: string; superseded_by: number | null }[];
}

eachStore('facts of pages', (given) => {
  let host: TestHost;
  const slug = 'people/bob-example';
  const recall = async (args: Record<string, unknown>, caller = AGENT) =>
    (await host.ok<Recalled>('recall', { entity: slug, ...args }, caller)).facts;
  const put = (rows: readonly string[]) => host.ok('put_page', { slug, content: page(rows), force: true });
  const text = async () => (await host.ok<{ content: string }>('get_page', { slug, include_content: true })).content;

  beforeAll(async () => {
    host = testHost(given().store);
    await put(ROWS);
  });

  test('are recalled as the fence states them, private ones by the owner alone', async () => {
    const seen = await recall({});
    expect(seen).toMatchObject([{ fact: 'Runs the Lyon office', confidence: 0.9, source: 'letter' }]);
    const all = await recall({ include_expired: true }, OWNER);
    expect(all.map(({ fact }) => fact).sort()).toEqual([
      'Is paid too little',
      'Ran the Nice office',
      'Runs the Lyon office',
    ]);
  });

  test('keep their ids when the page is written again, and are over when the fence drops them', async () => {
    const [before] = await recall({});
    await put([ROWS[0]!, '| 4 | Moved to Oslo | event | 1 | world | high | | | call | |']);
    const after = await recall({});
    expect(after.map(({ fact }) => fact).sort()).toEqual(['Moved to Oslo', 'Runs the Lyon office']);
    expect(after.find(({ fact }) => fact === before!.fact)!.fact_id).toBe(before!.fact_id);
    expect(await recall({ grep: 'paid' }, OWNER)).toEqual([]);
    await put(ROWS);
    expect(await recall({ grep: 'paid' }, OWNER)).toHaveLength(1);
  });

  test('name the row that took their place', async () => {
    await put([
      '| 1 | ~~Runs the Lyon office~~ | fact | 0.9 | world | high | | | letter | superseded by #5 |',
      '| 5 | Runs the Paris office | fact | 1 | world | high | | | letter | |',
    ]);
    const [next] = await recall({});
    expect(next).toMatchObject({ fact: 'Runs the Paris office' });
    const [old] = await recall({ supersessions: true });
    expect(old).toMatchObject({ fact: 'Runs the Lyon office', superseded_by: Number(next!.fact_id) });
  });

  test('remember finds them instead of saving them again, and does not edit the page', async () => {
    const [standing] = await recall({});
    const before = await text();
    const args = { fact: 'runs the paris office', provenance: 'call', entity: slug };
    expect(await host.ok('remember', args, AGENT)).toMatchObject({ status: 'duplicate', id: standing!.fact_id });
    const other = { fact: 'Runs Paris now', provenance: 'call', replaces: standing!.fact_id };
    expect(await host.refused('remember', other, AGENT)).toMatchObject({ reason: 'replaces_cross_page' });
    expect(await text()).toBe(before);
  });

  test('forget strikes the row, and putting it back does not bring it back', async () => {
    const [standing] = await recall({});
    const args = { id: standing!.fact_id, reason: 'never true' };
    expect(await host.ok('forget', args, AGENT)).toMatchObject({ id: standing!.fact_id, expired: true });
    expect(await text()).toContain('| ~~Runs the Paris office~~ |');
    expect(await text()).toContain('forgotten: never true');
    expect(await recall({})).toEqual([]);
    expect(await host.ok('forget', { id: standing!.fact_id }, AGENT)).toMatchObject({ expired: false });
    await put(['| 5 | Runs the Paris office | fact | 1 | world | high | | | letter | |']);
    expect(await recall({})).toEqual([]);
    const again = { fact: 'Runs the Paris office', provenance: 'x', entity: slug };
    expect(await host.refused('remember', again, AGENT)).toMatchObject({ reason: 'fact_withdrawn' });
  });

  test('go out of sight with their page and come back with it', async () => {
    await put(ROWS);
    expect(await recall({})).toHaveLength(1);
    await host.ok('delete_page', { slug });
    expect(await recall({})).toEqual([]);
    await host.ok('restore_page', { slug });
    expect(await recall({})).toHaveLength(1);
    await put(['| 1 | Half written', '| x | Without a number | fact |']);
    expect(host.faults).toEqual([]);
  });
});
