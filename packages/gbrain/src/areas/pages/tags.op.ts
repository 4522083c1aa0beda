// get_tags: the tags of one page.
import { defineOperation } from '../../operation.ts';
import { findPage } from './find-page.ts';
import { slugArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';

export default defineOperation({
  name: 'get_tags',
  title: 'Tags of a page',
  summary: 'Lists the tags of a page.',
  requirement: 'facts/contract G.12',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ slug: slugArg(z) }),
  output: (z) => z.object({ slug: z.string(), source_id: z.string(), tags: z.array(z.string()) }),
  errors: ['page_not_found', 'unknown_source'],
  cli: {
    command: 'tags',
    group: 'Pages',
    positionals: ['slug'],
    human: ({ tags }) => tags.join('\n') || 'No tags.',
  },
  examples: [{ title: 'Tags of a page', input: { slug: 'people/alice-example' } }],
  run: async (ctx, input) => {
    const row = await findPage(ctx, input.slug, requireSlug(ctx, 'get_tags', input));
    return { slug: row.slug, source_id: row.source_id, tags: row.tags };
  },
});
