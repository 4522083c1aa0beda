// get_versions: the earlier states of a page, newest first, with what each was replaced by on request.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { seenText } from './door.ts';
import { findPage } from './find-page.ts';
import { slugArg } from './page-args.ts';
import { pieceOf, REPLY_BYTES } from './page-output.ts';
import { requireSlug } from './page-slug.ts';
import { readVersions } from './pages.sql.ts';

export default defineOperation({
  name: 'get_versions',
  title: 'Earlier versions of a page',
  summary: 'Lists the earlier states of a page; version_id shows the text of one.',
  requirement: 'facts/contract G.12; design/decisions 22a',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    slug: slugArg(z),
    version_id: z.number().int().min(1).describe('Show the text of this one').optional(),
    before: z.number().int().min(1).describe('Only versions below this id').optional(),
    limit: field(z.number().int().min(1).max(100).describe('Versions (default 20)'), { clamp: true }).optional(),
  }),
  output: (z) =>
    z.object({
      slug: z.string(),
      source_id: z.string(),
      revision: z.string(),
      versions: z.array(
        z.object({
          version_id: z.number(),
          revision: z.string(),
          title: z.string(),
          type: z.string(),
          deleted: z.literal(true).optional(),
          size_bytes: z.number(),
          written_by: z.string().nullable(),
          session: z.object({ id: z.string(), sequence: z.number().nullable() }).optional(),
          created_at: z.string(),
          content: z.string().optional(),
          truncated: z.literal(true).optional(),
        }),
      ),
      next: z.number().nullable(),
    }),
  errors: ['page_not_found', 'not_found', 'unknown_source'],
  cli: {
    command: 'history',
    group: 'Pages',
    positionals: ['slug'],
    human: ({ versions }, view) => {
      const [only] = versions;
      if (only?.content !== undefined) return only.content;
      if (versions.length === 0) return 'No earlier versions.';
      const width = Math.max(...versions.map((one) => String(one.version_id).length));
      return versions
        .map((one) => {
          const when = view.dim(one.created_at.slice(0, 19).replace('T', ' '));
          const id = String(one.version_id).padStart(width);
          const size = String(one.size_bytes).padStart(8);
          return `${id}  ${when}  ${size}  ${one.title}${one.deleted ? ' (deleted)' : ''}`;
        })
        .join('\n');
    },
  },
  examples: [
    { title: 'What a page was before', input: { slug: 'people/alice-example' } },
    { title: 'The text of one version', input: { slug: 'people/alice-example', version_id: 12 } },
  ],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'get_versions', input);
    const page = await findPage(ctx, input.slug, slug);
    const limit = input.limit ?? 20;
    const rows = await readVersions(ctx.brain.store, ctx.scope, page.id, {
      ...(input.version_id !== undefined && { versionId: input.version_id }),
      ...(input.before !== undefined && { before: input.before }),
      limit: limit + 1,
    });
    if (input.version_id !== undefined && rows.length === 0) {
      const fix = {
        call: { op: 'get_versions', input: { slug: page.slug, source_id: page.source_id } },
        why: 'It lists the versions that the page has.',
      };
      ctx.fail('not_found', { what: 'version', id: input.version_id, fix });
    }
    const shown = rows.slice(0, limit);
    const maxBytes = ctx.caller.transport === 'cli' ? Number.POSITIVE_INFINITY : REPLY_BYTES;
    const versions = shown.map((row) => {
      const content = seenText(row.text, ctx.caller.owner);
      const piece = input.version_id === undefined ? undefined : pieceOf(content, 0, maxBytes);
      return {
        version_id: row.id,
        revision: row.revision,
        title: row.title,
        type: row.type,
        ...(row.deleted && { deleted: true as const }),
        size_bytes: Buffer.byteLength(content),
        written_by: row.writer_principal,
        ...(row.writer_session !== null && { session: { id: row.writer_session, sequence: row.writer_sequence } }),
        created_at: row.created_at.toISOString(),
        ...(piece && { content: piece.text, ...(piece.next !== undefined && { truncated: true as const }) }),
      };
    });
    return {
      slug: page.slug,
      source_id: page.source_id,
      revision: page.revision,
      versions,
      next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },
});
