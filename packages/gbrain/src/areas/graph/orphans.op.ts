// find_orphans: pages that no edge leads to.
import { defineOperation } from '../../operation.ts';
import { tableLines } from '../../render/table.ts';
import { field } from '../../schema.ts';
import { readOrphans } from './graph.sql.ts';

export default defineOperation({
  name: 'find_orphans',
  title: 'Pages without links',
  summary: 'Lists pages that no edge of the graph leads to.',
  requirement: 'facts/contract G.12; facts/engine D.3',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    limit: field(z.number().int().min(1).max(1000).describe('Most pages'), { clamp: true }).default(100),
  }),
  output: (z) => z.array(z.object({ slug: z.string(), source_id: z.string(), title: z.string(), type: z.string() })),
  errors: ['unknown_source'],
  notices: ['listing_truncated', 'param_clamped'],
  cli: {
    command: 'orphans',
    group: 'Graph',
    short: { limit: 'n' },
    human: (rows, view) =>
      rows.length === 0
        ? 'Every page is linked.'
        : tableLines(
            rows.map(({ slug, title }) => [slug, { text: title, style: view.dim }]),
            view,
          ).join('\n'),
  },
  examples: [{ title: 'What nothing points to', input: { limit: 20 } }],
  run: async (ctx, { limit }) => {
    const rows = await readOrphans(ctx.brain.store, ctx.scope, limit + 1);
    if (rows.length > limit) {
      ctx.meta('pagination', { truncated: true, limit });
      ctx.notice('listing_truncated', {
        shown: limit,
        operation: 'find_orphans',
        ...(limit < 1000 && { next: { limit: Math.min(limit * 2, 1000) } }),
      });
    }
    return rows.slice(0, limit);
  },
});
