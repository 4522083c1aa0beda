// add_link: an edge made by hand between two pages; derived edges come from the text and are left alone.
import { defineOperation } from '../../operation.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { insertManual } from './graph.sql.ts';
import { linkTypeArg } from './link-args.ts';

export default defineOperation({
  name: 'add_link',
  title: 'Add a link',
  summary: 'Adds a typed edge between two pages; the same edge again changes nothing.',
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
    link_type: linkTypeArg(z).default('related_to'),
    context: z.string().max(2000).describe('Why, in a sentence').optional(),
    link_source: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/)
      .describe('Who made it')
      .default('manual'),
  }),
  output: (z) =>
    z.object({ from: z.string(), to: z.string(), link_type: z.string(), status: z.enum(['created', 'unchanged']) }),
  errors: ['page_not_found', 'unknown_source'],
  cli: {
    command: 'link',
    group: 'Graph',
    positionals: ['from', 'to'],
    human: ({ from, to, link_type, status }) =>
      `${status === 'created' ? 'Linked' : 'Unchanged'}  ${from} ${link_type} ${to}`,
  },
  examples: [
    {
      title: 'Two pages belong together',
      input: { from: 'people/alice-example', to: 'projects/pilot', link_type: 'works_on' },
    },
  ],
  run: async (ctx, input) => {
    const { store } = ctx.brain;
    const from = await findPage(ctx, input.from, requireSlug(ctx, 'add_link', input, 'from'));
    const to = await findPage(ctx, input.to, requireSlug(ctx, 'add_link', input, 'to'));
    if (from.id === to.id)
      ctx.fail('invalid_params', { param: 'to', problem: 'shape', expected: 'another page than from' });
    const { link_type, link_source, context = '' } = input;
    const edge = { fromId: from.id, toId: to.id, linkType: link_type, linkSource: link_source, context };
    const created = await store.tx((tx) => insertManual(tx, edge), { signal: ctx.signal });
    return { from: from.slug, to: to.slug, link_type, status: created ? ('created' as const) : ('unchanged' as const) };
  },
});
