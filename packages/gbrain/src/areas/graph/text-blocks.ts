// Groups the lines of a body into the blocks that prose lives in: a heading, a paragraph, a list item, a table row.
// Code and raw markup make no block, so nothing that reads blocks can see them. It knows no links.

import type { ScannedBody } from '../chunks/body.ts';
import type { Line } from '../chunks/lines.ts';
import type { Span } from '../chunks/visible.ts';

/** A run of lines that reads as one piece of prose. Offsets are UTF-16 units of the visible text. */
export interface TextBlock extends Span {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'row';
  /** Quote marks and indentation of the lines after the first. */
  readonly prefixes: readonly Span[];
  readonly quoted: boolean;
  /** Text of the heading above, as written; empty before the first one. */
  readonly section: string;
  /** Blocks that stand under one heading without a break share this number. */
  readonly sectionIndex: number;
  readonly timeline: boolean;
}

interface Builder {
  kind: TextBlock['kind'];
  lines: Line[];
}

/** Blocks of a body in the order of the text. Source: CommonMark 0.31, leaf blocks. */
export function readTextBlocks(body: ScannedBody): TextBlock[] {
  const { text } = body.visible;
  const blocks: TextBlock[] = [];
  let open: Builder | undefined;
  let section = '';
  let sectionIndex = 0;
  const close = () => {
    if (!open) return;
    const { kind, lines } = open;
    const first = lines[0]!;
    blocks.push({
      kind,
      start: first.contentStart,
      end: lines[lines.length - 1]!.end,
      prefixes: lines.slice(1).map((line) => ({ start: line.start, end: line.contentStart })),
      quoted: first.quoteDepth > 0,
      section,
      sectionIndex,
      timeline: isTimeline(body, first.start),
    });
    open = undefined;
  };
  for (const line of body.structure.lines) {
    if (line.kind === 'text' && open && continues(open, line)) {
      open.lines.push(line);
      continue;
    }
    close();
    if (line.kind === 'heading') {
      open = { kind: 'heading', lines: [line] };
      close();
      section = text.slice(line.contentStart, line.end);
      sectionIndex++;
    } else if (line.kind === 'text') open = { kind: 'paragraph', lines: [line] };
    else if (line.kind === 'item' || line.kind === 'row') open = { kind: line.kind, lines: [line] };
  }
  close();
  return blocks;
}

function continues(open: Builder, line: Line): boolean {
  const quoteDepth = open.lines[0]!.quoteDepth;
  return open.kind !== 'row' && (line.quoteDepth === quoteDepth || line.quoteDepth === 0);
}

function isTimeline(body: ScannedBody, at: number): boolean {
  return body.regions.some(({ source, start, end }) => source === 'timeline' && at >= start && at < end);
}
