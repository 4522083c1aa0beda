// What goes with the rows of a search: which arms ran, how sure it is, and the notices that a reader must see.
import type { Context } from '../../context.ts';
import { coverageOf } from './coverage.ts';
import type { Searched, SearchInput, SearchRow } from './run-search.ts';
import type { Degraded } from './vector-arm.ts';
import { isSetupOnly } from './vector-arm.ts';

/** Sets `_meta.retrieval` and `_meta.pagination` and raises the notices of one search. */
export async function describeSearch(
  ctx: Context,
  tool: 'search' | 'query',
  input: SearchInput,
  searched: Searched & { factCount?: number },
): Promise<void> {
  const { factCount = 0, rows, reply, hasMore, usedTokens, budgetTokens, limit, position, degraded } = searched;
  const words = reply.terms.filter(({ kind }) => kind !== 'skip').map((term) => term.text);
  const { coverage, told } = await coverageOf(ctx, { input, rows, words });
  ctx.meta('retrieval', {
    returned_count: rows.length + factCount,
    retrieved_count: reply.pages.length,
    vector_enabled: reply.vectorTrust !== null,
    ...(reply.vectorTrust !== null && { vector_trust: Math.round(reply.vectorTrust * 1000) / 1000 }),
    confidence: reply.confidence,
    token_budget: { budget: budgetTokens, used: usedTokens },
    degraded,
    coverage,
    rows: input.fields ?? 'lean',
    stages: reply.stages.map(({ name, elapsedMs }) => ({ name, elapsed_ms: Math.round(elapsedMs * 1000) / 1000 })),
    position,
  });
  if (told) {
    const { counts, ...data } = told;
    ctx.notice('held_files', { ...data, coverage: counts });
  }
  const rebuilt = searched.tellRebuilt();
  if (rebuilt) ctx.notice('index_rebuilt', { reason: rebuilt });
  if (rows.length + factCount === 0) {
    ctx.notice('empty_retrieval', { hasTerms: reply.hasTerms, stages: stagesOf(degraded) });
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
  if (degraded.length > 0)
    ctx.notice('degraded_recall', { configOnly: isSetupOnly(degraded), stages: stagesOf(degraded) });
}

const stagesOf = (degraded: readonly Degraded[]): string[] => degraded.map(({ stage }) => stage);

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
