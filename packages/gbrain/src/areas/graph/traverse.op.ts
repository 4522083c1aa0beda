// traverse_graph: the neighbourhood of a page, breadth first, and whether a bound cut it.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { findPage } from '../pages/find-page.ts';
import { slugArg } from '../pages/page-args.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { linkTypeArg } from './link-args.ts';
import { walkGraph } from './traverse.ts';
import { treeLines } from './tree.ts';

const PAGES_MAX = 500;

export default defineOperation({
  name: 'traverse_graph',
  title: 'Walk the graph',
  summary: 'Walks typed edges from a page, breadth first, each page once.',
  requirement: 'facts/contract G.7; facts/user-faults P30',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    slug: slugArg(z),
    depth: field(z.number().int().min(1).max(10).describe('Steps from the page'), { clamp: true }).default(2),
    link_type: linkTypeArg(z).optional(),
    direction: z.enum(['in', 'out', 'both']).describe('Which edges to follow').default('both'),
  }),
  output: (z) =>
    z.array(
      z.object({
        from_slug: z.string(),
        to_slug: z.string(),
        link_type: z.string(),
        context: z.string(),
        depth: z.number(),
      }),
    ),
  errors: ['page_not_found', 'unknown_source'],
  notices: ['graph_truncated', 'param_clamped'],
  cli: {
    command: 'graph',
    group: 'Graph',
    isCommon: true,
    positionals: ['slug'],
    human: (edges, view, { slug }) => treeLines(edges, String(slug), view),
  },
  examples: [
    { title: 'The neighbourhood', input: { slug: 'companies/acme-example' } },
    {
      title: 'Who works there',
      input: { slug: 'companies/acme-example', link_type: 'works_at', direction: 'in', depth: 1 },
    },
  ],
  run: async (ctx, { depth, link_type, direction, ...input }) => {
    const start = await findPage(ctx, input.slug, requireSlug(ctx, 'traverse_graph', input));
    const walk = {
      startId: start.id,
      depth,
      direction,
      pagesMax: PAGES_MAX,
      ...(link_type && { linkType: link_type }),
    };
    const { edges, cut, pages } = await walkGraph(ctx.brain.store, ctx.scope, walk);
    ctx.meta('traversal', { pages, truncated: cut !== null });
    if (cut !== null) ctx.notice('graph_truncated', { cut, pages, slug: start.slug, direction });
    return edges;
  },
});
