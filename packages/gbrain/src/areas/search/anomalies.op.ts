// find_anomalies: days on which far more pages of a type or tag were made than usual.
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { field } from '../../schema.ts';
import { type CohortDay, readCohortDays } from './evidence.sql.ts';

const DAY_MS = 86_400_000;
const ROWS_MAX = 20;

/** Mean and sample deviation of daily counts, days without a page included. */
export function baselineOf(counts: readonly number[], days: number): { mean: number; stddev: number } {
  const mean = counts.reduce((sum, count) => sum + count, 0) / days;
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) + (days - counts.length) * mean ** 2;
  return { mean, stddev: days > 1 ? Math.sqrt(squares / (days - 1)) : 0 };
}

/** How far a count lies above its baseline; undefined when it is not unusual. */
export function unusual(count: number, base: { mean: number; stddev: number }, sigma: number): number | undefined {
  // Without any spread a deviation has no size: one page above the usual count is then the measure.
  if (base.stddev === 0) return count > base.mean + 1 ? count - base.mean : undefined;
  const observed = (count - base.mean) / base.stddev;
  return observed >= sigma ? observed : undefined;
}

const round = (value: number): number => Number(value.toPrecision(4));

export default defineOperation({
  name: 'find_anomalies',
  title: 'Unusual days',
  summary: 'Finds types and tags with far more new pages on a day than usual.',
  requirement: 'facts/contract G.7; facts/engine F.6',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    since: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .describe('The day to look at, YYYY-MM-DD; today when left out')
      .optional(),
    lookback_days: field(z.number().int().min(2).max(365).describe('Days that say what is usual'), {
      clamp: true,
    }).default(30),
    sigma: field(z.number().min(0.5).max(10).describe('Deviations above the mean'), { clamp: true }).default(3),
  }),
  output: (z) =>
    z.array(
      z.object({
        cohort_kind: z.enum(['tag', 'type']),
        cohort_value: z.string(),
        count: z.number(),
        baseline_mean: z.number(),
        baseline_stddev: z.number(),
        sigma_observed: z.number(),
        page_slugs: z.array(z.string()),
      }),
    ),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'anomalies',
    group: 'Search',
    human: (rows) =>
      rows.length === 0
        ? 'Nothing unusual.'
        : rows
            .map(
              (row) =>
                `${row.cohort_kind} ${row.cohort_value}: ${counted(row.count, 'page')}, usually ${row.baseline_mean}`,
            )
            .join('\n'),
  },
  examples: [{ title: 'Today', input: {} }],
  run: async (ctx, { since, lookback_days, sigma }) => {
    const day = since ?? ctx.now().toISOString().slice(0, 10);
    const start = Date.parse(`${day}T00:00:00Z`);
    if (Number.isNaN(start)) {
      ctx.fail('invalid_params', {
        param: 'since',
        problem: 'shape',
        expected: 'a day of the calendar',
        corrected: {},
      });
    }
    const asked = { from: new Date(start - lookback_days * DAY_MS), to: new Date(start + DAY_MS) };
    const cohorts = new Map<string, CohortDay[]>();
    for (const row of await readCohortDays(ctx.brain.store, ctx.scope, asked)) {
      const key = `${row.cohort_kind} ${row.cohort_value}`;
      cohorts.set(key, [...(cohorts.get(key) ?? []), row]);
    }
    const found = [...cohorts.values()].flatMap((rows) => {
      const today = rows.find((row) => row.day === day);
      if (!today) return [];
      const earlier = rows.filter((row) => row.day !== day).map((row) => row.count);
      const base = baselineOf(earlier, lookback_days);
      const observed = unusual(today.count, base, sigma);
      if (observed === undefined) return [];
      return [
        {
          cohort_kind: today.cohort_kind,
          cohort_value: today.cohort_value,
          count: today.count,
          baseline_mean: round(base.mean),
          baseline_stddev: round(base.stddev),
          sigma_observed: round(observed),
          page_slugs: today.slugs,
        },
      ];
    });
    return found.sort((a, b) => b.sigma_observed - a.sigma_observed).slice(0, ROWS_MAX);
  },
});
