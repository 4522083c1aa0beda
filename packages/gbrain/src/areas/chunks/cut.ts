// Cuts a stretch of text into pieces that keep to the caps, at the best place in reach. It knows no page, no fence
// and no heading by name: only how good each line start is as a place to cut.

import { UnitClass, unitBytes, unitClass, unitTokens } from './measure.ts';
import type { Span } from './visible.ts';

/** The most that one piece may hold. `bytes` bounds tokens in the worst case; `tokens` is an estimate. */
export interface CutCaps {
  readonly words: number;
  readonly overlapWords: number;
  readonly chars: number;
  readonly tokens: number;
  readonly bytes: number;
}

/** The caps that pages are cut with, whatever the embedding profile is; a profile may only lower them. */
export const DEFAULT_CAPS: CutCaps = { words: 300, overlapWords: 50, chars: 6000, tokens: 2000, bytes: 8000 };

/** A piece: what it covers, and where its own text begins after the repeat of the piece before it. */
export interface Cut {
  readonly start: number;
  readonly ownStart: number;
  readonly end: number;
}

/** How good a place to cut is; a higher one is preferred over a later one. */
export const Break = { codePoint: 0, word: 1, clause: 2, sentence: 3, line: 4, block: 5, section: 6 } as const;

/** Line starts in ascending order, and the level (`Break`) of each as a place to cut. */
export interface LineBreaks {
  readonly at: readonly number[];
  readonly level: readonly number[];
}

/** A piece ends no sooner than this share of what would fit, so that a good early break makes no dwarf. */
const FILL_MIN = 1 / 3;
const OVERLAP_CHARS_MAX = 600;
const SENTENCE_END = new Set(['.', '!', '?', '。', '！', '？', '…', '।', '؟']);
const CLAUSE_END = new Set([',', ';', ':', '，', '；', '：', '、', '،']);
const CLOSER = new Set(['"', "'", ')', ']', '”', '’', '»', '」', '』', '）', '*', '_']);

/**
 * Pieces of `text` from `start` to `end` in order. Together they cover the range; each keeps to the caps; no piece
 * begins or ends inside a surrogate pair. Work is linear: a piece is walked at most three times.
 */
export function cutText(text: string, { start, end }: Span, lines: LineBreaks, caps: CutCaps): Cut[] {
  const cuts: Cut[] = [];
  const walk = new Walk(text, end, lines, caps);
  let from = start;
  let ownStart = start;
  while (ownStart < end) {
    const piece = walk.piece(from, ownStart);
    cuts.push({ start: from, ownStart, end: piece.end });
    ownStart = piece.end;
    from = piece.nextStart;
  }
  return cuts;
}

/** One pass over a stretch; keeps the break places of the piece in hand. */
class Walk {
  readonly #text: string;
  readonly #end: number;
  readonly #lines: LineBreaks;
  readonly #caps: CutCaps;
  #line = 0;
  #at: number[] = [];
  #level: number[] = [];
  #words: number[] = [];

  constructor(text: string, end: number, lines: LineBreaks, caps: CutCaps) {
    this.#text = text;
    this.#end = end;
    this.#lines = lines;
    this.#caps = caps;
  }

  /** The piece that begins at `from` and has to pass `ownStart`; its end, and where the next one begins. */
  piece(from: number, ownStart: number): { end: number; nextStart: number } {
    this.#at = [];
    this.#level = [];
    this.#words = [];
    const overflow = this.#measure(from);
    if (overflow >= this.#end) return { end: this.#end, nextStart: this.#end };
    const chosen = this.#choose(from, ownStart, overflow);
    return chosen;
  }

  /** Walks until a cap is passed or the text ends; the first unit that no longer fits. Records breaks on the way. */
  #measure(from: number): number {
    const text = this.#text;
    const caps = this.#caps;
    this.#seekLine(from);
    let words = 0;
    let tokens = 0;
    let bytes = 0;
    let run = 0;
    let before: number = UnitClass.space;
    for (let at = from; at < this.#end; at++) {
      const code = text.charCodeAt(at);
      const unit = unitClass(code);
      const level = this.#levelAt(at, unit, before);
      if (level >= 0 && at > from) this.#record(at, level, words);
      if (unit === UnitClass.ideograph) words += 0.5;
      else if (unit > UnitClass.newline && (before <= UnitClass.newline || before === UnitClass.ideograph)) words += 1;
      tokens += unitTokens(unit, run);
      bytes += unitBytes(code);
      run = unit === UnitClass.letter ? run + 1 : 0;
      before = unit;
      const over = words > caps.words || tokens > caps.tokens || bytes > caps.bytes || at - from >= caps.chars;
      if (over) return at;
    }
    return this.#end;
  }

