// The last word on the order of rows: a reranker reads the best of them, where one is on. What is called as the
// question or given by structure stays in front, and a reranker that fails leaves the order as it was.
import type { Context } from '../../context.ts';
import { rerankDocuments } from '../models/rerank.ts';
import type { modeOf } from './modes.ts';
import type { SearchRow } from './run-search.ts';
import type { Degraded } from './vector-arm.ts';

/** A row, and whether its place is sure without reading its text. */
export interface PlacedRow {
  readonly row: SearchRow;
  readonly isPinned: boolean;
}

/** Rows in their last order, and what did not run. */
export interface RerankedRows {
  readonly rows: SearchRow[];
  readonly degraded: readonly Degraded[];
}

/** Ranks rows again. Scores stay where they were, so that they never rise; full rows say what the reranker gave. */
export async function rerankRows(
  ctx: Context,
  placed: readonly PlacedRow[],
  asked: { query: string; mode: ReturnType<typeof modeOf>; isFull: boolean },
): Promise<RerankedRows> {
  const rows = placed.map(({ row }) => row);
  const first = placed.findIndex(({ isPinned }) => !isPinned);
  if (first === -1) return { rows, degraded: [] };
  const open = rows.slice(first);
  const found = await rerankDocuments(
    { store: ctx.brain.store, host: ctx.host },
    {
      query: asked.query,
      mode: asked.mode,
      documents: open.map(({ title, chunk_text }) => `${title}\n${chunk_text}`),
      signal: ctx.signal,
    },
  );
  if ('failed' in found) {
    ctx.signal.throwIfAborted();
    return { rows, degraded: [{ stage: 'rerank_failed', reason: found.failed }] };
  }
  if ('skipped' in found) {
    const isKeyMissing = found.skipped === 'no_key';
    return { rows, degraded: isKeyMissing ? [{ stage: 'reranker_skipped', reason: 'no_key' }] : [] };
  }
  const ordered = found.order.map((from, to): SearchRow => {
    const score = found.scores[from];
    const given = asked.isFull && score !== undefined ? { rerank_score: score, rerank_from: first + from + 1 } : {};
    return { ...open[from]!, score: open[to]!.score, ...given };
  });
  return { rows: [...rows.slice(0, first), ...ordered], degraded: [] };
}
