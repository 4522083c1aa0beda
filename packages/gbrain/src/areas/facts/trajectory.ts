// Values of one metric over time, and where they fell. Pure.
import type { FactRecord } from './facts.sql.ts';

/** One value of a metric. */
export interface Point {
  /** Day of the value: that of its period, else since when the fact holds. */
  date: string;
  value: number;
  unit: string | null;
  period: string | null;
  fact_id: string;
  provenance: string;
  trust_tier: string;
  /** A newer fact took its place: it was so, and is not any more. */
  superseded?: true;
}

/** A fall from one point to the next of at least the threshold. */
export interface Regression {
  from: string;
  to: string;
  before: number;
  after: number;
  /** Share that was lost, from 0 to 1. */
  drop: number;
}

/** The values of one metric, oldest first. */
export interface Trajectory {
  metric: string;
  unit: string | null;
  points: Point[];
  regressions: Regression[];
  /** Last value less the first, as a share of the first; null for fewer than two points and for a first of zero. */
  change: number | null;
}

/** Most points of a metric. Source: facts/engine F.4. */
export const POINTS_MAX = 20;

/** `$50K` as 50000, `5%` as 0.05; undefined for what is no number. Source: facts/engine E.2. */
export function numberOf(text: string): number | undefined {
  const found = /^\s*[$€£¥]?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(k|m|bn|b)?\s*(%)?/iu.exec(text);
  if (!found) return undefined;
  const scale = { k: 1e3, m: 1e6, b: 1e9, bn: 1e9 }[found[2]?.toLowerCase() ?? ''] ?? 1;
  const value = Number(found[1]!.replaceAll(',', '')) * scale;
  return Number.isFinite(value) ? (found[3] ? value / 100 : value) : undefined;
}

const dateOf = (row: FactRecord): string =>
  /^\d{4}-\d\d(?:-\d\d)?$/u.test(row.claim_period ?? '')
    ? `${row.claim_period}-01`.slice(0, 10)
    : row.valid_from.toISOString().slice(0, 10);

/** Series of each metric with a drop of at least `threshold` (a share) told; metrics in the order of their names. */
export function trajectoriesOf(
  rows: readonly FactRecord[],
  threshold: number,
  shown: (text: string) => string,
): Trajectory[] {
  const byMetric = new Map<string, Point[]>();
  for (const row of rows) {
    const value = numberOf(row.claim_value ?? '');
    if (value === undefined) continue;
    const metric = row.claim_metric!.toLowerCase();
    const point: Point = {
      date: dateOf(row),
      value,
      unit: row.claim_unit,
      period: row.claim_period,
      fact_id: String(row.id),
      provenance: shown(row.source),
      trust_tier: row.trust_tier,
      ...(row.superseded_by !== null && { superseded: true as const }),
    };
    byMetric.set(metric, [...(byMetric.get(metric) ?? []), point]);
  }
  return [...byMetric]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([metric, points]) => seriesOf(metric, points, threshold));
}

function seriesOf(metric: string, all: readonly Point[], threshold: number): Trajectory {
  const sorted = all.toSorted((a, b) => a.date.localeCompare(b.date) || Number(a.fact_id) - Number(b.fact_id));
  const points = sorted.slice(-POINTS_MAX);
  const unit = points.at(-1)!.unit;
  const same = points.filter((point) => point.unit === unit);
  const regressions = same.slice(1).flatMap((after, i) => {
    const before = same[i]!;
    const drop = before.value > 0 ? (before.value - after.value) / before.value : 0;
    if (drop < threshold) return [];
    return [{ from: before.date, to: after.date, before: before.value, after: after.value, drop: round(drop) }];
  });
  const [first, last] = [same[0]!, same.at(-1)!];
  const change =
    same.length < 2 || first.value === 0 ? null : round((last.value - first.value) / Math.abs(first.value));
  return { metric, unit, points, regressions, change };
}

const round = (share: number): number => Math.round(share * 1e4) / 1e4;
