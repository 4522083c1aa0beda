// import: takes a folder of markdown files in, and says of every path what became of it.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { noEmbedArg } from '../pages/page-args.ts';
import { type ImportReply, importLines, importShape, toReply } from './import-reply.ts';
import type { RunAsk, RunPlan } from './plan.ts';
import { removalConsent } from './removal-consent.ts';
import { type ImportAsk, planImport, runImport } from './run-import.ts';

/** A run may take as long as its folder needs; the caller can always cut it off, and go on later. */
const DEADLINE_MS = 24 * 60 * 60_000;

interface Input {
  dir: string;
  force?: boolean | undefined;
  include_hidden?: boolean | undefined;
  remove_gone?: boolean | undefined;
  dry_run?: boolean | undefined;
  no_embed?: boolean | undefined;
}

const askOf = (input: Input): ImportAsk => ({
  dir: input.dir,
  force: input.force ?? false,
  includeHidden: input.include_hidden ?? false,
  removeGone: input.remove_gone ?? false,
  dryRun: input.dry_run ?? false,
  isEmbedHeld: input.no_embed ?? false,
});

/** Plans that the consent step has made, for the run that follows it in the same call. */
const planned = new WeakMap<Context, { ask: RunAsk; plan: RunPlan }>();

export default defineOperation({
  name: 'import',
  title: 'Import a folder',
  summary: 'Takes every markdown file of a folder in; a second run takes only what changed.',
  requirement: 'facts/engine G.1; design/decisions 19b to 20; facts/user-faults P11 to P22',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: DEADLINE_MS,
  input: (z) => ({
    dir: z.string().min(1).describe('Folder of markdown files'),
    dry_run: z.boolean().describe('Only say what would happen').optional(),
    remove_gone: z.boolean().describe('Also remove pages whose files are gone from the folder').optional(),
    force: z.boolean().describe('Overwrite pages that were changed in the brain; a version is kept').optional(),
    no_embed: noEmbedArg(z),
    include_hidden: field(z.boolean().describe('Also files and folders whose names begin with a dot'), {
      fullOnly: true,
    }).optional(),
  }),
  consent: async (ctx, input, approval) => {
    const ask = askOf(input);
    if (!ask.removeGone || ask.dryRun) return undefined;
    const made = await planImport(ctx, ask);
    planned.set(ctx, made);
    const { root, sourceId } = made.ask;
    return removalConsent(ctx, { operation: 'import', input, sourceId, root, gone: made.plan.gone, approval });
  },
  output: (z) => importShape(z),
  errors: [
    'folder_unreadable',
    'sync_not_applicable',
    'unknown_source',
    'migrations_pending',
    'preview_changed',
    'export_unreadable',
  ],
  notices: ['held_files'],
  cli: {
    command: 'import',
    group: 'Sources',
    positionals: ['dir'],
    paths: ['dir'],
    human: (reply, view) => importLines(reply, view),
    exit: (reply) => (reply.failed > 0 ? 1 : 0),
  },
  examples: [
    { title: 'A folder of notes', input: { dir: '/home/alice-example/notes' } },
    { title: 'Look first', input: { dir: '/home/alice-example/notes', dry_run: true } },
    { title: 'A folder that mirrors another', input: { dir: '/home/alice-example/notes', remove_gone: true } },
  ],
  run: async (ctx, input): Promise<ImportReply> => {
    const ask = askOf(input);
    const made = planned.get(ctx) ?? (await planImport(ctx, ask));
    const reply = toReply(ctx.target.source, ask, await runImport(ctx, ask, made));
    if (reply.failed > 0) ctx.notice('held_files', { failed: reply.failed, dir: ask.dir, source: reply.source_id });
    return reply;
  },
});
