// What doctor could clear by itself, as a plan, and what has to be agreed to first. Pure; it runs nothing.
// Source: facts/contract K.3; AGENT_OPERATOR v1, Consent and preapproval.
import type { Action, Connection, Effect, RenderedAction } from '@gbrain/wire/action';
import { derivedCapUsd, formatCapUsd } from '@gbrain/wire/caps';
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { type PlanRecord, planHash, type Sha256Hex } from '@gbrain/wire/plan-hash';
import { renderAction } from '@gbrain/wire/render-action';
import { shellQuote } from '@gbrain/wire/shell-quote';
import { counted } from '../../row-text.ts';
import { aboutUsd } from '../spend/prices.ts';
import type { Remedy, ReportRow, RowRepair } from './report.ts';

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

/** A repair that was named: it rewrites records, so the user agrees to exactly these. */
export interface RepairStep {
  step: number;
  /** Also the operation that is called for each record. */
  kind: string;
  command: string;
  paid: boolean;
  est_usd_cost: number;
  affected: number;
  checks: string[];
  records: RowRepair['records'];
  fix: RenderedAction;
}

/** A row that is not fine, and who clears it. */
export interface Finding {
  check_id: string;
  class: 'pending' | 'consent_required' | 'explicit_kind_required' | 'operator_required' | 'unsupported';
  message: string;
  command?: string;
  instruction?: string;
}

/** What could be done. Key order is the order of this interface. */
export interface RemediationPlan {
  schema_version: 2;
  brain_score_current: number;
  brain_score_target: number;
  /** No step writes a link or a date for the user, so a run leaves the score as it is. */
  max_reachable_score: number;
  target_unreachable: boolean;
  plan: PlanStep[];
  est_total_seconds: number;
  est_total_usd_cost: number;
  blocked: { check: string; reason: string }[];
  repair_steps: RepairStep[];
  /** Repairs that run only when they are named. */
  explicit_repairs: { kind: string; affected: number; why: string; preview_command: string }[];
  combined_command?: string;
  /** Present when records would be rewritten; an approval names it. */
  plan_hash?: string;
  findings: Finding[];
}

/** What a plan is asked for. */
export interface PlanAsk {
  include_repairs?: readonly string[] | undefined;
  embed?: boolean | undefined;
}

/** What a plan stands on beside the rows. */
export interface PlanGround {
  current: number;
  target: number;
  ask: PlanAsk;
  connection: Connection;
  sha256: Sha256Hex;
}

/** Score that a brain is meant to reach unless another is asked for. Source: facts/contract K.3. */
export const TARGET_SCORE = 90;

/** The command that runs what an ask is for, and the one that shows it. */
function commandsOf({ include_repairs = [], embed }: PlanAsk): { run: string[]; preview: string[] } {
  const flags = [
    ...include_repairs.flatMap((kind) => ['--include-repairs', kind]),
    ...(embed === false ? ['--no-embed'] : []),
  ];
  return {
    run: ['gbrain', 'doctor', '--remediate', ...flags],
    preview: ['gbrain', 'doctor', '--remediation-plan', ...flags, '--json'],
  };
}

type Remediable = ReportRow & { remedy: Remedy; fix: RenderedAction };

const isRemediable = (row: ReportRow): row is Remediable => row.remedy !== undefined && row.fix !== undefined;

