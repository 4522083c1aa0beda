// Remediation: the plan of a report, what of it is asked for first (transcript 2 of the contract), a run that repairs.
import { readFileSync } from 'node:fs';
import { checkoutPath } from '@gbrain/testkit/gbrain-binary';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import type { Connection, RenderedAction } from '@gbrain/wire/action';
import { renderConsent } from '@gbrain/wire/render-consent';
import { sql } from 'gbrain/store/sql';
import { describe, expect, test } from 'vitest';
import { consentOf, planOf, type RemediationPlan } from './remediation.ts';
import type { Remedy, ReportRow } from './report.ts';

const SCORES = { current: 70, target: 90 };

const row = (name: string, status: ReportRow['status'], more: Partial<ReportRow> = {}): ReportRow => ({
  name,
  status,
  message: `${name} is not as it should be`,
  category: 'brain',
  ...more,
});

function withRemedy(name: string, status: ReportRow['status'], remedy: Partial<Remedy> = {}): ReportRow {
  const { effects = [] } = remedy;
  const fix: RenderedAction = {
    argv: ['gbrain', name],
    command: `gbrain ${name}`,
    consent: effects,
    actor: 'agent',
    next: effects.length > 0 ? 'ask_user' : 'run',
    why: '120 pages changed since they were last embedded, and the configured provider charges for it.',
    requires_exclusive: false,
  };
  return row(name, status, { fix, remedy: { operation: name, arguments: {}, est_seconds: 3, effects, ...remedy } });
}

/** The terminal of the machine, on the brain `host`. */
const TERMINAL: Connection = {
  transport: 'cli',
  isCallable: () => false,
  command: () => ({ opensBrain: true, routesSource: false, sourceFlag: '--source' }),
  target: { brain: 'host', source: 'default' },
  preapproval: { persistentInstall: false },
};

describe('a plan', () => {
  test('has failures first, and says of the rest whose it is', () => {
    const byUser = {
      argv: ['kill', '1'],
      consent: [],
      actor: 'user',
      next: 'tell_user_to_run',
      why: 'End it.',
    } as const;
    const plan = planOf(
      [
        row('fine', 'ok'),
        withRemedy('late', 'warn'),
        row('stuck', 'warn', { fix: { ...byUser, argv: [...byUser.argv], consent: [], requires_exclusive: false } }),
        row('lost', 'fail', { fix_unavailable_reason: 'Report it.' }),
        withRemedy('index', 'fail'),
      ],
      SCORES,
    );
    expect(plan.plan.map(({ step, id, severity }) => [step, id, severity])).toEqual([
      [1, 'index', 'critical'],
      [2, 'late', 'medium'],
    ]);
    expect(plan.findings.map((one) => [one.check_id, one.class])).toEqual([
      ['lost', 'unsupported'],
      ['index', 'pending'],
      ['late', 'pending'],
      ['stuck', 'operator_required'],
    ]);
    expect(plan).toMatchObject({
      est_total_seconds: 6,
      est_total_usd_cost: 0,
      combined_command: 'gbrain doctor --remediate',
    });
    expect(consentOf(plan)).toBeUndefined();
  });

  test('of a healthy brain is empty and names no command', () => {
    const plan = planOf([row('fine', 'ok')], SCORES);
    expect(plan).toMatchObject({ plan: [], findings: [], blocked: [] });
    expect(plan).not.toHaveProperty('combined_command');
  });

  test('that costs money asks first: the payload of transcript 2', () => {
    const plan = planOf([withRemedy('embed_staleness', 'warn', { effects: ['paid'], est_usd: 0.4 })], SCORES);
    const payload = renderConsent(consentOf(plan)!, TERMINAL);
    const fixture = checkoutPath('test/fixtures/agent-contract/v1/confirmation-required.json');
    const { fix, ...golden } = JSON.parse(readFileSync(fixture, 'utf8')) as ReturnType<typeof renderConsent>;
    expect(Object.keys(payload)).toEqual(Object.keys(JSON.parse(readFileSync(fixture, 'utf8'))));
    const { message, effects, actor, why, est_usd, preview, preapprove_argv } = golden;
    expect(payload).toMatchObject({ message, effects, actor, why, est_usd, preview, preapprove_argv });
    const { argv, command, consent, preview_argv } = fix;
    expect(payload.fix).toMatchObject({ argv, command, consent, preview_argv, next: 'ask_user' });
    expect(payload.user_message).toMatch(/^Putting your brain in order will cost about \$0\.40\. OK to proceed\?$/);
  });
});

