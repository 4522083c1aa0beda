// Walks markdown line by line and says what is code, quote or comment, so that structure is found in plain text only.

/**
 * - `text`: anything that is none of the others. `blank`: white space only.
 * - `code`: a line of a fenced code block, its two fences included. `quote`: begins with `>`.
 * - `comment`: a line of an HTML comment that begins a line; an unclosed one is text.
 */
export type LineKind = 'text' | 'blank' | 'code' | 'quote' | 'comment';

/** One line. Offsets are UTF-16 units of the text walked; the line end is `[end, next)`. `number` begins at 1. */
export interface Line {
  number: number;
  start: number;
  end: number;
  next: number;
  text: string;
  kind: LineKind;
  /** For `code`: whether this line opens the block, is in it, or closes it. For `comment`: `open` is its first line. */
  part?: 'open' | 'inside' | 'close';
}

interface OpenFence {
  char: string;
  count: number;
  /** Columns that the list item around the fence is indented; a line with less ends the fence too. */
  container: number;
}

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/s;
const LIST_ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|$)/;

/**
 * The lines of `text` from the offset `from`, which is the start of a line and has the number `number`. All of `\n`,
 * `\r\n` and `\r` end a line; an empty text has no line. Linear, and one line at a time in memory.
 */
export function* walkLines(text: string, from = 0, number = 1): Generator<Line> {
  const state = new BlockState(text);
  for (const raw of rawLines(text, from, number)) yield Object.assign(raw, state.classify(raw));
}

type RawLine = Pick<Line, 'number' | 'start' | 'end' | 'next' | 'text'>;

function* rawLines(text: string, from: number, number: number): Generator<RawLine> {
  const breaks = text.includes('\r') ? /\r\n?|\n/g : /\n/g;
  let start = from;
  for (let count = number; start < text.length; count += 1) {
    breaks.lastIndex = start;
    const match = breaks.exec(text);
    const end = match?.index ?? text.length;
    const next = match === null ? text.length : breaks.lastIndex;
    yield { number: count, start, end, next, text: text.slice(start, end) };
    start = next;
  }
}

class BlockState {
  readonly #text: string;
  #fence: OpenFence | undefined;
  #commentEnd = -1;
  /** Set once no comment ends any more, so that many openings do not search the rest again and again. */
  #noClose = false;
  #listIndent = 0;
  #afterBlank = true;

  constructor(text: string) {
    this.#text = text;
  }

  classify(line: RawLine): Pick<Line, 'kind' | 'part'> {
    if (line.start < this.#commentEnd) {
      return { kind: 'comment', part: line.next >= this.#commentEnd ? 'close' : 'inside' };
    }
    const blank = line.text.trim() === '';
    if (this.#fence !== undefined) {
      const inside = this.#insideFence(this.#fence, line.text, blank);
      if (inside !== undefined) return inside;
    }
    if (blank) {
      this.#afterBlank = true;
      return { kind: 'blank' };
    }
    const kind = this.#startLine(line);
    this.#afterBlank = false;
    return kind;
  }

  #insideFence(fence: OpenFence, text: string, blank: boolean): Pick<Line, 'kind' | 'part'> | undefined {
    if (!blank && indentOf(text) < fence.container) {
      this.#fence = undefined;
      return undefined;
    }
    if (indentOf(text) <= fence.container + 3 && closesFence(text.trim(), fence)) {
      this.#fence = undefined;
      return { kind: 'code', part: 'close' };
    }
    return { kind: 'code', part: 'inside' };
  }

  #startLine(line: RawLine): Pick<Line, 'kind' | 'part'> {
    const indent = indentOf(line.text);
    const item = LIST_ITEM.exec(line.text);
    if (item !== null && indent <= this.#listIndent + 3) {
      this.#listIndent = indent + (item[2]?.length ?? 1) + Math.max(1, Math.min(4, item[3]?.length ?? 1));
    } else if (indent < this.#listIndent && this.#afterBlank) {
      this.#listIndent = 0;
    }
    const bare = line.text.trimStart();
    if (indent <= 3 && bare.startsWith('>')) return { kind: 'quote' };
    const fence = indent <= this.#listIndent + 3 ? FENCE.exec(line.text) : null;
    const run = fence?.[1];
    if (run !== undefined && !(run.startsWith('`') && fence?.[2]?.includes('`'))) {
      const container = item !== null || indent >= this.#listIndent ? this.#listIndent : 0;
      this.#fence = { char: run.charAt(0), count: run.length, container };
      return { kind: 'code', part: 'open' };
    }
    if (indent <= 3 && bare.startsWith('<!--')) return this.#startComment(line);
    return { kind: 'text' };
  }

  #startComment(line: RawLine): Pick<Line, 'kind' | 'part'> {
    const close = this.#noClose ? -1 : this.#text.indexOf('-->', line.start + 4);
    if (close < 0) {
      this.#noClose = true;
      return { kind: 'text' };
    }
    this.#commentEnd = close + 3;
    return { kind: 'comment', part: 'open' };
  }
}

/** Columns of white space in front, a tab going to the next multiple of four. */
export function indentOf(text: string): number {
  let columns = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === ' ') columns += 1;
    else if (char === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

function closesFence(text: string, fence: OpenFence): boolean {
  if (text.length < fence.count) return false;
  for (const char of text) if (char !== fence.char) return false;
  return true;
}
