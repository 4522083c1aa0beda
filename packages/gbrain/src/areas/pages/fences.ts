// The facts and takes fences of a page's text: where they are and which rows a reader may see. Fails closed.
import {
  COLUMNS,
  type FenceKind,
  isRuleLine,
  parseRowNumber,
  splitCells,
  type TableRow,
  toTableRow,
} from './fence-rows.ts';
import { findBody } from './frontmatter.ts';
import { type Line, walkLines } from './markdown-lines.ts';
import type { Range } from './text-edge.ts';

/** Who reads: the owner sees all, everybody else (`world`) neither takes nor facts that are not `world`. */
export type Viewer = 'owner' | 'world';

/** A line inside a fence, its line end included in the range. `shown` tells whether everybody may see it. */
export interface FenceLine extends Range {
  line: number;
  shown: boolean;
  row?: TableRow;
}

/** A fence with its two marker lines; the inner range is what is between them. */
export interface Fence extends Range {
  kind: FenceKind;
  beginLine: number;
  endLine: number;
  innerStart: number;
  innerEnd: number;
  /** Names of the columns, in lower case; the usual ones when the table has no head. */
  columns: readonly string[];
  lines: readonly FenceLine[];
}

/** Why a text's fences cannot be trusted. `unsettled`: a marker at the margin of
 * the frontmatter, or inside a code block that never ends. */
export type FenceFault = 'malformed' | 'nested' | 'unclosed' | 'unopened' | 'duplicated' | 'unsettled';

/** A fault of a fence with its place. */
export interface FenceError {
  code: 'invalid_fence';
  reason: FenceFault;
  line: number;
  column: number;
  /** The offending line, at most 200 characters. */
  text: string;
  message: string;
}

/** A row that was read, or hidden, in spite of a flaw. */
export interface FenceWarning {
  code: 'fence_row' | 'fence_head';
  line: number;
  message: string;
}

/** On a fault, `from` is the offset of the first marker: nothing after it may be shown to anybody but the owner. */
export type FencesResult =
  | { ok: true; fences: Fence[]; warnings: FenceWarning[] }
  | { ok: false; errors: FenceError[]; from: number };

const MARKER = /^<!--- gbrain:(facts|takes):(begin|end) -->$/;
/** What was meant to be a marker and is none: another number of hyphens, case, spacing, indentation or name. */
const NEAR_MARKER = /^[ \t]*<!-{2,}[ \t]*gbrain[ \t]*:[^<>]{0,100}>[ \t]*$/i;

const MESSAGES: Readonly<Record<FenceFault, string>> = {
  malformed: 'this line is almost a fence marker and none exactly',
  nested: 'a fence begins inside another fence',
  unclosed: 'this fence is never closed',
  unopened: 'this marker closes a fence that is not open',
  duplicated: 'a page has one fence of each kind, and this is a second one',
  unsettled: 'this marker is in frontmatter, or in a code block that is never closed',
};

/**
 * Finds the fences of a text with any line ends. A marker is exact and a line of its own; in a closed code
 * block, in a quote or indented in frontmatter it is text. Rows of hand-edited tables are read
 * as far as they can be, with warnings.
 */
export function parseFences(text: string): FencesResult {
  const scan = new FenceScan(text);
  const body = findBody(text);
  if (/gbrain/i.test(text)) {
    scan.takeFrontmatter(text.slice(0, body.offset));
    for (const line of walkLines(text, body.offset, body.line)) scan.take(line);
  }
  return scan.finish();
}

/** The lines that `viewer` may not see, as ranges in order. A text with a faulty fence ends at its first marker. */
export function hiddenRanges(text: string, viewer: Viewer): Range[] {
  if (viewer === 'owner') return [];
  const parsed = parseFences(text);
  if (!parsed.ok) return [{ start: parsed.from, end: text.length }];
  const ranges = parsed.fences.flatMap((fence): Range[] => {
    if (fence.kind === 'takes') return [{ start: fence.start, end: fence.end }];
    return fence.lines.filter((line) => !line.shown).map(({ start, end }) => ({ start, end }));
  });
  return ranges.sort((a, b) => a.start - b.start);
}

/** The text as `viewer` may see it: without the takes fence and without the facts that are not `world`. */
export function hiddenView(text: string, viewer: Viewer): string {
  let from = 0;
  let seen = '';
  for (const range of hiddenRanges(text, viewer)) {
    seen += text.slice(from, range.start);
    from = range.end;
  }
  return seen + text.slice(from);
}

/** Where no edit may match: the fences, marker lines included; with a faulty fence all from the first marker on. */
export function protectedSpans(text: string): Range[] {
  const parsed = parseFences(text);
  if (!parsed.ok) return [{ start: parsed.from, end: text.length }];
  return parsed.fences.map(({ start, end }) => ({ start, end }));
}

/** Whether the fences of a text are all in the other, unchanged, and that one has no faulty fence. */
export function keepsFences(before: string, after: string): boolean {
  const was = parseFences(before);
  const is = parseFences(after);
  if (!is.ok) return false;
  if (!was.ok) return true;
  const now = new Set(is.fences.map((fence) => after.slice(fence.start, fence.end).trimEnd()));
  return was.fences.every((fence) => now.has(before.slice(fence.start, fence.end).trimEnd()));
}

