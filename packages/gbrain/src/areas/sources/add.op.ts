// sources_add: makes a source, bound to a folder of this machine or to none; an archived one comes back.
import { defineOperation } from '../../operation.ts';
import { realFolder } from '../ingest/run-import.ts';
import { sourceShape, sourceView } from './source-view.ts';
import { archiveSource, findTaken, insertSource, readSourceRows } from './sources.sql.ts';

const ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/;

export default defineOperation({
  name: 'sources_add',
  title: 'Add a source',
  summary: 'Makes a source, bound to a folder or not; a removed one of this id comes back with its pages.',
  requirement: 'facts/contract G.12; design/decisions 24',
  scope: 'sources_admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    id: z.string().describe('Source id: letters, digits, - and _'),
    name: z.string().min(1).max(200).describe('Name for people; the id when left out').optional(),
    path: z.string().min(1).describe('Folder of this machine that its files are in; the owner only').optional(),
    truth: z
      .enum(['database', 'files'])
      .describe('files: pages are changed in the folder only, and the brain reads it')
      .default('database'),
    federated: z.boolean().describe('Whether a search over all sources includes it').optional(),
  }),
  output: (z) => z.object({ ...sourceShape(z), status: z.enum(['created', 'restored', 'unchanged']) }),
  errors: ['invalid_source', 'source_id_taken', 'source_folder_local', 'folder_unreadable'],
  cli: {
    command: 'sources add',
    group: 'Sources',
    positionals: ['id', 'path'],
    plainPositionals: true,
    paths: ['path'],
    human: ({ id, status, path }) => `Source ${id} ${status}${path ? `, bound to ${path}` : ''}`,
  },
  examples: [
    { title: 'A second collection', input: { id: 'work' } },
    {
      title: 'A folder whose files are the truth',
      input: { id: 'wiki', path: '/home/alice-example/wiki', truth: 'files' },
    },
  ],
  run: async (ctx, input) => {
    const { store } = ctx.brain;
    const { id, truth } = input;
    if (!ID.test(id)) return ctx.fail('invalid_source', { source: id.slice(0, 64) });
    if (input.path !== undefined && !ctx.caller.owner) return ctx.fail('source_folder_local', { source: id });
    if (truth === 'files' && input.path === undefined) {
      return ctx.fail('invalid_params', {
        tool: 'sources_add',
        param: 'path',
        problem: 'missing',
        expected: 'a folder',
      });
    }
    const path = input.path === undefined ? undefined : await realFolder(input.path);
    const name = input.name ?? id;
    const wanted = { id, name, truth, federated: input.federated ?? false, ...(path !== undefined && { path }) };
    const made = await store.query(insertSource(wanted));
    const all = { archived: true, visibility: ctx.caller.owner ? ('all' as const) : ('world' as const) };
    const [row] = await readSourceRows(store, { id, ...all });
    if (made.length > 0 && row) return { ...sourceView(row, ctx.caller.owner), status: 'created' as const };
    const isSame =
      row?.truth === truth &&
      (path === undefined || row.local_path === path) &&
      (input.name === undefined || row.name === name);
    if (!row || !isSame) {
      const taken = await findTaken(store, id, name);
      return ctx.fail('source_id_taken', { source: id, name, by: taken[0]?.id ?? id });
    }
    if (row.archived_at === null) return { ...sourceView(row, ctx.caller.owner), status: 'unchanged' as const };
    await store.query(archiveSource(id, null));
    return { ...sourceView({ ...row, archived_at: null }, ctx.caller.owner), status: 'restored' as const };
  },
});
