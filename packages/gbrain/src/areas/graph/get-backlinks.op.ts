// get_backlinks: the edges that lead to a page from others.
import { defineOperation } from '../../operation.ts';
import { slugArg } from '../pages/page-args.ts';
import { linkLimitArg, linkLines, linkShape, linkTypeArg } from './link-args.ts';
import { listLinks } from './list-links.ts';

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
  run: (ctx, input) => listLinks(ctx, 'get_backlinks', 'in', input),
});
