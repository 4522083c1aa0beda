// get_timeline: the dated entries of a page, oldest first.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { findPage } from '../pages/find-page.ts';
import { slugArg } from '../pages/page-args.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { readEntries } from './timeline.sql.ts';
import { timelineLines } from './timeline-lines.ts';

export default defineOperation({
  name: 'get_timeline',
  title: 'Timeline of a page',
  summary: 'Lists the dated entries of a page, oldest first.',
  requirement: 'facts/contract G.12',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    slug: slugArg(z),
    after: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .describe('First day, YYYY-MM-DD')
      .optional(),
    before: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .describe('Last day, YYYY-MM-DD')
      .optional(),
    limit: field(z.number().int().min(1).max(1000).describe('Most entries'), { clamp: true }).default(200),
  }),
  output: (z) => z.array(z.object({ date: z.string(), source: z.string(), summary: z.string(), detail: z.string() })),
  errors: ['page_not_found', 'unknown_source'],
  cli: {
    command: 'timeline',
    group: 'Graph',
    positionals: ['slug'],
    human: timelineLines,
  },
  examples: [
    { title: 'What happened', input: { slug: 'people/alice-example' } },
    { title: 'Since a day', input: { slug: 'people/alice-example', after: '2026-01-01' } },
  ],
  run: async (ctx, { slug, after, before, limit }) => {
    const page = await findPage(ctx, slug, requireSlug(ctx, 'get_timeline', { slug }));
    const asked = { slug: page.slug, limit, ...(after && { after }), ...(before && { before }) };
    return readEntries(ctx.brain.store, ctx.scope, asked);
  },
});
