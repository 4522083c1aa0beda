// Turns a block of prose into sentences that rules can read: one unit stands for each reference, one for the page's own
// name, markup is gone. It knows no relation and no rule.

import type { Mention, MentionBlock } from './mentions.ts';

/** Stands for the page's own name in a sentence. */
export const SELF = '\uf8ff';
/** First and last unit that stand for a reference. */
const SLOT_FIRST = 0xe000;
const SLOTS_MAX = 6000;
/** Stands for code, an image or another thing that is no name. */
const OPAQUE = '`';

/** A sentence: `text` with one unit a reference. `start` and `end` are offsets of the page's visible text. */
export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** False for the second and later sentences of a block. */
  readonly first: boolean;
}

/** The sentences of a block that hold a reference, and the references by the unit that stands for them. */
export interface BlockSentences {
  readonly sentences: readonly Sentence[];
  readonly slots: readonly Mention[];
}

/** Index into the slots of a unit that stands for a reference, or -1. */
export function slotOf(unit: string): number {
  const code = unit.charCodeAt(0) - SLOT_FIRST;
  return code >= 0 && code < SLOTS_MAX ? code : -1;
}

interface Draft {
  text: string;
  /** Offset in the page of each unit of `text`. */
  offsets: number[];
}

/** Reads the sentences of `block`; `ownName` finds the page's own names, if it has any. Linear in the block. */
export function readSentences(text: string, block: MentionBlock, ownName: RegExp | undefined): BlockSentences {
  const slots: Mention[] = [];
  const draft: Draft = { text: '', offsets: [] };
  const parts: string[] = [];
  const flush = (from: number, to: number) => appendPlain(parts, draft.offsets, text, from, to);
  let at = block.start;
  for (const { start, end, mention } of replacements(block)) {
    if (start < at) continue;
    flush(at, start);
    if (mention && slots.length < SLOTS_MAX) {
      slots.push(mention);
      parts.push(String.fromCharCode(SLOT_FIRST + slots.length - 1));
    } else parts.push(isCode(text, start) || mention ? OPAQUE : ' ');
    draft.offsets.push(start);
    at = end;
  }
  flush(at, block.end);
  draft.text = parts.join('');
  const named = ownName ? markOwnName(draft, ownName) : draft;
  return { sentences: split(squeeze(named), block), slots };
}

interface Replacement {
  start: number;
  end: number;
  mention?: Mention;
}

