// How much of a page comes with a row: search and query give what was asked for inside one budget, and lose no row.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, expect, test } from 'vitest';
import type { OkOutcome } from '../../outcome.ts';

interface Row {
  slug: string;
  chunk_text: string;
  chunk_id: number;
  delivered?: { unit?: string; chunk_ids?: number[]; tokens?: number; truncated: boolean };
}

const filler = (word: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${word} ${i}: ${'plain words of no note '.repeat(20)}`).join('\n\n');

eachStore('the unit of a row', (given) => {
  let host: TestHost;
  const search = (args: object, caller = AGENT) => host.ok<Row[]>('search', { query: 'sluice gate', ...args }, caller);
  const find = async (slug: string, args: object) => (await search(args)).find((row) => row.slug === slug)!;

  beforeAll(async () => {
    host = testHost(given().store);
    const put = (slug: string, content: string) => host.ok('put_page', { slug, content });
    const gates = `${filler('Gate', 4)}\n\nThe sluice gate sticks.\n\n${filler('Gate', 4)}`;
    const page = `# Weir\n\n${filler('Start', 12)}\n\n## Gates\n\n${gates}\n\n## After\n\n${filler('End', 12)}\n`;
    await put('notes/weir', page);
    await put(
      'meetings/weir',
      `---\ntype: meeting\n---\n# Weir talk\n\n${filler('Said', 6)}\n\nWho paints the sluice gate?\n`,
    );
    await put('notes/mill', '# Mill\n\nThe mill has a sluice gate too.\n');
    await put('notes/hidden', '---\nvisibility: private\n---\n# Hidden\n\nA sluice gate nobody knows.\n');
  });

  test('is an excerpt unless said, then the chunk, its neighbours, its section or the page', async () => {
    const slug = 'notes/weir';
    const excerpt = await find(slug, {});
    expect(excerpt.delivered?.unit).toBeUndefined();
    const units = ['chunk', 'window', 'section', 'page'];
    const rows = await Promise.all(units.map((return_unit) => find(slug, { return_unit })));
    const all = [excerpt, ...rows];
    for (const row of all) expect(row.chunk_text).toContain('The sluice gate sticks.');
    expect(rows.map((row) => row.delivered?.unit)).toEqual(units);
    const [chunk, window, section, page] = rows.map((row) => row.delivered!.chunk_ids!);
    expect(chunk).toEqual([excerpt.chunk_id]);
    expect(window).toEqual([-1, 0, 1].map((step) => excerpt.chunk_id + step));
    expect(section!.length).toBeGreaterThan(1);
    expect(page!.length).toBeGreaterThan(section!.length);
    expect(rows[2]!.chunk_text).not.toMatch(/Start 3:|End 3:/);
    expect(rows[3]!.chunk_text).toMatch(/Start 3:[\s\S]*End 3:/);
  });

  test('auto gives conversations whole and other pages by their chunk', async () => {
    const args = { return_unit: 'auto' };
    expect((await find('meetings/weir', args)).delivered).toMatchObject({ unit: 'page', truncated: false });
    expect((await find('notes/weir', args)).delivered).toMatchObject({ unit: 'chunk' });
  });

  test('keeps every row and the passage that was found, whatever the budget leaves', async () => {
    const slugs = (rows: readonly Row[]) => rows.map(({ slug }) => slug);
    const plain = await search({ token_budget: 2_000 });
    const outcome = await host.call(
      'search',
      { query: 'sluice gate', return_unit: 'page', token_budget: 2_000 },
      AGENT,
    );
    const rows = (outcome as OkOutcome).output as Row[];
    expect(slugs(rows)).toEqual(slugs(plain));
    expect(slugs(rows)).not.toContain('notes/hidden');
    const { retrieval } = (outcome as OkOutcome).meta as { retrieval: { token_budget: { used: number } } };
    expect(retrieval.token_budget.used).toBeLessThanOrEqual(2_000);
    const weir = rows.find(({ slug }) => slug === 'notes/weir')!;
    expect(weir.delivered).toMatchObject({ unit: 'page', truncated: true });
    expect(weir.chunk_text).toContain('The sluice gate sticks.');
    for (const [i, row] of rows.entries()) {
      expect(row.chunk_text.length).toBeGreaterThanOrEqual(plain[i]!.chunk_text.length - 4);
    }
  });

  test('is the same for query, and for the owner who sees private pages', async () => {
    const rows = await host.ok<Row[]>('query', { query: 'sluice gate', return_unit: 'page' }, OWNER);
    expect(rows.find(({ slug }) => slug === 'notes/hidden')?.chunk_text).toContain('nobody knows');
  });
});