function findingOf(row: ReportRow, { ask }: PlanGround): Finding {
  const { name, message, fix, remedy, repairs } = row;
  const base = { check_id: name, message };
  const command = fix?.command ? { command: fix.command } : {};
  if (repairs) {
    const isNamed = repairs.some(({ kind }) => ask.include_repairs?.includes(kind));
    const kinds = repairs.map(({ kind }) => kind).join(' or ');
    return isNamed
      ? { ...base, class: 'consent_required', command: shellQuote(commandsOf(ask).run) }
      : {
          ...base,
          class: 'explicit_kind_required',
          ...command,
          instruction: `Name one with --include-repairs: ${kinds}`,
        };
  }
  if (remedy && fix) return { ...base, class: remedy.effects.length > 0 ? 'consent_required' : 'pending', ...command };
  if (fix) return { ...base, class: 'operator_required', instruction: fix.why, ...command };
  const reason = row.fix_unavailable_reason;
  return { ...base, class: 'unsupported', ...(reason && { instruction: reason }) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const stepOf = ({ name, status, message, remedy, fix }: Remediable, i: number): PlanStep => ({
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
});

/** Steps of the repairs that were named, in the order in which they were. */
function repairStepsOf(rows: readonly ReportRow[], ground: PlanGround): RepairStep[] {
  const { ask, connection } = ground;
  const { include_repairs: kinds = [] } = ask;
  return kinds.flatMap((kind, i): RepairStep[] => {
    const found = rows.flatMap((row) =>
      (row.repairs ?? []).flatMap((one) => (one.kind === kind ? [{ row, one }] : [])),
    );
    const records = found.flatMap(({ one }) => one.records);
    if (records.length === 0) return [];
    const { run, preview } = commandsOf({ ...ask, include_repairs: [kind] });
    const action: Action = {
      argv: run,
      consent: ['destructive'],
      actor: 'agent',
      why: found[0]!.one.why,
      requires_exclusive: false,
      preview_argv: preview,
    };
    const fix = renderAction(action, connection);
    const checks = found.map(({ row }) => row.name);
    const cost = { paid: false, est_usd_cost: 0 };
    return [{ step: i + 1, kind, command: fix.command ?? '', ...cost, affected: records.length, checks, records, fix }];
  });
}

/** Repairs of the rows that were not named. */
function explicitOf(rows: readonly ReportRow[], ask: PlanAsk): RemediationPlan['explicit_repairs'] {
  const open = rows.flatMap(({ repairs = [] }) => repairs).filter(({ kind }) => !ask.include_repairs?.includes(kind));
  return open.map(({ kind, why, records }) => ({
    kind,
    affected: records.length,
    why,
    preview_command: shellQuote(commandsOf({ ...ask, include_repairs: [kind] }).preview),
  }));
}

/** The hash of what a plan would do. Every plan has one; it is shown where an approval or a later run names it. */
export function hashOfPlan(
  plan: Pick<RemediationPlan, 'plan' | 'repair_steps'>,
  { connection, sha256 }: Pick<PlanGround, 'connection' | 'sha256'>,
): string {
  const records = plan.repair_steps.flatMap(({ kind, records: rows }) =>
    rows.map(
      ({ id, source_id, revision }): PlanRecord => ({
        id: `${kind}:${source_id}:${id}`,
        revision,
        source_incarnation: null,
      }),
    ),
  );
  const brain = connection.target?.brain ?? 'host';
  const steps = plan.plan.map(({ id, job, params }) => ({ id, job, params }));
  const effects = effectsOf(plan);
  return planHash(
    { brain, source: null, operation: 'run_remediation', records, parameters: { steps }, effects },
    sha256,
  );
}

/** The plan of a report's rows: failures first, each row at most one step. */
export function planOf(rows: readonly ReportRow[], ground: PlanGround): RemediationPlan {
  const { ask, current, target } = ground;
  const open = [...rows.filter(({ status }) => status === 'fail'), ...rows.filter(({ status }) => status === 'warn')];
  const isWanted = ({ remedy }: Remediable) => !(ask.embed === false && remedy.operation === 'embed');
  const plan = open.filter(isRemediable).filter(isWanted).map(stepOf);
  const repairSteps = repairStepsOf(open, ground);
  const blocked = open
    .filter((row) => !isRemediable(row) && !row.repairs)
    .map(({ name, fix, fix_unavailable_reason }) => ({
      check: name,
      reason: fix?.why ?? fix_unavailable_reason ?? '',
    }));
  const hasStep = plan.length + repairSteps.length > 0;
  return {
    schema_version: 2,
    brain_score_current: current,
    brain_score_target: target,
    max_reachable_score: current,
    target_unreachable: current < target,
    plan,
    est_total_seconds: sum(plan.map(({ est_seconds }) => est_seconds)),
    est_total_usd_cost: sum(plan.map(({ est_usd_cost }) => est_usd_cost)),
    blocked,
    repair_steps: repairSteps,
    explicit_repairs: explicitOf(open, ask),
    ...(hasStep && { combined_command: shellQuote(commandsOf(ask).run) }),
    ...(repairSteps.length > 0 && { plan_hash: hashOfPlan({ plan, repair_steps: repairSteps }, ground) }),
    findings: open.map((row) => findingOf(row, ground)),
  };
}

const effectsOf = ({ plan, repair_steps }: Pick<RemediationPlan, 'plan' | 'repair_steps'>): Effect[] => [
  ...new Set([...plan, ...repair_steps].flatMap(({ fix }) => fix.consent)),
];

/** What the user is asked, in one or two sentences. */
function question(plan: RemediationPlan, effects: readonly Effect[], asked: number): string {
  const affected = sum(plan.repair_steps.map((one) => one.affected));
  const cost = plan.est_total_usd_cost;
  const isPriced = plan.plan.some(({ est_usd_cost }) => est_usd_cost > 0);
  const costs = aboutUsd(isPriced ? cost : null);
  if (effects.includes('paid') && affected > 0) {
    return `Putting your brain in order will cost ${costs} and rewrite ${counted(affected, 'record')}. OK to proceed?`;
  }
  if (effects.includes('paid')) return `Putting your brain in order will cost ${costs}. OK to proceed?`;
  if (affected > 0) return `${plan.repair_steps[0]!.fix.why} That is ${counted(affected, 'record')}. OK to proceed?`;
  return `Putting your brain in order takes ${counted(asked, 'step')} that need your agreement. OK to proceed?`;
}

/** What a run of a plan needs agreement to; undefined when none of its steps costs, rewrites or sends anything. */
export function consentOf(plan: RemediationPlan, ask: PlanAsk): ConsentRequest | undefined {
  const effects = effectsOf(plan);
  if (effects.length === 0) return undefined;
  const cost = plan.est_total_usd_cost;
  const isPaid = effects.includes('paid');
  const isPriced = plan.plan.some(({ est_usd_cost }) => est_usd_cost > 0);
  const cap = isPaid && isPriced ? ['--max-usd', formatCapUsd(derivedCapUsd(cost))] : [];
  const asked = [...plan.plan, ...plan.repair_steps].filter(({ fix }) => fix.consent.length > 0);
  const why = asked.map(({ fix }) => fix.why).join(' ');
  const { run, preview } = commandsOf(ask);
  const approve: Action = {
    argv: [...run, ...cap],
    consent: effects,
    actor: 'agent',
    why,
    requires_exclusive: false,
    preview_argv: preview,
  };
  const risks = [
    ...(isPaid ? ['Spends up to the cap; no data is deleted.'] : []),
    ...(plan.plan_hash ? ['Rewrites what the plan names and keeps what stood there.'] : []),
  ];
  return {
    effects,
    actor: 'agent',
    what: 'doctor --remediate',
    why,
    risk: risks.join(' ') || 'Changes what the plan names, and nothing else.',
    est_usd: isPaid && isPriced ? cost : null,
    user_message: question(plan, effects, asked.length),
    approve,
    preview_argv: preview,
    ...(plan.plan_hash && { plan_hash: plan.plan_hash }),
  };
}
