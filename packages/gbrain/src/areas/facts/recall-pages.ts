// The page arm of recall: the best pages for a query, each with its best chunk or as much of it as was asked for.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { marksOf, type TrustMarks, trustShape } from '../pages/trust-marks.ts';
import { type Delivered, deliveredShape, type ReturnUnit } from '../search/evidence.ts';
import { runSearch, type Searched, type SearchRow } from '../search/run-search.ts';
import { tokensOf } from './pack.ts';

/** A page of the answer. Source: facts/contract G.6. */
export interface RecallPage extends TrustMarks {
  slug: string;
  title: string;
  chunk: string;
  evidence: string;
  create_safety: string;
  provenance: string;
  /** How much of the page `chunk` holds, where more than a chunk was asked for. */
  delivered?: Delivered;
}

/** Schema of a page of the answer. */
export const recallPageShape = (z: Z) =>
  z.object({
    slug: z.string(),
    title: z.string(),
    chunk: z.string(),
    evidence: z.string(),
    create_safety: z.string(),
    provenance: z.string(),
    delivered: deliveredShape(z).optional(),
    ...trustShape(z),
  });

/** Budget of the arm itself; the verb packs what comes out of it. */
const ARM_TOKENS = 32_000;

/** What is asked of the pages. */
export interface PagesAsked {
  query: string;
  limit: number;
  /** A chunk each, unless said otherwise. */
  unit?: ReturnUnit | undefined;
  window?: number | undefined;
}

/** Pages of an answer, and how the search of them went. */
export interface RecalledPages {
  pages: RecallPage[];
  searched: Searched;
  /** Tokens of the texts around the hits, where such were asked for. */
  delivery?: { budget: number; used: number };
}

/** Pages for a query, best first. */
export async function recallPages(ctx: Context, { query, limit, unit, window }: PagesAsked): Promise<RecalledPages> {
  const isWide = unit !== undefined && unit !== 'chunk';
  const wide = isWide ? { return_unit: unit, return_window: window } : {};
  const searched = await runSearch(ctx, { query, limit, token_budget: ARM_TOKENS, ...wide });
  return {
    pages: searched.rows.map(toPage),
    searched,
    ...(isWide && { delivery: { budget: ARM_TOKENS, used: searched.usedTokens } }),
  };
}

const toPage = (row: SearchRow): RecallPage => ({
  slug: row.slug,
  title: row.title,
  chunk: row.chunk_text,
  evidence: row.evidence,
  create_safety: row.create_safety,
  provenance: `page ${row.source_id}:${row.slug}`,
  ...(row.delivered && 'unit' in row.delivered && { delivered: row.delivered }),
  ...marksOf(row),
});

/** Tokens that a page takes. */
export const pageTokens = (page: RecallPage): number => tokensOf(page.title + page.chunk);
