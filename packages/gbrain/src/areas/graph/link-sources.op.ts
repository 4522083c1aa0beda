// list_link_sources: what made the edges of the graph, with counts.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { countSources } from './graph.sql.ts';

export default defineOperation({
  name: 'list_link_sources',
  title: 'Where links come from',
  summary: 'Counts the edges of the graph by what made them.',
  requirement: 'facts/contract G.7',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) => z.array(z.object({ link_source: z.string(), count: z.number() })),
  errors: ['unknown_source'],
  cli: {
    command: 'link-sources',
    group: 'Graph',
    human: (rows) =>
      twoColumns(
        rows.map((row) => [row.link_source, String(row.count)]),
        '',
      ).join('\n') || 'No edges.',
  },
  examples: [{ title: 'Every source of edges', input: {} }],
  run: (ctx) => countSources(ctx.brain.store, ctx.scope),
});
