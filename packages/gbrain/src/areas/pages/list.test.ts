// Lists: orders, filters, cursors that stay exact while others write, and the notice that more follows.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import type { OkOutcome } from 'gbrain/outcome';
import { beforeAll, expect, test } from 'vitest';

interface Row {
  slug: string;
  title: string;
  updated_at: string;
}

interface Paged {
  rows: Row[];
  next?: Record<string, unknown>;
  outcome: OkOutcome;
}

async function list(host: TestHost, args: Record<string, unknown>, caller = OWNER): Promise<Paged> {
  const outcome = await host.call('list_pages', args, caller);
  if (outcome.kind !== 'ok') throw new Error(outcome.failure.message);
  const { next } = outcome.meta.pagination as { next?: Record<string, unknown> };
  return { rows: outcome.output as Row[], outcome, ...(next && { next }) };
}

/** Every row by following `next`; between the pages `meanwhile` runs. */
async function walk(
  host: TestHost,
  args: Record<string, unknown>,
  meanwhile: (page: number) => Promise<unknown> = async () => undefined,
): Promise<Row[]> {
  const all: Row[] = [];
  let next: Record<string, unknown> | undefined = {};
  for (let page = 0; next; page++) {
    const got: Paged = await list(host, { ...args, ...next });
    all.push(...got.rows);
    next = got.next;
    await meanwhile(page);
  }
  return all;
}

/** 23 pages; several share a title, and two share the time of their last change. */
async function makePages(host: TestHost): Promise<void> {
  for (let n = 0; n < 23; n++) {
    const tags = n % 3 === 0 ? 'tags: [Third, n]\n' : '';
    const content = `---\ntitle: T${n % 4}\ntype: ${n % 2 ? 'odd' : 'even'}\n${tags}---\n${n}\n`;
    await host.ok('put_page', { slug: `p/${String(n * 7).padStart(3, '0')}`, content });
  }
}

