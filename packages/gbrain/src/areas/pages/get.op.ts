// get_page: one page by slug, moved alias or, with `fuzzy`, by name; its text whole or by byte range.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { markdownLines } from '../../render/markdown.ts';
import { field } from '../../schema.ts';
import { readPageFile } from '../content/page-file.ts';
import { findPage } from './find-page.ts';
import { slugArg } from './page-args.ts';
import {
  pageFacts,
  pageHead,
  pageHeadShape,
  pageMarks,
  pieceOf,
  REPLY_BYTES,
  REPLY_BYTES_MAX,
  type SeenPage,
  seenPage,
} from './page-output.ts';
import { requireSlug } from './page-slug.ts';
import type { PageRow } from './pages.sql.ts';
import { trustShape } from './trust-marks.ts';

interface Wanted {
  offset: number;
  maxBytes: number;
  include_content?: boolean | undefined;
  content_only?: boolean | undefined;
}

/** The text in the form that was asked for, cut to the bytes that the reply may carry. */
function textOf(seen: SeenPage, wanted: Wanted) {
  const asksContent = wanted.content_only || wanted.include_content || wanted.offset > 0;
  if (!asksContent) {
    const truth = pieceOf(seen.compiledTruth, 0, wanted.maxBytes);
    const timeline = pieceOf(seen.timeline, 0, Math.max(0, wanted.maxBytes - Buffer.byteLength(truth.text)));
    const isCut = truth.next !== undefined || timeline.next !== undefined;
    const cutTimeline = truth.next === undefined ? timeline.text : '';
    return {
      fields: {
        compiled_truth: truth.text,
        timeline: cutTimeline,
        size_bytes: Buffer.byteLength(seen.content),
        ...(isCut && { truncated: true as const }),
      },
      next: isCut ? 0 : undefined,
    };
  }
  const piece = pieceOf(seen.content, wanted.offset, wanted.maxBytes);
  const isWhole = piece.offset === 0 && piece.next === undefined;
  const fitsTwice = isWhole && !wanted.content_only && 2 * piece.sizeBytes <= wanted.maxBytes;
  return {
    fields: {
      ...(fitsTwice && { compiled_truth: seen.compiledTruth, timeline: seen.timeline }),
      content: piece.text,
      ...(!isWhole && { offset: piece.offset }),
      size_bytes: piece.sizeBytes,
      ...(piece.next !== undefined && { truncated: true as const, next_offset: piece.next }),
    },
    next: piece.next,
  };
}

/** The page's file in the content directory, when it is not as the page says; the user is asked which one counts. */
async function heldFile(ctx: Context, row: PageRow) {
  const file = await readPageFile(ctx.brain.store, row.id);
  if (!file) return undefined;
  const { path, state, reason } = file;
  const told = { path, state, ...(reason !== null && { reason }) };
  ctx.notice('file_held', { slug: row.slug, source: row.source_id, ...told });
  return told;
}

/** Tells how to read on, with the call that does. */
function tellCut(
  ctx: Context,
  row: PageRow,
  cut: { next: number | undefined; fields: { size_bytes: number } },
  maxBytes: number,
): void {
  if (cut.next === undefined) return;
  ctx.notice('page_truncated', {
    slug: row.slug,
    source: row.source_id,
    next: cut.next,
    maxBytes,
    size: cut.fields.size_bytes,
    ...(row.deleted_at && { deleted: true }),
  });
}

export default defineOperation({
  name: 'get_page',
  title: 'Read a page',
  summary: 'Reads one page with its revision; large pages come by byte range (offset, max_bytes).',
  requirement: 'facts/contract G.7; facts/user-faults P43',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  readsAllSources: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    slug: slugArg(z),
    fuzzy: z.boolean().describe('Also find it by alias, title or last part of its slug').optional(),
    include_content: z.boolean().describe('Add the whole markdown').optional(),
    content_only: z.boolean().describe('Only the markdown and the facts needed to write it back').optional(),
    include_deleted: field(z.boolean().describe('Find a deleted page too'), { fullOnly: true }).optional(),
    offset: z.number().int().min(0).describe('First byte of the markdown to return').optional(),
    max_bytes: field(z.number().int().min(1).max(REPLY_BYTES_MAX).describe('Most bytes of text to return'), {
      clamp: true,
    }).optional(),
  }),
  output: (z) =>
    z.looseObject({
      ...pageHeadShape(z),
      frontmatter: z.record(z.string(), z.unknown()).optional(),
      compiled_truth: z.string().optional(),
      timeline: z.string().optional(),
      content: z.string().optional(),
      offset: z.number().optional(),
      next_offset: z.number().optional(),
      size_bytes: z.number(),
      truncated: z.literal(true).optional(),
      resolved_slug: z.string().optional(),
      effective_date: z.string().nullable().optional(),
      effective_date_source: z.string().nullable().optional(),
      ...trustShape(z),
      content_origin: z.string().optional(),
      visibility: z.literal('private').optional(),
      created_at: z.string().optional(),
      updated_at: z.string().optional(),
      deleted_at: z.string().optional(),
      file_held: z.object({ path: z.string(), state: z.string(), reason: z.string().optional() }).optional(),
    }),
  errors: ['page_not_found', 'ambiguous_slug', 'unknown_source'],
  notices: ['page_truncated', 'file_held'],
  cli: {
    command: 'get',
    group: 'Pages',
    isCommon: true,
    positionals: ['slug'],
    isVerbatim: true,
    human: (page, view) =>
      markdownLines(page.content ?? [page.compiled_truth, page.timeline].filter(Boolean).join('\n'), view),
  },
  examples: [
    { title: 'A page', input: { slug: 'people/alice-example' } },
    { title: 'By name', input: { slug: 'Alice Example', fuzzy: true } },
    { title: 'A piece of a long page', input: { slug: 'media/long-talk', offset: 60_000, max_bytes: 60_000 } },
  ],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'get_page', input);
    const isCli = ctx.caller.transport === 'cli';
    const row = await findPage(ctx, input.slug, slug, {
      text: true,
      ...(input.include_deleted && { deleted: true }),
      ...(input.fuzzy && { fuzzy: true }),
    });
    const maxBytes = input.max_bytes ?? (isCli ? Number.POSITIVE_INFINITY : REPLY_BYTES);
    const seen = seenPage(row, ctx.caller.owner);
    // A person at a terminal gets the page as it is written, so that `get` and `put` are a round trip.
    const include = input.include_content ?? isCli;
    const text = textOf(seen, { ...input, include_content: include, offset: input.offset ?? 0, maxBytes });
    tellCut(ctx, row, text, input.max_bytes ?? REPLY_BYTES);
    const held = await heldFile(ctx, row);
    return {
      ...(input.content_only ? pageHead(row) : pageFacts(row, ctx.caller.owner)),
      ...pageMarks(row),
      ...(row.slug !== slug && { resolved_slug: row.slug }),
      ...(held && { file_held: held }),
      ...text.fields,
    };
  },
});
