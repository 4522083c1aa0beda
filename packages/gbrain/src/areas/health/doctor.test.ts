// Doctor on both engines: a healthy brain has no warning, what is wrong has a fix, and nothing takes too long.
import { AGENT, OWNER, type TestHostOptions, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Check } from '../../check.ts';
import { raise } from '../../failure.ts';
import { sql } from '../../store/sql.ts';
import { allChecks } from './diagnose.ts';
import { doctorOpensBrain, PLACE_CHECKS } from './place-checks.ts';
import type { ReportBody, ReportRow } from './report.ts';
import { runChecks } from './run-checks.ts';

type Report = ReportBody & { complete: boolean; incomplete?: { field: string; reason: string }[] };

const OPTIONS: TestHostOptions = { launcher: process.execPath };
const notOk = ({ checks }: Report): ReportRow[] => checks.filter(({ status }) => status !== 'ok');
const rowOf = ({ checks }: Report, name: string): ReportRow => checks.find((row) => row.name === name)!;

eachStore('doctor', (given) => {
  const host = () => testHost(given().store, OPTIONS);
  const doctor = (only?: string[], caller = OWNER) => host().ok<Report>('run_doctor', only ? { only } : {}, caller);

  test('a new keyless brain has no warning and nothing unread', async () => {
    const report = await doctor();
    expect(notOk(report)).toEqual([]);
    expect(report).toMatchObject({ schema_version: 2, status: 'healthy', health_score: 100, complete: true });
    expect(report.checks.map(({ name }) => name)).toEqual((await allChecks()).map(({ name }) => name));
    expect(report.top_issues).toEqual([]);
  });

  test('a brain with linked, dated and loose pages has none either', async () => {
    const { ok } = host();
    await ok('put_page', {
      slug: 'people/alice-example',
      content: '# Alice Example\n\nWorks at [[companies/acme]].\n',
    });
    await ok('put_page', { slug: 'companies/acme', content: '# Acme\n\nSee [[companies/nowhere]].\n' });
    await ok('put_page', { slug: 'notes/loose', content: '# Loose\n\nAlone.\n' });
    await ok('put_page', { slug: 'notes/secret', content: '---\nvisibility: private\n---\n# Secret\n\nx\n' });
    const report = await doctor();
    expect(notOk(report)).toEqual([]);
    expect(rowOf(report, 'index').details).toMatchObject({ pages: 4, indexed: 4 });
  });

  test('a part of it is read by the name of a check or of a readiness row', async () => {
    expect((await doctor(['schema_version'])).checks.map(({ name }) => name)).toEqual(['schema_version']);
    const byCapability = await doctor(['migrations', 'writeback']);
    expect(byCapability.checks.map(({ name }) => name)).toEqual(['memory_writeback', 'schema_version']);
    expect(byCapability.checks.map(({ readiness_state }) => readiness_state)).toEqual(['missing', 'ok']);
  });

  test('another name is refused with the nearest, and that call runs', async () => {
    const refused = await host().refused('run_doctor', { only: ['schema_versoin', 'worker'] });
    expect(refused).toMatchObject({ code: 'invalid_params', exit: 2 });
    expect(refused.fix?.mcp?.arguments).toEqual({ only: ['schema_version', 'worker'] });
    expect((await doctor(['schema_version', 'worker'])).checks).toHaveLength(2);
  });

  test('rows that are gone are a failure, and its fix derives them from the text as the page stands', async () => {
    const { store } = given();
    const { ok } = host();
    await ok('put_page', { slug: 'people/mika', content: '# Mika\n' });
    const content = '# Underived\n\nBasalt, with [[people/mika]].\n\n## Timeline\n\n- **2026-03-04** | met\n';
    await ok('put_page', { slug: 'notes/underived', content });
    const of = sql`(select id from pages where slug = 'notes/underived')`;
    const rows = async () => {
      const [page, chunks, links, dates] = await store.batch([
        sql`select revision, updated_at, trust_tier, writer_principal from pages where id = ${of}`,
        sql`select chunk_index, text from page_chunks where page_id = ${of} order by 1`,
        sql`select to_page_id, link_type from links where from_page_id = ${of} order by 1, 2`,
        sql`select date, summary from timeline_entries where page_id = ${of} order by 1, 2`,
      ]);
      return { page, chunks, links, dates };
    };
    const before = await rows();
    expect([before.chunks?.length, before.links?.length, before.dates?.length]).not.toContain(0);
    await store.query(sql`update pages set trust_tier = 'external_untrusted' where id = ${of}`);
    await store.batch([
      sql`delete from page_links where page_id = ${of}`,
      sql`delete from page_chunks where page_id = ${of}`,
      sql`delete from links where from_page_id = ${of}`,
      sql`delete from timeline_entries where page_id = ${of}`,
    ]);
    const report = await doctor(['derived_rows']);
    expect(report).toMatchObject({ status: 'unhealthy', health_score: 80, brain_checks_score: 80 });
    const { fix, status } = rowOf(report, 'derived_rows');
    expect(status).toBe('fail');
    expect(fix).toMatchObject({ next: 'run', argv: expect.arrayContaining(['gbrain', 'derive']) });
    expect(report.top_issues.map(({ name }) => name)).toEqual(['derived_rows']);
    expect(await ok('derive_rows')).toEqual({ pages: 1, failed: [] });
    expect(notOk(await doctor(['derived_rows']))).toEqual([]);
    expect(await rows()).toEqual({ ...before, page: [{ ...before.page![0], trust_tier: 'external_untrusted' }] });
    expect(await ok('search', { query: 'basalt' })).toMatchObject([{ slug: 'notes/underived' }]);
    expect(await ok('derive_rows')).toEqual({ pages: 0, failed: [] });
    await ok('delete_page', { slug: 'notes/underived' });
    await ok('delete_page', { slug: 'people/mika' });
  });

  test('an effect that is due for long warns, with a step', async () => {
    const { store } = given();
    await store.query(sql`insert into outbox (key, kind, payload, created_at, not_before)
      values ('late', 'test', '{}', '2026-01-01', '2026-01-01')`);
    const report = await doctor(['worker']);
    expect(rowOf(report, 'worker')).toMatchObject({ status: 'warn', readiness_state: 'degraded' });
    expect(rowOf(report, 'worker').fix).toMatchObject({ next: 'run' });
    await store.query(sql`delete from outbox`);
    expect(notOk(await doctor(['worker']))).toEqual([]);
  });

  test('figures of an agent leave private pages out', async () => {
    const { ok } = host();
    await ok('put_page', { slug: 'notes/private', content: '---\nvisibility: private\n---\n# P\n\n[[notes/loose]]\n' });
    const mine = await ok<{ page_count: number; bytes: number }>('get_stats');
    const agents = await ok<{ page_count: number; bytes: number }>('get_stats', {}, { ...AGENT, scopes: ['admin'] });
    expect(mine.page_count - agents.page_count).toBe(2);
    expect(agents.bytes).toBeLessThan(mine.bytes);
    const health = await ok<{ most_connected: { slug: string }[] }>('get_health', {}, { ...AGENT, scopes: ['admin'] });
    expect(health.most_connected.map(({ slug }) => slug)).not.toContain('notes/private');
  });
});

