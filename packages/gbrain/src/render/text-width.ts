// Text in columns of a terminal: how wide it is, cutting and padding to a width, breaking into lines. Pure.
import { stripVTControlCharacters } from 'node:util';

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as people count them. The tables behind it take longer to load than a command to run. */
function graphemesOf(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Characters that take two columns. Source: Unicode, East Asian Width (W and F), and emoji shown as pictures. */
const WIDE = new RegExp(
  [
    '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua000-\\ua4cf\\ua960-\\ua97c]',
    '[\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\ufe0f\\u{20000}-\\u{3fffd}]',
    '\\p{Emoji_Presentation}',
  ].join('|'),
  'u',
);
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const PLAIN = /^[\x20-\x7e]*$/;

const graphemeWidth = (one: string): number => (ZERO.test(one) ? 0 : WIDE.test(one) ? 2 : 1);

/** Columns that a text takes; its colours take none. */
export function displayWidth(text: string): number {
  const bare = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of graphemesOf(bare)) width += graphemeWidth(segment);
  return width;
}

/** Stored text on one line, without anything that a terminal would obey. */
export const plainLine = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');

/** Stored text of many lines, without anything that a terminal would obey but line ends and tabs. */
export const plainText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '');

/** A text without colours, cut to a width with an ellipsis at its end. */
export function clip(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  let out = '';
  for (const { segment } of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    out += segment;
  }
  return `${out}…`;
}

/** A text filled up with blanks to a width. */
export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - displayWidth(text)));

/** Words in lines of a width; a word that is longer has a line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
