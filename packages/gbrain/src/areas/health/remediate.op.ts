// run_remediation (`gbrain doctor --remediate`): does what the plan names, step by step, and looks again.
import type { Call } from '../../call.ts';
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { findingsShape, targetField } from './plan-shape.ts';
import { type ReadPlan, readPlan } from './read-plan.ts';
import { consentOf, type PlanStep } from './remediation.ts';

/** Plans that the consent step has made, for the run that follows it in the same call. */
const planned = new WeakMap<Context, ReadPlan>();

interface StepDone {
  id: string;
  job: string;
  status: 'done' | 'failed';
  message?: string;
}

/** Runs one step where its operation runs. */
async function runStep(ctx: Context, { id, job, params }: PlanStep): Promise<StepDone> {
  const call: Call = { op: job, args: params, brain: ctx.target.brain, approval: { yes: true } };
  if (!ctx.callBrain) throw new Error('a repair runs from the command line');
  const outcome = await ctx.callBrain(call);
  ctx.signal.throwIfAborted();
  if (outcome.kind === 'ok') return { id, job, status: 'done' };
  return { id, job, status: 'failed', message: outcome.failure.message };
}

export default defineOperation({
  name: 'run_remediation',
  title: 'Repair what doctor found',
  summary: 'Does what the remediation plan names and looks again; what costs or deletes is asked for first.',
  requirement: 'facts/contract K.3, B; AGENT_OPERATOR v1, transcript 2',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 60 * 60_000,
  input: (z) => ({
    target_score: targetField(z),
    max_jobs: z.number().int().min(1).describe('Most steps of this run').optional(),
    dry_run: z.boolean().describe('Only say what would be done').optional(),
  }),
  consent: async (ctx, { target_score, dry_run }) => {
    if (dry_run) return undefined;
    const read = await readPlan(ctx, target_score);
    planned.set(ctx, read);
    return consentOf(read.plan);
  },
  output: (z) =>
    z.object({
      brain_score_initial: z.number(),
      brain_score_final: z.number(),
      brain_score_target: z.number(),
      target_reached: z.boolean(),
      submitted: z.array(
        z.object({
          id: z.string(),
          job: z.string(),
          status: z.enum(['done', 'failed', 'would_run']),
          message: z.string().optional(),
        }),
      ),
      findings: findingsShape(z),
      healthy: z.boolean(),
      exit_status: z.number(),
      contract_version: z.literal(1),
    }),
  errors: ['unknown_brain'],
  cli: {
    command: 'doctor --remediate',
    group: 'Health',
    printsJson: true,
    opensBrain: () => true,
    human: ({ submitted, healthy, findings }, view) =>
      [
        ...submitted.map(({ id, status, message }) => {
          const word = { done: view.green('done'), failed: view.red('FAIL'), would_run: view.dim('would run') }[status];
          return `${word}  ${id}${message ? `  ${message}` : ''}`;
        }),
        healthy ? 'Everything is in order.' : `${findings.length} findings are left: gbrain doctor --remediation-plan`,
      ].join('\n'),
    exit: ({ exit_status }) => exit_status,
  },
  examples: [
    { title: 'Put in order what can be', input: {} },
    { title: 'Look first', input: { dry_run: true } },
  ],
  run: async (ctx, { target_score, max_jobs, dry_run }) => {
    const before = planned.get(ctx) ?? (await readPlan(ctx, target_score));
    const steps = before.plan.plan.slice(0, max_jobs);
    const submitted: (Omit<StepDone, 'status'> & { status: StepDone['status'] | 'would_run' })[] = [];
    for (const step of steps) {
      ctx.progress({ what: step.id, done: submitted.length, total: steps.length });
      submitted.push(dry_run ? { id: step.id, job: step.job, status: 'would_run' } : await runStep(ctx, step));
    }
    const after = dry_run || steps.length === 0 ? before : await readPlan(ctx, target_score);
    const { brain_score_current, brain_score_target, findings, plan } = after.plan;
    const hasFailed = submitted.some(({ status }) => status === 'failed');
    const isLeft = !dry_run && plan.length > 0;
    return {
      brain_score_initial: before.plan.brain_score_current,
      brain_score_final: brain_score_current,
      brain_score_target,
      target_reached: brain_score_current >= brain_score_target,
      submitted,
      findings,
      healthy: after.isHealthy,
      exit_status: hasFailed || isLeft ? 1 : 0,
      contract_version: 1 as const,
    };
  },
});
