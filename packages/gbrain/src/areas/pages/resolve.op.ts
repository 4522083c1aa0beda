// resolve_slugs: slugs that hold a piece of text, nearest first; a guess when nothing does.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { foldedSlug } from './columns.ts';
import { nearSlugs } from './find-page.ts';
import { findSlugs } from './pages.sql.ts';

export default defineOperation({
  name: 'resolve_slugs',
  title: 'Find slugs',
  summary: 'Finds page slugs that hold a text, without accents; near misses when none does.',
  requirement: 'facts/contract G.7',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  readsAllSources: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    partial: z.string().describe('Part of a slug or name'),
    limit: field(z.number().int().min(1).max(100).describe('Slugs (default 20)'), {
      clamp: true,
      fullOnly: true,
    }).optional(),
  }),
  output: (z) => z.array(z.string()),
  errors: ['unknown_source'],
  cli: {
    command: 'resolve',
    group: 'Pages',
    positionals: ['partial'],
    human: (slugs) => (slugs.length === 0 ? 'No such slug.' : slugs.join('\n')),
  },
  examples: [{ title: 'Pages whose slug holds alice', input: { partial: 'alice' } }],
  run: async (ctx, input) => {
    const partial = foldedSlug(input.partial.trim().replace(/\s+/g, '-').slice(0, 512));
    if (partial === '') {
      ctx.fail('invalid_params', {
        tool: 'resolve_slugs',
        param: 'partial',
        problem: 'shape',
        expected: 'a part of a slug',
      });
    }
    const found = await findSlugs(ctx.brain.store, ctx.scope, partial, input.limit ?? 20);
    return found.length > 0 ? found : nearSlugs(ctx, partial);
  },
});
