// Leaves hidden stretches out of a text and leads offsets of what is left back to the whole. It knows not why
// something is hidden.

/** A stretch of a text in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is left of a text, with the way back. */
export interface VisibleText {
  readonly text: string;
  /** Where a unit of the visible text stands in the whole; the length of the text is allowed. */
  toWhole(offset: number): number;
  /** Where a place of the whole stands in the visible text; a hidden place gives the next visible one. */
  toVisible(offset: number): number;
}

/** `whole` without the `hidden` spans, which may come in any order and overlap. */
export function hideSpans(whole: string, hidden: readonly Span[]): VisibleText {
  const spans = hidden.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
  if (spans.length === 0) return { text: whole, toWhole: (offset) => offset, toVisible: (offset) => offset };
  const starts: number[] = [];
  const wholeStarts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  let at = 0;
  const keep = (end: number) => {
    if (end <= at) return;
    starts.push(length);
    wholeStarts.push(at);
    parts.push(whole.slice(at, end));
    length += end - at;
  };
  for (const { start, end } of spans) {
    keep(start);
    at = Math.max(at, end);
  }
  keep(whole.length);
  const toWhole = (offset: number) => {
    const i = lastAtMost(starts, offset);
    return i < 0 ? offset : wholeStarts[i]! + (offset - starts[i]!);
  };
  const toVisible = (offset: number) => {
    const i = lastAtMost(wholeStarts, offset);
    if (i < 0) return 0;
    return starts[i]! + Math.min(offset - wholeStarts[i]!, parts[i]!.length);
  };
  return { text: parts.join(''), toWhole, toVisible };
}

/** Index of the last entry that is at most `value`, or -1. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
