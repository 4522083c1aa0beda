// Puts fenced rows that a writer could not see back into the page that the writer sent. Knows no page and no store.
import { joinCells, parseRowNumber, splitCells } from './fence-rows.ts';
import { type Fence, type FenceError, type FenceLine, hiddenView, parseFences } from './fences.ts';
import { findBody } from './frontmatter.ts';
import { type Line, walkLines } from './markdown-lines.ts';
import { dominantEol, type Eol, type Range, toView } from './text-edge.ts';

/** A row that the writer sent under a number which a hidden row has. */
export interface Renumbered {
  kind: Fence['kind'];
  from: number;
  to: number;
}

/** The text to store and the rows that got another number, or the faults of a fence in the way. */
export type MergeResult = { ok: true; text: string; renumbered: Renumbered[] } | { ok: false; errors: FenceError[] };

/**
 * The text to store when someone who is not the owner replaces `stored` by `incoming`: takes and facts that are not
 * `world` come back at their places and numbers, and rows of the writer that collide with them get the next free
 * number. A writer who sends back what was seen changes nothing: `mergeBack(s, hiddenView(s, 'world')).text` is `s`.
 */
export function mergeBack(stored: string, incoming: string): MergeResult {
  const seen = hiddenView(stored, 'world');
  if (toView(incoming) === toView(seen)) return { ok: true, text: stored, renumbered: [] };
  const before = parseFences(stored);
  const after = parseFences(incoming);
  if (!before.ok) return before;
  if (!after.ok) return after;

  const merge = new Merge(stored, seen, incoming);
  for (const fence of before.fences) {
    const own = after.fences.find((one) => one.kind === fence.kind);
    if (fence.lines.every((line) => line.shown) && fence.kind === 'facts') continue;
    if (own === undefined) merge.restore(fence);
    else if (fence.kind === 'takes') merge.append(fence, own);
    else merge.interleave(fence, own);
  }
  return merge.finish(before.fences);
}

class Merge {
  readonly #stored: string;
  readonly #incoming: string;
  readonly #place: Placement;
  readonly #eol: Eol | null;
  readonly #splices: (Range & { text: string })[] = [];
  readonly #renumbered: Renumbered[] = [];

  constructor(stored: string, seen: string, incoming: string) {
    this.#stored = stored;
    this.#incoming = incoming;
    this.#place = new Placement(stored, seen, incoming);
    const eol = dominantEol(/[\r\n]/.test(incoming) ? incoming : stored);
    this.#eol = eol === dominantEol(stored) ? null : eol;
  }

