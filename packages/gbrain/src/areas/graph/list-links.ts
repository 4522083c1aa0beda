// The edges of one page in one direction: what `get_links` and `get_backlinks` have in common.
import type { Context } from '../../context.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { type LinkRow, readLinks } from './graph.sql.ts';

/** Longest listing. */
const LIMIT_MAX = 1_000;

/** What is asked of a page's edges. */
export interface LinksInput {
  slug: string;
  link_type?: string | undefined;
  limit: number;
}

/** Edges of a page, with the notice and `_meta.pagination` of a listing that was cut. */
export async function listLinks(
  ctx: Context,
  tool: string,
  direction: 'in' | 'out',
  input: LinksInput,
): Promise<LinkRow[]> {
  const { link_type, limit } = input;
  const { slug } = await findPage(ctx, input.slug, requireSlug(ctx, tool, { ...input }));
  const filter = { slug, direction, limit: limit + 1, ...(link_type && { linkType: link_type }) };
  const rows = await readLinks(ctx.brain.store, ctx.scope, filter);
  if (rows.length > limit) {
    const next = { ...input, limit: Math.min(limit * 2, LIMIT_MAX) };
    ctx.meta('pagination', { truncated: true, limit });
    ctx.notice('listing_truncated', { shown: limit, operation: tool, ...(limit < LIMIT_MAX && { next }) });
  }
  return rows.slice(0, limit);
}
