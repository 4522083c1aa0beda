// Reads what a remediation plan stands on: doctor's rows and the score of the brain.
import type { Context } from '../../context.ts';
import type { HumanView } from '../../operation.ts';
import type { OkOutcome } from '../../outcome.ts';
import { scoreBrain } from './brain-score.ts';
import { type Diagnosis, diagnose } from './diagnose.ts';
import { readConnectedness } from './health.sql.ts';
import { planOf, type RemediationPlan, TARGET_SCORE } from './remediation.ts';

/** A plan with what was not read for it. */
export interface ReadPlan extends Pick<Diagnosis, 'incomplete' | 'elapsedMs'> {
  plan: RemediationPlan;
  /** Checks that neither warn nor fail are left out of a plan; this says whether all of them are fine. */
  isHealthy: boolean;
}

/** The score of the brain; 0 where it cannot be read. */
async function readScore(ctx: Context): Promise<number> {
  if (!ctx.callBrain) {
    const { store } = await ctx.host.openBrain(ctx.target.brain);
    return scoreBrain(await readConnectedness(store, ctx.caller.owner ? 'all' : 'world')).score;
  }
  const outcome = await ctx.callBrain({ op: 'get_health', args: {}, brain: ctx.target.brain });
  return outcome.kind === 'ok' ? ((outcome as OkOutcome).output as { brain_score: number }).brain_score : 0;
}

/** The plan of what doctor finds now. Rejects with `unknown_brain`, or the caller's signal. */
export async function readPlan(ctx: Context, target = TARGET_SCORE): Promise<ReadPlan> {
  const { rows, incomplete, elapsedMs } = await diagnose(ctx);
  const plan = planOf(rows, { current: await readScore(ctx), target });
  return { plan, incomplete, elapsedMs, isHealthy: rows.every(({ status }) => status === 'ok') };
}

/** A plan as a person reads it. */
export function planLines(plan: RemediationPlan, view: HumanView): string {
  const steps = plan.plan.flatMap(({ step, id, rationale, command, est_usd_cost }) => [
    `${step}. ${view.bold(id)}  ${rationale}`,
    `   ${command}${est_usd_cost > 0 ? view.dim(`  about $${est_usd_cost.toFixed(2)}`) : ''}`,
  ]);
  const others = plan.findings.filter((one) => one.class === 'operator_required' || one.class === 'unsupported');
  const left = others.map(
    (one) => `${view.yellow(one.check_id)}  ${one.message}\n   ${one.command ?? one.instruction ?? ''}`,
  );
  const none = plan.findings.length === 0 ? 'Nothing to put in order.' : 'Nothing that gbrain can put in order itself.';
  return [
    ...(steps.length > 0 ? steps : [none]),
    ...(left.length > 0 ? ['', view.bold('For you'), ...left] : []),
    ...(plan.combined_command ? ['', `Run it: ${plan.combined_command}`] : []),
  ].join('\n');
}
