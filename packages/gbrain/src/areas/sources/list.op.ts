// sources_list: the sources of the brain with their sizes.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { sourceLine, sourceShape, sourceView } from './source-view.ts';
import { readSourceRows } from './sources.sql.ts';

export default defineOperation({
  name: 'sources_list',
  title: 'List sources',
  summary: 'The sources of this brain: where each is kept and how many pages it has.',
  requirement: 'facts/contract G.12',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ include_archived: z.boolean().describe('Also sources that were removed').optional() }),
  output: (z) => z.object({ sources: z.array(z.object(sourceShape(z))) }),
  errors: [],
  cli: {
    command: 'sources list',
    group: 'Sources',
    human: ({ sources }) => twoColumns(sources.map(sourceLine), '').join('\n'),
  },
  examples: [
    { title: 'All that are in use', input: {} },
    { title: 'Removed ones too', input: { include_archived: true } },
  ],
  run: async ({ brain, caller }, input) => {
    const visibility = caller.owner ? 'all' : 'world';
    const rows = await readSourceRows(brain.store, { archived: input.include_archived ?? false, visibility });
    return { sources: rows.map((row) => sourceView(row, caller.owner)) };
  },
});
