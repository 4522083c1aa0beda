// Reads what a remediation plan stands on: doctor's rows and the score of the brain.
import type { Context } from '../../context.ts';
import type { HumanView } from '../../operation.ts';
import type { OkOutcome } from '../../outcome.ts';
import { counted } from '../../row-text.ts';
import { aboutUsd } from '../spend/prices.ts';
import { scoreBrain } from './brain-score.ts';
import { type Diagnosis, diagnose } from './diagnose.ts';
import { readConnectedness } from './health.sql.ts';
import type { PlanInput } from './plan-shape.ts';
import { hashOfPlan, planOf, type RemediationPlan, TARGET_SCORE } from './remediation.ts';
import { callerConnection } from './render-rows.ts';

/** A plan with what was not read for it. */
export interface ReadPlan extends Pick<Diagnosis, 'incomplete' | 'elapsedMs'> {
  plan: RemediationPlan;
  /** Names what the plan would do, whether or not it is shown. */
  hash: string;
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
export async function readPlan(
  ctx: Context,
  { target_score: target = TARGET_SCORE, ...ask }: PlanInput,
): Promise<ReadPlan> {
  const { rows, incomplete, elapsedMs } = await diagnose(ctx);
  const { sha256 } = ctx.host;
  const ground = { current: await readScore(ctx), target, ask, connection: await callerConnection(ctx), sha256 };
  const plan = planOf(rows, ground);
  const isHealthy = rows.every(({ status }) => status === 'ok');
  return { plan, hash: hashOfPlan(plan, ground), incomplete, elapsedMs, isHealthy };
}

/** A plan as a person reads it. */
export function planLines(plan: RemediationPlan, view: HumanView): string {
  const steps = plan.plan.flatMap(({ step, id, rationale, command, est_usd_cost }) => [
    `${step}. ${view.bold(id)}  ${rationale}`,
    `   ${command}${est_usd_cost > 0 ? view.dim(`  ${aboutUsd(est_usd_cost)}`) : ''}`,
  ]);
  const repairs = plan.repair_steps.map(
    ({ kind, affected, fix }) => `${view.bold(kind)}  ${counted(affected, 'record')}: ${fix.why}`,
  );
  const explicit = plan.explicit_repairs.flatMap(({ kind, affected, why, preview_command }) => [
    `${view.bold(kind)}  ${counted(affected, 'record')}: ${why}`,
    `   ${preview_command}`,
  ]);
  const others = plan.findings.filter((one) => one.class === 'operator_required' || one.class === 'unsupported');
  const left = others.map(
    (one) => `${view.yellow(one.check_id)}  ${one.message}\n   ${one.command ?? one.instruction ?? ''}`,
  );
  const none = plan.findings.length === 0 ? 'Nothing to put in order.' : 'Nothing that gbrain can put in order itself.';
  return [
    ...(steps.length + repairs.length > 0 ? [...steps, ...repairs] : [none]),
    ...(explicit.length > 0 ? ['', view.bold('For you to choose'), ...explicit] : []),
    ...(left.length > 0 ? ['', view.bold('For you'), ...left] : []),
    ...(plan.combined_command ? ['', `Run it: ${plan.combined_command}`] : []),
  ].join('\n');
}
