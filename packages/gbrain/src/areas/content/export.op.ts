// export: writes a source out as a folder of markdown files that gives the same brain when it is read back.
import { realpath } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { exports as registered } from '../../generated/exports.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { nearestFolder } from '../ingest/nearest-folder.ts';
import { runExport } from './export-run.ts';

/** Problems that a person is shown; `--json` lists all. */
const SHOWN = 20;

const WORDS: Record<string, string> = {
  held: 'another file stands there',
  failed: 'could not be written',
  stale: 'its page is gone',
};

/** Raises `export_folder` for a folder that this program keeps for itself. */
async function refuseOwnFolder(ctx: Context, dir: string): Promise<void> {
  const above = nearestFolder(dir);
  if (!isAbsolute(dir)) raise('export_folder', { folder: dir, above, reason: 'not_absolute' });
  // What is not there yet is nobody's: its path is compared as it was given.
  const real = (path: string) => realpath(path).catch(() => path);
  const home = await real(ctx.host.home.root);
  const folder = await real(dir);
  if (folder === home || folder.startsWith(home + sep))
    raise('export_folder', { folder: dir, above, reason: 'own_home' });
}

export default defineOperation({
  name: 'export',
  title: 'Export to a folder',
  summary: 'Writes every page of a source to its file, byte for byte, and what no page holds beside them.',
  requirement: 'design/decisions 19b, 19d; facts/user-faults P14',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  localOnly: true,
  deadlineMs: 24 * 60 * 60_000,
  input: (z) => ({
    dir: z.string().min(1).describe('Folder to write to; made when it is not there'),
    force: z.boolean().describe('Overwrite files that no earlier export wrote').optional(),
    prune: z.boolean().describe('Remove files of an earlier export whose pages are gone').optional(),
  }),
  output: (z) =>
    z.object({
      source_id: z.string(),
      dir: z.string(),
      pages: z.number(),
      written: z.number(),
      unchanged: z.number(),
      held: z.number(),
      failed: z.number(),
      stale: z.number(),
      pruned: z.number(),
      parts: z.array(z.object({ name: z.string(), version: z.number(), rows: z.number() })),
      problems: z.array(
        z.object({
          path: z.string(),
          slug: z.string().optional(),
          outcome: z.enum(['held', 'failed', 'stale']),
          detail: z.string().optional(),
        }),
      ),
      elapsed_ms: z.number(),
    }),
  errors: ['export_folder', 'export_unreadable', 'storage_error', 'unknown_source'],
  cli: {
    command: 'export',
    group: 'Sources',
    positionals: ['dir'],
    paths: ['dir'],
    human: (reply, view) => {
      const { written, unchanged, held, failed, stale, pruned, pages, problems } = reply;
      const seconds = reply.elapsed_ms / 1000;
      const counts = [`unchanged ${unchanged}`, `held ${held}`, `failed ${failed}`];
      if (stale > 0) counts.push(`stale ${stale}`);
      if (pruned > 0) counts.push(`pruned ${pruned}`);
      return [
        `${view.bold(`Wrote ${written}`)}, ${counts.join(', ')} of ${counted(pages, 'page')} to ${reply.dir}` +
          view.dim(` (${seconds.toFixed(1)} s)`),
        ...problems
          .slice(0, SHOWN)
          .map(({ path, outcome, detail }) => `  ${path}: ${WORDS[outcome]}${detail ? ` (${detail})` : ''}`),
        ...(problems.length > SHOWN ? [view.dim(`  and ${problems.length - SHOWN} more; --json lists all`)] : []),
      ].join('\n');
    },
    exit: ({ held, failed }) => (held + failed > 0 ? 1 : 0),
  },
  examples: [
    { title: 'The default source', input: { dir: '/home/alice-example/notes-out' } },
    { title: 'A folder that mirrors the source', input: { dir: '/home/alice-example/notes-out', prune: true } },
  ],
  run: async (ctx, input) => {
    await refuseOwnFolder(ctx, input.dir);
    const startedAt = performance.now();
    const ask = {
      sourceId: ctx.target.source,
      dir: input.dir,
      force: input.force ?? false,
      prune: input.prune ?? false,
      parts: registered.map(({ value }) => value),
      signal: ctx.signal,
      onProgress: (done: number, total: number) => ctx.progress({ what: 'writing files', done, total }),
    };
    try {
      const result = await runExport(ctx.brain.store, ask);
      const elapsed_ms = Math.round(performance.now() - startedAt);
      return { source_id: ask.sourceId, dir: ask.dir, ...result, elapsed_ms };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      if (!isFull && code !== 'EROFS' && code !== 'EACCES') throw error;
      return raise(
        'storage_error',
        { operation: `writing to ${input.dir}`, reason: isFull ? 'disk_full' : 'read_only' },
        error,
      );
    }
  },
});
