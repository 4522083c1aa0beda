// list_pages: pages in one of a few orders, narrowed by type, tag or time, with an exact cursor.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { readableText } from '../../render/markdown.ts';
import { tableLines } from '../../render/table.ts';
import { field } from '../../schema.ts';
import { LISTED_ORDERS, type ListOrder, listOrder, parseCursor, writeCursor } from './list-order.ts';
import { type ListFilter, type ListRow, readList } from './pages.sql.ts';

/** Rows of one list over MCP, and at the command line. Source: facts/contract G.7. */
const REMOTE_MAX = 100;
const LOCAL_MAX = 10_000;

interface ListInput {
  type?: string | undefined;
  tag?: string | undefined;
  sort?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  cursor?: string | undefined;
  updated_after?: string | undefined;
  updated_after_slug?: string | undefined;
  include_deleted?: boolean | undefined;
}

function parseTime(ctx: Context, text: string): Date {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  return ctx.fail('invalid_params', {
    tool: 'list_pages',
    param: 'updated_after',
    problem: 'shape',
    expected: 'an ISO 8601 time, e.g. 2026-01-31T09:00:00Z',
  });
}

/** Where the list begins: an opaque cursor, or the older pair of time and slug. */
function startOf(ctx: Context, order: ListOrder, input: ListInput): Pick<ListFilter, 'after' | 'updatedAfter'> {
  if (input.cursor !== undefined) {
    const after = parseCursor(order, input.cursor);
    if (after) return { after };
    const { cursor: _, ...corrected } = input;
    ctx.fail('invalid_params', {
      tool: 'list_pages',
      param: 'cursor',
      problem: 'shape',
      expected: 'the cursor of a reply to the same sort',
      corrected,
    });
  }
  if (input.updated_after === undefined) return {};
  const time = parseTime(ctx, input.updated_after);
  const isForward = order.by === 'updated' && !order.descending;
  if (isForward && input.updated_after_slug !== undefined)
    return { after: { key: time, slug: input.updated_after_slug } };
  return { updatedAfter: time };
}

/** Arguments of the same list from after its last row. */
function nextArgs(order: ListOrder, input: ListInput, last: ListRow): Record<string, unknown> {
  if (input.sort === 'updated_asc') {
    return {
      sort: 'updated_asc',
      updated_after: last.updated_at.toISOString(),
      updated_after_slug: last.slug,
    };
  }
  const key = last.sort_key instanceof Date ? last.sort_key : String(last.sort_key);
  return { cursor: writeCursor(order, { key, slug: last.slug, sourceId: last.source_id }) };
}

export default defineOperation({
  name: 'list_pages',
  title: 'List pages',
  summary: 'Lists pages without their text, newest change first unless sorted otherwise.',
  requirement: 'facts/contract G.7; design/decisions 8a; AGENT_OPERATOR v1, transcript 1',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    type: z.string().describe('Only this page type').optional(),
    tag: z.string().describe('Only pages with this tag').optional(),
    sort: field(
      z
        .string()
        .refine((name) => listOrder(name) !== undefined, { message: `one of ${LISTED_ORDERS.join(', ')}` })
        .meta({ enum: [...LISTED_ORDERS], description: 'Order' }),
      { example: LISTED_ORDERS[0] },
    ).optional(),
    limit: field(z.number().int().min(1).max(LOCAL_MAX).describe('Rows (default 50; at most 100 over MCP)'), {
      clamp: true,
      example: 50,
    }).optional(),
    cursor: z.string().describe('Goes on after an earlier reply').optional(),
    offset: field(z.number().int().min(0).max(100_000).describe('Rows to skip; cursor is exact'), {
      fullOnly: true,
      clamp: true,
    }).optional(),
    updated_after: z.string().describe('Only pages changed after this ISO time').optional(),
    updated_after_slug: field(z.string().describe('Goes on after this slug at updated_after'), {
      fullOnly: true,
    }).optional(),
    include_deleted: field(z.boolean().describe('Deleted pages too'), { fullOnly: true }).optional(),
  }),
  output: (z) =>
    z.array(
      z.object({
        slug: z.string(),
        source_id: z.string(),
        type: z.string(),
        title: z.string(),
        updated_at: z.string(),
        deleted_at: z.string().optional(),
      }),
    ),
  errors: ['unknown_source'],
  notices: ['listing_truncated', 'param_clamped'],
  cli: {
    command: 'list',
    group: 'Pages',
    short: { limit: 'n' },
    human: (rows, view) => {
      if (rows.length === 0) return 'No pages.';
      return tableLines(
        rows.map(({ slug, type, title, updated_at, deleted_at }) => [
          slug,
          { text: type, style: view.dim },
          { text: updated_at.slice(0, 10), style: view.dim },
          deleted_at
            ? { text: `${readableText(title)} (deleted)`, style: view.dim }
            : { text: readableText(title), style: view.bold },
        ]),
        view,
      ).join('\n');
    },
  },
  examples: [
    { title: 'What changed last', input: { limit: 10 } },
    { title: 'People by name', input: { type: 'person', sort: 'title' } },
  ],
  run: async (ctx, input) => {
    const order = listOrder(input.sort ?? 'updated')!;
    const asked = input.limit ?? 50;
    const limit = Math.min(asked, ctx.caller.transport === 'cli' ? LOCAL_MAX : REMOTE_MAX);
    if (limit < asked) ctx.notice('param_clamped', { param: 'limit', from: asked, to: limit });
    const rows = await readList(ctx.brain.store, ctx.scope, order, {
      ...startOf(ctx, order, input),
      ...(input.type !== undefined && { type: input.type }),
      ...(input.tag !== undefined && { tag: input.tag }),
      ...(input.include_deleted && { deleted: true }),
      ...(input.offset !== undefined && { offset: input.offset }),
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next = last && nextArgs(order, input, last);
    ctx.meta('pagination', {
      truncated: next !== undefined,
      limit,
      ...(limit < asked && { clamped_from: asked }),
      ...(next && { next }),
    });
    if (next) {
      const { offset: _, cursor: __, limit: ___, ...rest } = input;
      ctx.notice('listing_truncated', { shown: shown.length, next: { ...rest, limit, ...next } });
    }
    return shown.map((row) => ({
      slug: row.slug,
      source_id: row.source_id,
      type: row.type,
      title: row.title,
      updated_at: row.updated_at.toISOString(),
      ...(row.deleted_at && { deleted_at: row.deleted_at.toISOString() }),
    }));
  },
});
