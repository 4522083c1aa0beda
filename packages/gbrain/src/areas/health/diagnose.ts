// Reads the health of an installation: checks of this process here, checks of the brain where the brain is open.
import { closest } from '@gbrain/wire/did-you-mean';
import type { Failure } from '@gbrain/wire/envelope';
import type { IncompleteField } from '@gbrain/wire/json-document';
import type { Call } from '../../call.ts';
import type { Check } from '../../check.ts';
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import type { OkOutcome } from '../../outcome.ts';
import { normaliseThrown } from '../../pipeline/normalise.ts';
import type { Registered } from '../../registry.ts';
import { readSchemaState } from '../../store/migrate.ts';
import { asksForProbe } from './provider-probe.ts';
import { callerConnection, renderRow } from './render-rows.ts';
import type { ReportRow } from './report.ts';
import { type ChecksRun, failedRow, type RunBounds, runChecks } from './run-checks.ts';

/** Everything that was read, rendered for the caller, and what was not. */
export interface Diagnosis {
  rows: ReportRow[];
  incomplete: IncompleteField[];
  elapsedMs: number;
}

/** Checks that say something of a brain whose tables are older than this program. */
const ON_ANY_SCHEMA: ReadonlySet<string> = new Set(['connection', 'schema_version', 'owner_lock']);

const notRead = (field: string): IncompleteField => ({ field, reason: 'not_read' });

/** Time of one diagnosis; the process that has the brain open gets what is left of it. */
const TOTAL_MS = 60_000;
/** How much sooner the brain's part ends, so that its reply still counts. */
const REPLY_MS = 2_000;

const CONNECTION = 'connection';

/** Every registered check, in order. Loaded when it is asked for: no other command needs them. */
export async function allChecks(): Promise<Check[]> {
  const { checks }: { checks: readonly Registered<Check>[] } = await import('../../generated/checks.ts');
  return checks.map(({ value }) => value);
}

/** What a diagnosis looks at, and how. */
export interface DiagnosisAsk {
  /** These checks, or those of these readiness rows. */
  only?: readonly string[] | undefined;
  scope?: Check['category'] | undefined;
  /** Checks that were not named may try what they otherwise only read. */
  probe?: boolean | undefined;
  /** False opens the brain as it is. */
  migrate?: boolean | undefined;
}

/** Checks of these names, or of the readiness rows of these names. Fails with `invalid_params` for another name. */
function pick(ctx: Context, all: readonly Check[], { only, scope }: DiagnosisAsk): Check[] {
  const checks = scope ? all.filter(({ category }) => category === scope) : all;
  if (!only) return [...checks];
  const names = checks.flatMap(({ name, capability }) => (capability ? [name, capability] : [name]));
  const bad = only.find((name) => !names.includes(name));
  if (bad !== undefined) {
    const near = closest(bad, names);
    const corrected = near && { only: only.map((name) => (name === bad ? near : name)) };
    ctx.fail('invalid_params', {
      param: 'only',
      problem: 'choice',
      given: bad.slice(0, 60),
      choices: near ? [near] : names.filter((name, i) => names.indexOf(name) === i),
      ...(corrected && { corrected }),
    });
  }
  return checks.filter(({ name, capability }) => only.includes(name) || (capability && only.includes(capability)));
}

/** What is known when the brain cannot be asked: why, as the connection's row; the rest was not read. */
function unreached(checks: readonly Check[], connection: Check, failure: Failure): ChecksRun {
  const rest = checks.filter((check) => check !== connection);
  const isLate = failure.code === 'timeout';
  return {
    rows: isLate ? [] : [failedRow(connection, failure)],
    incomplete: [...(isLate ? checks : rest)].map(({ name }) => ({
      field: name,
      reason: isLate ? 'budget' : 'not_read',
    })),
  };
}

interface BrainPart {
  /** Checks of the brain that were asked for. */
  checks: readonly Check[];
  connection: Check;
  mayProbe: boolean;
  isProbeAgreed: boolean;
  observes: boolean;
  bounds: RunBounds;
}

