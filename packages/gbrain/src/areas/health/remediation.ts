// What doctor could clear by itself, as a plan, and what has to be agreed to first. Pure; it runs nothing.
// Source: facts/contract K.3; AGENT_OPERATOR v1, Consent and preapproval.
import type { Action, Effect, RenderedAction } from '@gbrain/wire/action';
import { derivedCapUsd, formatCapUsd } from '@gbrain/wire/caps';
import type { ConsentRequest } from '@gbrain/wire/envelope';
import type { Remedy, ReportRow } from './report.ts';

/** One step of a plan. Key order is the order of this interface. */
export interface PlanStep {
  step: number;
  /** The check that it clears. */
  id: string;
  /** The operation that is called. */
  job: string;
  params: Record<string, unknown>;
  severity: 'critical' | 'medium';
  est_seconds: number;
  est_usd_cost: number;
  rationale: string;
  command: string;
  fix: RenderedAction;
}

/** A row that is not fine, and who clears it. */
export interface Finding {
  check_id: string;
  class: 'pending' | 'consent_required' | 'operator_required' | 'unsupported';
  message: string;
  command?: string;
  instruction?: string;
}

/** What could be done. Key order is the order of this interface. */
export interface RemediationPlan {
  schema_version: 2;
  brain_score_current: number;
  brain_score_target: number;
  plan: PlanStep[];
  est_total_seconds: number;
  est_total_usd_cost: number;
  blocked: { check: string; reason: string }[];
  combined_command?: string;
  findings: Finding[];
}

/** The command that runs a plan, and the one that shows it. */
const RUN = ['gbrain', 'doctor', '--remediate'];
const PREVIEW = ['gbrain', 'doctor', '--remediation-plan', '--json'];

/** Score that a brain is meant to reach unless another is asked for. Source: facts/contract K.3. */
export const TARGET_SCORE = 90;

type Remediable = ReportRow & { remedy: Remedy; fix: RenderedAction };

const isRemediable = (row: ReportRow): row is Remediable => row.remedy !== undefined && row.fix !== undefined;

function findingOf(row: ReportRow): Finding {
  const { name, message, fix, remedy } = row;
  const base = { check_id: name, message };
  if (remedy && fix) {
    const needsConsent = remedy.effects.length > 0;
    return {
      ...base,
      class: needsConsent ? 'consent_required' : 'pending',
      ...(fix.command && { command: fix.command }),
    };
  }
  if (!fix)
    return {
      ...base,
      class: 'unsupported',
      ...(row.fix_unavailable_reason && { instruction: row.fix_unavailable_reason }),
    };
  return { ...base, class: 'operator_required', instruction: fix.why, ...(fix.command && { command: fix.command }) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The plan of a report's rows: failures first, each row at most one step. */
export function planOf(rows: readonly ReportRow[], scores: { current: number; target: number }): RemediationPlan {
  const open = [...rows.filter(({ status }) => status === 'fail'), ...rows.filter(({ status }) => status === 'warn')];
  const plan = open.filter(isRemediable).map(
    ({ name, status, message, remedy, fix }, i): PlanStep => ({
      step: i + 1,
      id: name,
      job: remedy.operation,
      params: remedy.arguments,
      severity: status === 'fail' ? 'critical' : 'medium',
      est_seconds: remedy.est_seconds,
      est_usd_cost: remedy.est_usd ?? 0,
      rationale: message,
      command: fix.command ?? '',
      fix,
    }),
  );
  const blocked = open
    .filter((row) => !isRemediable(row))
    .map(({ name, fix, fix_unavailable_reason }) => ({
      check: name,
      reason: fix?.why ?? fix_unavailable_reason ?? '',
    }));
  return {
    schema_version: 2,
    brain_score_current: scores.current,
    brain_score_target: scores.target,
    plan,
    est_total_seconds: sum(plan.map(({ est_seconds }) => est_seconds)),
    est_total_usd_cost: sum(plan.map(({ est_usd_cost }) => est_usd_cost)),
    blocked,
    ...(plan.length > 0 && { combined_command: RUN.join(' ') }),
    findings: open.map(findingOf),
  };
}

const effectsOf = (plan: RemediationPlan): Effect[] => [...new Set(plan.plan.flatMap(({ fix }) => fix.consent))];

/** What a run of a plan needs agreement to; undefined when none of its steps costs, deletes or sends anything. */
export function consentOf({ plan, ...rest }: RemediationPlan): ConsentRequest | undefined {
  const effects = effectsOf({ plan, ...rest });
  if (effects.length === 0) return undefined;
  const cost = rest.est_total_usd_cost;
  const isPaid = effects.includes('paid');
  const cap = isPaid ? ['--max-usd', formatCapUsd(derivedCapUsd(cost))] : [];
  const asked = plan.filter(({ fix }) => fix.consent.length > 0);
  const why = asked.map(({ fix }) => fix.why).join(' ');
  const approve: Action = {
    argv: [...RUN, ...cap],
    consent: effects,
    actor: 'agent',
    why,
    requires_exclusive: false,
    preview_argv: PREVIEW,
  };
  return {
    effects,
    actor: 'agent',
    what: 'doctor --remediate',
    why,
    risk: isPaid ? 'Spends up to the cap; no data is deleted.' : 'Changes what the plan names, and nothing else.',
    est_usd: isPaid ? cost : null,
    user_message: isPaid
      ? `Putting your brain in order will cost about $${cost.toFixed(2)}. OK to proceed?`
      : `Putting your brain in order takes ${asked.length} steps that need your agreement. OK to proceed?`,
    approve,
    preview_argv: PREVIEW,
  };
}
