// Edges of a walk as a small tree for a terminal. Pure.
import type { WalkEdge } from './traverse.ts';

const ROWS_MAX = 60;

/** A tree of edges: each line is an edge, indented by its depth; long ones end with how much was left out. */
export function treeLines(edges: readonly WalkEdge[]): string {
  if (edges.length === 0) return 'No edges.';
  const shown = edges.slice(0, ROWS_MAX);
  const lines = shown.map(({ from_slug, to_slug, link_type, depth }) => {
    return `${'  '.repeat(depth - 1)}${depth > 1 ? '└ ' : ''}${from_slug} ─${link_type}→ ${to_slug}`;
  });
  if (edges.length > shown.length) lines.push(`... and ${edges.length - shown.length} more edges (--json for all)`);
  return lines.join('\n');
}
