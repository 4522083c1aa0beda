// Advice comes where a call shows a gap and nowhere else; onboard and features list what there is, and spend nothing.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER, testHost } from '@gbrain/testkit/host';
import { openTestPglite } from '@gbrain/testkit/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readKeptCounts } from '../../home/onboard-counts.ts';
import { OnboardCoach } from '../../transports/onboard-coach.ts';
import { gapsOf, gapsShownBy, type OnboardCounts } from './onboarding.ts';

const GOOD: OnboardCounts = {
  pages: 50,
  links: 80,
  entities: 10,
  entities_linked: 9,
  entities_dated: 10,
  chunks: 60,
  chunks_waiting: 0,
};
const card = (more: object) => ({
  card: { entity: { type: 'person' }, backlink_count: 3, last_touched: { last_timeline_date: '2026-01-01' }, ...more },
});
const shown = (op: string, counts: Partial<OnboardCounts>, output: unknown = [], input = {}) =>
  gapsShownBy({ op, input, output }, { ...GOOD, ...counts });

describe('gaps', () => {
  test('a good brain and an empty one have none; the bounds are 70 % and 90 %', () => {
    expect(gapsOf(GOOD)).toEqual([]);
    expect(gapsOf({ ...GOOD, pages: 0 })).toEqual([]);
    expect(gapsOf({ ...GOOD, entities_linked: 7 })).toEqual([]);
    expect(gapsOf({ ...GOOD, entities_linked: 6 })).toEqual(['onboard_link_coverage']);
    expect(gapsOf({ ...GOOD, entities_dated: 9 })).toEqual([]);
    expect(gapsOf({ ...GOOD, entities_dated: 8 })).toEqual(['onboard_timeline_coverage']);
    expect(gapsOf({ ...GOOD, links: 0 })).toEqual(['features_auto_fix']);
  });

  test.each(['get_backlinks', 'traverse_graph'])('%s shows links, and an empty graph', (op) => {
    expect(shown(op, { entities_linked: 1 })).toEqual(['onboard_link_coverage']);
    expect(shown(op, { links: 0, entities_linked: 0 })).toEqual(['features_auto_fix']);
    expect(shown(op, { entities_dated: 0 })).toEqual([]);
    expect(shown(op, {})).toEqual([]);
  });

  test('entity shows what its own card lacks', () => {
    const low = { entities_linked: 1, entities_dated: 1 };
    expect(shown('entity', low, card({ backlink_count: 0 }))).toEqual(['onboard_link_coverage']);
    expect(shown('entity', low, card({ last_touched: { last_timeline_date: null } }))).toEqual([
      'onboard_timeline_coverage',
    ]);
    expect(shown('entity', low, card({}))).toEqual([]);
    expect(shown('entity', low, { found: false })).toEqual([]);
  });

  test('get_page and get_timeline show a person or company without dates', () => {
    const low = { entities_dated: 1 };
    expect(shown('get_page', low, { type: 'company', timeline: '' })).toEqual(['onboard_timeline_coverage']);
    expect(shown('get_page', low, { type: 'note', timeline: '' })).toEqual([]);
    expect(shown('get_page', low, { type: 'company', timeline: '- **2026-01-01** | met' })).toEqual([]);
    expect(shown('get_timeline', low, [], { slug: 'people/alice-example' })).toEqual(['onboard_timeline_coverage']);
    expect(shown('get_timeline', low, [{}], { slug: 'people/alice-example' })).toEqual([]);
    expect(shown('get_timeline', low, [], { slug: 'notes/a' })).toEqual([]);
  });

  test('a search by meaning shows text that waits for an embedding, one by words does not', () => {
    const waiting = { ...GOOD, chunks_waiting: 3 };
    const by = (op: string, output: unknown, meta = {}) => gapsShownBy({ op, input: {}, output, meta }, waiting);
    expect(by('search', [], { retrieval: { vector_enabled: true } })).toEqual(['onboard_stale_chunks']);
    expect(by('search', [], { retrieval: { vector_enabled: false } })).toEqual([]);
    expect(by('recall', { results: [] })).toEqual(['onboard_stale_chunks']);
    expect(by('recall', { results: [], search_degraded: 'keyword_only_no_embedding_provider' })).toEqual([]);
    expect(by('recall', { facts: [] })).toEqual([]);
  });

  test('other calls show nothing', () => {
    for (const op of ['search', 'put_page', 'list_pages', 'recall']) {
      expect(shown(op, { links: 0, entities_linked: 0, entities_dated: 0 })).toEqual([]);
    }
  });
});

