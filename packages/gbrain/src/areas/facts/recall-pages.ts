// The page arm of recall: the best pages for a query, each with its best chunk, through the index.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { marksOf, type TrustMarks, trustShape } from '../pages/trust-marks.ts';
import { runSearch } from '../search/run-search.ts';
import { shownText } from './fact-view.ts';
import { tokensOf } from './pack.ts';

/** A page of the answer. Source: facts/contract G.6. */
export interface RecallPage extends TrustMarks {
  slug: string;
  title: string;
  chunk: string;
  evidence: string;
  create_safety: string;
  provenance: string;
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
    ...trustShape(z),
  });

/** Budget of the arm itself; the verb packs what comes out of it. */
const ARM_TOKENS = 32_000;

/** Pages for a query, best first. */
export async function recallPages(ctx: Context, query: string, limit: number): Promise<RecallPage[]> {
  const { rows } = await runSearch(ctx, { query, limit, token_budget: ARM_TOKENS });
  return rows.map(
    (row): RecallPage => ({
      slug: row.slug,
      title: row.title,
      chunk: shownText(ctx.scope, row.chunk_text),
      evidence: row.evidence,
      create_safety: row.create_safety,
      provenance: `page ${row.source_id}:${row.slug}`,
      ...marksOf(row),
    }),
  );
}

/** Tokens that a page takes. */
export const pageTokens = (page: RecallPage): number => tokensOf(page.title + page.chunk);
