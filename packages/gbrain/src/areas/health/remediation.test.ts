// Remediation: the plan of a report, what of it is asked for first (transcript 2 of the contract), a run that repairs.
import { createHash } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkoutPath } from '@gbrain/testkit/gbrain-binary';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import { startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import type { Connection, RenderedAction } from '@gbrain/wire/action';
import { derivedCapUsd, formatCapUsd } from '@gbrain/wire/caps';
import { renderConsent } from '@gbrain/wire/render-consent';
import { openPglite } from 'gbrain/store/pglite';
import { sql } from 'gbrain/store/sql';
import { describe, expect, test } from 'vitest';
import { consentOf, planOf, type RemediationPlan } from './remediation.ts';
import type { Remedy, ReportRow } from './report.ts';

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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const GROUND = { current: 70, target: 90, ask: {}, connection: TERMINAL, sha256 };

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
      GROUND,
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
    expect(consentOf(plan, {})).toBeUndefined();
  });

  test('of a healthy brain is empty and names no command', () => {
    const plan = planOf([row('fine', 'ok')], GROUND);
    expect(plan).toMatchObject({ plan: [], findings: [], blocked: [] });
    expect(plan).not.toHaveProperty('combined_command');
  });

  test('that costs money asks first: the payload of transcript 2', () => {
    const plan = planOf([withRemedy('embed_staleness', 'warn', { effects: ['paid'], est_usd: 0.4 })], GROUND);
    const payload = renderConsent(consentOf(plan, {})!, TERMINAL);
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

  test('embeds under a cap that the user agreed to: transcript 2, end to end', async () => {
    await using home = await HomeInProcess.withBrain();
    const provider = await startScriptedProvider();
    await home.serve();
    const put = async (n: number) => home.document(['put', `notes/n${n}`, '--content', `# Note ${n}\n\nOf ${n}.\n`]);
    for (const n of [1, 2, 3]) await put(n);
    const model = 'openai:text-embedding-3-small';
    // First of all: the server would embed what was just written as soon as it has a key.
    const quiet = { 'embedding.on_write': 'false' };
    const own = { embedding_model: model, embedding_dimensions: '256' };
    const settings = { ...quiet, ...provider.settings, ...own };
    for (const [key, value] of Object.entries(settings)) {
      if (/^(openai|embedding)/.test(key)) await home.cli(['config', 'set', key, value]);
    }
    // So dear that three notes cost something.
    await home.document(['pricing', 'set', model, '--rate', '10000']);
    const asked = await home.document(['doctor', '--remediate']);
    const { body } = asked;
    expect({ exit: asked.exit, body }).toMatchObject({
      exit: 3,
      body: { code: 'confirmation_required', effects: ['paid'], why: expect.stringContaining('3 texts of 3 pages') },
    });
    const cost = Number(body.est_usd);
    expect(cost).toBeGreaterThan(0);
    const fix = body.fix as RenderedAction;
    const cap = formatCapUsd(derivedCapUsd(cost));
    const remediate = ['gbrain', 'doctor', '--remediate', '--max-usd', cap, '--yes', '--brain', 'host'];
    expect(fix).toMatchObject({ argv: remediate, next: 'ask_user', preview_argv: expect.anything() });
    // Looking first spends nothing, and shows the same figure.
    const plan = (await home.document(fix.preview_argv!.slice(1))).body as unknown as RemediationPlan;
    expect(plan).toMatchObject({ est_total_usd_cost: cost, plan: [{ id: 'embed_staleness', job: 'embed' }] });
    expect((await home.document(['doctor', '--remediation-plan', '--no-embed'])).body).toMatchObject({ plan: [] });
    expect(provider.hits).toEqual([]);
    // A cap that does not reach stops it; what it left is gone on with, and another plan is not.
    const stopped = await home.document(['doctor', '--remediate', '--max-usd', '0.01', '--yes']);
    expect(stopped).toMatchObject({ exit: 11, body: { budget_exhausted: { reason: 'cost_cap_exceeded', cap: 0.01 } } });
    expect(provider.hits).toEqual([]);
    const resume = String(stopped.body.resume_command).split(' ').slice(1);
    expect(resume.slice(0, 3)).toEqual(['doctor', '--remediate', '--resume']);
    const other = await home.document(['doctor', '--remediate', '--resume', 'ph_000000000000000000000000', '--yes']);
    expect({ exit: other.exit, code: other.body.code }).toEqual({ exit: 2, code: 'plan_stale' });
    const done = await home.document(resume);
    expect(done).toMatchObject({ exit: 0, body: { submitted: [{ job: 'embed', status: 'done' }], healthy: true } });
    expect(provider.hits.flatMap(({ texts }) => texts)).toHaveLength(3);
    await provider.close();
  });

  test('repairs held files only by the kind that was named, and only those that were shown', async () => {
    await using home = await HomeInProcess.withBrain();
    await home.serve();
    const root = String((await home.document(['content', 'status'])).body.root);
    const put = (slug: string, content: string) => home.document(['put', slug, '--force', '--content', content]);
    const edit = (slug: string, text: string) => {
      const file = join(root, `${slug}.md`);
      writeFileSync(file, text);
      // It stands still by now.
      utimesSync(file, 0, 0);
    };
    for (const slug of ['a', 'b']) {
      await put(slug, `# ${slug}\n`);
      edit(slug, `# ${slug}\n\nBy hand.\n`);
      await put(slug, `# ${slug}\n\nBy an agent.\n`);
    }
    const waiting = async () => Number((await home.document(['content', 'status'])).body.waiting);
    while ((await waiting()) > 0) await delay(20);
    const look = (await home.document(['doctor', '--remediation-plan'])).body as unknown as RemediationPlan;
    expect(look).toMatchObject({ plan: [], repair_steps: [], findings: [{ class: 'explicit_kind_required' }] });
    expect(look).not.toHaveProperty('plan_hash');
    expect(look.explicit_repairs.map(({ kind, affected }) => [kind, affected])).toEqual([
      ['content_take', 2],
      ['content_rewrite', 2],
    ]);
    expect(await home.document(['doctor', '--remediate'])).toMatchObject({ exit: 0, body: { repairs: [] } });
    const named = ['doctor', '--remediate', '--include-repairs', 'content_take'];
    const asked = await home.document(named);
    expect(asked).toMatchObject({
      exit: 3,
      body: { effects: ['destructive'], plan_hash: expect.stringMatching(/^ph_/) },
    });
    const approved = (asked.body.fix as RenderedAction).argv!.slice(1);
    expect(approved).toEqual(expect.arrayContaining(['--yes', '--expect', asked.body.plan_hash]));
    // Another state of a file is another plan.
    edit('b', '# b\n\nBy hand, once more.\n');
    expect(await home.document(approved)).toMatchObject({ exit: 1, body: { code: 'preview_changed' } });
    const again = await home.document(named);
    const done = await home.document((again.body.fix as RenderedAction).argv!.slice(1));
    expect(done).toMatchObject({ exit: 0, body: { repairs_completed: 2, healthy: true, findings: [] } });
    expect((await home.cli(['get', 'b'])).stdout).toContain('By hand, once more.');
  });

  test('a score that no step reaches ends with 2 when it was asked for', async () => {
    await using home = await HomeInProcess.withBrain();
    await home.serve();
    await home.document(['put', 'alone', '--content', '# Alone\n']);
    expect(await home.document(['doctor', '--remediate'])).toMatchObject({ exit: 0, body: { target_reached: false } });
    const asked = await home.document(['doctor', '--remediate', '--target-score', '90']);
    expect(asked).toMatchObject({ exit: 2, body: { target_unreachable: true } });
  });

  test('has nothing to do on a healthy brain, and asks for nothing', async () => {
    await using home = await HomeInProcess.withBrain();
    const { exit, body } = await home.document(['doctor', '--remediate']);
    expect({ exit, body }).toMatchObject({ exit: 0, body: { submitted: [], healthy: true, findings: [] } });
    const told = await home.cli(['doctor', '--remediation-plan']);
    expect(told.stdout).toBe('Nothing to put in order.\n');
  });
});

describe('doctor', () => {
  test('looks at older tables as they are, and the fix that it names applies what is missing', async () => {
    await using home = await HomeInProcess.withBrain();
    const store = await openPglite({ dataDir: home.brainPath });
    const last = await store.query(sql`delete from schema_migrations
      where version = (select max(version) from schema_migrations) returning name`);
    await store.close();
    const looked = await home.document(['doctor', '--no-migrate', '--scope', 'meta']);
    const row = (looked.body.checks as ReportRow[]).find(({ name }) => name === 'schema_version');
    expect(row).toMatchObject({ status: 'warn', readiness_reason: 'pending', details: { pending: [last[0]!.name] } });
    expect(new Set((looked.body.checks as ReportRow[]).map(({ category }) => category))).toEqual(new Set(['meta']));
    expect(row!.fix).toMatchObject({
      next: 'run',
      argv: expect.arrayContaining(['doctor', '--only', 'schema_version']),
    });
    const again = await home.document(['doctor', '--no-migrate', '--only', 'connection,brain_score']);
    expect(again.body).toMatchObject({ complete: false, incomplete: [{ field: 'brain_score', reason: 'not_read' }] });
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
