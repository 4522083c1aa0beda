// Text to terms, the same for pages and for queries: words in order, and extra terms that lie over them (identifiers
// whole or in parts, normal dates, pairs of distant characters). Knows no language, no field and no index.
import { numericDates, writtenDate, yearOf } from './calendar.ts';
import { classOf, DIGIT, GAP, JOINER, LETTER, normalizeText, PAIRED, PICTURE } from './characters.ts';

/** Longest term in UTF-16 units; longer words are cut, longer identifiers are known by their parts only. */
export const TERM_LENGTH_MAX = 64;
/** Marks a pair of characters with one between them, in scripts without spaces. */
export const SKIP_MARK = '\u0001';

/** Terms of a text. A word's position is its index; an extra term lies over the word at `extraAt`. */
export interface Tokens {
  readonly words: string[];
  readonly extras: string[];
  readonly extraAt: number[];
}

/** No terms yet. */
export const emptyTokens = (): Tokens => ({ words: [], extras: [], extraAt: [] });

const cut = (word: string): string => (word.length > TERM_LENGTH_MAX ? word.slice(0, TERM_LENGTH_MAX) : word);

function extra(out: Tokens, at: number, term: string): void {
  if (term.length > TERM_LENGTH_MAX) return;
  out.extras.push(term);
  out.extraAt.push(at);
}

/** Parts of `parseHttpRequest`, `HTTPServer`; one part for a plain word. */
function camelParts(word: string): string[] {
  return word.split(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

function pushWord(out: Tokens, raw: string): void {
  const lower = cut(raw.toLowerCase());
  const at = out.words.length;
  out.words.push(lower);
  if (raw.length > 3 && lower !== raw && /[\p{Ll}\d]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(raw)) {
    const parts = camelParts(raw);
    if (parts.length > 1) for (const part of parts) if (part.length > 1) extra(out, at, part.toLowerCase());
  }
}

/** Pairs of neighbours as words; pairs with one character between them and the last character alone as extras. */
function pushPaired(out: Tokens, run: string): void {
  const characters = Array.from(run);
  if (characters.length === 1) {
    out.words.push(run);
    return;
  }
  for (let i = 0; i + 1 < characters.length; i++) {
    if (i + 2 < characters.length) extra(out, out.words.length, SKIP_MARK + characters[i]! + characters[i + 2]!);
    out.words.push(characters[i]! + characters[i + 1]!);
  }
  extra(out, out.words.length - 1, characters.at(-1)!);
}

/** The whole of an identifier over its parts, with the forms by which people look for it. */
function pushWhole(out: Tokens, at: number, whole: string): void {
  const lower = whole.toLowerCase().replaceAll('’', "'");
  if (lower.includes("'")) {
    extra(out, at, lower.replaceAll("'", ''));
    if (!/[^\p{L}\p{M}']/u.test(lower)) return;
  }
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(lower)) extra(out, at, lower.replaceAll(',', ''));
  extra(out, at, lower);
  if (/[/\\]/.test(lower)) {
    const last = lower.split(/[/\\]/).at(-1)!;
    if (/[-_.]/.test(last)) extra(out, at, last);
  }
  const dates = numericDates(lower);
  for (const term of dates) if (term !== lower) extra(out, at, term);
}

/** One identifier or word: parts joined by single joiners. Gives the place behind it. */
function readCompound(text: string, start: number, out: Tokens): number {
  const first = out.words.length;
  let parts = 0;
  let at = start;
  let end = start;
  let partStart = start;
  while (true) {
    const kind = at < text.length ? classOf(text.codePointAt(at)!) : GAP;
    if (kind === LETTER || kind === DIGIT) {
      at += text.codePointAt(at)! > 0xffff ? 2 : 1;
      continue;
    }
    const part = text.slice(partStart, at);
    const possessive =
      parts > 0 && (part === 's' || part === 'S') && /['’]/.test(text[partStart - 1]!) && !isJoin(text, at, kind);
    if (possessive) {
      if (parts > 1) pushWhole(out, first, text.slice(start, partStart - 1));
      return at;
    }
    pushWord(out, part);
    parts++;
    end = at;
    if (!isJoin(text, at, kind)) break;
    partStart = ++at;
  }
  if (parts > 1) pushWhole(out, first, text.slice(start, end));
  return readSuffix(text, start, end, out);
}

/** Whether the character at `at` joins two word characters; a comma does so between digits. */
function isJoin(text: string, at: number, kind: number): boolean {
  if (at + 1 >= text.length) return false;
  const next = classOf(text.codePointAt(at + 1)!);
  if (kind === JOINER) return next === LETTER || next === DIGIT;
  return text.charCodeAt(at) === 44 && next === DIGIT && classOf(text.charCodeAt(at - 1)) === DIGIT;
}

/** `C++`, `g++`, `C#`, `F#`: a short name with the sign that makes it another one. */
function readSuffix(text: string, start: number, end: number, out: Tokens): number {
  const sign = text.startsWith('++', end) ? '++' : text[end] === '#' && end - start <= 2 ? '#' : '';
  if (sign === '') return end;
  extra(out, out.words.length - 1, text.slice(start, end).toLowerCase() + sign);
  return end + sign.length;
}

/**
 * A text without the targets of its labelled links, which would count names twice and addresses as words. The targets
 * are known whole.
 */
function readLinks(text: string, targets: string[]): string {
  const labelled = (_: string, one: string, other: string): string => {
    const [label, target] = _.startsWith('[[') ? [other, one] : [one, other];
    targets.push(target.trim());
    return label;
  };
  return text
    .replace(/\[\[([^\]|\n]{1,300})\|([^\]\n]{1,300})\]\]/g, labelled)
    .replace(/\[([^\]\n]{1,300})\]\(([^)\s]{1,300})\)/g, labelled);
}

/** Appends the terms of a text. Any text is fine; what holds no word adds nothing. */
export function analyze(source: string, out: Tokens): void {
  const targets: string[] = [];
  const text = normalizeText(source.includes('[') ? readLinks(source, targets) : source);
  const first = out.words.length;
  let at = 0;
  let hasYear = false;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    const width = code > 0xffff ? 2 : 1;
    const kind = classOf(code);
    if (kind === LETTER || kind === DIGIT) at = readCompound(text, at, out);
    else if (kind === PAIRED) {
      let end = at + width;
      while (end < text.length && classOf(text.codePointAt(end)!) === PAIRED)
        end += text.codePointAt(end)! > 0xffff ? 2 : 1;
      pushPaired(out, text.slice(at, end));
      at = end;
    } else {
      if (kind === PICTURE) out.words.push(String.fromCodePoint(code));
      at += width;
    }
  }
  if (out.words.length > first) for (const target of targets) extra(out, first, target.toLowerCase());
  for (let i = first; i < out.words.length; i++) {
    if (yearOf(out.words[i]!) === 0) continue;
    hasYear = true;
    for (const term of writtenDate(out.words, i)) extra(out, i, term);
  }
  if (hasYear && /[年년]/.test(text)) for (const term of numericDates(text)) extra(out, first, term);
}

/** Whether a text holds anything to look for: a letter, a digit or a picture. */
export function holdsWords(text: string): boolean {
  for (const character of text) {
    const kind = classOf(character.codePointAt(0)!);
    if (kind !== GAP && kind !== JOINER) return true;
  }
  return false;
}

/** The terms of one text. */
export function tokensOf(text: string): Tokens {
  const out = emptyTokens();
  analyze(text, out);
  return out;
}