  #record(at: number, level: number, words: number): void {
    this.#at.push(at);
    this.#level.push(level);
    this.#words.push(words);
  }

  #seekLine(from: number): void {
    const starts = this.#lines.at;
    while (this.#line > 0 && starts[this.#line - 1]! >= from) this.#line--;
    while (this.#line < starts.length && starts[this.#line]! < from) this.#line++;
  }

  /** Level of a cut right before `at`, or -1 where none is made. */
  #levelAt(at: number, unit: number, before: number): number {
    if (this.#lines.at[this.#line] === at) return this.#lines.level[this.#line++]!;
    if (unit <= UnitClass.newline || unit === UnitClass.lowSurrogate || unit === UnitClass.mark) return -1;
    if (before <= UnitClass.newline) return this.#textLevel(at - 1);
    if (before !== UnitClass.ideograph && unit !== UnitClass.ideograph && before !== UnitClass.punctuation) return -1;
    const char = this.#text[at - 1]!;
    if (char > '\u2fff' && SENTENCE_END.has(char)) return Break.sentence;
    if (char > '\u2fff' && CLAUSE_END.has(char)) return Break.clause;
    return unit === UnitClass.ideograph || before === UnitClass.ideograph ? Break.word : -1;
  }

  /** What ends before the space at `space`: a sentence, a clause or a word. Looks back a few units at most. */
  #textLevel(space: number): number {
    let at = space;
    for (let steps = 0; steps < 4 && at > 0 && unitClass(this.#text.charCodeAt(at)) <= UnitClass.newline; steps++) at--;
    for (let steps = 0; steps < 3 && at > 0 && CLOSER.has(this.#text[at]!); steps++) at--;
    const char = this.#text[at]!;
    if (SENTENCE_END.has(char)) return Break.sentence;
    return CLAUSE_END.has(char) ? Break.clause : Break.word;
  }

  /** The last break of the best level that leaves a piece of a fair size, else the last code point that fits. */
  #choose(from: number, ownStart: number, overflow: number): { end: number; nextStart: number } {
    const earliest = Math.max(ownStart + 1, from + Math.ceil((overflow - from) * FILL_MIN));
    let best = -1;
    for (let i = this.#at.length - 1; i >= 0 && this.#at[i]! >= earliest; i--) {
      if (best < 0 || this.#level[i]! > this.#level[best]!) best = i;
    }
    if (best < 0) return this.#hardCut(ownStart, overflow);
    const end = this.#at[best]!;
    // A new section owes nothing to the one before it.
    const nextStart = this.#level[best] === Break.section ? end : this.#overlapStart(from, end, this.#words[best]!);
    return { end, nextStart };
  }

  #hardCut(ownStart: number, overflow: number): { end: number; nextStart: number } {
    let end = Math.max(overflow, ownStart + 1);
    for (let steps = 0; steps < 16 && end - 1 > ownStart && this.#isInside(end); steps++) end--;
    if (isLowSurrogate(this.#text, end)) end = end - 1 > ownStart ? end - 1 : end + 1;
    return { end, nextStart: end };
  }

  /** True when a cut before `at` would part a character from its marks or its second half. */
  #isInside(at: number): boolean {
    const unit = unitClass(this.#text.charCodeAt(at));
    return unit === UnitClass.lowSurrogate || unit === UnitClass.mark;
  }

  /** The first sentence that begins within the last `overlapWords` words, else the first word there. */
  #overlapStart(from: number, end: number, words: number): number {
    const earliest = Math.max(from + Math.ceil((end - from) / 2), end - OVERLAP_CHARS_MAX);
    let word = end;
    let sentence = end;
    for (let i = this.#at.length - 1; i >= 0; i--) {
      const at = this.#at[i]!;
      if (at >= end) continue;
      if (at < earliest || words - this.#words[i]! > this.#caps.overlapWords) break;
      if (this.#level[i]! >= Break.sentence) sentence = at;
      else word = at;
    }
    return sentence < end ? sentence : word;
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
