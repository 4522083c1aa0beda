// content_status: how many pages stand as files in the content directory, and which files were edited by hand.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { contentRoot } from './project.ts';
import { countFiles, readDirectories, readUnwritten } from './projection.sql.ts';

const LISTED = 200;

export default defineOperation({
  name: 'content_status',
  title: 'State of the content directory',
  summary: 'How many pages stand as files, which wait, and which files are held because they were edited by hand.',
  requirement: 'facts/contract J.1',
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
      source_id: z.string(),
      root: z.string().optional(),
      written: z.number(),
      waiting: z.number(),
      held: z.number(),
      failed: z.number(),
      files: z.array(
        z.object({
          slug: z.string(),
          path: z.string(),
          state: z.enum(['held', 'failed']),
          reason: z.string().optional(),
          since: z.string(),
        }),
      ),
    }),
  errors: ['unknown_source'],
  cli: {
    command: 'content status',
    group: 'Sources',
    human: ({ root, written, waiting, held, failed, files }) =>
      root === undefined
        ? 'This source has no content directory.'
        : [
            root,
            `${written} written, ${waiting} waiting, ${held} held, ${failed} failed`,
            ...twoColumns(
              files.map(({ slug, path, state, reason }): [string, string] => [
                slug,
                `${path}: ${state}${reason ? ` (${reason})` : ''}`,
              ]),
              '',
            ),
            ...(held > 0 ? ['gbrain content take <slug> keeps the file, gbrain content rewrite <slug> the page'] : []),
          ].join('\n'),
  },
  examples: [{ title: 'The default source', input: {} }],
  run: async (ctx) => {
    const { store, brainId } = ctx.brain;
    const { source } = ctx.target;
    const hasDirectory = (await readDirectories(store)).includes(source);
    const files = await readUnwritten(store, source, LISTED);
    return {
      source_id: source,
      ...(hasDirectory && { root: contentRoot(ctx.host.home.root, brainId, source) }),
      ...(await countFiles(store, source)),
      files: files.map(({ slug, path, state, reason, at }) => ({
        slug,
        path,
        state,
        ...(reason !== null && { reason }),
        since: at.toISOString(),
      })),
    };
  },
});
