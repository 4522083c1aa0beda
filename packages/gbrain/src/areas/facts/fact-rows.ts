// Facts as rows of `query`: behind the pages, in the slots and tokens that those left free. A fact row is no page: it
// has no slug, id, type or chunk, and says which call gives the fact. Source: mcp-access; facts/contract H.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { marksOf, type TrustMarks, trustShape } from '../pages/trust-marks.ts';
import type { FactView } from './fact-view.ts';
import { factViews } from './fact-views.ts';
import { readEntityPages } from './facts.sql.ts';
import { rankedFacts } from './find-facts.ts';
import { questionVector } from './near-facts.ts';
import { tokensOf } from './pack.ts';

/** One fact of an answer. */
export interface FactRow extends TrustMarks {
  result_type: 'fact';
  fact_id: string;
  /** Present only when the caller can read the entity's page. */
  page_slug?: string;
  follow_up: { op: 'recall'; args: { entity: string } | { grep: string } };
  title: string;
  chunk_text: string;
  score: number;
  source_id: string;
  premise_changed?: string[];
}

/** Schema of a fact row. */
export const factRowShape = (z: Z) =>
  z.object({
    result_type: z.literal('fact'),
    fact_id: z.string(),
    page_slug: z.string().optional(),
    follow_up: z.object({ op: z.literal('recall'), args: z.record(z.string(), z.string()) }),
    title: z.string(),
    chunk_text: z.string(),
    score: z.number(),
    source_id: z.string(),
    ...trustShape(z),
    premise_changed: z.array(z.string()).optional(),
  });

/** Whether a row of an answer is a fact. */
export const isFactRow = <Row extends object>(row: Row | FactRow): row is FactRow =>
  'result_type' in row && row.result_type === 'fact';

/** What the pages left free. */
export interface Room {
  rows: number;
  tokens: number;
}

/** Most fact rows of one answer, whatever the room. */
const ROWS_MAX = 10;
/** A piece of a fact that finds it again by `grep`, in characters. */
const GREP_CHARS = 120;

/** Facts that answer a query, best first, as many as the room holds; none when `search.query_facts_arm` is off. */
export async function factRows(ctx: Context, query: string, room: Room): Promise<FactRow[]> {
  const limit = Math.min(room.rows, ROWS_MAX);
  if (limit <= 0 || room.tokens <= 0) return [];
  if ((await ctx.host.setting('search.query_facts_arm')).value === false) return [];
  const { store } = ctx.brain;
  const found = await rankedFacts(store, ctx.scope, {
    query,
    vector: await questionVector(ctx, query),
    now: ctx.now(),
    limit,
  });
  const slugs = [...new Set(found.flatMap(({ row }) => (row.entity_slug === null ? [] : [row.entity_slug])))];
  const pages = new Set(slugs.length === 0 ? [] : await readEntityPages(store, ctx.scope, slugs));
  const views = await factViews(
    ctx,
    found.map(({ row }) => row),
  );
  const rows: FactRow[] = [];
  let left = room.tokens;
  for (const [i, view] of views.entries()) {
    const fact = toRow(view, found[i]!.score, pages);
    left -= tokensOf(fact.title) + tokensOf(fact.chunk_text);
    if (left < 0) break;
    rows.push(fact);
  }
  return rows;
}

/** A row as a session was told it. */
export const toldRow = ({ fact_id, chunk_text }: FactRow) => ({
  factId: fact_id,
  text: chunk_text.slice(chunk_text.indexOf('): ') + 3),
});

function toRow(view: FactView, score: number, pages: ReadonlySet<string>): FactRow {
  const { entity_slug: entity, fact, kind, valid_from, provenance } = view;
  const isReadable = entity !== null && pages.has(`${view.source_id}\n${entity}`);
  return {
    result_type: 'fact',
    fact_id: view.fact_id,
    ...(isReadable && { page_slug: entity }),
    follow_up: { op: 'recall', args: entity === null ? { grep: fact.slice(0, GREP_CHARS) } : { entity } },
    title: entity === null ? 'Saved fact' : `Saved fact about ${entity}`,
    chunk_text: `Saved fact (${kind}; valid from ${valid_from.slice(0, 10)}; provenance: ${provenance}): ${fact}`,
    score: Number(score.toPrecision(4)),
    source_id: view.source_id,
    ...marksOf(view),
    ...(view.premise_changed && { premise_changed: view.premise_changed }),
  };
}
