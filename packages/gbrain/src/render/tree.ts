// A tree with its branches drawn, for a terminal. Pure.

/** A node with what hangs below it. */
export interface TreeNode {
  label: string;
  children: TreeNode[];
}

/** Lines of a tree: the root, then each child below its parent. */
export function treeText(root: TreeNode): string[] {
  const below = (node: TreeNode, stem: string): string[] =>
    node.children.flatMap((child, i) => {
      const isLast = i === node.children.length - 1;
      return [`${stem}${isLast ? '└─' : '├─'} ${child.label}`, ...below(child, `${stem}${isLast ? '   ' : '│  '}`)];
    });
  return [root.label, ...below(root, '')];
}
