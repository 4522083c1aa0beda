// Walks the graph breadth first: each page once, to a depth, with a cap on pages, and it says which bound cut it short.
import type { ReadScope } from '../../context.ts';
import type { Queryable } from '../../store/store.ts';
import { readSteps, type StepRow } from './graph.sql.ts';

/** Bounds and filters of a walk. */
export interface Walk {
  startId: number;
  depth: number;
  direction: 'in' | 'out' | 'both';
  linkType?: string;
  /** Most pages that are visited. */
  pagesMax: number;
}

/** An edge of the walk, with the distance of its far end. */
export interface WalkEdge {
  from_slug: string;
  to_slug: string;
  link_type: string;
  context: string;
  depth: number;
}

/** What a walk found; `cut` names the bound that ended it early. */
export interface Walked {
  edges: WalkEdge[];
  cut: 'pages' | 'edges' | null;
  pages: number;
}

/** Edges that one step reads at most. */
const STEP_EDGES_MAX = 5_000;

function farEnd(row: StepRow, near: ReadonlySet<number>, direction: Walk['direction']): number {
  if (direction === 'out') return row.to_page_id;
  if (direction === 'in') return row.from_page_id;
  return near.has(row.from_page_id) ? row.to_page_id : row.from_page_id;
}

/** Walks from a page. Each edge is given once, at the depth of the end that it led to. */
export async function walkGraph(db: Queryable, scope: ReadScope, walk: Walk): Promise<Walked> {
  const visited = new Set([walk.startId]);
  const seenEdges = new Set<string>();
  const edges: WalkEdge[] = [];
  let frontier: ReadonlySet<number> = visited;
  for (let depth = 1; depth <= walk.depth && frontier.size > 0; depth++) {
    const at = {
      pageIds: [...frontier],
      direction: walk.direction,
      limit: STEP_EDGES_MAX + 1,
      ...(walk.linkType && { linkType: walk.linkType }),
    };
    const rows = await readSteps(db, scope, at);
    const next = new Set<number>();
    for (const row of rows.slice(0, STEP_EDGES_MAX)) {
      const key = `${row.from_page_id} ${row.to_page_id} ${row.link_type}`;
      if (seenEdges.has(key)) continue;
      const far = farEnd(row, frontier, walk.direction);
      if (!visited.has(far)) {
        if (visited.size >= walk.pagesMax) return { edges, cut: 'pages', pages: visited.size };
        visited.add(far);
        next.add(far);
      }
      seenEdges.add(key);
      const { from_slug, to_slug, link_type, context } = row;
      edges.push({ from_slug, to_slug, link_type, context, depth });
    }
    if (rows.length > STEP_EDGES_MAX) return { edges, cut: 'edges', pages: visited.size };
    frontier = next;
  }
  return { edges, cut: null, pages: visited.size };
}
