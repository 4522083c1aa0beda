// Readiness rows: the same checks that doctor runs, those that stand for a capability, kept for a minute.
// It renders for one caller; what it cannot read in time is `unknown`, never `ok`.
import type { Connection, RenderedAction } from '@gbrain/wire/action';
import { renderAction } from '@gbrain/wire/render-action';
import type { OpenBrain } from '../../brain.ts';
import type { Capability, Check, ReadinessState } from '../../check.ts';
import type { Caller, Context } from '../../context.ts';
import type { Host } from '../../host.ts';
import { allChecks } from './diagnose.ts';
import { callerConnection } from './render-rows.ts';
import { type CheckRow, runChecks } from './run-checks.ts';

/** One part of the setup as a caller reads it. Source: facts/contract K.2. */
export interface ReadinessRow {
  capability: Capability;
  state: ReadinessState;
  reason: string;
  why: string;
  fix?: RenderedAction;
  tier: 'config' | 'probed';
  http_visible: boolean;
}

/** Order of the rows. */
const ORDER: readonly Capability[] = [
  'embeddings',
  'chat_llm',
  'worker',
  'writeback',
  'backup',
  'tool_surface',
  'sync',
  'migrations',
  'harness_wiring',
];

/** Source: facts/contract K.2: 60 s of cache, 2 s a probe. */
const KEPT_MS = 60_000;
const PROBE_MS = 2_000;

interface Kept {
  atMs: number;
  rows: Promise<CheckRow[]>;
}

const kept = new WeakMap<Host, Map<string, Kept>>();

/** What depends on who asks: the surface of the session, and whether private pages count. */
const keyOf = (caller: Caller, brain: OpenBrain | undefined): string =>
  [caller.transport, caller.surface, caller.owner, brain !== undefined].join(' ');

async function readRows(host: Host, caller: Caller, brain: OpenBrain | undefined): Promise<CheckRow[]> {
  const checks = (await allChecks())
    .filter((check) => check.capability !== undefined)
    .map((check): Check => ({ ...check, limitMs: Math.min(check.limitMs ?? PROBE_MS, PROBE_MS) }));
  const nowMs = () => performance.now();
  const place = { host, caller, signal: new AbortController().signal, mayProbe: false, ...(brain && { brain }) };
  return (await runChecks(checks, place, { untilMs: nowMs() + PROBE_MS * 2, nowMs })).rows;
}

function rowsFor(host: Host, caller: Caller, brain: OpenBrain | undefined): Promise<CheckRow[]> {
  const ofHost = kept.get(host) ?? new Map<string, Kept>();
  kept.set(host, ofHost);
  const key = keyOf(caller, brain);
  const found = ofHost.get(key);
  if (found && performance.now() - found.atMs < KEPT_MS) return found.rows;
  const rows = readRows(host, caller, brain);
  ofHost.set(key, { atMs: performance.now(), rows });
  // A failed reading is not kept.
  rows.catch(() => ofHost.delete(key));
  return rows;
}

function toRow(capability: Capability, row: CheckRow | undefined, connection: Connection): ReadinessRow {
  const readiness = row?.readiness;
  if (!row || !readiness) {
    const why = row?.message ?? 'it was not read';
    const state = row?.status === 'fail' ? ('degraded' as const) : ('unknown' as const);
    return {
      capability,
      state,
      reason: 'probe_failed',
      why,
      tier: 'config',
      http_visible: row?.check.isHttpVisible ?? false,
    };
  }
  const fix = isBadState(readiness.state) && row.action ? renderAction(row.action, connection) : undefined;
  return {
    capability,
    state: readiness.state,
    reason: readiness.reason,
    why: row.message,
    ...(fix && { fix }),
    tier: readiness.tier,
    http_visible: row.check.isHttpVisible ?? false,
  };
}

const isBadState = (state: ReadinessState): boolean => state === 'missing' || state === 'degraded';

/**
 * Readiness of this installation for a caller, at most a minute old. With `budgetMs` it gives what is known by then and
 * goes on reading for the next asker. Without a brain its rows are `unknown`.
 */
export async function readReadiness(
  ctx: Pick<Context, 'host' | 'caller' | 'target'>,
  at: { brain?: OpenBrain; budgetMs?: number } = {},
): Promise<ReadinessRow[]> {
  const { host, caller } = ctx;
  const reading = rowsFor(host, caller, at.brain);
  const late = Promise.withResolvers<CheckRow[]>();
  const timer = at.budgetMs === undefined ? undefined : setTimeout(() => late.resolve([]), at.budgetMs);
  try {
    const rows = await Promise.race([reading, late.promise]);
    const connection = await callerConnection(ctx);
    const of = (capability: Capability) => rows.find(({ check }) => check.capability === capability);
    const shown = ORDER.map((capability) => toRow(capability, of(capability), connection));
    return caller.transport === 'http' ? shown.filter((row) => row.http_visible) : shown;
  } finally {
    clearTimeout(timer);
  }
}

/** The rows that most need somebody: what is broken before what is not set up. */
export function worstOf<Row extends Pick<ReadinessRow, 'state'>>(rows: readonly Row[], count: number): Row[] {
  const of = (state: ReadinessState) => rows.filter((row) => row.state === state);
  return [...of('degraded'), ...of('missing')].slice(0, count);
}
