// The byte edge of page text: bytes or string to verbatim text with a view of plain lines, and back. Knows no markdown.

/** Most bytes of one page, as UTF-8. */
export const MAX_PAGE_BYTES = 5_000_000;

/** A line end. */
export type Eol = '\n' | '\r\n' | '\r';

/** How a file writes its text: a byte order mark in front or none, and the line end that most of its lines have. */
export interface TextStyle {
  bom: boolean;
  eol: Eol;
}

/**
 * Text as it is stored and as it is read. `text` is the file to the last character, byte order mark and line ends
 * included, so that an export is its UTF-8 form and nothing else; `view` is the same without the mark and with `\n` as
 * the only line end, and is what everything is derived from.
 */
export interface EdgeText extends TextStyle {
  text: string;
  view: string;
}

/** Why bytes or a string are no page text. */
export type TextFault = 'invalid_utf8' | 'nul' | 'lone_surrogate' | 'too_large';

/** `at` counts bytes when bytes were given, UTF-16 units otherwise; `line` and `column` (code points) begin at 1. */
export type TextResult =
  | { ok: true; edge: EdgeText }
  | { ok: false; reason: TextFault; at: number; line: number; column: number };

/** A half-open range of UTF-16 units. */
export interface Range {
  start: number;
  end: number;
}

const BOM = '\ufeff';

/** Reads what a file or a tool gave. Refuses what is not UTF-8, NUL, lone surrogates and more than 5,000,000 bytes. */
export function parseText(input: Uint8Array | string): TextResult {
  const bytes = typeof input === 'string' ? Buffer.byteLength(input) : input.length;
  if (bytes > MAX_PAGE_BYTES) return { ok: false, reason: 'too_large', at: MAX_PAGE_BYTES, line: 1, column: 1 };
  if (typeof input === 'string') return parseString(input);

  const bad = findInvalidUtf8(input);
  if (bad >= 0) return refuse('invalid_utf8', bad, decode(input.subarray(0, bad)));
  const nul = input.indexOf(0);
  if (nul >= 0) return refuse('nul', nul, decode(input.subarray(0, nul)));
  return { ok: true, edge: toEdge(decode(input)) };
}

/** The bytes of a stored text: its UTF-8 form. `toBytes(parseText(bytes).edge.text)` is `bytes`. */
export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The parts of a text that is known to be good, for example one read from the store. */
export function toEdge(text: string): EdgeText {
  return { text, view: toView(text), bom: text.startsWith(BOM), eol: dominantEol(text) };
}

/** The text without its byte order mark and with `\n` as the only line end. */
export function toView(text: string): string {
  const bare = text.startsWith(BOM) ? text.slice(1) : text;
  return bare.includes('\r') ? bare.replace(/\r\n?/g, '\n') : bare;
}

/** A view written in a file's style. Mixed line ends of an existing file survive in `spliceView`, not here. */
export function fromView(view: string, style: TextStyle): string {
  return (style.bom ? BOM : '') + (style.eol === '\n' ? view : view.replaceAll('\n', style.eol));
}

/**
 * A whole new text in the style of the one it replaces: with the stored file's byte order mark and line ends, unless it
 * brings its own. A tool's caller saw `\n` alone and sends `\n` alone.
 */
export function adoptStyle(incoming: string, stored: string): string {
  if (incoming.startsWith(BOM) || incoming.includes('\r')) return incoming;
  return fromView(incoming, toEdge(stored));
}

/**
 * Puts replacements, given as ranges of the view, into the stored text: line ends of `text` become the file's own, and
 * every character outside the ranges stays as it is. Ranges are in order and do not overlap.
 */
export function spliceView(text: string, replacements: readonly (Range & { text: string })[]): string {
  if (replacements.length === 0) return text;
  const eol = dominantEol(text);
  const toSource = sourceOffsets(text);
  let spliced = '';
  let from = 0;
  for (const one of replacements) {
    spliced = join(spliced, text.slice(from, toSource(one.start)));
    spliced = join(spliced, eol === '\n' ? one.text : one.text.replaceAll('\n', eol));
    from = toSource(one.end);
  }
  return join(spliced, text.slice(from));
}

/** Joins two texts; a line end that is `\r` and one that is `\n` stay two when they meet. */
function join(left: string, right: string): string {
  return left.endsWith('\r') && right.startsWith('\n') ? `${left}\r${right}` : left + right;
}

/** The line end of most lines; `\n` for a tie and for a text of one line. */
export function dominantEol(text: string): Eol {
  if (!text.includes('\r')) return '\n';
  let crlf = 0;
  let cr = 0;
  let lf = 0;
  for (const [end] of text.matchAll(/\r\n?|\n/g)) {
    if (end === '\r\n') crlf += 1;
    else if (end === '\r') cr += 1;
    else lf += 1;
  }
  if (lf >= crlf && lf >= cr) return '\n';
  return crlf >= cr ? '\r\n' : '\r';
}

/** Maps offsets of the view to those of the text. Offsets must not fall: each call goes on where the last one ended. */
function sourceOffsets(text: string): (offset: number) => number {
  let source = text.startsWith(BOM) ? 1 : 0;
  if (!text.includes('\r\n')) return (offset) => offset + source;
  let view = 0;
  let next = text.indexOf('\r\n', source);
  return (offset) => {
    while (next >= 0 && view + (next - source) < offset) {
      view += next - source + 1;
      source = next + 2;
      next = text.indexOf('\r\n', source);
    }
    return source + (offset - view);
  };
}

function parseString(text: string): TextResult {
  const nul = text.indexOf('\0');
  const lone = text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u);
  if (lone >= 0 && (nul < 0 || lone < nul)) return refuse('lone_surrogate', lone, text.slice(0, lone));
  if (nul >= 0) return refuse('nul', nul, text.slice(0, nul));
  return { ok: true, edge: toEdge(text) };
}

function refuse(reason: TextFault, at: number, before: string): TextResult {
  const view = toView(before);
  const lineStart = view.lastIndexOf('\n') + 1;
  let line = 1;
  for (let index = view.indexOf('\n'); index >= 0; index = view.indexOf('\n', index + 1)) line += 1;
  return { ok: false, reason, at, line, column: [...view.slice(lineStart)].length + 1 };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Offset of the first byte that begins no well-formed sequence (Unicode table 3-7), -1 when all are well formed. */
function findInvalidUtf8(bytes: Uint8Array): number {
  let index = 0;
  while (index < bytes.length) {
    const length = sequenceLength(bytes, index);
    if (length === 0) return index;
    index += length;
  }
  return -1;
}

function sequenceLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[index + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let offset = 2; offset < length; offset += 1) {
    if (((bytes[index + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
