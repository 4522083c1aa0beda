// get_recent_salience: what changed lately, weighed by how many pages point to it.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { readRecent } from './evidence.sql.ts';

const DAY_MS = 86_400_000;
/** Changed pages that are weighed; the newest count. */
const WEIGHED_MAX = 1_000;

export default defineOperation({
  name: 'get_recent_salience',
  title: 'What matters lately',
  summary: 'Lists recently changed pages, weighed by recency and by how many pages point to them.',
  requirement: 'facts/contract G.7; facts/engine F.6',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    days: field(z.number().int().min(1).max(365).describe('How far back'), { clamp: true }).default(14),
    limit: field(z.number().int().min(1).max(100).describe('Most pages'), { clamp: true }).default(20),
    slug_prefix: z.string().describe('Only below this folder').optional(),
  }),
  output: (z) =>
    z.array(
      z.object({
        slug: z.string(),
        source_id: z.string(),
        title: z.string(),
        type: z.string(),
        updated_at: z.string(),
        backlinks: z.number(),
        score: z.number(),
      }),
    ),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'salience',
    group: 'Search',
    human: (rows) =>
      rows.length === 0
        ? 'Nothing changed.'
        : rows.map(({ score, slug, title }) => `${score.toFixed(2)}  ${slug}  ${title}`).join('\n'),
  },
  examples: [{ title: 'The last two weeks', input: {} }],
  run: async (ctx, { days, limit, slug_prefix = '' }) => {
    const now = ctx.now().getTime();
    const since = new Date(now - days * DAY_MS);
    const rows = await readRecent(ctx.brain.store, ctx.scope, { since, prefix: slug_prefix, limit: WEIGHED_MAX });
    const scored = rows.map((row) => {
      const age = Math.max(0, now - row.updated_at.getTime()) / DAY_MS;
      const score = Number((1 / (1 + age) + Math.log1p(row.backlinks)).toPrecision(4));
      return { ...row, updated_at: row.updated_at.toISOString(), score };
    });
    return scored.sort((a, b) => b.score - a.score || (a.slug < b.slug ? -1 : 1)).slice(0, limit);
  },
});
