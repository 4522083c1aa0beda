// content_take: a file of the content directory that was edited by hand becomes its page's text.
import { defineOperation } from '../../operation.ts';
import { readSettled } from '../ingest/read-file.ts';
import { parseSlug } from '../pages/slug.ts';
import { writePage } from '../pages/write-page.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { followed, requireHeld } from './held-file.ts';
import { projectNow } from './projector.ts';

export default defineOperation({
  name: 'content_take',
  title: 'Take an edited file',
  summary: 'Makes a file of the content directory that was edited by hand the text of its page; a version is kept.',
  requirement: 'design/architecture section 4; facts/user-faults P14',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({ slug: z.string().describe('Page slug, e.g. people/alice-example') }),
  output: (z) =>
    z.object({
      slug: z.string(),
      path: z.string(),
      status: z.enum(['created', 'updated', 'unchanged', 'deleted', 'restored']),
      revision: z.string().optional(),
      state: z.enum(['written', 'held', 'failed', 'none']),
    }),
  errors: [
    ...WRITE_ERRORS,
    'page_not_found',
    'file_not_held',
    'file_unusable',
    'invalid_frontmatter',
    'invalid_fence',
    'content_rejected',
  ],
  cli: {
    command: 'content take',
    group: 'Sources',
    positionals: ['slug'],
    human: ({ slug, path, status }) => `${slug} ${status} from ${path}`,
  },
  examples: [{ title: 'Keep what was written in the file', input: { slug: 'people/alice-example' } }],
  run: async (ctx, input) => {
    const { page, file, path } = await requireHeld(ctx, 'content_take', input.slug);
    const read = await readSettled(path);
    if (!read.ok && read.reason !== 'vanished') {
      return ctx.fail('file_unusable', { slug: page.slug, path: file.path, reason: read.reason });
    }
    const parsed = parseSlug(page.slug);
    if (!parsed.ok) throw new Error(`page ${page.id} has no slug`);
    const reply =
      read.ok &&
      (await writePage(ctx, {
        operation: 'content_take',
        slug: parsed.slug,
        input: { slug: page.slug, hash: read.hash },
        decide: (current) => ({
          kind: 'put',
          text: read.text,
          provenance: { sourceKind: 'file', ingestedVia: 'content_take' },
          ...(current?.text === read.text && { reply: {} }),
        }),
      }));
    const done = await projectNow(followed(ctx), page.id);
    return {
      slug: page.slug,
      path: file.path,
      status: reply ? reply.status : ('unchanged' as const),
      ...(reply && reply.revision !== undefined && { revision: reply.revision }),
      state: done?.record?.state ?? ('none' as const),
    };
  },
});
