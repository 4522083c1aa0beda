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

/** What markdown is written with, and what stands there for a reader; in order. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/^(?:```|~~~).*$/gm, ' '],
  [/<!--[\s\S]*?-->/g, ' '],
  // A badge is a link of a picture: both go.
  [/\[!\[[^\]\n]*\]\([^)\n]*\)\](?:\([^)\n]*\)|\[[^\]\n]*\])?/g, ' '],
  [/!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])/g, ' '],
  [/^\[[^\]\n]+\]:\s+\S.*$/gm, ' '],
  [/\[([^\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])/g, '$1'],
  [/<\/?[a-z][^>\n]{0,2000}>/gi, ' '],
  [/^\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?)?\s*$/gm, ' '],
  [/^\s{0,3}(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/gm, ''],
  [/^\s{0,3}(?:-{3,}|\*{3,}|={3,})\s*$/gm, ' '],
  [/\s*\|\s*/g, ' '],
  [/(\*\*|__)(?=\S)([^\n]+?)(?<=\S)\1/g, '$2'],
  [/`([^`\n]+)`/g, '$1'],
];

/** The words of a markdown text as a reader has them, for one line of a listing: without links, pictures and marks. */
export const readableText = (text: string): string =>
  MARKUP.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text).trim();
