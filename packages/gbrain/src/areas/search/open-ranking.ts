// What ranks the pages of an open brain for one query: the index and both arms, in the scope of the caller. A search
// and its diagnosis rank by the same.
import type { Context } from '../../context.ts';
import type { SearchReply } from '../../index/lexical-index.ts';
import type { SearchOptions } from '../../index/ranking/state.ts';
import type { LiveIndex } from './live-index.ts';
import { readEdges } from './search.sql.ts';
import { openVectorArm, type VectorArm } from './vector-arm.ts';

/** Filters and sizes that differ from one ranking to the next. */
export type RankingAsk = Pick<SearchOptions, 'limit' | 'types' | 'since' | 'until' | 'explain' | 'without'>;

/** The ranking of one query. */
export interface Ranking {
  readonly live: LiveIndex;
  readonly arm: VectorArm;
  /** Whether the caller may see a page. */
  isVisible(pageId: number): boolean;
  rank(ask: RankingAsk): Promise<SearchReply>;
}

/** Opens the index, followed to what was committed when this was called, with the vector of the query. */
export async function openRanking(ctx: Context, query: string): Promise<Ranking> {
  const live = await ctx.brain.index();
  const [index, arm] = await Promise.all([live.current(), openVectorArm(ctx, live, query)]);
  const scope = { sources: ctx.scope.sources, seesPrivate: ctx.scope.visibility === 'all' };
  const rank = (ask: RankingAsk): Promise<SearchReply> =>
    index.search(query, scope, {
      ...ask,
      today: ctx.now().toISOString().slice(0, 10),
      clock: () => performance.now(),
      words: live.words,
      ...(arm.vectors && { vectors: arm.vectors }),
      edges: (pageIds, types, direction) => readEdges(ctx.brain.store, ctx.scope, { pageIds, types, direction }),
    });
  return { live, arm, rank, isVisible: index.visibleTo(scope) };
}
