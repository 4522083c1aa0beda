// get_links: the edges that lead from a page to others.
import { defineOperation } from '../../operation.ts';
import { slugArg } from '../pages/page-args.ts';
import { linkLimitArg, linkLines, linkShape, linkTypeArg } from './link-args.ts';
import { listLinks } from './list-links.ts';

export default defineOperation({
  name: 'get_links',
  title: 'Links of a page',
  summary: 'Lists the edges that lead from a page to others.',
  requirement: 'facts/contract G.7, G.12',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ slug: slugArg(z), link_type: linkTypeArg(z).optional(), limit: linkLimitArg(z) }),
  output: (z) => z.array(linkShape(z)),
  errors: ['page_not_found', 'unknown_source'],
  notices: ['listing_truncated'],
  cli: {
    command: 'links',
    group: 'Graph',
    positionals: ['slug'],
    human: (rows, view) => linkLines(rows, 'from', view),
  },
  examples: [{ title: 'Where it points', input: { slug: 'companies/acme-example' } }],
  run: (ctx, input) => listLinks(ctx, 'get_links', 'out', input),
});