eachStore('list_pages', (given) => {
  let host: TestHost;
  let time = Date.UTC(2026, 0, 1);
  beforeAll(async () => {
    // Every second look at the clock gives the same millisecond, so ties are real.
    let look = 0;
    host = testHost(given().store, { now: () => new Date(look++ % 2 === 0 ? time++ : time) });
    await makePages(host);
  });

  test.each([
    [
      'updated',
      (a: Row, b: Row) =>
        a.updated_at === b.updated_at ? (a.slug < b.slug ? 1 : -1) : a.updated_at < b.updated_at ? 1 : -1,
    ],
    [
      'updated_asc',
      (a: Row, b: Row) =>
        a.updated_at === b.updated_at ? (a.slug < b.slug ? -1 : 1) : a.updated_at < b.updated_at ? -1 : 1,
    ],
    ['title', (a: Row, b: Row) => (a.title === b.title ? (a.slug < b.slug ? -1 : 1) : a.title < b.title ? -1 : 1)],
    ['slug', (a: Row, b: Row) => (a.slug < b.slug ? -1 : 1)],
  ])('%s: pages of 5 hold every page once and in order', async (sort, compare) => {
    const all = await walk(host, { sort, limit: 5 });
    expect(all).toHaveLength(23);
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(23);
    expect(all).toEqual([...all].sort(compare));
    expect(all).toEqual((await list(host, { sort, limit: 100 })).rows);
  });

  test.each(['created', 'title', 'slug', 'updated_asc'])('%s: exact while pages are added', async (sort) => {
    const before = (await list(host, { sort, limit: 100 })).rows.map(({ slug }) => slug);
    let added = 0;
    const during = await walk(host, { sort, limit: 4 }, (page) =>
      page > 20
        ? Promise.resolve()
        : host.ok('put_page', { slug: `p/${sort}-${added++}`, content: `---\ntitle: T${page % 4}\n---\nx\n` }),
    );
    const seen = during.map(({ slug }) => slug);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((slug) => before.includes(slug))).toEqual(before);
  });

  test('narrows by type, tag and time, and skips', async () => {
    expect((await list(host, { type: 'odd' })).rows).toHaveLength(11);
    expect((await list(host, { tag: 'n' })).rows).toHaveLength(8);
    expect((await list(host, { tag: 'third' })).rows).toHaveLength(0);
    const { rows } = await list(host, { sort: 'updated_asc', limit: 100 });
    const at = rows[10]!.updated_at;
    const later = rows.filter(({ updated_at }) => updated_at > at).map(({ slug }) => slug);
    const after = await list(host, { updated_after: at, limit: 100, sort: 'updated_asc' });
    expect(after.rows.map(({ slug }) => slug)).toEqual(later);
    const skipped = await list(host, { sort: 'slug', offset: 3, limit: 2 });
    const first = await list(host, { sort: 'slug', limit: 5 });
    expect(skipped.rows).toEqual(first.rows.slice(3));
  });

  test('says that more follows, with the call that brings it', async () => {
    const got = await list(host, { sort: 'created', limit: 3, type: 'odd' }, AGENT);
    expect(got.outcome.meta.pagination).toEqual({ truncated: true, limit: 3, next: { cursor: expect.any(String) } });
    const [notice] = got.outcome.notices;
    expect(notice).toMatchObject({ code: 'listing_truncated', fix: { mcp: { tool: 'list_pages' } } });
    const more = await list(host, notice!.fix!.mcp!.arguments, AGENT);
    const both = await list(host, { sort: 'created', limit: 6, type: 'odd' });
    expect([...got.rows, ...more.rows]).toEqual(both.rows);
    const whole = await list(host, { type: 'odd', sort: 'created', limit: 50 });
    expect(whole.outcome.meta.pagination).toEqual({ truncated: false, limit: 50 });
    expect(whole.outcome.notices).toEqual([]);
  });

  test('a cap is told, a bad order and a foreign cursor are refused with a call that runs', async () => {
    const capped = await list(host, { limit: 5000 }, AGENT);
    expect(capped.outcome.meta.pagination).toMatchObject({ limit: 100, clamped_from: 5000 });
    expect(capped.outcome.notices.map(({ code }) => code)).toContain('param_clamped');
    const bogus = await host.refused('list_pages', { sort: 'bogus' }, AGENT);
    expect(bogus).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining("'bogus'"),
      suggestion: 'Use one of: updated, created, title.',
      fix: {
        argv: ['gbrain', 'list', '--sort', 'updated'],
        mcp: { tool: 'list_pages', arguments: { sort: 'updated' } },
        verify: { mcp: { tool: 'list_pages', arguments: { sort: 'updated', limit: 1 } } },
      },
    });
    const { next } = await list(host, { sort: 'title', limit: 1 });
    const foreign = await host.refused('list_pages', { sort: 'slug', limit: 1, ...next });
    expect(foreign).toMatchObject({ code: 'invalid_params', fix: { mcp: { arguments: { sort: 'slug', limit: 1 } } } });
    for (const cursor of ['x', 'bnVsbA', Buffer.from('[1,2,3,4]').toString('base64url')]) {
      expect(await host.refused('list_pages', { cursor })).toMatchObject({ code: 'invalid_params' });
    }
    expect(await host.refused('list_pages', { updated_after: 'soon' })).toMatchObject({ code: 'invalid_params' });
    expect(host.faults).toEqual([]);
  });

  test('deleted pages are in no list unless they are asked for', async () => {
    await host.ok('put_page', { slug: 'gone/page', content: 'x\n' });
    await host.ok('delete_page', { slug: 'gone/page' });
    const slugs = async (args: Record<string, unknown>) =>
      (await list(host, { limit: 100, ...args })).rows.map(({ slug }) => slug);
    expect(await slugs({})).not.toContain('gone/page');
    expect(await slugs({ include_deleted: true })).toContain('gone/page');
    expect(await host.ok('resolve_slugs', { partial: 'gone' })).toEqual([]);
  });
});