describe('doctor --remediate', () => {
  test('builds an index that misses pages again, and says what it did', async () => {
    await using home = await HomeInProcess.withBrain();
    const session = await home.serve();
    await session.pipe.body('put_page', { slug: 'notes/known', content: '# Known\n' });
    await session.pipe.body('search', { query: 'known' });
    // A page that no change announces: a backup that was put back under a running server.
    const { store } = await session.brain();
    await store.query(sql`insert into pages (source_id, slug, text, revision, title, type, content_hash,
      folded_slug, size_bytes)
      values ('default', 'notes/lost', '# Lost', gen_random_uuid(), 'Lost', 'note', 'x', 'notes/lost', 6)`);
    await store.query(sql`insert into page_links (page_id, links)
      select id, '[]' from pages where slug = 'notes/lost'`);
    const plan = (await home.document(['doctor', '--remediation-plan'])).body as unknown as RemediationPlan;
    const step = plan.plan.find(({ id }) => id === 'index');
    expect(step).toMatchObject({ job: 'search_rebuild', severity: 'critical', est_usd_cost: 0 });
    expect(step?.fix).toMatchObject({ next: 'run', verify: { argv: expect.arrayContaining(['--only', 'index']) } });
    const dry = await home.document(['doctor', '--dry-run', '--remediate']);
    expect(dry.body).toMatchObject({ submitted: [{ id: 'index', status: 'would_run' }], healthy: false });
    const done = await home.document(['doctor', '--remediate']);
    expect(done.body).toMatchObject({ submitted: [{ id: 'index', job: 'search_rebuild', status: 'done' }] });
    const { body } = await home.document(['doctor', '--only', 'index']);
    expect(body).toMatchObject({ status: 'healthy' });
    expect(await session.pipe.body('search', { query: 'lost' })).toMatchObject([{ slug: 'notes/lost' }]);
  });

  test('has nothing to do on a healthy brain, and asks for nothing', async () => {
    await using home = await HomeInProcess.withBrain();
    const { exit, body } = await home.document(['doctor', '--remediate']);
    expect({ exit, body }).toMatchObject({ exit: 0, body: { submitted: [], healthy: true, findings: [] } });
    const told = await home.cli(['doctor', '--remediation-plan']);
    expect(told.stdout).toBe('Nothing to put in order.\n');
  });
});

describe('diag and sync status', () => {
  test('say of each section how it went', async () => {
    await using home = await HomeInProcess.withBrain();
    const { exit, body } = await home.document(['diag']);
    expect(exit).toBe(0);
    const sections = body.sections as Record<string, { status: string; elapsed_ms: number }>;
    expect(Object.keys(sections)).toEqual(['version', 'sources', 'holds', 'database', 'work', 'search']);
    expect(Object.values(sections).map(({ status }) => status)).toEqual(Object.keys(sections).map(() => 'ok'));
    expect(body).toMatchObject({ complete: true, contract_version: 1 });
    const status = await home.document(['sync', 'status']);
    expect(status.body).toMatchObject({ sources: [], complete: true });
  });

  test('a home without a brain has its version, and says what was not read', async () => {
    await using home = new HomeInProcess();
    const { exit, body } = await home.document(['diag']);
    expect(exit).toBe(0);
    expect(body).toMatchObject({
      complete: false,
      sections: { version: { status: 'ok' }, search: { reason: 'no_brain' } },
    });
  });
});
