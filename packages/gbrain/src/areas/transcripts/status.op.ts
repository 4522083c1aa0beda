// transcripts status: what lies in the folders of the agent apps of this machine, and what of it was taken in.
import { defineOperation } from '../../operation.ts';
import { FORMATS } from './conversation.ts';
import { transcriptFiles, transcriptRoots } from './find-files.ts';
import { countConversations } from './transcripts.sql.ts';

export default defineOperation({
  name: 'transcripts_status',
  title: 'State of conversations',
  summary: 'How many session files each agent app has on this machine, and how many were taken in.',
  requirement: 'facts/engine G.5',
  scope: 'read',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      apps: z.array(
        z.object({
          app: z.enum(FORMATS),
          /** Folders or databases that exist. */
          found: z.array(z.string()),
          files: z.number(),
          files_taken_in: z.number(),
          pages: z.number(),
          newest: z.string().nullable(),
        }),
      ),
    }),
  errors: ['unknown_source'],
  cli: {
    command: 'transcripts status',
    group: 'Sources',
    human: ({ apps }) =>
      apps
        .map(
          (one) => `${one.app.padEnd(12)} ${one.files} files here, ${one.files_taken_in} taken in, ${one.pages} pages`,
        )
        .join('\n'),
  },
  examples: [{ title: 'All apps', input: {} }],
  run: async (ctx) => {
    const taken = new Map((await countConversations(ctx.brain.store, ctx.scope)).map((row) => [row.app, row]));
    const roots = await Promise.all(
      transcriptRoots(ctx.host.env).map(async ({ format, path }) => {
        const files = await transcriptFiles(path, ctx.signal).catch(() => undefined);
        ctx.signal.throwIfAborted();
        return { format, path, files };
      }),
    );
    return {
      apps: FORMATS.map((app) => {
        const own = roots.filter(({ format, files }) => format === app && files !== undefined);
        const row = taken.get(app);
        return {
          app,
          found: own.map(({ path }) => path),
          files: own.reduce((sum, { files }) => sum + files!.length, 0),
          files_taken_in: row?.files ?? 0,
          pages: row?.pages ?? 0,
          newest: row?.newest.toISOString() ?? null,
        };
      }),
    };
  },
});
