// sources_status: one source with what its last run did and whether its folder is there.
import { stat } from 'node:fs/promises';
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { sourceLine, sourceShape, sourceView } from './source-view.ts';
import { readSourceRows } from './sources.sql.ts';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    // Not there, or not readable: the folder cannot be read now, which is what is asked.
    () => false,
  );

export default defineOperation({
  name: 'sources_status',
  title: 'State of a source',
  summary: 'One source: its pages, the files behind them, its folder and what its last run did.',
  requirement: 'facts/contract G.12; AGENT_OPERATOR v1, Slow reads',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ id: z.string().describe('Source id') }),
  output: (z) =>
    z.object({
      ...sourceShape(z),
      folder: z.enum(['none', 'there', 'missing']),
      last_import: z
        .object({
          seen: z.number(),
          imported: z.number(),
          unchanged: z.number(),
          skipped: z.number(),
          failed: z.number(),
          removed: z.number(),
        })
        .optional(),
      elapsed_ms: z.number(),
      complete: z.literal(true),
    }),
  errors: ['unknown_source'],
  cli: {
    command: 'sources status',
    group: 'Sources',
    positionals: ['id'],
    plainPositionals: true,
    slowRead: 'sources status',
    human: (one) => {
      const last = one.last_import;
      const done = last && `${last.imported} imported, ${last.unchanged} unchanged, ${last.failed} failed`;
      return twoColumns(
        [
          sourceLine(one),
          ['Files', String(one.files)],
          ...(one.folder === 'missing' ? ([['Folder', 'is not there']] as [string, string][]) : []),
          ...(done ? ([['Last run', `${done} (${one.last_import_at?.slice(0, 16)})`]] as [string, string][]) : []),
        ],
        '',
      ).join('\n');
    },
  },
  examples: [{ title: 'The source that every brain has', input: { id: 'default' } }],
  run: async ({ brain, caller, fail }, { id }) => {
    const startedAt = performance.now();
    const visibility = caller.owner ? 'all' : 'world';
    const [row] = await readSourceRows(brain.store, { id, archived: caller.owner, visibility });
    if (!row) return fail('unknown_source', { source: id.slice(0, 64) });
    const isThere = row.local_path === null ? undefined : await isFolder(row.local_path);
    const { root: _, held: _held, ...counts } = (row.last_import ?? {}) as Record<string, unknown>;
    return {
      ...sourceView(row, caller.owner),
      folder: isThere === undefined ? ('none' as const) : isThere ? ('there' as const) : ('missing' as const),
      ...(row.last_import && { last_import: counts as never }),
      elapsed_ms: Math.round(performance.now() - startedAt),
      complete: true as const,
    };
  },
});