eachStore('doctor without its brain', (given) => {
  test('says why it cannot be reached, and reads the rest', async () => {
    const openBrain = async () => raise('brain_unopenable', { path: 'x', reason: 'damaged' });
    const host = testHost(given().store, { ...OPTIONS, openBrain });
    const report = await host.ok<Report>('run_doctor');
    expect(report).toMatchObject({ status: 'unhealthy', complete: false });
    expect(notOk(report).map(({ name }) => name)).toEqual(['connection']);
    // The code's own step leads to doctor, which is where the reader is.
    expect(rowOf(report, 'connection')).toMatchObject({ status: 'fail', remediation_status: 'blocked' });
    const unread = (await allChecks()).filter((check) => check.needsBrain && check.name !== 'connection');
    expect(report.incomplete).toEqual(unread.map(({ name }) => ({ field: name, reason: 'not_read' })));
    expect(rowOf(report, 'configuration').status).toBe('ok');
  });

  test('a check that needs no brain opens none', async () => {
    const openBrain = async () => expect.fail('the brain was opened');
    const host = testHost(given().store, { ...OPTIONS, openBrain });
    const report = await host.ok<Report>('run_doctor', { only: [...PLACE_CHECKS] });
    expect(report.checks).toHaveLength(PLACE_CHECKS.length);
  });
});

