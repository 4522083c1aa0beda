// Runs checks one after another, each within its own time and all within one: what was not read is said, never guessed.
import type { Action } from '@gbrain/wire/action';
import type { Failure } from '@gbrain/wire/envelope';
import type { IncompleteField } from '@gbrain/wire/json-document';
import type { OpenBrain } from '../../brain.ts';
import type { Check, CheckPlace, CheckResult, Readiness, Repair } from '../../check.ts';
import { Raised } from '../../failure.ts';
import { type FixSpec, toAction } from '../../fix.ts';
import type { Host } from '../../host.ts';
import { untilStopped } from '../../pipeline/deadline.ts';
import { normaliseThrown } from '../../pipeline/normalise.ts';
import type { Remedy } from './report.ts';

/** What a check came to, with its fix not yet rendered for a reader. */
export interface CheckRow {
  check: Check;
  status: CheckResult['status'];
  message: string;
  details?: Record<string, unknown>;
  readiness?: Readiness;
  action?: Action;
  remedy?: Remedy;
  repairs?: readonly Repair[];
  fixUnavailable?: string;
}

/** Rows in the order of the checks, and the checks that have none. */
export interface ChecksRun {
  rows: CheckRow[];
  incomplete: IncompleteField[];
}

/** Bounds of a run, on a monotonic clock. */
export interface RunBounds {
  untilMs: number;
  nowMs(): number;
  /** Told before each check. */
  onCheck?(name: string, done: number): void;
}

const CHECK_MS = 10_000;

/** What a check runs on; a check of the brain is left out where there is none. */
export type RunPlace = Omit<CheckPlace, 'signal'> & { signal: AbortSignal; brain?: OpenBrain };

/** A step that only leads back here. */
const isDoctor = ({ argv = [] }: Action): boolean => argv[0] === 'gbrain' && argv[1] === 'doctor';

/** A row that says what a failure says: for a check that could not look, and for a brain that cannot be reached. */
export function failedRow(check: Check, failure: Failure): CheckRow {
  return {
    check,
    status: 'fail',
    message: failure.message,
    ...(failure.why && { details: { code: failure.code, why: failure.why } }),
    ...(failure.fix && !isDoctor(failure.fix) ? { action: failure.fix } : { fixUnavailable: failure.suggestion }),
  };
}

function resultRow(host: Host, check: Check, result: CheckResult): CheckRow {
  const { status, message, details, readiness, repairs } = result;
  const base = {
    check,
    status,
    message,
    ...(details && { details }),
    ...(readiness && { readiness }),
    ...(repairs && { repairs }),
  };
  if ('fixUnavailable' in result) return { ...base, fixUnavailable: result.fixUnavailable };
  if (!result.fix) return base;
  const verify = { op: 'run_doctor', input: { only: [check.name] } };
  const action = toAction(host.registry, { verify, ...result.fix });
  const remedy = result.status === 'ok' ? undefined : remedyOf(host, result.fix);
  return action ? { ...base, action, ...(remedy && { remedy }) } : { ...base, fixUnavailable: result.fix.why };
}

/** A fix that changes something, and that no person has to make. */
function remedyOf({ registry }: Host, fix: FixSpec): Remedy | undefined {
  if (!fix.call || !registry.operation(fix.call.op)?.mutating || (fix.actor ?? 'agent') !== 'agent') return undefined;
  return {
    operation: fix.call.op,
    arguments: fix.call.input,
    effects: [...(fix.consent ?? [])],
    ...(fix.estUsd !== undefined && { est_usd: fix.estUsd }),
    est_seconds: Math.ceil((fix.expectedMs ?? 1_000) / 1_000),
  };
}

function thrownRow(place: RunPlace, check: Check, thrown: unknown): CheckRow {
  const { host } = place;
  if (!(thrown instanceof Raised)) host.reportFault(`check ${check.name}`, thrown);
  const point = { operation: 'run_doctor', input: { only: [check.name] }, mutating: false, idempotent: true };
  return failedRow(check, normaliseThrown(host.registry, thrown, point));
}

function start(check: Check, place: RunPlace, signal: AbortSignal): Promise<CheckResult> | undefined {
  const { host, caller, mayProbe, isProbeAgreed, brain } = place;
  const at = { host, caller, mayProbe, signal, ...(isProbeAgreed && { isProbeAgreed }) };
  if (!check.needsBrain) return check.run(at);
  return brain && check.run({ ...at, brain });
}

async function runOne(check: Check, place: RunPlace, leftMs: number): Promise<CheckRow | IncompleteField> {
  const field = check.name;
  if (leftMs <= 0) return { field, reason: 'budget' };
  const bound = AbortSignal.timeout(Math.ceil(Math.min(check.limitMs ?? CHECK_MS, leftMs)));
  const signal = AbortSignal.any([place.signal, bound]);
  try {
    const running = start(check, place, signal);
    if (!running) return { field, reason: 'not_read' };
    return resultRow(place.host, check, await untilStopped(running, signal));
  } catch (thrown) {
    if (place.signal.aborted) throw thrown;
    if (bound.aborted) return { field, reason: 'bounded' };
    // Settings that cannot be read are the affair of one row; the others have nothing to say without them.
    if (thrown instanceof Raised && thrown.code === 'config_error' && field !== 'configuration') {
      return { field, reason: 'not_read' };
    }
    return thrownRow(place, check, thrown);
  }
}

/** Runs checks in order. Rejects only when the caller's own signal fires. */
export async function runChecks(checks: readonly Check[], place: RunPlace, bounds: RunBounds): Promise<ChecksRun> {
  const run: ChecksRun = { rows: [], incomplete: [] };
  for (const [done, check] of checks.entries()) {
    bounds.onCheck?.(check.name, done);
    const one = await runOne(check, place, bounds.untilMs - bounds.nowMs());
    if ('field' in one) run.incomplete.push(one);
    else run.rows.push(one);
  }
  return run;
}
