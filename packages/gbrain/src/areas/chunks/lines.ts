// Reads the block structure of markdown one line at a time: what is heading, list, table, code, raw markup. It knows
// nothing of links, chunks or pages, and it makes one pass whatever the text is.

/**
 * What a line is. `text` continues a paragraph; `item` opens a list item; `row` is a table row; `code` is indented
 * code.
 */
export type LineKind =
  | 'blank'
  | 'heading'
  | 'rule'
  | 'text'
  | 'item'
  | 'row'
  | 'fence_open'
  | 'fence_body'
  | 'fence_close'
  | 'code'
  | 'raw'
  | 'comment';

/** One line. Offsets are UTF-16 units into the scanned text; `end` excludes the line break. */
export interface Line {
  readonly kind: LineKind;
  readonly start: number;
  /** First unit after quote marks, list marks, heading marks and indentation. */
  readonly contentStart: number;
  readonly end: number;
  /** 1 to 6 for a heading, else 0. An underlined heading is marked on its text line. */
  readonly level: number;
  readonly quoteDepth: number;
}

/** A fenced code block: its whole range, the range of the code alone, and the first word of its info string. */
export interface Fence {
  readonly start: number;
  readonly end: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly language?: string;
}

/** The lines of a text, in order and without gaps except line breaks, and its closed or unclosed fences. */
export interface Structure {
  readonly lines: readonly Line[];
  readonly fences: readonly Fence[];
}

interface OpenFence {
  mark: string;
  size: number;
  start: number;
  contentStart: number;
  itemIndent: number;
  quoteDepth: number;
  language?: string;
}

interface Cursor {
  readonly text: string;
  pos: number;
  column: number;
  end: number;
}

interface State {
  readonly text: string;
  readonly lines: Line[];
  readonly fences: Fence[];
  /** Content columns of the open list items, outermost first. */
  items: number[];
  quoteDepth: number;
  fence?: OpenFence;
  /** What ends the raw markup that is open, lower case. */
  rawEnd?: { token: string; kind: 'raw' | 'comment' };
  inParagraph: boolean;
}