describe('names of checks', () => {
  let checks: Check[];
  beforeAll(async () => {
    checks = await allChecks();
  });

  test('the list of those that open no brain is true', () => {
    const names = checks.filter(({ needsBrain }) => !needsBrain).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...PLACE_CHECKS].sort());
    const capabilities = checks.flatMap(({ capability, needsBrain }) =>
      capability ? [[capability, needsBrain] as const] : [],
    );
    for (const [capability, needsBrain] of capabilities) {
      expect([capability, doctorOpensBrain(['--only', capability])]).toEqual([capability, needsBrain]);
    }
  });

  test.each([
    [[], true],
    [['--json'], true],
    [['--only', 'harness_wiring'], false],
    [['--only=harness_wiring', '--json'], false],
    [['--only', 'harness_wiring,worker'], true],
    [['--only', 'disk_space', '--only', 'worker'], true],
    [['--', '--only'], true],
  ])('%j opens the brain: %s', (words, opens) => {
    expect(doctorOpensBrain(words)).toBe(opens);
  });
});

describe('bounds', () => {
  const never = () => new Promise<never>(() => undefined);
  const check = (name: string, run: Check['run'], limitMs?: number): Check =>
    ({ name, category: 'ops', summary: '', requirement: '', needsBrain: false, run, limitMs }) as Check;
  const fine = async () => ({ status: 'ok' as const, message: 'fine' });
  const place = (signal = new AbortController().signal) => ({
    host: testHost(undefined as never),
    caller: OWNER,
    mayProbe: false,
    signal,
  });

  test('a check that never ends costs its own time and nothing else', async () => {
    const bounds = { untilMs: performance.now() + 60_000, nowMs: () => performance.now() };
    const run = await runChecks([check('a', never, 20), check('b', fine)], place(), bounds);
    expect(run.incomplete).toEqual([{ field: 'a', reason: 'bounded' }]);
    expect(run.rows.map((row) => row.check.name)).toEqual(['b']);
  });

  test('when the time of all is over the rest is not read', async () => {
    let now = 0;
    const spend = async () => {
      now = 100;
      return fine();
    };
    const run = await runChecks([check('a', spend), check('b', fine)], place(), { untilMs: 100, nowMs: () => now });
    expect(run.rows.map((row) => row.check.name)).toEqual(['a']);
    expect(run.incomplete).toEqual([{ field: 'b', reason: 'budget' }]);
  });

  test('a check that throws is a failed row, and the others are read', async () => {
    const broken = async () => {
      throw new Error('a bug');
    };
    const at = place();
    const run = await runChecks([check('a', broken), check('b', fine)], at, { untilMs: 1e12, nowMs: () => 0 });
    expect(run.rows.map(({ status }) => status)).toEqual(['fail', 'ok']);
    expect(at.host.faults).toHaveLength(1);
  });

  test('settings that cannot be read are one failure', async () => {
    const unreadable = async () => raise('config_error', { path: 'x', reason: 'not_json' });
    const both = [check('configuration', unreadable), check('other', unreadable)];
    const run = await runChecks(both, place(), { untilMs: 1e12, nowMs: () => 0 });
    expect(run.rows.map((row) => [row.check.name, row.status])).toEqual([['configuration', 'fail']]);
    expect(run.incomplete).toEqual([{ field: 'other', reason: 'not_read' }]);
  });

  test('the caller’s cancel ends it', async () => {
    const stop = new AbortController();
    const running = runChecks([check('a', never)], place(stop.signal), { untilMs: 1e12, nowMs: () => 0 });
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});
