// What every printed or stored string is checked and shaped with; it knows characters, never what a text means.

/** Why a string cannot be stored or sent. */
export type TextFaultKind = 'nul' | 'lone_surrogate';

/** The first unusable character of a string. */
export interface TextFault {
  kind: TextFaultKind;
  /** UTF-16 index, 0-based: what `text[index]` reads. */
  index: number;
  /** 1-based line; lines end with LF. */
  line: number;
  /** 1-based column, counted in code points. */
  column: number;
}

const FAULT = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** The first NUL or lone surrogate of `text` with its position; undefined for text that every store and codec takes. */
export function findTextFault(text: string): TextFault | undefined {
  // Two native scans clear nearly every text; the slower expression runs only to find a position.
  if (text.isWellFormed() && !text.includes('\0')) return undefined;
  const index = text.search(FAULT);
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  return {
    kind: text[index] === '\0' ? 'nul' : 'lone_surrogate',
    index,
    line: before.split('\n').length,
    column: [...before.slice(lineStart)].length + 1,
  };
}

/** A text fault found somewhere inside a JSON value. */
export interface LocatedTextFault extends TextFault {
  /** Keys and indexes from the root to the string; a faulty key is the last step itself. */
  path: (string | number)[];
}

/** The first text fault in any string or key of a JSON value, depth first in key order. Cycles are a caller's bug. */
export function findTextFaultIn(value: unknown): LocatedTextFault | undefined {
  // A list of what is left to look at, instead of recursion: hostile input may be nested deeper than the stack.
  const left: { value: unknown; steps: Steps | undefined }[] = [{ value, steps: undefined }];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { value: current, steps } = item;
    const fault = typeof current === 'string' ? findTextFault(current) : undefined;
    if (fault !== undefined) return { ...fault, path: toPath(steps) };
    if (typeof current !== 'object' || current === null) continue;
    const found = Array.isArray(current) ? undefined : findKeyFault(current);
    const entries: [string | number, unknown][] = Array.isArray(current)
      ? current.map((one, index) => [index, one])
      : Object.entries(current);
    const before = found === undefined ? entries : entries.slice(0, found.position);
    if (found !== undefined) left.push({ value: found.key, steps: { last: found.key, before: steps } });
    for (const [last, one] of before.reverse()) left.push({ value: one, steps: { last, before: steps } });
  }
  return undefined;
}

/** A path as a list that shares its beginnings. */
interface Steps {
  last: string | number;
  before: Steps | undefined;
}

function toPath(steps: Steps | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let step = steps; step !== undefined; step = step.before) path.unshift(step.last);
  return path;
}

function findKeyFault(object: object): { key: string; position: number } | undefined {
  const keys = Object.keys(object);
  const position = keys.findIndex((key) => findTextFault(key) !== undefined);
  return position === -1 ? undefined : { key: keys[position] as string, position };
}

// ANSI sequences go as a whole, so that `ESC [ 31 m` leaves no `[31m` behind.
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const BREAKS = /[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** `text` on one line: no ANSI sequences, every run of white space and control characters one space, ends trimmed. */
export function flattenLine(text: string): string {
  return text.toWellFormed().replace(ANSI, '').replace(BREAKS, ' ').trim();
}

/** The longest prefix of at most `maxUnits` UTF-16 units that does not split a code point. */
export function truncateUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const cut = Math.max(0, Math.floor(maxUnits));
  return text.slice(0, splitsPair(text, cut) ? cut - 1 : cut);
}

/** `truncateUnits` with a closing `…` inside the bound when something was left out. */
export function ellipsize(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return maxUnits < 1 ? '' : `${truncateUnits(text, maxUnits - 1)}…`;
}

/** The longest prefix whose UTF-8 form has at most `maxBytes` bytes, whole code points only. */
export function truncateBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const point = text.codePointAt(index) as number;
    bytes += utf8Length(point);
    if (bytes > maxBytes) return text.slice(0, index);
    index += point > 0xffff ? 2 : 1;
  }
  return text;
}

/** Bytes of `text` in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) as number;
    bytes += utf8Length(point);
    if (point > 0xffff) index += 1;
  }
  return bytes;
}

function utf8Length(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

function splitsPair(text: string, cut: number): boolean {
  const before = text.charCodeAt(cut - 1);
  const after = text.charCodeAt(cut);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
