// content_rewrite: a file of the content directory that was edited by hand is put aside and written from the brain again.
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineOperation } from '../../operation.ts';
import { followed, requireHeld } from './held-file.ts';
import { projectNow } from './projector.ts';
import { lookAt } from './write-file.ts';

/** Folder of the content directory for files that were put aside. */
const ASIDE = '.held';

export default defineOperation({
  name: 'content_rewrite',
  title: 'Rewrite an edited file',
  summary: 'Writes a file of the content directory from the brain again; what was edited by hand is put aside.',
  requirement: 'design/architecture section 4; facts/user-faults P14',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  input: (z) => ({ slug: z.string().describe('Page slug, e.g. people/alice-example') }),
  output: (z) =>
    z.object({
      slug: z.string(),
      path: z.string(),
      kept_as: z.string().optional(),
      state: z.enum(['written', 'held', 'failed', 'none']),
    }),
  errors: ['page_not_found', 'file_not_held', 'file_unusable', 'unknown_source'],
  cli: {
    command: 'content rewrite',
    group: 'Sources',
    positionals: ['slug'],
    human: ({ slug, path, kept_as }) =>
      `${path} is as ${slug} says again${kept_as ? `; what stood there is in ${kept_as}` : ''}`,
  },
  examples: [{ title: 'Keep what the brain says', input: { slug: 'people/alice-example' } }],
  run: async (ctx, input) => {
    const { page, file, root, path } = await requireHeld(ctx, 'content_rewrite', input.slug);
    const standing = await lookAt(path);
    if (standing.kind === 'other') {
      return ctx.fail('file_unusable', { slug: page.slug, path: file.path, reason: 'not_a_file' });
    }
    const kept = standing.kind === 'file' ? join(ASIDE, `${file.path}.${standing.hash.slice(0, 8)}`) : undefined;
    if (kept !== undefined) {
      await mkdir(dirname(join(root, kept)), { recursive: true });
      await rename(path, join(root, kept));
    }
    const done = await projectNow(followed(ctx), page.id);
    return {
      slug: page.slug,
      path: file.path,
      ...(kept !== undefined && { kept_as: join(root, kept) }),
      state: done?.record?.state ?? ('none' as const),
    };
  },
});
