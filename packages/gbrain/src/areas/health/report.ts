// What doctor says, as data: rows, scores and the state of the whole. Pure; it reads nothing.
// Source: facts/contract K.1.
import type { Effect, RenderedAction } from '@gbrain/wire/action';
import type { ReadinessState } from '../../check.ts';

/** Categories in the order in which they are shown. */
export const CATEGORIES = ['brain', 'skill', 'ops', 'meta'] as const;

/** What a check looks at. */
export type Category = (typeof CATEGORIES)[number];

/** One row as it is printed. Key order is the order of this interface. */
export interface ReportRow {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  category: Category;
  /** The row is worth knowing and nobody's fault. */
  severity?: 'info';
  details?: Record<string, unknown>;
  readiness_state?: ReadinessState;
  readiness_reason?: string;
  remediation_status?: 'remediable' | 'human_only' | 'blocked';
  /** The call that clears the row, where gbrain can make it itself. */
  remedy?: Remedy;
  /** Ways out that the user chooses between, where there is more than one. */
  repairs?: RowRepair[];
  fix?: RenderedAction;
  fix_unavailable_reason?: string;
}

/** A way out that rewrites records. */
export interface RowRepair {
  kind: string;
  why: string;
  records: { id: string; source_id: string; input: Record<string, unknown>; revision: string }[];
}

/** A call that clears a row. */
export interface Remedy {
  operation: string;
  arguments: Record<string, unknown>;
  effects: Effect[];
  /** US dollars; absent where it costs nothing. */
  est_usd?: number;
  est_seconds: number;
}

/** A row that needs somebody, without its details. */
export type TopIssue = Pick<ReportRow, 'name' | 'status' | 'message' | 'fix' | 'fix_unavailable_reason'>;

/** The rows with what they come to. */
export interface ReportBody {
  schema_version: 2;
  status: 'healthy' | 'warnings' | 'unhealthy';
  health_score: number;
  brain_checks_score: number;
  category_scores: Record<Category, number>;
  checks: ReportRow[];
  top_issues: TopIssue[];
}

const TOP_ISSUES = 5;
const COST = { ok: 0, warn: 5, fail: 20 } as const;

const scoreOf = (rows: readonly ReportRow[]): number =>
  Math.max(0, 100 - rows.reduce((sum, { status }) => sum + COST[status], 0));

function statusOf(rows: readonly ReportRow[]): ReportBody['status'] {
  if (rows.some(({ status }) => status === 'fail')) return 'unhealthy';
  return rows.some(({ status }) => status === 'warn') ? 'warnings' : 'healthy';
}

/** Rows with their scores; failures come before warnings among the top issues. */
export function reportOf(rows: readonly ReportRow[]): ReportBody {
  const of = (category: Category) => scoreOf(rows.filter((row) => row.category === category));
  const bad = (wanted: ReportRow['status']) => rows.filter(({ status }) => status === wanted);
  return {
    schema_version: 2,
    status: statusOf(rows),
    health_score: scoreOf(rows),
    brain_checks_score: of('brain'),
    category_scores: { brain: of('brain'), skill: of('skill'), ops: of('ops'), meta: of('meta') },
    checks: [...rows],
    top_issues: [...bad('fail'), ...bad('warn')].slice(0, TOP_ISSUES).map((row) => ({
      name: row.name,
      status: row.status,
      message: row.message,
      ...(row.fix && { fix: row.fix }),
      ...(row.fix_unavailable_reason && { fix_unavailable_reason: row.fix_unavailable_reason }),
    })),
  };
}

/** Who can clear a row that warns or fails. */
export function remediationOf(fix: RenderedAction | undefined): NonNullable<ReportRow['remediation_status']> {
  if (fix === undefined) return 'blocked';
  return fix.next === 'run' ? 'remediable' : 'human_only';
}