  /** Brings back a fence that the writer's text has not: takes as they are, facts without the rows that were seen. */
  restore(fence: Fence): void {
    const isHead = (line: FenceLine): boolean => line.shown && line.row === undefined;
    const lines = fence.lines.filter((line) => fence.kind === 'takes' || !line.shown || isHead(line));
    const inner = lines.map((line) => this.#stored.slice(line.start, line.end)).join('');
    const begin = this.#stored.slice(fence.start, fence.innerStart);
    const whole = begin + inner + this.#stored.slice(fence.innerEnd, fence.end);
    const heading = headingBefore(this.#stored, fence.start);
    const at = this.#place.exact(fence.start);
    if (at !== undefined) this.#insert(at, whole);
    else if (heading === undefined || this.#place.hasLine(heading.line)) {
      this.#insert(this.#place.near(fence.start), whole);
    } else {
      const lead = dominantEol(this.#stored) + this.#stored.slice(heading.start, fence.start);
      this.#insert(this.#place.end(), lead + whole);
    }
  }

  /** Takes: the stored fence as it is, then the rows that the writer sent. */
  append(fence: Fence, own: Fence): void {
    const taken = new Set(fence.lines.flatMap(({ row }) => (row?.num ? [row.num] : [])));
    const numbers = this.#renumber(fence, own, taken);
    const eol = dominantEol(this.#stored);
    const added = own.lines.flatMap((line) => {
      const { row } = line;
      if (row === undefined) return [];
      const cells = splitCells(this.#incoming.slice(line.start, line.end)) ?? [];
      const byName = (name: string): string => cells[own.columns.indexOf(name)] ?? '';
      const num = row.num === null ? '' : String(numbers.get(row.num) ?? row.num);
      const written = joinCells(fence.columns.map((name) => (name === '#' ? num : byName(name))));
      return [rewriteReferences(written, numbers) + eol];
    });
    const text =
      this.#stored.slice(fence.start, fence.innerEnd) + added.join('') + this.#stored.slice(fence.innerEnd, fence.end);
    this.#splices.push({ start: own.start, end: own.end, text: this.#lines(text, own.end < this.#incoming.length) });
  }

  /** Facts: the writer's rows, with each hidden line behind the row that it stood behind. */
  interleave(fence: Fence, own: Fence): void {
    const inner = this.#stored.slice(fence.innerStart, fence.innerEnd);
    const shown = fence.lines.filter((line) => line.shown).map((line) => this.#stored.slice(line.start, line.end));
    const sent = this.#incoming.slice(own.innerStart, own.innerEnd);
    if (toView(sent) === toView(shown.join(''))) {
      this.#splices.push({ start: own.innerStart, end: own.innerEnd, text: this.#lines(inner, true) });
      return;
    }
    const hidden = fence.lines.filter((line) => !line.shown);
    const taken = new Set(hidden.flatMap(({ row }) => (row?.num ? [row.num] : [])));
    const numbers = this.#renumber(fence, own, taken);
    const stored = new Map(fence.lines.flatMap((line) => (line.row?.num ? [[line.row.num, line] as const] : [])));
    const texts = own.lines.map((line) => this.#ownLine(line, numbers, stored));
    const rowAt = new Map<number, number>();
    for (const [index, { row }] of own.lines.entries()) if (row?.num && !rowAt.has(row.num)) rowAt.set(row.num, index);
    const firstRow = own.lines.findIndex((line) => line.row !== undefined);
    let anchor = (firstRow < 0 ? own.lines.length : firstRow) - 1;
    const behind = new Map<number, string[]>();
    for (const line of fence.lines) {
      if (line.shown) anchor = rowAt.get(line.row?.num ?? 0) ?? anchor;
      else {
        const group = behind.get(anchor) ?? [];
        behind.set(anchor, group);
        group.push(this.#lines(this.#stored.slice(line.start, line.end), true));
      }
    }
    const merged = [...(behind.get(-1) ?? [])];
    for (const [index, text] of texts.entries()) merged.push([text, ...(behind.get(index) ?? [])].join(''));
    this.#splices.push({ start: own.innerStart, end: own.innerEnd, text: merged.join('') });
  }

  finish(before: readonly Fence[]): MergeResult {
    let text = '';
    let from = 0;
    for (const splice of this.#splices.sort((a, b) => a.start - b.start)) {
      text += this.#incoming.slice(from, splice.start) + splice.text;
      from = splice.end;
    }
    text += this.#incoming.slice(from);
    const parsed = parseFences(text);
    if (!parsed.ok) return parsed;
    const missing = before.find(
      (fence) =>
        !keepsHidden(
          this.#stored,
          fence,
          text,
          parsed.fences.find((one) => one.kind === fence.kind),
        ),
    );
    if (missing === undefined) return { ok: true, text, renumbered: this.#renumbered };
    const place = { line: missing.beginLine, column: 1, text: '' };
    const message = 'the rows of this fence that are hidden from you have no place in the text that you sent';
    return { ok: false, errors: [{ code: 'invalid_fence', reason: 'malformed', ...place, message }] };
  }

  /** New numbers for rows of the writer whose number a hidden row has. */
  #renumber(fence: Fence, own: Fence, taken: ReadonlySet<number>): Map<number, number> {
    const numbers = new Map<number, number>();
    let next = 0;
    for (const { row } of [...fence.lines, ...own.lines]) next = Math.max(next, row?.num ?? 0);
    for (const { row } of own.lines) {
      if (!row?.num || !taken.has(row.num) || numbers.has(row.num)) continue;
      next += 1;
      numbers.set(row.num, next);
      this.#renumbered.push({ kind: fence.kind, from: row.num, to: next });
    }
    return numbers;
  }

  #ownLine(line: FenceLine, numbers: ReadonlyMap<number, number>, stored: ReadonlyMap<number, FenceLine>): string {
    const text = this.#incoming.slice(line.start, line.end);
    const num = line.row?.num;
    const was = num ? stored.get(num) : undefined;
    if (was?.shown && this.#stored.slice(was.start, was.end).trim() === text.trim()) return text;
    const to = num ? numbers.get(num) : undefined;
    const renumbered = to === undefined ? text : text.replace(/^([ \t]*\|[ \t]*(?:~~)?)\d+/, `$1${to}`);
    return rewriteReferences(renumbered, numbers);
  }

  /** Stored lines with the line ends of the writer's text; `more` when text follows, so that the last line must end. */
  #lines(text: string, more: boolean): string {
    const ended = more && !/[\r\n]$/.test(text) ? text + dominantEol(this.#stored) : text;
    return this.#eol === null ? ended : toView(ended).replaceAll('\n', this.#eol);
  }

  #insert(at: number, text: string): void {
    const before = this.#incoming.slice(0, at);
    const glue =
      before === '' || before === '\ufeff' || /[\r\n]$/.test(before) ? '' : (this.#eol ?? dominantEol(this.#stored));
    this.#splices.push({ start: at, end: at, text: glue + this.#lines(text, at < this.#incoming.length) });
  }
}

/** Where in the writer's text a place of the stored text is now. */
class Placement {
  readonly #before: string[];
  readonly #after: Line[];
  readonly #hiddenBefore: (offset: number) => number;
  readonly #incoming: string;
  readonly #safe: ReadonlySet<number>;
  readonly #bodyStart: number;

  constructor(stored: string, seen: string, incoming: string) {
    this.#incoming = incoming;
    this.#before = [...walkLines(seen)].map((line) => line.text);
    this.#after = [...walkLines(incoming)];
    this.#hiddenBefore = (offset) => [...walkLines(hiddenView(stored.slice(0, offset), 'world'))].length;
    const body = findBody(incoming);
    this.#bodyStart = body.offset;
    const safe = new Set<number>([body.offset]);
    let inFence = false;
    for (const line of walkLines(incoming, body.offset, body.line)) {
      const inside = line.part === 'inside' || line.part === 'close' || inFence;
      if (!inside) safe.add(line.start);
      if (/^<!--- gbrain:(?:facts|takes):begin -->\s*$/.test(line.text) && line.kind === 'comment') inFence = true;
      if (/^<!--- gbrain:(?:facts|takes):end -->\s*$/.test(line.text)) inFence = false;
      if (line.next === incoming.length && (line.kind !== 'code' || line.part === 'close')) safe.add(incoming.length);
    }
    this.#safe = safe;
  }

  /** The offset when all lines before the place, or all lines behind it, are as they were. */
  exact(offset: number): number | undefined {
    const index = this.#hiddenBefore(offset);
    const [before, after] = [this.#before, this.#after];
    let head = 0;
    while (head < index && head < after.length && before[head] === after[head]?.text) head += 1;
    if (head === index && this.#isSafe(index)) return this.#offset(index);
    const tail = before.length - index;
    let same = 0;
    while (same < tail && same < after.length && before.at(-1 - same) === after.at(-1 - same)?.text) same += 1;
    return same === tail && this.#isSafe(after.length - tail) ? this.#offset(after.length - tail) : undefined;
  }

  /** Behind the closest line before the place that the writer's text has exactly once, else where the body ends. */
  near(offset: number): number {
    const index = this.#hiddenBefore(offset);
    const [before, after] = [this.#before, this.#after];
    const counts = new Map<string, { count: number; at: number }>();
    for (const [at, line] of after.entries())
      counts.set(line.text, { count: (counts.get(line.text)?.count ?? 0) + 1, at });
    for (let back = index - 1; back >= 0; back -= 1) {
      const text = before[back] ?? '';
      const found = text.trim() === '' ? undefined : counts.get(text);
      if (found?.count !== 1) continue;
      let at = found.at + 1;
      for (let next = back + 1; next < index && before[next] === after[at]?.text; next += 1) at += 1;
      if (this.#isSafe(at)) return this.#offset(at);
    }
    return this.end();
  }

  /** Where the body ends: before the timeline, at the end, or in front of a text whose end is code. */
  end(): number {
    const timeline = this.#after.find((line) => /^(?:<!-- timeline -->|--- timeline ---)\s*$/.test(line.text));
    const end = timeline?.start ?? this.#incoming.length;
    return this.#safe.has(end) ? end : this.#bodyStart;
  }

  hasLine(text: string): boolean {
    return this.#after.some((line) => line.text === text);
  }

  #isSafe(line: number): boolean {
    return this.#safe.has(this.#offset(line));
  }

  #offset(line: number): number {
    return this.#after[line]?.start ?? this.#incoming.length;
  }
}

/** Whether every hidden line of a stored fence is in a fence of the new text. */
function keepsHidden(stored: string, fence: Fence, text: string, now: Fence | undefined): boolean {
  const hidden = fence.lines.filter((line) => fence.kind === 'takes' || !line.shown);
  if (hidden.length === 0) return true;
  if (now === undefined) return false;
  const present = new Set(now.lines.map((line) => text.slice(line.start, line.end).trim()));
  return hidden.every((line) => present.has(stored.slice(line.start, line.end).trim()));
}

/** The heading that a fence stands under, with nothing but blank lines between them. */
function headingBefore(text: string, at: number): { line: string; start: number } | undefined {
  const before = text.slice(0, at).trimEnd();
  const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const line = before.slice(start);
  return /^#{1,6}[ \t]/.test(line) ? { line, start } : undefined;
}

/** `superseded by #N` follows a row to its new number. */
function rewriteReferences(text: string, numbers: ReadonlyMap<number, number>): string {
  return text.replace(/(superseded by #)(\d{1,10})/g, (all, lead: string, num: string) => {
    const to = numbers.get(parseRowNumber(num) ?? 0);
    return to === undefined ? all : `${lead}${to}`;
  });
}