const FENCE_OPEN = /(`{3,}|~{3,})[ \t]*([^\n\r]*)/y;
const ITEM_MARK = /(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/y;
const HEADING = /(#{1,6})(?:[ \t]+|$)/y;
const RAW_OPEN = /<(pre|script|style|textarea)(?=[\s>/]|$)/iy;
/** Nesting beyond this is text: a limit so that a line of a million quote marks costs one pass. */
const NESTING_MAX = 32;

/** Block structure of `text`. Never throws; work is linear in its length. Source: CommonMark 0.31, block structure. */
export function scanLines(text: string): Structure {
  const state: State = { text, lines: [], fences: [], items: [], quoteDepth: 0, inParagraph: false };
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline;
    const end = next > start && text.charCodeAt(next - 1) === 13 ? next - 1 : next;
    if (newline >= 0 || end > start) scanLine(state, start, end);
    start = next + 1;
  }
  if (state.fence) closeFence(state, text.length, text.length);
  return { lines: state.lines, fences: state.fences };
}

function scanLine(state: State, start: number, end: number): void {
  const cursor: Cursor = { text: state.text, pos: start, column: 0, end };
  if (state.rawEnd) {
    continueRaw(state, start, end);
    return;
  }
  const quoteDepth = skipQuotes(cursor, state.fence ? state.fence.quoteDepth : NESTING_MAX);
  if (state.fence && continueFence(state, cursor, start, quoteDepth)) return;
  if (quoteDepth !== state.quoteDepth) {
    state.items = [];
    state.quoteDepth = quoteDepth;
    state.inParagraph = false;
  }
  const indent = skipSpace(cursor);
  if (cursor.pos >= end) {
    push(state, 'blank', start, cursor);
    state.inParagraph = false;
    return;
  }
  while (state.items.length > 0 && indent < state.items[state.items.length - 1]!) state.items.pop();
  const base = state.items[state.items.length - 1] ?? 0;
  if (indent - base >= 4 && !state.inParagraph) {
    push(state, 'code', start, cursor);
    return;
  }
  scanContent(state, cursor, start);
}

/** A line that is neither blank, nor code, nor inside something open. */
function scanContent(state: State, cursor: Cursor, start: number): void {
  let kind: LineKind = 'text';
  if (isRule(cursor)) {
    const underlined = state.inParagraph && cursor.text[cursor.pos] === '-' ? 2 : 0;
    if (underlined > 0) underline(state, underlined);
    push(state, 'rule', start, cursor);
    state.inParagraph = false;
    return;
  }
  while (openItem(state, cursor)) kind = 'item';
  if (cursor.pos >= cursor.end) {
    push(state, 'item', start, cursor);
    state.inParagraph = false;
    return;
  }
  if (openFence(state, cursor, start) || openRaw(state, cursor, start)) return;
  const heading = matchAt(HEADING, cursor.text, cursor.pos);
  if (heading && cursor.pos + heading[0].length <= cursor.end) {
    cursor.pos += heading[0].length;
    push(state, 'heading', start, cursor);
    mark(state, heading[1]!.length);
    state.inParagraph = false;
    return;
  }
  if (state.inParagraph && kind === 'text' && isUnderline(cursor)) {
    underline(state, 1);
    push(state, 'rule', start, cursor);
    state.inParagraph = false;
    return;
  }
  if (kind === 'text' && cursor.text[cursor.pos] === '|') kind = 'row';
  push(state, kind, start, cursor);
  state.inParagraph = true;
}

function push(state: State, kind: LineKind, start: number, cursor: Cursor): void {
  const { quoteDepth } = state;
  state.lines.push({ kind, start, contentStart: cursor.pos, end: cursor.end, level: 0, quoteDepth });
}

/** Makes the last line a heading. */
function mark(state: State, level: number): void {
  const { lines } = state;
  lines[lines.length - 1] = { ...lines[lines.length - 1]!, kind: 'heading', level };
}

/** Marks the paragraph line before an underline as a heading, when that paragraph is one line. */
function underline(state: State, level: number): void {
  const { lines } = state;
  const last = lines[lines.length - 1];
  if (last?.kind !== 'text' || lines[lines.length - 2]?.kind === 'text') return;
  mark(state, level);
}

function skipSpace(cursor: Cursor): number {
  for (; cursor.pos < cursor.end; cursor.pos++) {
    const code = cursor.text.charCodeAt(cursor.pos);
    if (code === 32) cursor.column++;
    else if (code === 9) cursor.column += 4 - (cursor.column % 4);
    else break;
  }
  return cursor.column;
}

/** Passes up to `most` quote marks; leaves the cursor before the indentation of what is quoted. */
function skipQuotes(cursor: Cursor, most: number): number {
  let depth = 0;
  while (depth < most) {
    let at = cursor.pos;
    while (at < cursor.end && at - cursor.pos < 3 && cursor.text.charCodeAt(at) === 32) at++;
    if (at >= cursor.end || cursor.text.charCodeAt(at) !== 62) break;
    cursor.pos = at + 1;
    cursor.column = 0;
    if (cursor.pos < cursor.end && cursor.text.charCodeAt(cursor.pos) === 32) cursor.pos++;
    depth++;
  }
  return depth;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function isRule(cursor: Cursor): boolean {
  const mark = cursor.text[cursor.pos];
  if (mark !== '-' && mark !== '*' && mark !== '_') return false;
  let count = 0;
  for (let at = cursor.pos; at < cursor.end; at++) {
    const char = cursor.text[at];
    if (char === mark) count++;
    else if (char !== ' ' && char !== '\t') return false;
  }
  return count >= 3;
}

function isUnderline(cursor: Cursor): boolean {
  for (let at = cursor.pos; at < cursor.end; at++) if (cursor.text[at] !== '=') return false;
  return cursor.end - cursor.pos >= 2;
}

function openItem(state: State, cursor: Cursor): boolean {
  if (state.items.length >= NESTING_MAX || isRule(cursor)) return false;
  const mark = matchAt(ITEM_MARK, cursor.text, cursor.pos);
  if (!mark || cursor.pos + mark[0].length > cursor.end) return false;
  cursor.pos += mark[0].length;
  cursor.column += mark[0].length;
  const after = cursor.column;
  const content = skipSpace(cursor);
  const padding = content - after;
  state.items.push(cursor.pos >= cursor.end || padding > 4 ? after + 1 : content);
  state.inParagraph = false;
  return cursor.pos < cursor.end;
}

function openFence(state: State, cursor: Cursor, start: number): boolean {
  const match = matchAt(FENCE_OPEN, cursor.text, cursor.pos);
  if (!match) return false;
  const mark = match[1]![0]!;
  const info = match[2]!;
  if (mark === '`' && info.includes('`')) return false;
  const language = /^[^\s{,:=]+/.exec(info.replace(/^\{?\.?/, ''))?.[0]?.toLowerCase();
  const open: OpenFence = {
    mark,
    size: match[1]!.length,
    start,
    contentStart: Math.min(nextLine(cursor), cursor.text.length),
    itemIndent: state.items[state.items.length - 1] ?? 0,
    quoteDepth: state.quoteDepth,
  };
  state.fence = language === undefined ? open : { ...open, language: language.slice(0, 40) };
  state.inParagraph = false;
  push(state, 'fence_open', start, cursor);
  return true;
}

function nextLine(cursor: Cursor): number {
  return cursor.text.charCodeAt(cursor.end) === 13 ? cursor.end + 2 : cursor.end + 1;
}

/** True when the line belongs to the open fence; a container that ended closes the fence and the line is read anew. */
function continueFence(state: State, cursor: Cursor, start: number, quoteDepth: number): boolean {
  const fence = state.fence!;
  const at = cursor.pos;
  const indent = skipSpace(cursor);
  const blank = cursor.pos >= cursor.end;
  if (quoteDepth < fence.quoteDepth || (!blank && indent < fence.itemIndent)) {
    closeFence(state, Math.max(fence.contentStart, start), start);
    cursor.pos = at;
    cursor.column = 0;
    return false;
  }
  if (!blank && indent - fence.itemIndent < 4 && closesFence(fence, cursor)) {
    push(state, 'fence_close', start, cursor);
    closeFence(state, start, cursor.end);
    return true;
  }
  push(state, 'fence_body', start, cursor);
  return true;
}

function closesFence(fence: OpenFence, cursor: Cursor): boolean {
  let at = cursor.pos;
  while (at < cursor.end && cursor.text[at] === fence.mark) at++;
  if (at - cursor.pos < fence.size) return false;
  while (at < cursor.end && (cursor.text[at] === ' ' || cursor.text[at] === '\t')) at++;
  return at >= cursor.end;
}

function closeFence(state: State, contentEnd: number, end: number): void {
  const { start, contentStart, language } = state.fence!;
  const range = { start, end, contentStart: Math.min(contentStart, contentEnd), contentEnd };
  state.fences.push(language === undefined ? range : { ...range, language });
  delete state.fence;
}

/** Raw elements run to their closing tag, comments to their mark; both may hold blank lines. */
function openRaw(state: State, cursor: Cursor, start: number): boolean {
  const { text, pos, end } = cursor;
  if (text.charCodeAt(pos) !== 60) return false;
  if (text.startsWith('<!--', pos)) {
    const close = text.indexOf('-->', pos + 4);
    // A comment that ends on its own line is left to the inline scanner, which keeps the text beside it.
    if (close >= 0 && close < end) return false;
    state.rawEnd = { token: '-->', kind: 'comment' };
  } else {
    const open = matchAt(RAW_OPEN, text, pos);
    if (!open) return false;
    const token = `</${open[1]!.toLowerCase()}>`;
    if (!text.slice(pos, end).toLowerCase().includes(token)) state.rawEnd = { token, kind: 'raw' };
  }
  push(state, state.rawEnd?.kind ?? 'raw', start, cursor);
  state.inParagraph = false;
  return true;
}

function continueRaw(state: State, start: number, end: number): void {
  const { token, kind } = state.rawEnd!;
  const cursor: Cursor = { text: state.text, pos: start, column: 0, end };
  push(state, kind, start, cursor);
  if (state.text.slice(start, end).toLowerCase().includes(token)) delete state.rawEnd;
}
