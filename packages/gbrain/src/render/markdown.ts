// Markdown on a terminal: the same text, with headings, links and frontmatter set off. Without colour it is untouched,
// so that `get` and `put` are a round trip. Pure.
import type { HumanView } from '../operation.ts';
import { plainText } from './text-width.ts';

const LINK = /\[\[[^\]\n]+\]\]|\[[^\]\n]+\]\([^)\n]+\)/g;
const FENCE = /^(```|~~~)/;

/** The text as it is drawn. */
export function markdownLines(text: string, view: HumanView): string {
  if (!Number.isFinite(view.columns)) return text;
  const lines = plainText(text).split('\n');
  if (!view.colour) return lines.join('\n');
  const head = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  let isCode = false;
  return lines
    .map((line, i) => {
      if (i <= head) return view.dim(line);
      if (FENCE.test(line)) {
        isCode = !isCode;
        return view.dim(line);
      }
      if (isCode) return line;
      if (/^#{1,6} /.test(line)) return view.bold(line);
      return line.replace(LINK, (link) => view.cyan(link));
    })
    .join('\n');
}
