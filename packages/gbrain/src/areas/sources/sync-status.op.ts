// sync_status: how far each source that is read from a folder is behind that folder. It changes nothing.
import { realpath, stat } from 'node:fs/promises';
import { readCompleteness } from '@gbrain/wire/json-document';
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { planRun } from '../ingest/plan.ts';
import { readSourceRows, type SourceRow } from './sources.sql.ts';

/** Time for all folders together; what is left by then is not read. */
const BUDGET_MS = 45_000;

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    // Not there, or not readable: what it holds cannot be compared.
    () => false,
  );

/** Files of a folder against the records of its source. */
async function behindOf(ctx: Context, source: SourceRow, root: string, signal: AbortSignal) {
  const home = await realpath(ctx.host.home.root).catch(() => ctx.host.home.root);
  const plan = await planRun(ctx.brain.store, {
    sourceId: source.id,
    root: await realpath(root),
    home,
    force: false,
    includeHidden: false,
    signal,
    onProgress: (what, done, total) =>
      ctx.progress({ what: `${source.id}: ${what}`, done, ...(total !== undefined && { total }) }),
  });
  return { seen: plan.seen, to_read: plan.candidates.length, gone: plan.gone.length };
}

export default defineOperation({
  name: 'sync_status',
  title: 'How far sources are behind',
  summary: 'Compares each source that is bound to a folder with its files: what is to be read, what is gone.',
  requirement: 'AGENT_OPERATOR v1, Slow reads; facts/contract F',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      sources: z.array(
        z.object({
          id: z.string(),
          path: z.string(),
          folder: z.enum(['there', 'missing']),
          pages: z.number(),
          last_import_at: z.string().nullable(),
          seen: z.number().optional(),
          to_read: z.number().optional(),
          gone: z.number().optional(),
        }),
      ),
      elapsed_ms: z.number(),
      complete: z.boolean(),
      incomplete: z
        .array(z.object({ field: z.string(), reason: z.enum(['not_read', 'bounded', 'budget']) }))
        .optional(),
    }),
  errors: [],
  cli: {
    command: 'sync status',
    group: 'Sources',
    slowRead: 'sync status',
    printsJson: true,
    human: ({ sources }) =>
      sources.length === 0
        ? 'No source is bound to a folder.'
        : twoColumns(
            sources.map(({ id, path, folder, seen, to_read, gone }): [string, string] => {
              const behind = to_read || gone ? `${to_read ?? 0} to read, ${gone ?? 0} gone` : 'up to date';
              const state = folder === 'missing' ? 'its folder is not there' : seen === undefined ? 'not read' : behind;
              return [id, `${path}  ${state}`];
            }),
            '',
          ).join('\n'),
  },
  examples: [{ title: 'Every source', input: {} }],
  run: async (ctx) => {
    const startedMs = performance.now();
    const rows = await readSourceRows(ctx.brain.store, { archived: false, visibility: 'all' });
    const bound = rows.filter(({ local_path }) => local_path !== null);
    const late = AbortSignal.timeout(BUDGET_MS);
    const incomplete: { field: string; reason: 'not_read' | 'budget' }[] = [];
    const sources = [];
    for (const row of bound) {
      const path = row.local_path!;
      const isThere = await isFolder(path);
      const field = `sources.${row.id}`;
      const behind =
        isThere && !late.aborted
          ? await behindOf(ctx, row, path, AbortSignal.any([ctx.signal, late])).catch((error: unknown) => {
              ctx.signal.throwIfAborted();
              if (!late.aborted) throw error;
              return undefined;
            })
          : undefined;
      if (!behind) incomplete.push({ field, reason: isThere ? 'budget' : 'not_read' });
      sources.push({
        id: row.id,
        path,
        folder: isThere ? ('there' as const) : ('missing' as const),
        pages: row.pages,
        last_import_at: row.last_import_at?.toISOString() ?? null,
        ...behind,
      });
    }
    return { sources, ...readCompleteness(performance.now() - startedMs, incomplete) };
  },
});
