// Write requests: replay, conflicts of ids, receipts, the queue, waiting, cancelling, a lost process.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { type Store, StoreError } from 'gbrain/store/store';
import { beforeAll, describe, expect, test } from 'vitest';
import { queueOf } from './queue.ts';
import { argumentsHash, parseRequestId } from './request-id.ts';

describe('request ids', () => {
  test.each([
    ['4B8F6D1E-0B7A-4F0E-9D57-6F3E2B1A9C10', { requestId: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10' }],
    ['turn-17', { requestId: '5be10ef2-3b36-530f-9a4f-d70bb16a5fc9', clientRequestId: 'turn-17' }],
    ['', undefined],
    ['two words', undefined],
    ['x'.repeat(129), undefined],
    ['é', undefined],
  ])('%j', (text, id) => {
    const parsed = parseRequestId(text);
    if (text === 'turn-17')
      expect(parsed?.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    else expect(parsed).toEqual(id);
    expect(parseRequestId(text)).toEqual(parsed);
  });

  test('the hash is of what is asked, whatever the order, and of nothing else', () => {
    const hash = argumentsHash('put_page', 'default', { slug: 'a', content: 'x', request_id: '1', wait_ms: 5 });
    expect(argumentsHash('put_page', 'default', { content: 'x', slug: 'a' })).toBe(hash);
    expect(argumentsHash('put_page', 'wiki', { content: 'x', slug: 'a' })).not.toBe(hash);
    expect(argumentsHash('put_page', 'default', { content: 'y', slug: 'a' })).not.toBe(hash);
  });
});

/** A store whose transactions wait until `open` is called. */
function gated(store: Store): { store: Store; open(): void; entered: Promise<void> } {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const held: Store = {
    facts: { ...store.facts, concurrent: false },
    query: (statement, options) => store.query(statement, options),
    batch: (statements, options) => store.batch(statements, options),
    tx: async (body, options) => {
      entered.resolve();
      await Promise.race([
        gate.promise,
        new Promise((_, reject) =>
          options?.signal?.addEventListener('abort', () => reject(new StoreError('aborted', 'stopped')), {
            once: true,
          }),
        ),
      ]);
      return store.tx(body, options);
    },
    close: () => store.close(),
  };
  return { store: held, open: () => gate.resolve(), entered: entered.promise };
}

/** A store that commits and then loses the link, as at a crash between commit and reply. */
const losing = (store: Store): Store => ({
  facts: store.facts,
  query: (statement, options) => store.query(statement, options),
  batch: (statements, options) => store.batch(statements, options),
  tx: async (body, options) => {
    await store.tx(body, options);
    throw new StoreError('outcome_unknown', 'the link was lost at the commit');
  },
  close: () => store.close(),
});

/** Waits until so many writes are in the queue; a test that never gets there times out. */
async function admitted(store: Store, count: number): Promise<void> {
  while (queueOf(store).list('local').length < count) await new Promise((resolve) => setImmediate(resolve));
}

const pageCount = async (store: Store, slug: string): Promise<number> => {
  const rows = await store.query(sql`select 1 from pages where slug = ${slug}`);
  return rows.length;
};

eachStore('write requests', (given) => {
  let host: TestHost;
  beforeAll(() => {
    host = testHost(given().store);
  });

  test('the same request again gives the stored outcome and writes nothing', async () => {
    const args = { slug: 're/play', content: 'one\n', request_id: 'turn-1' };
    const first = await host.ok('put_page', args);
    expect(first).toMatchObject({ client_request_id: 'turn-1', state: 'committed', retry_after_ms: null });
    await host.ok('put_page', { slug: 're/play', content: 'two\n', force: true });
    expect(await host.ok('put_page', args)).toEqual(first);
    expect(await host.ok('put_page', { ...args, wait_ms: 1000 })).toEqual(first);
    expect((await host.ok('get_page', { slug: 're/play', content_only: true })).content).toBe('two\n');
    const other = await host.refused('put_page', { ...args, content: 'three\n' });
    expect(other).toMatchObject({ code: 'idempotency_conflict', fix: { mcp: { tool: 'put_page' } } });
    expect(other.fix?.mcp?.arguments).not.toHaveProperty('request_id');
    const foreign = await host.ok('put_page', { ...args, slug: 're/agent' }, AGENT);
    expect(foreign.request_id).toBe(first.request_id);
  });

  test('a refused request is refused alike, whatever has changed since', async () => {
    await host.ok('put_page', { slug: 're/fused', content: 'one\n' });
    const args = { slug: 're/fused', content: 'two\n', request_id: 'turn-2' };
    const refused = await host.refused('put_page', args);
    expect(refused.code).toBe('revision_required');
    await host.ok('delete_page', { slug: 're/fused' });
    expect(await host.refused('put_page', args)).toEqual(refused);
    expect(await host.ok('get_write_request', { request_id: 'turn-2' })).toMatchObject({
      state: 'conflict',
      write_error: 'revision_required',
      operation: 'put_page',
      slug: 're/fused',
    });
  });

  test('what is relative is fixed when the request is admitted', async () => {
    const days = [Date.UTC(2026, 4, 1, 23), Date.UTC(2026, 4, 2, 1)];
    const at = (time: number) => testHost(given().store, { now: () => new Date(time) });
    const args = { content: 'At midnight.', request_id: 'turn-3' };
    const first = await at(days[0]!).ok('capture', args);
    expect(first.slug).toMatch(/^inbox\/2026-05-01-/);
    expect(await at(days[1]!).ok('capture', args)).toEqual(first);
    expect(await at(days[1]!).ok('list_pages', { updated_after: '2026-05-01T22:00:00Z' })).toHaveLength(1);
  });

  test('receipts are their principal’s own, newest first, by page', async () => {
    for (const n of [1, 2, 3])
      await host.ok('put_page', { slug: `re/list-${n}`, content: 'x\n', request_id: `l-${n}` });
    const page = await host.ok<{ requests: { slug: string }[]; next: number }>('list_write_requests', { limit: 2 });
    expect(page.requests.map(({ slug }) => slug)).toEqual(['re/list-3', 're/list-2']);
    const more = await host.ok<typeof page>('list_write_requests', { limit: 2, before: page.next });
    expect(more.requests[0]).toMatchObject({ slug: 're/list-1', state: 'committed' });
    const agents = await host.ok<typeof page>('list_write_requests', {}, AGENT);
    expect(agents.requests.map(({ slug }) => slug)).toEqual(['re/agent']);
    const missing = await host.refused('get_write_request', { request_id: 'never' }, AGENT);
    const foreign = await host.refused('get_write_request', { request_id: 'l-1' }, AGENT);
    expect(foreign.code).toBe('not_found');
    const plain = (failure: typeof missing) => ({ ...failure, message: '' });
    expect(plain(foreign)).toEqual(plain(missing));
  });

  test('a write that outlasts the wait is pending, goes on, and is found by its receipt', async () => {
    const held = gated(given().store);
    const slow = testHost(held.store);
    const args = { slug: 're/slow', content: 'x\n', request_id: 'slow-1', wait_ms: 0 };
    const pending = await slow.refused('put_page', args, AGENT);
    expect(pending).toMatchObject({
      code: 'write_pending',
      exit: 10,
      class: 'retryable',
      retryable: false,
      writeError: 'write_pending',
      writeRequest: { state: 'running', retry_after_ms: 1000, diagnostic: { next_action: 'poll' } },
      fix: { mcp: { tool: 'get_write_request' } },
    });
    // A command's own wait, when its arguments name none.
    const { wait_ms: _, ...untimed } = args;
    expect(await slow.call('put_page', untimed, AGENT, { waitMs: 0 })).toMatchObject({
      failure: { code: 'write_pending', writeRequest: { state: 'running' } },
    });
    const ask = () => slow.ok('get_write_request', pending.fix!.mcp!.arguments, AGENT);
    expect(await ask()).toMatchObject({ state: 'running', client_request_id: 'slow-1' });
    const joined = slow.ok('put_page', { ...args, wait_ms: 30_000 }, AGENT);
    expect(await slow.refused('put_page', { ...args, content: 'y\n' }, AGENT)).toMatchObject({
      code: 'idempotency_conflict',
    });
    held.open();
    const committed = await joined;
    expect(committed).toMatchObject({ state: 'committed', status: 'created' });
    expect(await ask()).toMatchObject({ state: 'committed', revision: committed.revision });
  });

  test('a waiting write can be taken back, a running one cannot', async () => {
    const held = gated(given().store);
    const slow = testHost(held.store);
    const put = (n: number, wait_ms = 30_000) =>
      slow.call('put_page', { slug: `re/wait-${n}`, content: 'x\n', request_id: `wait-${n}`, wait_ms });
    const first = put(1);
    await held.entered;
    const second = put(2);
    await admitted(held.store, 2);
    expect(await slow.ok('get_write_request', { request_id: 'wait-2' })).toMatchObject({
      state: 'queued',
      diagnostic: { reason: 'waiting_on_earlier_write' },
    });
    const open = await slow.ok<{ requests: { state: string }[] }>('list_write_requests', { limit: 1 });
    expect(open.requests.slice(0, 2).map(({ state }) => state)).toEqual(['queued', 'running']);
    expect(await slow.ok('cancel_write_request', { request_id: 'wait-1' })).toMatchObject({ state: 'running' });
    expect(await slow.ok('cancel_write_request', { request_id: 'wait-2' })).toMatchObject({ state: 'cancelled' });
    expect(await second).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    held.open();
    expect(await first).toMatchObject({ kind: 'ok', output: { state: 'committed' } });
    expect(await slow.ok('cancel_write_request', { request_id: 'wait-1' })).toMatchObject({ state: 'committed' });
    expect(await put(2)).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    expect(await pageCount(given().store, 're/wait-2')).toBe(0);
    await queueOf(held.store).drain();
  });

  test('a caller that cancels takes its waiting write with it', async () => {
    const held = gated(given().store);
    const slow = testHost(held.store);
    const stop = new AbortController();
    const running = slow.call('put_page', { slug: 're/stop-1', content: 'x\n' }, OWNER, { signal: stop.signal });
    const waiting = slow.call('put_page', { slug: 're/stop-2', content: 'x\n' }, OWNER, { signal: stop.signal });
    await held.entered;
    await admitted(held.store, 2);
    stop.abort();
    for (const call of [running, waiting]) {
      expect(await call).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    }
    held.open();
    await queueOf(held.store).drain();
    expect(await pageCount(given().store, 're/stop-1')).toBe(0);
    expect(await pageCount(given().store, 're/stop-2')).toBe(0);
  });

  test('a write that runs out of its own time is a timeout that names its receipt', async () => {
    const held = gated(given().store);
    const slow = testHost(held.store);
    const late = await slow.call('put_page', { slug: 're/late', content: 'x\n', request_id: 'late' }, OWNER, {
      timeoutMs: 50,
    });
    expect(late).toMatchObject({
      kind: 'failed',
      failure: { code: 'timeout', exit: 124, fix: { mcp: { tool: 'get_write_request' } } },
    });
    held.open();
    await queueOf(held.store).drain();
    expect(await pageCount(given().store, 're/late')).toBe(0);
  });

  test('after a process is lost between commit and reply, the receipt tells and the replay repeats', async () => {
    const lost = testHost(losing(given().store));
    const args = { slug: 're/lost', content: 'x\n', request_id: 'lost-1' };
    const answered = await lost.ok('put_page', args);
    expect(answered).toMatchObject({ state: 'committed', status: 'created' });
    const store = await given().reopen();
    const next = testHost(store);
    host = next;
    expect(await next.ok('put_page', args)).toEqual(answered);
    expect(await next.ok('get_write_request', { request_id: 'lost-1' })).toMatchObject({ state: 'committed' });
    expect(await next.ok<{ versions: unknown[] }>('get_versions', { slug: 're/lost' })).toMatchObject({ versions: [] });
  });

  test('when no receipt is found after a lost link, the outcome is unknown and says where to look', async () => {
    const { store } = given();
    const broken: Store = {
      ...losing(store),
      tx: async () => {
        throw new StoreError('outcome_unknown', 'lost');
      },
    };
    const refused = await testHost(broken).refused('put_page', { slug: 're/unknown', content: 'x\n' });
    expect(refused).toMatchObject({
      code: 'write_outcome_unknown',
      retryable: false,
      fix: { mcp: { tool: 'get_write_request' } },
    });
    expect(host.faults).toEqual([]);
  });
});
