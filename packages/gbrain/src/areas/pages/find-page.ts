// Finds the page that a caller names: by slug, moved alias, or name; and what to offer when there is none.
import { closestNames } from '@gbrain/wire/did-you-mean';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { foldedSlug, lookupName } from './columns.ts';
import { findNamed, findSlugs, type PageRow, readPage, slugCandidates, sourcesOfSlug } from './pages.sql.ts';
import type { Slug } from './slug.ts';

/** How a page is looked for. */
export interface FindOptions {
  deleted?: boolean;
  text?: boolean;
  /** Also by name: alias, slug without accents, last part of a slug, title. */
  fuzzy?: boolean;
}

/** Pages that an ambiguous name lists. */
const CANDIDATES = 10;

/** The page, or `page_not_found` with the nearest slugs, or `ambiguous_slug` when a name fits several. */
export async function findPage(ctx: Context, name: string, slug: Slug, options: FindOptions = {}): Promise<PageRow> {
  const { store } = ctx.brain;
  const row = await readPage(store, ctx.scope, slug, options);
  if (row) {
    await requireOneSource(ctx, slug, options);
    return row;
  }
  if (options.fuzzy) {
    const named = await findNamed(store, ctx.scope, namesOf(name, slug), CANDIDATES);
    const [only, ...others] = named?.pages ?? [];
    if (only && others.length > 0) {
      const isWide = ctx.scope.sources.length > 1;
      const candidates = named!.pages.map((one) => (isWide ? `${one.source_id}:${one.slug}` : one.slug));
      refuseAmbiguous(name, candidates, { slug: only.slug, ...(isWide && { source: only.source_id }) });
    }
    const found = only && (await readPage(store, ctx.scope, only.slug, options));
    if (found) return found;
  }
  return raise('page_not_found', { slug, source: ctx.target.source, near: await nearSlugs(ctx, slug) });
}

/** A read over several sources: a slug that more than one of them has is several pages. */
async function requireOneSource(ctx: Context, slug: Slug, options: FindOptions): Promise<void> {
  if (ctx.scope.sources.length < 2) return;
  const sources = await sourcesOfSlug(ctx.brain.store, ctx.scope, slug, options);
  if (sources.length < 2) return;
  const candidates = sources.map((source) => `${source}:${slug}`);
  refuseAmbiguous(slug, candidates, { slug, source: sources[0]! });
}

function refuseAmbiguous(name: string, candidates: readonly string[], first: { slug: string; source?: string }): never {
  const detail = `candidates=${candidates.join(',')}`;
  raise('ambiguous_slug', { slug: name.slice(0, 200), candidates, detail, first });
}

const namesOf = (name: string, slug: Slug) => ({
  folded: foldedSlug(slug),
  lookup: lookupName(name),
  title: name.trim(),
});

/** Slugs that the caller may see and may have meant, nearest first. */
export async function nearSlugs(ctx: Context, slug: string): Promise<string[]> {
  const { store } = ctx.brain;
  const folded = foldedSlug(slug);
  const last = folded.slice(folded.lastIndexOf('/') + 1);
  const holding = await findSlugs(store, ctx.scope, last, 5);
  const others = holding.filter((one) => one !== slug);
  if (others.length > 0) return others;
  const starts = [...new Set([last.slice(0, 3), last.slice(0, 2)])].filter((start) => start.length > 1);
  return closestNames(folded, await slugCandidates(store, ctx.scope, starts, 500), 3);
}
