// The last word on the order of rows: a reranker reads the best of them, where one is on. What is called as the
// question or given by structure stays in front, and a reranker that fails leaves the order as it was.
import type { Context } from '../../context.ts';
import { rerankDocuments } from '../models/rerank.ts';
import type { modeOf } from './modes.ts';
import type { SearchRow } from './run-search.ts';
import type { Degraded } from './vector-arm.ts';

/** A hit as a reranker reads it. */
export interface PlacedHit {
  readonly title: string;
  readonly text: string;
  readonly score: number;
  /** Its place is sure without reading its text. */
  readonly isPinned: boolean;
}

/** A hit in its last order: its place in the first one, and what its row says otherwise than there. */
export interface RerankedHit {
  readonly place: number;
  readonly change: Partial<SearchRow>;
}

/** Hits in their last order, and what did not run. */
export interface RerankedHits {
  readonly hits: readonly RerankedHit[];
  readonly degraded: readonly Degraded[];
}

/** Hits in the order that they have. */
export const asPlaced = (placed: readonly PlacedHit[]): RerankedHit[] =>
  placed.map((_, place) => ({ place, change: {} }));

/** Ranks hits again. Scores stay where they were, so that they never rise; full rows say what the reranker gave. */
export async function rerankHits(
  ctx: Context,
  placed: readonly PlacedHit[],
  asked: { query: string; mode: ReturnType<typeof modeOf>; isFull: boolean },
): Promise<RerankedHits> {
  const hits = asPlaced(placed);
  const first = placed.findIndex(({ isPinned }) => !isPinned);
  if (first === -1) return { hits, degraded: [] };
  const open = placed.slice(first);
  const found = await rerankDocuments(
    { store: ctx.brain.store, host: ctx.host },
    {
      query: asked.query,
      mode: asked.mode,
      documents: open.map(({ title, text }) => `${title}\n${text}`),
      signal: ctx.signal,
    },
  );
  if ('failed' in found) {
    ctx.signal.throwIfAborted();
    return { hits, degraded: [{ stage: 'rerank_failed', reason: found.failed }] };
  }
  if ('skipped' in found) {
    const isKeyMissing = found.skipped === 'no_key';
    return { hits, degraded: isKeyMissing ? [{ stage: 'reranker_skipped', reason: 'no_key' }] : [] };
  }
  const ordered = found.order.map((from, to): RerankedHit => {
    const score = found.scores[from];
    const given = asked.isFull && score !== undefined ? { rerank_score: score, rerank_from: first + from + 1 } : {};
    return { place: first + from, change: { score: open[to]!.score, ...given } };
  });
  return { hits: [...hits.slice(0, first), ...ordered], degraded: [] };
}