/** Rendered rows of the brain's checks: run here when this process has the brain, else where it is open. */
async function readBrainPart(ctx: Context, part: BrainPart): Promise<Pick<Diagnosis, 'rows' | 'incomplete'>> {
  const { checks, connection, observes, isProbeAgreed, bounds } = part;
  if (checks.length === 0) return { rows: [], incomplete: [] };
  const rendered = async ({ rows, incomplete }: ChecksRun) => {
    const reader = await callerConnection(ctx);
    return { rows: rows.map((row) => renderRow(row, reader)), incomplete };
  };
  if (!ctx.callBrain) return rendered(await runHere(ctx, part));
  const call: Call = {
    op: 'run_doctor',
    args: { only: checks.map(({ name }) => name), ...(isProbeAgreed && { probe: true }) },
    brain: ctx.target.brain,
    ...(ctx.approval && { approval: ctx.approval }),
    ...(observes && { observes }),
    timeoutMs: Math.max(1, bounds.untilMs - bounds.nowMs() - REPLY_MS),
  };
  const outcome = await ctx.callBrain(call);
  ctx.signal.throwIfAborted();
  if (outcome.kind === 'failed') {
    if (outcome.failure.code === 'unknown_brain') ctx.fail('unknown_brain', { brain: ctx.target.brain });
    return rendered(unreached(checks, connection, outcome.failure));
  }
  const report = (outcome as OkOutcome).output as { checks: ReportRow[]; incomplete?: IncompleteField[] };
  return { rows: report.checks, incomplete: report.incomplete ?? [] };
}

async function runHere(
  ctx: Context,
  { checks, connection, mayProbe, isProbeAgreed, bounds }: BrainPart,
): Promise<ChecksRun> {
  const { host, caller, signal } = ctx;
  try {
    const brain = await host.openBrain(ctx.target.brain);
    const isBehind = (await readSchemaState(brain.store)).pending.length > 0;
    const able = isBehind ? checks.filter(({ name }) => ON_ANY_SCHEMA.has(name)) : checks;
    const run = await runChecks(able, { host, caller, signal, mayProbe, isProbeAgreed, brain }, bounds);
    const unread = checks.filter((check) => !able.includes(check));
    return { ...run, incomplete: [...run.incomplete, ...unread.map(({ name }) => notRead(name))] };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Raised && thrown.code === 'unknown_brain') throw thrown;
    const point = { operation: 'run_doctor', input: {}, mutating: false, idempotent: true };
    if (!(thrown instanceof Raised)) host.reportFault('run_doctor', thrown);
    return unreached(checks, connection, normaliseThrown(host.registry, thrown, point));
  }
}

/**
 * Runs every check, or those asked for; those named may also try what they otherwise only read.
 * Rejects with `invalid_params`, `unknown_brain`, or the caller's signal.
 */
export async function diagnose(ctx: Context, ask: DiagnosisAsk = {}): Promise<Diagnosis> {
  const nowMs = () => performance.now();
  const startedMs = nowMs();
  const checks = await allChecks();
  const wanted = pick(ctx, checks, ask);
  const progress = (base: number) => (what: string, done: number) =>
    ctx.progress({ what: `doctor: ${what}`, done: base + done, total: wanted.length });
  const bounds = { untilMs: startedMs + TOTAL_MS, nowMs };
  const mayProbe = ask.probe === true || ask.only !== undefined;
  const here = wanted.filter((check) => !check.needsBrain);
  const place = { host: ctx.host, caller: ctx.caller, signal: ctx.signal, mayProbe };
  const local = await runChecks(here, place, { ...bounds, onCheck: progress(0) });
  const brain = await readBrainPart(ctx, {
    checks: wanted.filter((check) => check.needsBrain),
    connection: checks.find(({ name }) => name === CONNECTION)!,
    mayProbe,
    isProbeAgreed: asksForProbe(ask),
    observes: ask.migrate === false,
    bounds: { ...bounds, onCheck: progress(here.length) },
  });
  const reader = await callerConnection(ctx);
  const order = new Map(checks.map(({ name }, i) => [name, i]));
  const rows = [...local.rows.map((row) => renderRow(row, reader)), ...brain.rows];
  return {
    rows: rows.sort((a, b) => order.get(a.name)! - order.get(b.name)!),
    incomplete: [...local.incomplete, ...brain.incomplete],
    elapsedMs: nowMs() - startedMs,
  };
}
