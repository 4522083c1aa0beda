// remove_link: takes away edges made by hand; an edge that a text states goes when the text changes.
import { defineOperation } from '../../operation.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { deleteManual, readLinks } from './graph.sql.ts';
import { linkTypeArg } from './link-args.ts';

export default defineOperation({
  name: 'remove_link',
  title: 'Remove a link',
  summary: 'Removes edges made by hand between two pages; edges that a text states stay with it.',
  requirement: 'facts/contract G.12',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    from: z.string().describe('Slug of the page that the edge leaves'),
    to: z.string().describe('Slug of the page that it leads to'),
    link_type: linkTypeArg(z).optional(),
    link_source: z.string().describe('Only edges that this made').optional(),
  }),
  output: (z) => z.object({ from: z.string(), to: z.string(), removed: z.number(), stated_by: z.array(z.string()) }),
  errors: ['page_not_found', 'unknown_source'],
  cli: {
    command: 'unlink',
    group: 'Graph',
    positionals: ['from', 'to'],
    human: ({ removed, stated_by }) =>
      `Removed ${removed}${stated_by.length > 0 ? `; the text of ${stated_by.join(', ')} still says so` : ''}`,
  },
  examples: [{ title: 'Undo an edge', input: { from: 'people/alice-example', to: 'projects/pilot' } }],
  run: async (ctx, { link_type, link_source, ...input }) => {
    const { store } = ctx.brain;
    const from = await findPage(ctx, input.from, requireSlug(ctx, 'remove_link', input, 'from'));
    const to = await findPage(ctx, input.to, requireSlug(ctx, 'remove_link', input, 'to'));
    const edge = { fromId: from.id, toId: to.id, ...(link_type && { linkType: link_type }) };
    const wanted = { ...edge, ...(link_source && { linkSource: link_source }) };
    const removed = await store.tx((tx) => deleteManual(tx, wanted), { signal: ctx.signal });
    const filter = {
      slug: from.slug,
      direction: 'out' as const,
      limit: 1000,
      ...(link_type && { linkType: link_type }),
    };
    const left = await readLinks(store, ctx.scope, filter);
    const stated = left.filter((row) => row.to_slug === to.slug && row.origin_slug !== null);
    return { from: from.slug, to: to.slug, removed, stated_by: [...new Set(stated.map((row) => row.origin_slug!))] };
  },
});
