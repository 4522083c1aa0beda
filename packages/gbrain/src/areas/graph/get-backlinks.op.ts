// get_backlinks: the edges that lead to a page from others.
import { defineOperation } from '../../operation.ts';
import { findPage } from '../pages/find-page.ts';
import { slugArg } from '../pages/page-args.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { readLinks } from './graph.sql.ts';
import { linkLimitArg, linkLines, linkShape, linkTypeArg } from './link-args.ts';

export default defineOperation({
  name: 'get_backlinks',
  title: 'Backlinks of a page',
  summary: 'Lists the edges that lead to a page from others.',
  requirement: 'facts/contract G.7, G.12',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ slug: slugArg(z), link_type: linkTypeArg(z).optional(), limit: linkLimitArg(z) }),
  output: (z) => z.array(linkShape(z)),
  errors: ['page_not_found', 'unknown_source'],
  notices: ['listing_truncated'],
  cli: {
    command: 'backlinks',
    group: 'Graph',
    isCommon: true,
    positionals: ['slug'],
    human: (rows, view) => linkLines(rows, 'to', view),
  },
  examples: [{ title: 'Who points here', input: { slug: 'companies/acme-example' } }],
  run: async (ctx, input) => {
    const { link_type, limit } = input;
    const { slug } = await findPage(ctx, input.slug, requireSlug(ctx, 'get_backlinks', input));
    const filter = { slug, direction: 'in' as const, limit: limit + 1, ...(link_type && { linkType: link_type }) };
    const rows = await readLinks(ctx.brain.store, ctx.scope, filter);
    if (rows.length > limit) {
      ctx.meta('pagination', { truncated: true, limit });
      ctx.notice('listing_truncated', {
        shown: limit,
        operation: 'get_backlinks',
        ...(limit < 1000 && { next: { ...input, limit: Math.min(limit * 2, 1000) } }),
      });
    }
    return rows.slice(0, limit);
  },
});
