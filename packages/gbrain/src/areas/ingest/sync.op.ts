// sync_brain: reads the folder of a source again: what is new or changed comes in, what is gone goes out.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { noEmbedArg } from '../pages/page-args.ts';
import { type ImportReply, importLines, importShape, toReply } from './import-reply.ts';
import { readSourceFolder } from './ingest.sql.ts';
import type { RunAsk, RunPlan } from './plan.ts';
import { removalConsent } from './removal-consent.ts';
import { type ImportAsk, planImport, runImport } from './run-import.ts';

/** Plans that the consent step has made, for the run that follows it in the same call. */
const planned = new WeakMap<Context, { ask: RunAsk; plan: RunPlan }>();

async function askOf(
  ctx: Context,
  input: { dry_run?: boolean | undefined; force?: boolean | undefined; no_embed?: boolean | undefined },
): Promise<ImportAsk> {
  const dir = await readSourceFolder(ctx.brain.store, ctx.target.source);
  if (dir === undefined) return ctx.fail('source_unbound', { source: ctx.target.source });
  return {
    dir,
    force: input.force ?? false,
    includeHidden: false,
    removeGone: true,
    dryRun: input.dry_run ?? false,
    isEmbedHeld: input.no_embed ?? false,
  };
}

export default defineOperation({
  name: 'sync_brain',
  title: 'Sync a source with its folder',
  summary: 'Reads the folder of a source again: new and changed files come in, pages of files that are gone go out.',
  requirement: 'facts/contract G.12; facts/engine G.3; design/decisions 20',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 24 * 60 * 60_000,
  input: (z) => ({
    dry_run: z.boolean().describe('Only say what would happen').optional(),
    force: z.boolean().describe('Overwrite pages that were changed in the brain; a version is kept').optional(),
    no_embed: noEmbedArg(z),
  }),
  consent: async (ctx, input, approval) => {
    const ask = await askOf(ctx, input);
    if (ask.dryRun) return undefined;
    const made = await planImport(ctx, ask);
    planned.set(ctx, made);
    const { root, sourceId } = made.ask;
    return removalConsent(ctx, { operation: 'sync_brain', input, sourceId, root, gone: made.plan.gone, approval });
  },
  output: (z) => importShape(z),
  errors: [
    'source_unbound',
    'folder_unreadable',
    'sync_not_applicable',
    'unknown_source',
    'migrations_pending',
    'preview_changed',
    'export_unreadable',
  ],
  notices: ['held_files'],
  cli: {
    command: 'sync',
    group: 'Sources',
    human: (reply, view) => importLines(reply, view),
    exit: (reply) => (reply.failed > 0 ? 1 : 0),
  },
  examples: [
    { title: 'The source of this call', input: {} },
    { title: 'Look first', input: { dry_run: true } },
  ],
  run: async (ctx, input): Promise<ImportReply> => {
    const ask = await askOf(ctx, input);
    const made = planned.get(ctx) ?? (await planImport(ctx, ask));
    const reply = toReply(ctx.target.source, ask, await runImport(ctx, ask, made));
    if (reply.failed > 0) ctx.notice('held_files', { failed: reply.failed, dir: ask.dir, source: reply.source_id });
    return reply;
  },
});
