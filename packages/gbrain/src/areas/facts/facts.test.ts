// The memory verbs on both engines: saving, recalling and forgetting, and everything that must not happen.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { beforeAll, describe, expect, test } from 'vitest';

interface Saved {
  id: string;
  status: string;
  entity_slug: string | null;
  valid_until: string | null;
  [key: string]: unknown;
}
interface Recalled {
  facts: { fact_id: string; fact: string; entity_slug: string | null; superseded_by: number | null }[];
  results?: { slug: string; provenance: string }[];
  [key: string]: unknown;
}

const PROVENANCE = 'Alice, in chat';
const EMPTY = { protocol_version: 1, facts: [], total: 0 };

eachStore('memory verbs', (given) => {
  let host: TestHost;
  let clock = Date.UTC(2026, 2, 1, 9);
  const later = (ms: number) => {
    clock += ms;
  };
  const remember = (args: Record<string, unknown>, caller = AGENT) =>
    host.ok<Saved>('remember', { provenance: PROVENANCE, ...args }, caller);
  const recall = (args: Record<string, unknown>, caller = AGENT) => host.ok<Recalled>('recall', args, caller);
  const ids = async (args: Record<string, unknown>, caller = AGENT) =>
    (await recall(args, caller)).facts.map((one) => one.fact_id);
  const rowCount = async () => {
    const [row] = await given().store.query<{ n: number }>(sql`select count(*) as n from facts`);
    return Number(row!.n);
  };

  beforeAll(async () => {
    host = testHost(given().store, { now: () => new Date(clock++) });
    const alice = '---\ntitle: Alice Example\ntype: person\naliases: [Ally]\n---\nAlice Example leads the pilot.\n';
    await host.ok('put_page', { slug: 'people/alice-example', content: alice });
    const secret = '---\ntitle: Zed Hidden\nvisibility: private\n---\nNothing to see.\n';
    await host.ok('put_page', { slug: 'people/zed-hidden', content: secret });
  });

  test('an empty brain answers with empty lists', async () => {
    expect(await recall({})).toEqual(EMPTY);
    expect(await recall({ entity: 'nobody', grep: 'x', since: 'yesterday' })).toEqual(EMPTY);
  });

  test('a fact is saved with its source and found by entity, words and text', async () => {
    const saved = await remember({ fact: 'Alice Example prefers green tea', kind: 'preference' });
    expect(saved).toMatchObject({
      protocol_version: 1,
      status: 'inserted',
      entity_slug: 'people/alice-example',
      entity_inferred: 'mention',
      valid_until: null,
      degraded_dedup: true,
    });
    for (const args of [
      { entity: 'Ally' },
      { entity: 'alice example' },
      { query: 'what tea does Alice like' },
      { grep: 'GREEN' },
    ])
      expect(await ids(args)).toEqual([saved.id]);
    expect(await ids({ query: 'renewal of the lease' })).toEqual([]);
    const [fact] = (await recall({ entity: 'people/alice-example' })).facts;
    expect(fact).toMatchObject({
      kind: 'preference',
      provenance: PROVENANCE,
      source: PROVENANCE,
      visibility: 'world',
      trust_tier: 'agent_written',
      superseded_by: null,
    });
  });

  test('with a query pages are found too, and the search says that it is by keywords only', async () => {
    const found = await recall({ query: 'who leads the pilot' });
    expect(found.results?.[0]).toMatchObject({ slug: 'people/alice-example' });
    expect(found.search_degraded).toBe('keyword_only_no_embedding_provider');
  });

  test('the same text again is the same fact, whatever its case, spaces and full stop', async () => {
    const first = await remember({ fact: 'The office is in Lyon' });
    const before = await rowCount();
    const again = await remember({ fact: '  the office is  in lyon. ' });
    expect(again).toMatchObject({ status: 'duplicate', id: first.id });
    expect(await rowCount()).toBe(before);
    const other = await remember({ fact: 'The office is in Lyon', entity: 'people/alice-example' });
    expect(other.status).toBe('inserted');
  });

  test('two at once make one fact', async () => {
    const saved = await Promise.all([1, 2, 3].map(() => remember({ fact: 'Raced once' })));
    expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
    expect(saved.filter(({ status }) => status === 'inserted')).toHaveLength(1);
  });

  test('a request sent again gives the same answer; another under its id is refused', async () => {
    const first = await remember({ fact: 'Sent twice', request_id: 'turn-1' });
    expect(await remember({ fact: 'Sent twice', request_id: 'turn-1' })).toEqual(first);
    const refused = await host.refused('remember', { fact: 'Another', provenance: 'x', request_id: 'turn-1' }, AGENT);
    expect(refused).toMatchObject({ code: 'idempotency_conflict', protocolVersion: 1 });
  });

  test.each([
    [{ fact: 'x' }, 'provenance_required'],
    [{ fact: 'x', provenance: '  ' }, 'provenance_required'],
    [{ fact: 'x', provenance: '' }, 'provenance_required'],
    [{ fact: '  ', provenance: 'y' }, 'invalid_params'],
    [{ provenance: 'y' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y'.repeat(501) }, 'invalid_params'],
    [{ fact: 'x'.repeat(100_000), provenance: 'y' }, 'invalid_params'],
    [{ fact: 'x\u0000', provenance: 'y' }, 'invalid_params'],
    [{ fact: 'x\ud800', provenance: 'y' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', ttl: 'P30D' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', ttl: '2001-01-01' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', ttl: '999d' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', kind: 'rumour' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', replaces: 'people/alice' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', replaces: '999999' }, 'not_found'],
    [{ fact: 'x', provenance: 'y', entity: 'Speaker A' }, 'invalid_params'],
    [{ fact: 'x', provenance: 'y', source_id: 'elsewhere' }, 'invalid_params'],
    [{ fact: 'The key is AKIAIOSFODNN7EXAMPLE', provenance: 'y' }, 'invalid_params'],
    [{ items: [], provenance: 'y' }, 'invalid_params'],
    [{ items: [{ fact: 'fine' }, { fact: '' }], provenance: 'y' }, 'invalid_params'],
    [{ items: [{ fact: 'fine' }] }, 'provenance_required'],
  ])('refuses %j with %s and writes nothing', async (args, code) => {
    const before = await rowCount();
    const refused = await host.refused('remember', args, AGENT);
    expect({ code: refused.code, protocolVersion: refused.protocolVersion }).toEqual({ code, protocolVersion: 1 });
    expect(refused.message).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await rowCount()).toBe(before);
  });

  test('a fact holds as long as it was given, and may be told anew afterwards', async () => {
    const saved = await remember({ fact: 'On call this half hour', ttl: '30m' });
    expect(Date.parse(saved.valid_until!)).toBeGreaterThan(clock);
    expect(await ids({ grep: 'half hour' })).toEqual([saved.id]);
    later(31 * 60_000);
    expect(await ids({ grep: 'half hour' })).toEqual([]);
    expect(await ids({ grep: 'half hour', include_expired: true })).toEqual([saved.id]);
    const again = await remember({ fact: 'On call this half hour', ttl: '1h' });
    expect(again).toMatchObject({ status: 'inserted' });
    expect(again.id).not.toBe(saved.id);
  });

  test('a correction takes the place of a fact, and only of one that stands', async () => {
    const old = await remember({ fact: 'Alice Example works at Acme' });
    const next = await remember({ fact: 'Alice now works at Beta', replaces: old.id });
    expect(next).toMatchObject({
      status: 'superseded',
      superseded_fact_id: old.id,
      replaced_by_caller: true,
      entity_slug: 'people/alice-example',
    });
    expect(await ids({ grep: 'works at' })).toEqual([next.id]);
    const [before] = (await recall({ supersessions: true })).facts;
    expect(before).toMatchObject({ fact_id: old.id, superseded_by: Number(next.id) });
    const again = await host.refused('remember', { fact: 'Third', provenance: 'x', replaces: old.id }, AGENT);
    expect(again).toMatchObject({ code: 'invalid_params', reason: 'target_superseded' });
    expect(again.message).toMatch(/^target_superseded/);
    const same = { fact: 'Alice now works at Beta', provenance: 'x', replaces: next.id };
    expect(await host.refused('remember', same, AGENT)).toMatchObject({ reason: 'replaces_duplicate' });
    const other = { fact: 'Bob works there', provenance: 'x', replaces: next.id, entity: 'people/bob' };
    expect(await host.refused('remember', other, AGENT)).toMatchObject({ reason: 'replaces_entity_mismatch' });
  });

  test('two corrections of one fact at once: one wins, the other is told', async () => {
    const old = await remember({ fact: 'The deadline is in May' });
    const ends = await Promise.all(
      ['June', 'July'].map((month) =>
        host.call('remember', { fact: `The deadline is in ${month}`, provenance: 'x', replaces: old.id }, AGENT),
      ),
    );
    expect(ends.map((end) => end.kind).sort()).toEqual(['failed', 'ok']);
  });

  test('a forgotten text does not come back', async () => {
    const saved = await remember({ fact: 'The code word is heron' });
    expect(await host.ok('forget', { id: saved.id, reason: 'asked to' }, AGENT)).toMatchObject({
      protocol_version: 1,
      id: saved.id,
      expired: true,
      reason: 'asked to',
      similar_active: { state: 'not_checked_no_embedding', semantic_review: 'unavailable' },
    });
    expect(await host.ok('forget', { id: saved.id }, AGENT)).toMatchObject({ expired: false, reason: 'asked to' });
    expect(await ids({ grep: 'heron' })).toEqual([]);
    const again = await host.refused('remember', { fact: 'the code word is HERON.', provenance: 'x' }, AGENT);
    expect(again).toMatchObject({ code: 'invalid_params', reason: 'fact_withdrawn' });
    expect(again.message).toMatch(/^fact_withdrawn/);
    const target = await host.refused('remember', { fact: 'New', provenance: 'x', replaces: saved.id }, AGENT);
    expect(target.reason).toBe('target_withdrawn');
  });

  test('an unknown id is not found, and a slug is no id', async () => {
    expect(await host.refused('forget', { id: '987654' }, AGENT)).toMatchObject({ code: 'not_found' });
    const slug = await host.refused('forget', { id: 'people/alice-example' }, AGENT);
    expect(slug).toMatchObject({ code: 'invalid_params', fix: { mcp: { tool: 'recall' } } });
  });

  test('a private fact is for the owner alone', async () => {
    const hidden = await remember({ fact: 'Private matter of hers', visibility: 'private' });
    expect(await ids({ grep: 'Private matter' })).toEqual([]);
    expect(await ids({ grep: 'Private matter' }, OWNER)).toEqual([hidden.id]);
    expect(await host.refused('forget', { id: hidden.id }, AGENT)).toMatchObject({ code: 'not_found' });
    const open = { fact: 'x', provenance: 'y', replaces: hidden.id };
    expect(await host.refused('remember', open, AGENT)).toMatchObject({ code: 'not_found' });
  });

  test('a fact does not tell of a page that the reader may not see', async () => {
    const saved = await remember({ fact: 'Zed Hidden lives in Oslo' }, OWNER);
    expect(saved.entity_slug).toBe('people/zed-hidden');
    expect((await recall({ grep: 'Oslo' })).facts).toMatchObject([{ entity_slug: null }]);
    expect(await ids({ entity: 'people/zed-hidden' })).toEqual([]);
    expect((await recall({ grep: 'Oslo' }, OWNER)).facts).toMatchObject([{ entity_slug: 'people/zed-hidden' }]);
  });

  test('a batch has a receipt for each fact, and the same batch again writes nothing', async () => {
    const items = [
      { fact: 'First of three' },
      { fact: 'the code word is heron' },
      { fact: 'Third of three', ttl: '2d' },
    ];
    const args = { provenance: 'call', items, request_id: 'batch-1' };
    const reply = await host.ok('remember', args, AGENT);
    expect(reply).toMatchObject({
      protocol_version: 1,
      client_request_id: 'batch-1',
      saved: 2,
      failed: 1,
      partial: true,
      items: [
        { index: 0, status: 'inserted' },
        { index: 1, status: 'failed', error: { code: 'invalid_params' } },
        { index: 2, status: 'inserted' },
      ],
    });
    const before = await rowCount();
    expect(await host.ok('remember', args, AGENT)).toEqual(reply);
    expect(await rowCount()).toBe(before);
  });

  test('one credential in a batch is refused by itself, with a receipt that does not hold it', async () => {
    const key = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;
    const items = [{ fact: 'The mill has a new wheel' }, { fact: `The token is ${key}` }, { fact: 'The wheel is oak' }];
    const args = { provenance: 'call', items, request_id: 'batch-2' };
    const reply = await host.ok<{ items: { request_id: string }[] }>('remember', args, AGENT);
    expect(reply).toMatchObject({ saved: 2, failed: 1, items: [{}, { status: 'failed' }, {}] });
    expect(reply.items[1]).toMatchObject({ error: { message: expect.stringContaining('secret_detected') } });
    expect(await host.ok('remember', args, AGENT)).toEqual(reply);
    const request_id = reply.items[1]!.request_id;
    expect(await host.ok('get_write_request', { request_id }, AGENT)).toMatchObject({ operation: 'remember' });
    const [kept] = await given().store.query<{ n: number }>(
      sql`select count(*) as n from write_requests w where w::text like ${`%${key.slice(4, 20)}%`}`,
    );
    expect(Number(kept!.n)).toBe(0);
  });

  test('pages come with as much of their text as was asked for', async () => {
    const body = Array.from({ length: 40 }, (_, i) => `Line ${i} of the talk about the weir. ${'word '.repeat(40)}`);
    const content = `---\ntitle: Weir talk\ntype: meeting\n---\n${body.join('\n\n')}\n`;
    await host.ok('put_page', { slug: 'meetings/weir', content });
    const chunkOf = async (args: object) => {
      const { results } = await host.ok<{ results: { slug: string; chunk: string; delivered?: { unit: string } }[] }>(
        'recall',
        { query: 'talk about the weir', limit: 1, ...args },
        AGENT,
      );
      return results[0]!;
    };
    const chunk = await chunkOf({});
    expect(chunk).toMatchObject({ slug: 'meetings/weir' });
    expect(chunk.delivered).toBeUndefined();
    const around = await chunkOf({ return_unit: 'window', return_window: 1 });
    const whole = await chunkOf({ return_unit: 'auto' });
    expect(around.delivered).toMatchObject({ unit: 'window' });
    expect(whole.delivered).toMatchObject({ unit: 'page' });
    expect(around.chunk.length).toBeGreaterThan(chunk.chunk.length);
    expect(whole.chunk.length).toBeGreaterThan(around.chunk.length);
    expect(whole.chunk).toContain('Line 39 of the talk');
  });

  test('facts are ranked by the question, pages by the query', async () => {
    const asked = await recall({ query: 'weir', question: 'what does Alice Example prefer' });
    expect(asked.results?.[0]).toMatchObject({ slug: 'meetings/weir' });
    expect(asked.facts[0]?.fact).toMatch(/^Alice Example prefers/);
    expect(asked).toMatchObject({ search_degraded: 'keyword_only_no_embedding_provider' });
  });

  test('a budget is packed here, and the packing says how', async () => {
    const packed = await recall({
      entity: 'people/alice-example',
      query: 'tea',
      budget_tokens: 9,
      budget_policy: 'facts_first',
    });
    expect(packed).toMatchObject({
      budget_tokens: 9,
      budget_packing: { policy: 'facts_first', reason: 'packed', applied: true },
    });
    expect(Number(packed.budget_used)).toBeLessThanOrEqual(9);
    expect(packed.facts).toHaveLength(1);
    expect(await recall({ grep: 'tea', budget_tokens: -1, budget_policy: 'query_first' })).toMatchObject({
      budget_packing: { applied: false, reason: 'no_query' },
    });
    expect((await recall({ grep: 'tea', budget_tokens: -1 })).budget_tokens).toBeUndefined();
  });

  test('an id that no fact has leads to the list, an ISO duration to our own', async () => {
    for (const [op, args] of [
      ['forget', { id: '99999' }],
      ['remember', { fact: 'The weir is low', provenance: 'x', replaces: '99999' }],
      ['remember', { fact: 'The weir is low', provenance: 'x', derived_from: ['99999'] }],
    ] as const) {
      const refused = await host.refused(op, args, AGENT);
      expect(refused).toMatchObject({ code: 'not_found', fix: { mcp: { tool: 'recall' } } });
    }
    const args = { fact: 'The lock is shut', provenance: 'x', ttl: 'P30D' };
    const { fix } = await host.refused('remember', args, AGENT);
    expect(fix).toMatchObject({ mcp: { tool: 'remember', arguments: { ...args, ttl: '30d' } } });
    expect(await host.ok('remember', fix!.mcp!.arguments, AGENT)).toMatchObject({ status: 'inserted' });
  });

  test('a time that is none is refused with the call corrected', async () => {
    const refused = await host.refused('recall', { grep: 'tea', since: 'whenever' }, AGENT);
    expect(refused).toMatchObject({
      code: 'invalid_params',
      protocolVersion: 1,
      fix: { mcp: { tool: 'recall', arguments: { grep: 'tea' } } },
    });
  });

  test('nothing failed unexpectedly', () => {
    expect(host.faults).toEqual([]);
  });
});

describe('the answers of the verbs', () => {
  test('all carry the version of their protocol', async () => {
    const { operations } = await import('gbrain/generated/operations');
    const verbs = operations.filter(({ area, value }) => area === 'facts' && value.surface === 'verbs');
    expect(verbs.length).toBeGreaterThanOrEqual(3);
    expect(verbs.filter(({ value }) => value.protocolVersion !== 1)).toEqual([]);
  });
});