/** What a reader takes as a name (or as nothing), in order. Images and code are no names. */
function replacements(block: MentionBlock): Replacement[] {
  const found: Replacement[] = block.masked.map(({ start, end }) => ({ start, end }));
  for (const mention of block.mentions) {
    const isName = mention.form !== 'image' && mention.form !== 'code' && !mention.target.file;
    found.push({ start: mention.start, end: mention.end, ...(isName ? { mention } : {}) });
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

function isCode(text: string, at: number): boolean {
  return text[at] === '`' || text.startsWith('<code', at);
}

/** Copies plain text; private-use units, which mean something here, and marks of emphasis become spaces or nothing. */
function appendPlain(parts: string[], offsets: number[], text: string, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const char = text[at]!;
    const code = char.charCodeAt(0);
    if (char === '*' || (char === '~' && text[at + 1] === '~') || (char === '_' && isEdge(text, at))) continue;
    if (code >= 0xe000 && code <= 0xf8ff) parts.push(' ');
    else if (char === '’' || char === '‘') parts.push("'");
    else if (char === '“' || char === '”') parts.push('"');
    else parts.push(char);
    offsets.push(at);
  }
}

/** An underscore at the edge of a word is emphasis, within one it is a letter. */
function isEdge(text: string, at: number): boolean {
  return !/[\p{L}\p{N}_]/u.test(text[at - 1] ?? ' ') || !/[\p{L}\p{N}_]/u.test(text[at + 1] ?? ' ');
}

/** A name next to another capitalised word is somebody else's: `Hamish Wetherby` on Dario Wetherby's page. */
function markOwnName(draft: Draft, ownName: RegExp): Draft {
  const parts: string[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const match of draft.text.matchAll(ownName)) {
    const end = match.index + match[0].length;
    const before = draft.text.slice(Math.max(0, match.index - 24), match.index);
    if (
      /\p{Lu}[\p{L}'-]*\s$/u.test(before) &&
      !/(?:^|[.!?:]\s|\b(?:Dr|Mr|Ms|Mrs|Prof)\.?\s)\p{L}*\.?\s?$/u.test(before)
    )
      continue;
    if (/^\s\p{Lu}\p{Ll}/u.test(draft.text.slice(end, end + 3))) continue;
    parts.push(draft.text.slice(at, match.index), SELF);
    offsets.push(...draft.offsets.slice(at, match.index), draft.offsets[match.index]!);
    at = end;
  }
  parts.push(draft.text.slice(at));
  offsets.push(...draft.offsets.slice(at));
  return { text: parts.join(''), offsets };
}

/** One space for every run of white space. */
function squeeze(draft: Draft): Draft {
  let text = '';
  const offsets: number[] = [];
  for (let at = 0; at < draft.text.length; at++) {
    const char = draft.text[at]!;
    const space =
      char === ' ' || char === '\n' || char === '\t' || char === '\r' || char === '\u00a0' || char === '\u3000';
    if (space && (text === '' || text.endsWith(' '))) continue;
    text += space ? ' ' : char;
    offsets.push(draft.offsets[at]!);
  }
  return { text, offsets };
}

const BOUNDARY = /[.!?]["')\]]*\s+(?=["'([]*[\p{Lu}\p{Lo}\p{N}\ue000-\uf8ff])|[。！？]\s*|\s\|\s|\s\/\/\s/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Inc|Ltd|Co|Corp|Bros|vs|etc|approx|est|No|Nos|Dept|Fig|Gen|Rep|Sen|[A-Z]|e\.g|i\.e|a\.k\.a|U\.S|U\.K)\.$/;
const SENTENCE_CHARS_MAX = 1200;

function split(draft: Draft, block: MentionBlock): Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  const close = (to: number) => {
    // A sentence without end is cut, so that no rule ever reads more than its share.
    for (let at = from; at < to; at += SENTENCE_CHARS_MAX)
      pushSentence(draft, block, at, Math.min(to, at + SENTENCE_CHARS_MAX), sentences);
    from = to;
  };
  for (const match of draft.text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (
      match[0].startsWith('.') &&
      ABBREVIATION.test(draft.text.slice(Math.max(from, match.index - 12), match.index + 1))
    )
      continue;
    // A bar parts the cells of a table; in prose it is only a dash.
    if (/^\s[|/]/.test(match[0]) && block.kind !== 'row') continue;
    close(end);
  }
  close(draft.text.length);
  return sentences;
}

function pushSentence(draft: Draft, block: MentionBlock, from: number, to: number, sentences: Sentence[]): void {
  const text = draft.text.slice(from, to).trim();
  if (text === '') return;
  const start = draft.offsets[from] ?? block.start;
  sentences.push({ text, start, end: (draft.offsets[to - 1] ?? block.end - 1) + 1, first: sentences.length === 0 });
}

/** Finds the names that a page calls its own subject by, longest first; undefined when there is nothing to find. */
export function ownNamePattern(title: string, aliases: readonly string[], isPerson: boolean): RegExp | undefined {
  const plain = title.replace(/\s*\([^()]*\)\s*$/, '').trim();
  const names = new Set([plain, ...aliases]);
  const words = plain.split(/\s+/);
  const isName = (word: string) => /^\p{Lu}[\p{L}'-]+$/u.test(word);
  if (isPerson && words.length > 1 && words.length <= 4) {
    for (const word of [words[0]!, words[words.length - 1]!]) if (isName(word)) names.add(word);
  } else if (!isPerson) names.add(plain.replace(/,?\s+(?:Inc|LLC|Ltd|GmbH|Corp|Co|AG|PLC)\.?$/i, ''));
  const kept = [...names].filter((name) => name.length >= 2 && name.length <= 80).sort((a, b) => b.length - a.length);
  if (kept.length === 0) return undefined;
  const escaped = kept.slice(0, 12).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'));
  const cjk = /\p{Script=Han}/u.test(plain);
  const edge = (side: string) => (cjk ? '' : side);
  return new RegExp(`${edge('(?<![\\p{L}\\p{N}_-])')}(?:${escaped.join('|')})${edge('(?![\\p{L}\\p{N}_])')}`, 'gu');
}
