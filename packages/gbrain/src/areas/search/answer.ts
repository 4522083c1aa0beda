// What goes with the rows of a search: which arms ran, how sure it is, and the notices that a reader must see.
import type { Context } from '../../context.ts';
import { coverageOf, heldFiles } from './coverage.ts';
import type { Searched, SearchInput, SearchRow } from './run-search.ts';
import type { Degraded } from './vector-arm.ts';
import { isSetupOnly, ofRecall } from './vector-arm.ts';

/** Sets `_meta.retrieval` and `_meta.pagination` and raises the notices of one search. */
export function describeSearch(
  ctx: Context,
  tool: 'search' | 'query',
  input: SearchInput,
  searched: Searched & { factCount?: number },
): void {
  const { factCount = 0, rows, reply, hasMore, usedTokens, budgetTokens, limit, position, degraded, isFull } = searched;
  const coverage = coverageOf({ query: input.query, types: input.types ?? [], rows }, searched.holds);
  ctx.meta('retrieval', {
    returned_count: rows.length + factCount,
    retrieved_count: reply.pages.length,
    vector_enabled: reply.vectorTrust !== null,
    ...(reply.vectorTrust !== null && { vector_trust: Math.round(reply.vectorTrust * 1000) / 1000 }),
    confidence: reply.confidence,
    token_budget: { budget: budgetTokens, used: usedTokens },
    degraded,
    rows: isFull ? 'full' : 'lean',
    stages: reply.stages.map(({ name, elapsedMs, candidates }) => ({
      name,
      elapsed_ms: Math.round(elapsedMs * 1000) / 1000,
      ...(input.explain && { candidates }),
    })),
    ...(input.explain && { terms: reply.terms }),
    coverage,
    position,
  });
  const held = heldFiles(coverage, searched.holds, ctx.target.source);
  if (held) ctx.notice('held_files', { ...held });
  const rebuilt = searched.tellRebuilt();
  if (rebuilt) ctx.notice('index_rebuilt', { reason: rebuilt });
  if (rows.length + factCount === 0) {
    ctx.notice('empty_retrieval', missingOf(ofRecall(degraded)));
    return;
  }
  if (hasMore) {
    const offset = (input.offset ?? 0) + rows.length;
    ctx.meta('pagination', { truncated: true, limit, next: { offset } });
    ctx.notice('listing_truncated', { shown: rows.length, operation: tool, next: { ...input, offset } });
  }
  if (reply.confidence === 'weak') ctx.notice('weak_retrieval', {});
  const dates = datesLine(rows);
  if (dates) ctx.line(`[gbrain dates] ${dates}`);
  tellDegraded(ctx, degraded);
}

/** Says which stages of a search did not run. */
export function tellDegraded(ctx: Context, degraded: readonly Degraded[]): void {
  const missing = ofRecall(degraded);
  if (missing.length === 0) return;
  ctx.notice('degraded_recall', { configOnly: isSetupOnly(missing), ...missingOf(missing) });
}

/** Names of the stages that did not run, and why the query had no vector where it had none. */
export function missingOf(degraded: readonly Degraded[]): { stages: string[]; reason?: string } {
  const reason = degraded.find(({ stage }) => stage === 'embed_unavailable')?.reason;
  return { stages: degraded.map(({ stage }) => stage), ...(reason !== undefined && { reason }) };
}

const MEANING: Record<string, string> = {
  date: "the document's own date",
  published: "the document's own date",
  filename: "the document's own date",
  event_date: 'the date of an event',
  created: 'when the page was made here',
  fallback: 'when the page was made here',
};

/** What kind of dates the rows have; undefined when none has one. */
function datesLine(rows: readonly SearchRow[]): string | undefined {
  const kinds = new Set(rows.flatMap((row) => (row.effective_date ? [String(row.effective_date_source ?? '')] : [])));
  if (kinds.size === 0) return undefined;
  const parts = [...kinds].map((kind) => `${kind || 'unrecorded'} is ${MEANING[kind] ?? 'of unrecorded origin'}`);
  return `${parts.join('; ')}. None is a contract's date of effect.`;
}
