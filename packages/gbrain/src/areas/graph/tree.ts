// Edges of a walk as a small tree for a terminal. Pure.
import type { HumanView } from '../../operation.ts';
import { type TreeNode, treeText } from '../../render/tree.ts';
import type { WalkEdge } from './traverse.ts';

const ROWS_MAX = 60;

/** The page from which a walk began: the asked one, or the common end of the first steps when it was asked by alias. */
function rootOf(edges: readonly WalkEdge[], asked: string): string {
  const first = edges.filter(({ depth }) => depth === 1);
  const touches = (slug: string) => first.every(({ from_slug, to_slug }) => from_slug === slug || to_slug === slug);
  const candidates = [asked, first[0]?.from_slug ?? asked, first[0]?.to_slug ?? asked];
  return candidates.find(touches) ?? asked;
}

/** The tree below a page: each edge hangs from the page that it was reached from, and no page is walked into twice. */
function growTree(edges: readonly WalkEdge[], root: string, view: HumanView): TreeNode {
  const tree: TreeNode = { label: view.bold(root), children: [] };
  const placed = new Map([[root, { node: tree, depth: 0 }]]);
  for (const { from_slug, to_slug, link_type, depth } of edges) {
    const from = placed.get(from_slug);
    const isOut = from?.depth === depth - 1;
    const parent = isOut ? from : placed.get(to_slug);
    const child = isOut ? to_slug : from_slug;
    const isKnown = placed.has(child);
    const name = isKnown ? view.dim(child) : child;
    const node = { label: `${view.dim(isOut ? `${link_type} →` : `${link_type} ←`)} ${name}`, children: [] };
    (parent?.node ?? tree).children.push(node);
    if (!isKnown) placed.set(child, { node, depth });
  }
  return tree;
}

/** A walk as a tree; a long one ends with how much was left out. */
export function treeLines(edges: readonly WalkEdge[], asked: string, view: HumanView): string {
  if (edges.length === 0) return 'No edges.';
  const shown = edges.slice(0, ROWS_MAX);
  const lines = treeText(growTree(shown, rootOf(edges, asked), view));
  if (edges.length > shown.length) lines.push(view.dim(`and ${edges.length - shown.length} more edges (--json)`));
  return lines.join('\n');
}
