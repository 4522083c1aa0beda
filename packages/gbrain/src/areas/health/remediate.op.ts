// run_remediation (`gbrain doctor --remediate`): does what the plan names, step by step, and looks again.
import { formatCapUsd, resumeCapUsd } from '@gbrain/wire/caps';
import type { Failure } from '@gbrain/wire/envelope';
import { shellQuote } from '@gbrain/wire/shell-quote';
import type { Approval, Call } from '../../call.ts';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import type { OkOutcome } from '../../outcome.ts';
import { counted } from '../../row-text.ts';
import { findingsShape, type PlanInput, planAskFields } from './plan-shape.ts';
import { type ReadPlan, readPlan } from './read-plan.ts';
import { consentOf } from './remediation.ts';

/** Plans that the consent step has made, for the run that follows it in the same call. */
const planned = new WeakMap<Context, ReadPlan>();

interface StepDone {
  id: string;
  job: string;
  status: 'done' | 'failed' | 'would_run';
  message?: string;
}

/** What a budget has stopped. */
interface BudgetStop {
  spent: number;
  cap: number | null;
  reason: string;
  /** The cap under which the step goes on. */
  nextCapUsd: number;
}

/** Everything that one run has done so far. */
interface Run {
  ctx: Context;
  done: StepDone[];
  repairs: StepDone[];
  spentUsd: number;
  stop?: BudgetStop;
}

const BUDGET_CODES: ReadonlySet<string> = new Set(['derived_cap_exhausted', 'cost_cap_exceeded']);

/** What is left of the user's cap; without one a paid step derives its own from its estimate. */
function approvalLeft({ ctx, spentUsd }: Run): Approval | undefined {
  const { approval } = ctx;
  if (typeof approval?.maxUsd !== 'number') return approval;
  return { ...approval, maxUsd: Math.max(0, approval.maxUsd - spentUsd) };
}

async function callBrain(ctx: Context, call: Call) {
  if (!ctx.callBrain) throw new Error('a repair runs from the command line');
  const outcome = await ctx.callBrain(call);
  ctx.signal.throwIfAborted();
  return outcome;
}

interface Group {
  operation: string;
  spent_usd: number;
  cap_usd: number | null;
}

/** How far the purse of a step reached. */
async function readStop(run: Run, job: string, { code, fix }: Failure): Promise<BudgetStop> {
  const { ctx } = run;
  const outcome = await callBrain(ctx, { op: 'get_usage', args: { days: 1 }, brain: ctx.target.brain });
  const groups = outcome.kind === 'ok' ? ((outcome as OkOutcome).output as { groups: Group[] }).groups : [];
  const group = groups.find(({ operation }) => operation === job);
  run.spentUsd += group?.spent_usd ?? 0;
  const cap = group?.cap_usd ?? null;
  // The step's own fix knows what its next call needs.
  return { spent: run.spentUsd, cap, reason: code, nextCapUsd: fix?.est_usd ?? resumeCapUsd(cap ?? run.spentUsd) };
}

/** Makes the call of one step where its operation runs. */
async function runStep(run: Run, step: { id: string; job: string; args: Record<string, unknown>; source?: string }) {
  const { ctx } = run;
  const { id, job, args, source } = step;
  const approval = approvalLeft(run);
  const outcome = await callBrain(ctx, {
    op: job,
    args,
    brain: ctx.target.brain,
    ...(source !== undefined && { source }),
    ...(approval && { approval }),
  });
  if (outcome.kind === 'ok') {
    run.spentUsd += Number(((outcome as OkOutcome).output as { usd?: number | null }).usd ?? 0);
    return { id, job, status: 'done' as const };
  }
  const { failure } = outcome;
  if (BUDGET_CODES.has(failure.code)) run.stop = await readStop(run, job, failure);
  return { id, job, status: 'failed' as const, message: failure.message };
}

async function runPlan(ctx: Context, { plan }: ReadPlan, maxJobs: number | undefined): Promise<Run> {
  const run: Run = { ctx, done: [], repairs: [], spentUsd: 0 };
  const steps = plan.plan.slice(0, maxJobs);
  const records = plan.repair_steps.flatMap(({ kind, records: rows }) => rows.map((row) => ({ ...row, kind })));
  const total = steps.length + records.length;
  for (const { id, job, params } of steps) {
    ctx.progress({ what: id, done: run.done.length, total });
    run.done.push(await runStep(run, { id, job, args: params }));
  }
  for (const { id, kind, input, source_id } of records) {
    ctx.progress({ what: id, done: run.done.length + run.repairs.length, total });
    run.repairs.push(await runStep(run, { id, job: kind, args: input, source: source_id }));
  }
  return run;
}

/** What a run would do. */
function dryRun(ctx: Context, { plan }: ReadPlan, maxJobs: number | undefined): Run {
  const would = (id: string, job: string): StepDone => ({ id, job, status: 'would_run' });
  return {
    ctx,
    done: plan.plan.slice(0, maxJobs).map(({ id, job }) => would(id, job)),
    repairs: plan.repair_steps.flatMap(({ kind, records }) => records.map(({ id }) => would(id, kind))),
    spentUsd: 0,
  };
}

/** What a budget stop leaves: how far it went, and the command that goes on. */
function budgetOf(ctx: Context, input: PlanInput, stop: BudgetStop, hash: string) {
  const operation = ctx.host.registry.operation('run_remediation')!;
  const { nextCapUsd, ...told } = stop;
  const argv = [...callArgv(operation, { ...input, resume: hash }), '--max-usd', formatCapUsd(nextCapUsd), '--yes'];
  return { budget_exhausted: { ...told, plan_hash: hash }, resume_command: shellQuote(argv) };
}