describe('a session', () => {
  let homeRoot: string;
  let now: number;
  let asked: string[];
  beforeEach(async () => {
    homeRoot = await mkdtemp(join(tmpdir(), 'gbrain-coach-'));
    now = Date.UTC(2026, 2, 1);
    asked = [];
  });
  afterEach(() => rm(homeRoot, { recursive: true, force: true }));

  const LOW = { ...GOOD, entities_linked: 1 };
  const CALL = { op: 'get_backlinks', input: {}, output: [] };
  function coachOf(env = {}) {
    const host = testHost({} as never, { homeRoot, env, now: () => new Date(now) });
    const coach = new OnboardCoach({
      host,
      ask: async (op) => {
        asked.push(op);
        return { kind: 'ok', op, output: { counts: LOW }, notices: [], meta: {} };
      },
    });
    return { host, coach };
  }
  /** One call after which the session is idle. */
  async function idle(coach: OnboardCoach): Promise<void> {
    coach.begin()();
    // The refresh has begun by now; it is over when the end of a session finds none.
    while (!(await readKeptCounts({ root: homeRoot } as never, 'host'))) await new Promise(setImmediate);
  }
  const codes = async (coach: OnboardCoach) => (await coach.advice(CALL)).map(({ code }) => code);

  test('is silent while it has no figures, and reads them only when it is idle', async () => {
    const { coach } = coachOf();
    const end = coach.begin();
    const other = coach.begin();
    expect(await codes(coach)).toEqual([]);
    end();
    expect(asked).toEqual([]);
    other();
    await idle(coach);
    expect(asked).toEqual(['run_onboard']);
    expect(await codes(coach)).toEqual(['onboard_link_coverage']);
  });

  test('figures are good for six hours, and are shared by sessions', async () => {
    const { coach } = coachOf();
    await idle(coach);
    const second = coachOf().coach;
    expect(await codes(second)).toEqual(['onboard_link_coverage']);
    await idle(second);
    expect(asked).toHaveLength(1);
    now += 6 * 60 * 60_000 + 1;
    expect(await codes(second)).toEqual([]);
  });

  test('GBRAIN_NO_ONBOARD_NUDGE and a file that is no longer whole give none', async () => {
    const { coach } = coachOf({ GBRAIN_NO_ONBOARD_NUDGE: '1' });
    await idle(coachOf().coach);
    expect(await codes(coach)).toEqual([]);
    await writeFile(join(homeRoot, 'onboard-counts-host.json'), '{"at": "2026-');
    expect(await codes(coachOf().coach)).toEqual([]);
  });
});

describe('onboard and features', () => {
  test('list gaps with remedies, open questions also when they are muted, and call no provider', async () => {
    const homeRoot = await mkdtemp(join(tmpdir(), 'gbrain-onboard-'));
    const given = await openTestPglite();
    const host = testHost(given.store, { homeRoot });
    type Report = {
      opportunities: { id: string; fix?: { command: string } }[];
      decisions: { muted: boolean; fix?: { command: string } }[];
    };
    const onboard = () => host.ok<Report>('run_onboard');
    expect(await onboard()).toMatchObject({ opportunities: [], decisions: [{ id: 'writeback', muted: false }] });
    await host.ok('put_page', { slug: 'people/alice-example', content: '# Alice Example\n\nKnows things.\n' });
    await host.ok('put_page', { slug: 'people/bob-example', content: '# Bob Example\n\nKnows others.\n' });
    const report = await onboard();
    expect(report.opportunities.map(({ id }) => id)).toEqual([
      'features_auto_fix',
      'onboard_link_coverage',
      'onboard_timeline_coverage',
    ]);
    for (const { fix } of report.opportunities) expect(fix?.command).toMatch(/^gbrain /);
    await host.ok('mute_notice', { code: 'first_run_decisions' }, OWNER);
    expect((await onboard()).decisions[0]).toMatchObject({
      muted: true,
      fix: { command: expect.stringContaining('notices unmute first_run_decisions') },
    });
    const outcome = await host.call('features');
    if (outcome.kind !== 'ok') throw new Error(outcome.failure.message);
    expect(outcome.notices.map(({ code }) => code)).toEqual(['features_auto_fix']);
    expect(outcome.output).toMatchObject({ graph: { pages: 2, links: 0 } });
    await host.ok('put_page', {
      slug: 'notes/talk',
      content: 'Met [[people/alice-example]] and [[people/bob-example]].\n',
    });
    expect((await onboard()).opportunities.map(({ id }) => id)).toEqual(['onboard_timeline_coverage']);
    await given.remove();
    await rm(homeRoot, { recursive: true, force: true });
  });
});
