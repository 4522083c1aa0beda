// fetch: a page by the id of a search result, or by slug, in the shape that document connectors read.
import type { Context, ReadScope } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { findPage } from './find-page.ts';
import { parsePageId, writePageId } from './page-id.ts';
import { pageHead, pageMarks, pieceOf, REPLY_BYTES, seenPage } from './page-output.ts';
import { requireSlug } from './page-slug.ts';

/** The scope of an id that names its source; a caller over HTTP keeps to the sources of its own scope. */
async function scopeFor(ctx: Context, source: string | undefined): Promise<ReadScope> {
  if (source === undefined || ctx.scope.sources.includes(source)) return ctx.scope;
  if (ctx.caller.transport === 'http' || !(await ctx.brain.hasSource(source))) return { ...ctx.scope, sources: [] };
  return { ...ctx.scope, sources: [source] };
}

export default defineOperation({
  name: 'fetch',
  title: 'Fetch a page by id',
  summary: 'Reads a page by the id of a result, or by slug, as one document.',
  requirement: 'facts/contract G.12, H',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ id: z.string().describe('Id of a result, or a slug') }),
  output: (z) =>
    z.object({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      url: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    }),
  errors: ['page_not_found', 'ambiguous_slug', 'unknown_source'],
  notices: ['page_truncated'],
  cli: { command: 'fetch', group: 'Pages', positionals: ['id'], human: ({ text }) => text },
  examples: [{ title: 'By slug', input: { id: 'people/alice-example' } }],
  run: async (ctx, input) => {
    const id = parsePageId(input.id);
    const named = id?.slug ?? input.id;
    const slug = requireSlug(ctx, 'fetch', { id: named }, 'id');
    const scope = await scopeFor(ctx, id?.source);
    const row = await findPage({ ...ctx, scope }, named, slug, { text: true, fuzzy: id === undefined });
    const isCli = ctx.caller.transport === 'cli';
    const { content } = seenPage(row, ctx.caller.owner);
    const piece = pieceOf(content, 0, isCli ? Number.POSITIVE_INFINITY : REPLY_BYTES);
    if (piece.next !== undefined) {
      const { next, sizeBytes: size } = piece;
      ctx.notice('page_truncated', { slug: row.slug, source: row.source_id, next, maxBytes: REPLY_BYTES, size });
    }
    const { title, ...head } = pageHead(row);
    return {
      id: writePageId(row.source_id, row.slug),
      title,
      text: piece.text,
      url: `gbrain://page/${row.source_id}/${row.slug.split('/').map(encodeURIComponent).join('/')}`,
      metadata: {
        ...head,
        ...pageMarks(row),
        updated_at: row.updated_at.toISOString(),
        ...(piece.next !== undefined && { truncated: true, next_offset: piece.next }),
      },
    };
  },
});