/** 3 is the consent step's own; 2 only where somebody asked for a score that no step reaches. Source: contract B. */
function exitOf(at: { input: PlanInput; after: ReadPlan; run: Run; isDry: boolean }): number {
  const { input, after, run, isDry } = at;
  if (run.stop) return 11;
  const isFailed = [...run.done, ...run.repairs].some(({ status }) => status === 'failed');
  const { plan } = after;
  const isLeft = !isDry && plan.plan.length + plan.repair_steps.length > 0;
  if (isFailed || isLeft) return 1;
  const didNothing = run.done.length + run.repairs.length === 0;
  return input.target_score !== undefined && plan.target_unreachable && didNothing ? 2 : 0;
}

const stepShape = (z: typeof import('zod').z) =>
  z.array(
    z.object({
      id: z.string(),
      job: z.string(),
      status: z.enum(['done', 'failed', 'would_run']),
      message: z.string().optional(),
    }),
  );

export default defineOperation({
  name: 'run_remediation',
  title: 'Repair what doctor found',
  summary: 'Does what the remediation plan names and looks again; what costs or rewrites is asked for first.',
  requirement: 'facts/contract K.3, B; AGENT_OPERATOR v1, transcript 2',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 6 * 60 * 60_000,
  input: (z) => ({
    ...planAskFields(z),
    max_jobs: z.number().int().min(1).describe('Most steps of this run').optional(),
    dry_run: z.boolean().describe('Only say what would be done').optional(),
    resume: z.string().describe('Plan hash of a run that stopped; refused when something else is left').optional(),
  }),
  consent: async (ctx, { dry_run, resume, ...input }) => {
    if (dry_run) return undefined;
    const read = await readPlan(ctx, input);
    planned.set(ctx, read);
    if (resume !== undefined && resume !== read.hash) ctx.fail('plan_stale', { given: resume, now: read.hash });
    return consentOf(read.plan, input);
  },
  output: (z) =>
    z.object({
      doctor_run_id: z.string(),
      brain_score_initial: z.number(),
      brain_score_final: z.number(),
      brain_score_target: z.number(),
      target_reached: z.boolean(),
      target_unreachable: z.boolean(),
      submitted: stepShape(z),
      repairs: stepShape(z),
      /** Kinds that were named and had nothing to repair. */
      repairs_skipped: z.array(z.string()),
      repairs_completed: z.number(),
      aborted_count: z.number(),
      spent_usd: z.number(),
      budget_exhausted: z
        .object({ spent: z.number(), cap: z.number().nullable(), reason: z.string(), plan_hash: z.string() })
        .optional(),
      resume_command: z.string().optional(),
      findings: findingsShape(z),
      healthy: z.boolean(),
      exit_status: z.number(),
      contract_version: z.literal(1),
    }),
  errors: ['unknown_brain', 'plan_stale'],
  cli: {
    command: 'doctor --remediate',
    group: 'Health',
    printsJson: true,
    opensBrain: () => true,
    human: ({ submitted, repairs, healthy, findings, budget_exhausted, resume_command }, view) => {
      const words = { done: view.green('done'), failed: view.red('FAIL'), would_run: view.dim('would run') };
      const left = `${counted(findings.length, 'finding')} left: gbrain doctor --remediation-plan`;
      return [
        ...[...submitted, ...repairs].map(
          ({ id, status, message }) => `${words[status]}  ${id}${message ? `  ${message}` : ''}`,
        ),
        ...(budget_exhausted ? [`The cap is used up. To go on: ${resume_command}`] : []),
        healthy ? 'Everything is in order.' : left,
      ].join('\n');
    },
    exit: ({ exit_status }) => exit_status,
  },
  examples: [
    { title: 'Put in order what can be', input: {} },
    { title: 'Look first', input: { dry_run: true } },
    { title: 'Keep what was written in held files', input: { include_repairs: ['content_take'] } },
  ],
  run: async (ctx, { max_jobs, dry_run, resume: _, ...input }) => {
    const before = planned.get(ctx) ?? (await readPlan(ctx, input));
    const run = dry_run ? dryRun(ctx, before, max_jobs) : await runPlan(ctx, before, max_jobs);
    const isIdle = dry_run || run.done.length + run.repairs.length === 0;
    const after = isIdle ? before : await readPlan(ctx, input);
    const { brain_score_current, brain_score_target, target_unreachable, findings } = after.plan;
    const { repair_steps } = before.plan;
    return {
      doctor_run_id: ctx.newId(),
      brain_score_initial: before.plan.brain_score_current,
      brain_score_final: brain_score_current,
      brain_score_target,
      target_reached: brain_score_current >= brain_score_target,
      target_unreachable,
      submitted: run.done,
      repairs: run.repairs,
      repairs_skipped: (input.include_repairs ?? []).filter((kind) => !repair_steps.some((one) => one.kind === kind)),
      repairs_completed: run.repairs.filter(({ status }) => status === 'done').length,
      aborted_count: run.stop ? 1 : 0,
      spent_usd: run.spentUsd,
      ...(run.stop && budgetOf(ctx, input, run.stop, after.hash)),
      findings,
      healthy: after.isHealthy,
      exit_status: exitOf({ input, after, run, isDry: dry_run === true }),
      contract_version: 1 as const,
    };
  },
});
