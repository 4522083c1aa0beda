// find_trajectory: how the numbers of an entity went over time, with every fall that matters.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { resolveEntity } from '../entities/resolve-entity.ts';
import { parseSlug, slugFromTitle } from '../pages/slug.ts';
import { shownText } from '../secrets/shown-text.ts';
import { FACT_KINDS } from './fact.ts';
import { readSeries } from './history.sql.ts';
import { parseSince } from './moments.ts';
import { trajectoriesOf } from './trajectory.ts';

const LIMIT = 100;

export default defineOperation({
  name: 'find_trajectory',
  title: 'Find trajectory',
  summary: 'Numbers that facts state of an entity, by metric and date, and where they fell.',
  requirement: 'facts/contract G.12, facts/engine F.4',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    entity_slug: z.string().describe('Name or slug of the entity'),
    metric: z.string().describe('Only this metric, such as mrr').optional(),
    kind: z.enum(FACT_KINDS).describe('Only facts of this kind').optional(),
    since: z.string().describe('Only from this day on').optional(),
    until: z.string().describe('Only to this day').optional(),
    limit: field(z.number().int().min(1).max(LIMIT).describe(`Most facts (default ${LIMIT})`), {
      clamp: true,
      example: 50,
    }).optional(),
  }),
  output: (z) =>
    z.object({
      entity_slug: z.string(),
      metrics: z.array(
        z.object({
          metric: z.string(),
          unit: z.string().nullable(),
          points: z.array(
            z.object({
              date: z.string(),
              value: z.number(),
              unit: z.string().nullable(),
              period: z.string().nullable(),
              fact_id: z.string(),
              provenance: z.string(),
              trust_tier: z.string(),
              superseded: z.literal(true).optional(),
            }),
          ),
          regressions: z.array(
            z.object({ from: z.string(), to: z.string(), before: z.number(), after: z.number(), drop: z.number() }),
          ),
          change: z.number().nullable(),
        }),
      ),
      drift_score: z.null(),
    }),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'find-trajectory',
    group: 'Memory',
    positionals: ['entity_slug'],
    human: ({ metrics }) =>
      metrics
        .map(({ metric, points, regressions }) =>
          [
            metric,
            ...points.map(({ date, value, unit }) => `  ${date}  ${value}${unit === null ? '' : ` ${unit}`}`),
            ...regressions.map(({ from, to, drop }) => `  fell by ${Math.round(drop * 100)} % from ${from} to ${to}`),
          ].join('\n'),
        )
        .join('\n') || 'No fact states a number of it.',
  },
  examples: [{ title: 'Revenue', input: { entity_slug: 'companies/acme', metric: 'mrr' } }],
  run: async (ctx, input) => {
    const day = (param: 'since' | 'until') => {
      const text = input[param];
      const read = text === undefined ? undefined : parseSince(text, ctx.now());
      if (read && !read.ok) {
        ctx.fail('invalid_params', { tool: 'find_trajectory', param, problem: 'shape', expected: read.expected });
      }
      return read?.ok ? read.at : undefined;
    };
    const [since, until] = [day('since'), day('until')];
    const found = await resolveEntity(ctx.brain.store, ctx.scope, input.entity_slug);
    const parsed = parseSlug(input.entity_slug);
    const slug =
      found.kind === 'page' ? found.page.slug : parsed.ok ? (parsed.slug as string) : slugFromTitle(input.entity_slug);
    const rows = await readSeries(ctx.brain.store, ctx.scope, {
      slug,
      ...(input.metric !== undefined && { metric: input.metric }),
      ...(input.kind !== undefined && { kind: input.kind }),
      ...(since && { since }),
      ...(until && { until }),
      limit: input.limit ?? LIMIT,
    });
    const threshold = Number((await ctx.host.setting('facts.trajectory_regression_threshold')).value);
    const metrics = trajectoriesOf(rows, threshold, (text) => shownText(ctx.scope, text));
    // Drift compares embeddings of facts, and facts have none.
    return { entity_slug: slug, metrics, drift_score: null };
  },
});
