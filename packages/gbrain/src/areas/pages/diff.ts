// A unified diff of two texts, small enough to be sent. Knows no page.

/** Most UTF-8 bytes of a diff. */
export const MAX_DIFF_BYTES = 8192;
const CONTEXT = 3;

/** A stretch of lines: `[aStart, aEnd)` of the old text became `[bStart, bEnd)` of the new one. */
interface Change {
  aStart: number;
  aEnd: number;
  bStart: number;
  bEnd: number;
}

/**
 * The hunks by which `before` becomes `after`, with three lines around each; empty for equal texts. Anchored on lines
 * that both texts have exactly once, so linear but for the sorting of anchors. At most 8,192 bytes, cut between code
 * points; `truncated` tells that there was more.
 */
export function diffText(before: string, after: string): { diff: string; truncated: boolean } {
  const a = splitLines(before);
  const b = splitLines(after);
  const output = new CappedText(MAX_DIFF_BYTES);
  for (const hunk of toHunks(findChanges(a, b))) {
    writeHunk(hunk, a, b, output);
    if (output.full) break;
  }
  return { diff: output.text, truncated: output.full };
}

/** Lines with their line ends, so that a missing one at the end of a text is a difference. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function findChanges(a: readonly string[], b: readonly string[]): Change[] {
  const whole = trim(a, b, { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length });
  const changes: Change[] = [];
  let { aStart, bStart } = whole;
  const close = (aEnd: number, bEnd: number): void => {
    const change = trim(a, b, { aStart, aEnd, bStart, bEnd });
    if (change.aStart < change.aEnd || change.bStart < change.bEnd) changes.push(change);
  };
  for (const [inA, inB] of findAnchors(a, b, whole)) {
    close(inA, inB);
    aStart = inA + 1;
    bStart = inB + 1;
  }
  close(whole.aEnd, whole.bEnd);
  return changes;
}

/** The change without the equal lines at its ends. */
function trim(a: readonly string[], b: readonly string[], change: Change): Change {
  let { aStart, aEnd, bStart, bEnd } = change;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart += 1;
    bStart += 1;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  return { aStart, aEnd, bStart, bEnd };
}

/** Pairs of lines that are in both stretches exactly once: the longest run of them that rises on both sides. */
function findAnchors(a: readonly string[], b: readonly string[], range: Change): [number, number][] {
  const lines = new Map<string, { a: number; b: number; countA: number; countB: number }>();
  for (let index = range.aStart; index < range.aEnd; index += 1) {
    const entry = lines.get(a[index] ?? '');
    if (entry === undefined) lines.set(a[index] ?? '', { a: index, b: -1, countA: 1, countB: 0 });
    else entry.countA += 1;
  }
  for (let index = range.bStart; index < range.bEnd; index += 1) {
    const entry = lines.get(b[index] ?? '');
    if (entry !== undefined) Object.assign(entry, { b: index, countB: entry.countB + 1 });
  }
  const unique = [...lines.values()].filter((entry) => entry.countA === 1 && entry.countB === 1);
  return longestRise(unique.map((entry): [number, number] => [entry.a, entry.b]));
}

/** Longest subsequence of pairs (in order of their first part) whose second part rises. O(n log n). */
function longestRise(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const previous = new Int32Array(pairs.length);
  for (const [index, pair] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const run: [number, number][] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
  }
  return run.reverse();
}

/** Changes whose context would touch, together. */
function toHunks(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    const end = last?.at(-1)?.aEnd;
    if (last !== undefined && end !== undefined && change.aStart - end <= 2 * CONTEXT) last.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function writeHunk(hunk: readonly Change[], a: readonly string[], b: readonly string[], output: CappedText): void {
  const first = hunk[0];
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return;
  const lead = Math.min(CONTEXT, first.aStart);
  const tail = Math.min(CONTEXT, a.length - last.aEnd);
  const aStart = first.aStart - lead;
  const bStart = first.bStart - lead;
  const aCount = last.aEnd + tail - aStart;
  const bCount = last.bEnd + tail - bStart;
  output.add(`@@ -${position(aStart, aCount)} +${position(bStart, bCount)} @@\n`);
  let at = aStart;
  for (const change of hunk) {
    for (; at < change.aStart; at += 1) writeLine(' ', a[at] ?? '', output);
    for (; at < change.aEnd && !output.full; at += 1) writeLine('-', a[at] ?? '', output);
    for (let index = change.bStart; index < change.bEnd && !output.full; index += 1)
      writeLine('+', b[index] ?? '', output);
    at = change.aEnd;
  }
  for (; at < last.aEnd + tail; at += 1) writeLine(' ', a[at] ?? '', output);
}

function position(start: number, count: number): string {
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}

function writeLine(sign: string, line: string, output: CappedText): void {
  output.add(sign);
  output.add(line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`);
}

/** Text that takes no more than so many UTF-8 bytes. */
class CappedText {
  text = '';
  full = false;
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  add(text: string): void {
    if (this.full) return;
    const head = text.slice(0, this.#left + 1);
    const bytes = Buffer.byteLength(head);
    if (head.length === text.length && bytes <= this.#left) {
      this.text += text;
      this.#left -= bytes;
      return;
    }
    this.full = true;
    for (const point of head) {
      const size = Buffer.byteLength(point);
      if (size > this.#left) return;
      this.text += point;
      this.#left -= size;
    }
  }
}