interface OpenFence {
  kind: FenceKind;
  begin: Line;
  lines: Line[];
}

class FenceScan {
  readonly #text: string;
  readonly #fences: Fence[] = [];
  readonly #errors: FenceError[] = [];
  readonly #warnings: FenceWarning[] = [];
  #open: OpenFence | undefined;
  #first = -1;
  /** Markers of the code block at hand; faults if the block turns out never to end. */
  #inCode: Line[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  take(line: Line): void {
    if (line.kind !== 'code' || line.part !== 'inside') this.#inCode = [];
    const bare = line.text.trimEnd();
    const marker = MARKER.exec(bare);
    const near = marker !== null || (bare.length <= 200 && NEAR_MARKER.test(bare));
    if (near && line.kind === 'code') this.#inCode.push(line);
    if (!near || line.kind === 'code' || line.kind === 'quote') {
      this.#open?.lines.push(line);
      return;
    }
    if (this.#first < 0) this.#first = line.start;
    if (marker === null) this.#fault('malformed', line);
    else if (marker[2] === 'begin') this.#begin(marker[1] as FenceKind, line);
    else this.#end(marker[1] as FenceKind, line);
  }

  /** A marker at the margin of the block in front would make that block, and not the fence, of what is around it. */
  takeFrontmatter(block: string): void {
    for (const line of walkLines(block)) {
      if (!MARKER.test(line.text.trimEnd())) continue;
      if (this.#first < 0) this.#first = line.start;
      this.#fault('unsettled', line);
    }
  }

  finish(): FencesResult {
    if (this.#open !== undefined) this.#fault('unclosed', this.#open.begin);
    for (const line of this.#inCode) this.#fault('unsettled', line);
    if (this.#errors.length === 0) return { ok: true, fences: this.#fences, warnings: this.#warnings };
    const unsettled = this.#inCode[0]?.start ?? this.#text.length;
    return { ok: false, errors: this.#errors, from: this.#first < 0 ? unsettled : Math.min(this.#first, unsettled) };
  }

  #begin(kind: FenceKind, line: Line): void {
    if (this.#open !== undefined) {
      this.#fault('nested', line);
      return;
    }
    if (this.#fences.some((fence) => fence.kind === kind)) this.#fault('duplicated', line);
    this.#open = { kind, begin: line, lines: [] };
  }

  #end(kind: FenceKind, line: Line): void {
    const open = this.#open;
    if (open === undefined || open.kind !== kind) {
      this.#fault('unopened', line);
      return;
    }
    this.#open = undefined;
    this.#fences.push(toFence(open, line, this.#warnings));
  }

  #fault(reason: FenceFault, line: Line): void {
    if (this.#errors.length >= 20) return;
    const text = line.text.slice(0, 200).toWellFormed();
    this.#errors.push({ code: 'invalid_fence', reason, line: line.number, column: 1, text, message: MESSAGES[reason] });
  }
}

function toFence(open: OpenFence, end: Line, warnings: FenceWarning[]): Fence {
  const { kind, begin } = open;
  const rule = open.lines.findIndex((line) => isRuleLine(line.text));
  const head = toHead(rule > 0 ? splitCells(open.lines[rule - 1]?.text ?? '') : undefined);
  const columns = head ?? COLUMNS[kind];
  if (head === undefined && open.lines.some((line) => line.kind !== 'blank')) {
    warnings.push({
      code: 'fence_head',
      line: begin.number,
      message: 'the table has no head: none of its rows is shown to others',
    });
  }
  const seen = new Set<number>();
  const lines = open.lines.map((line, index): FenceLine => {
    const place = { start: line.start, end: line.next, line: line.number };
    if (line.kind === 'blank' || (head !== undefined && (index === rule || index === rule - 1)))
      return { ...place, shown: true };
    const cells = splitCells(line.text);
    const flaw = describeFlaw(cells, columns, seen);
    if (flaw !== undefined) warnings.push({ code: 'fence_row', line: line.number, message: flaw });
    if (cells === undefined) return { ...place, shown: false };
    const row = toTableRow(cells, columns);
    const world = kind === 'facts' && head !== undefined && row.cells.visibility?.toLowerCase() === 'world';
    return { ...place, shown: world && row.num !== null && cells.length <= columns.length, row };
  });
  const inner = { innerStart: begin.next, innerEnd: end.start };
  return {
    kind,
    start: begin.start,
    end: end.next,
    beginLine: begin.number,
    endLine: end.number,
    ...inner,
    columns,
    lines,
  };
}

/** Names of the columns; undefined for a line without the two that every table has. */
function toHead(cells: readonly string[] | undefined): string[] | undefined {
  const names = cells?.map((name) => name.toLowerCase());
  return names?.includes('#') && names.includes('claim') ? names : undefined;
}

function describeFlaw(
  cells: readonly string[] | undefined,
  columns: readonly string[],
  seen: Set<number>,
): string | undefined {
  if (cells === undefined) return 'this line of a fence is no table row';
  const num = parseRowNumber(cells[columns.indexOf('#')]);
  if (num === null) return 'this row has no number';
  if (seen.has(num)) return `row ${num} appears twice`;
  seen.add(num);
  if (cells.length === columns.length) return undefined;
  return `this row has ${cells.length} cells and the table ${columns.length} columns`;
}
