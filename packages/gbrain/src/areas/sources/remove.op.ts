// sources_remove: takes a source out of use with all its pages; nothing is deleted, and sources_add brings it back.
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { sourceShape, sourceView } from './source-view.ts';
import { archiveSource, readSourceRows } from './sources.sql.ts';

export default defineOperation({
  name: 'sources_remove',
  title: 'Remove a source',
  summary: 'Takes a source and its pages out of use; sources_add with the same id brings them back.',
  requirement: 'facts/contract G.12; facts/engine G.4; design/decisions 16b',
  scope: 'sources_admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    id: z.string().describe('Source id'),
    dry_run: z.boolean().describe('Only say what would go out of use').optional(),
  }),
  output: (z) => z.object({ ...sourceShape(z), status: z.enum(['archived', 'would_archive', 'unchanged']) }),
  errors: ['unknown_source', 'source_protected'],
  cli: {
    command: 'sources remove',
    group: 'Sources',
    positionals: ['id'],
    plainPositionals: true,
    human: ({ id, status, pages }) =>
      status === 'would_archive'
        ? `${id} with ${counted(pages, 'page')} would go out of use`
        : `${id} with ${counted(pages, 'page')} is out of use; gbrain sources add ${id} brings it back`,
  },
  examples: [
    { title: 'Look first', input: { id: 'wiki', dry_run: true } },
    { title: 'Take it out of use', input: { id: 'wiki' } },
  ],
  run: async (ctx, { id, dry_run }) => {
    const { store } = ctx.brain;
    if (id === 'default') return ctx.fail('source_protected', { source: id });
    const visibility = ctx.caller.owner ? 'all' : 'world';
    const [row] = await readSourceRows(store, { id, archived: true, visibility });
    if (!row) return ctx.fail('unknown_source', { source: id.slice(0, 64) });
    const view = sourceView(row, ctx.caller.owner);
    if (row.archived_at !== null) return { ...view, status: 'unchanged' as const };
    if (dry_run) return { ...view, status: 'would_archive' as const };
    await store.query(archiveSource(id, ctx.now()));
    return { ...view, archived: true, status: 'archived' as const };
  },
});
