// find_contradictions: facts that cannot both hold, by whom each was told. It resolves nothing.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { contradictionsOf, SEVERITIES } from './contradictions.ts';
import { type FactView, factShape } from './fact-view.ts';
import { factViews } from './fact-views.ts';
import { readClashes } from './history.sql.ts';

const LIMIT = 20;
const LIMIT_MAX = 100;

export default defineOperation({
  name: 'find_contradictions',
  title: 'Find contradictions',
  summary: 'Facts that cannot both hold, in pairs with their sources; found without a model, never resolved.',
  requirement: 'facts/contract G.12, facts/engine F.3',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    slug: z.string().describe('Only those with a fact about this entity').optional(),
    severity: z.enum(SEVERITIES).describe('Only of this severity').optional(),
    limit: field(z.number().int().min(1).max(LIMIT_MAX).describe(`Most pairs (default ${LIMIT})`), {
      clamp: true,
      example: 10,
    }).optional(),
  }),
  output: (z) =>
    z.object({
      contradictions: z.array(
        z.object({
          entity_slug: z.string().nullable(),
          attribute: z.string(),
          severity: z.enum(SEVERITIES),
          facts: z.array(factShape(z)),
          next: z.string(),
        }),
      ),
      total: z.number(),
      truncated: z.boolean(),
    }),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'find-contradictions',
    group: 'Memory',
    positionals: ['slug'],
    human: ({ contradictions }) =>
      contradictions.length === 0
        ? 'No two facts contradict each other.'
        : contradictions
            .map(({ attribute, severity, entity_slug, facts }) =>
              [
                `${severity}  ${attribute}${entity_slug === null ? '' : `  ${entity_slug}`}`,
                ...facts.map((fact) => `    ${fact.fact_id}  ${fact.fact}  [${fact.provenance}]`),
              ].join('\n'),
            )
            .join('\n'),
  },
  examples: [
    { title: 'All', input: {} },
    { title: 'Of one company', input: { slug: 'companies/acme', severity: 'high' } },
  ],
  run: async (ctx, input) => {
    const slug = input.slug === undefined ? undefined : requireSlug(ctx, 'find_contradictions', { slug: input.slug });
    const limit = input.limit ?? LIMIT;
    const rows = await readClashes(ctx.brain.store, ctx.scope, {
      ...(slug !== undefined && { slug }),
      now: ctx.now(),
      limit: LIMIT_MAX,
    });
    const found = contradictionsOf(rows).filter(
      ({ severity }) => input.severity === undefined || severity === input.severity,
    );
    const shown = found.slice(0, limit);
    const views = await factViews(
      ctx,
      shown.flatMap(({ newer, older }) => [newer, older]),
    );
    return {
      contradictions: shown.map(({ newer, older, attribute, severity }, i) => ({
        entity_slug: newer.entity_slug ?? older.entity_slug,
        attribute,
        severity,
        facts: views.slice(2 * i, 2 * i + 2) as FactView[],
        next: `Ask the user which holds; then remember it with replaces, or forget the other by its id.`,
      })),
      total: found.length,
      truncated: found.length > shown.length,
    };
  },
});
