// Turns a block of prose into sentences that rules can read: one unit stands for each reference, one for the page's
// own name, markup is gone. It knows no relation and no rule.

import type { Span } from '../chunks/visible.ts';
import type { Mention, MentionBlock } from './mentions.ts';

/** Stands for the page's own name in a sentence. */
export const SELF = '\uf8ff';
/** Units that stand for one reference begin here; those for several in a row begin at `GROUP_FIRST`. */
const SLOT_FIRST = 0xe000;
const SLOTS_MAX = 4096;
const GROUP_FIRST = 0xf000;
const GROUPS_MAX = 2048;
/** Stands for code, an image or another thing that is no name. */
const OPAQUE = '`';

/** The sentences of a block, and the references by the unit that stands for them. */
export interface BlockSentences {
  readonly sentences: readonly string[];
  readonly slots: readonly Mention[];
}

/** Index into the slots of a unit that stands for a reference, or -1. */
export function slotOf(unit: string): number {
  const code = unit.charCodeAt(0) - SLOT_FIRST;
  return code >= 0 && code < SLOTS_MAX ? code : -1;
}

/** Reads the sentences of `block`, in order and without empty ones. Linear in the block. */
export function readSentences(text: string, block: MentionBlock): BlockSentences {
  const slots: Mention[] = [];
  const parts: string[] = [];
  let at = block.start;
  for (const { start, end, mention } of replacements(block)) {
    if (start < at) continue;
    parts.push(plain(text, at, start));
    const isName = mention && mention.form !== 'image' && mention.form !== 'code' && !mention.target.file;
    if (isName && slots.length < SLOTS_MAX) parts.push(String.fromCharCode(SLOT_FIRST + slots.push(mention) - 1));
    else parts.push(mention || isCode(text, start) ? OPAQUE : ' ');
    at = end;
  }
  parts.push(plain(text, at, block.end));
  return { sentences: split(parts.join('').replace(/\s+/g, ' '), block.kind === 'row'), slots };
}

interface Replacement {
  start: number;
  end: number;
  mention?: Mention;
}

/** What is no plain text, in order; of two that begin together the longer one first. */
function replacements(block: MentionBlock): Replacement[] {
  const found: Replacement[] = block.mentions.map((mention) => ({ start: mention.start, end: mention.end, mention }));
  if (block.masked.length === 0) return found;
  return [...block.masked, ...found].sort((a, b) => a.start - b.start || b.end - a.end);
}

function isCode(text: string, at: number): boolean {
  return text[at] === '`' || text.startsWith('<code', at);
}

/**
 * Plain text without marks of emphasis, with straight quotes; private-use units, which mean something here, are
 * spaces.
 */
function plain(text: string, from: number, to: number): string {
  const slice = text.slice(from, to);
  if (!/[*_~‘’“”\ue000-\uf8ff]/.test(slice)) return slice;
  return slice
    .replace(/\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[\ue000-\uf8ff]/g, ' ');
}

/** References in a row that share what is said of them. */
export interface LinkGroup {
  readonly units: readonly string[];
  /** The words as they stood, by which a caller can tell where the list may have to be parted. */
  readonly words: string;
}

/** A sentence in which every list of references is one unit, and what those units stand for. */
export interface GroupedSentence {
  readonly text: string;
  readonly groups: ReadonlyMap<string, LinkGroup>;
}

const ONE = '[\\ue000-\\uefff\\uf8ff]';
const ASIDE = '(?: ?\\([^()\\ue000-\\uf8ff]{1,60}\\))?';
/** `A, B and C`, `in A and in B`, `A (CEO), B`. `or` is left out, for it states neither. */
const LIST = new RegExp(
  `${ONE}(?:${ASIDE}(?:, (?:and |& )?| (?:and|&|as well as|plus|along with) |、|和|与|及|以及)(?:also ` +
    `)?(?:(?:in|at|of|to|by|for|with|from) )?(?:the )?${ONE})+`,
  'g',
);

/** Makes every list of references in `text` one unit. */
export function groupLinks(text: string): GroupedSentence {
  const groups = new Map<string, LinkGroup>();
  const grouped = text.replace(LIST, (list: string, at: number) => {
    const words = partList(text, list, at);
    // `At A, Alice leads`: the comma before the page's own name ends a phrase.
    if (
      groups.size >= GROUPS_MAX ||
      (words.includes(SELF) && !/ (?:and|&|as well as|plus|along with) |[、和与及]/.test(words))
    ) {
      return list;
    }
    if (!/[\ue000-\uefff\uf8ff].*[\ue000-\uefff\uf8ff]/.test(words)) return list;
    const unit = String.fromCharCode(GROUP_FIRST + groups.size);
    groups.set(unit, { units: words.match(/[\ue000-\uefff\uf8ff]/g)!, words });
    return unit + list.slice(words.length);
  });
  return { text: grouped, groups };
}

const TAKES_OBJECT = new RegExp(
  String.raw`(?:^|\s)(?:in|at|of|from|by|for|with|to|on|near|into|about|via|the|an?|[a-z]+(?:ed|ing)|` +
    String.raw`[a-z]+[^s\W]s|led|met|saw|told|gave|sold|left|quit|bought|ran|made|took)\s$`,
  'i',
);
const TAKES_CLAUSE = new RegExp(
  String.raw`(?:^|\s)(?:says|thinks|believes|reports|hears|knows|means|whereas|besides|as|noted|mentioned|added|` +
    String.raw`heard|confirmed|announced|reported)\s$`,
  'i',
);
const VERB_AFTER = new RegExp(
  String.raw`^ (?!as\b|across\b|plus\b|this\b|his\b|its\b|towards\b|besides\b|always\b|perhaps\b|based\b|` +
    String.raw`located\b|headquartered\b|called\b|named\b|backed\b|founded by\b|led by\b)(?:(?:also|then|later|now|` +
    String.raw`both) )?(?:is|was|are|were|has|had|have|will|would|[a-z]+(?:[^s\W]s|ed)|led|ran|sold|left|took|made|` +
    String.raw`met)\b`,
);

/** Without its last name where that begins a clause of its own: `founded A, B founded C`, `in A, B founded C`. */
function partList(text: string, list: string, at: number): string {
  const before = text.slice(Math.max(0, at - 24), at);
  const after = text.slice(at + list.length);
  // `B, A's founder`: the comma begins a remark on B.
  if (/^'s? /.test(after) && !/ (?:and|&) /.test(list)) return withoutLast(list);
  if (!TAKES_OBJECT.test(before) || TAKES_CLAUSE.test(before) || !VERB_AFTER.test(text.slice(at + list.length)))
    return list;
  return withoutLast(list);
}

function withoutLast(list: string): string {
  return /^.*[\ue000-\uefff\uf8ff](?=.)/.exec(list)![0];
}

/**
 * Puts `SELF` for the page's own `names`. Next to another capitalised word it is somebody else's: a brother's full
 * name.
 */
export function markOwnName(text: string, names: OwnNames): string {
  let marked = text;
  for (const { name, isLast } of names) {
    for (let at = marked.indexOf(name); at >= 0; at = marked.indexOf(name, at + 1)) {
      if (isOwn(marked, { start: at, end: at + name.length, isLast }))
        marked = `${marked.slice(0, at)}${SELF}${marked.slice(at + name.length)}`;
    }
  }
  return marked;
}

const LETTER = /[\p{L}\p{N}_]/u;
const HAN = /\p{Script=Han}/u;

function isOwn(text: string, { start, end, isLast }: Span & { isLast: boolean }): boolean {
  const [last, next] = [text[start - 1] ?? ' ', text[end] ?? ' '];
  if (HAN.test(text[start]!)) return true;
  if (LETTER.test(last) || last === '-' || LETTER.test(next)) return false;
  const before = text.slice(Math.max(0, start - 24), start);
  // The first word of a sentence has a capital anyway, but before a last name it is a first name.
  const titled = /\b(?:Dr|Mr|Ms|Mrs|Prof)\.?\s$/.test(before) || (!isLast && /(?:^|[.!?:]\s)\p{L}*\s$/u.test(before));
  if (/\p{Lu}[\p{L}'-]*\s$/u.test(before) && !titled) return false;
  return !/^\s\p{Lu}\p{Ll}/u.test(text.slice(end, end + 3));
}

const BOUNDARY = /[.!?]["')\]]*\s(?=["'([]*[\p{Lu}\p{Lo}\p{N}\ue000-\uf8ff])|[。！？]/gu;
const ABBREVIATION = new RegExp(
  String.raw`(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Inc|Ltd|Co|Corp|Bros|vs|etc|approx|est|No|Nos|Dept|Fig|Gen|` +
    String.raw`Rep|Sen|[A-Z]|e\.g|i\.e|a\.k\.a|U\.S|U\.K)\.$`,
);
const SENTENCE_CHARS_MAX = 1200;

/** Cuts at full stops; a table row is one sentence whose cells are clauses. What has no end is cut at a length. */
function split(text: string, row: boolean): string[] {
  const sentences: string[] = [];
  const push = (from: number, to: number) => {
    for (let at = from; at < to; at += SENTENCE_CHARS_MAX) {
      const sentence = text.slice(at, Math.min(to, at + SENTENCE_CHARS_MAX)).trim();
      if (sentence !== '') sentences.push(sentence);
    }
  };
  let from = 0;
  for (const match of row ? [] : text.matchAll(BOUNDARY)) {
    const stop = match.index + 1;
    if (match[0].startsWith('.') && ABBREVIATION.test(text.slice(Math.max(from, stop - 13), stop))) continue;
    push(from, match.index + match[0].length);
    from = match.index + match[0].length;
  }
  push(from, text.length);
  return sentences;
}

/** What a page calls its own subject, longest first; `isLast` for a last name alone. */
export type OwnNames = readonly { readonly name: string; readonly isLast: boolean }[];

/**
 * Names of the subject of a page: title and aliases, a person's first and last name, a company without its legal
 * form.
 */
export function ownNames(title: string, aliases: readonly string[], isPerson: boolean): OwnNames {
  const full = title.replace(/\s*\([^()]*\)\s*$/, '').trim();
  const names = new Map([full, ...aliases.slice(0, 10)].map((name) => [name, false]));
  const words = full.split(/\s+/);
  const isName = (word: string) => /^\p{Lu}[\p{L}'-]+$/u.test(word);
  if (isPerson && words.length > 1 && words.length <= 4) {
    const [first, last] = [words[0]!, words[words.length - 1]!];
    if (isName(last)) names.set(last, true);
    if (isName(first)) names.set(first, false);
  } else if (!isPerson) names.set(full.replace(/,?\s+(?:Inc|LLC|Ltd|GmbH|Corp|Co|AG|PLC)\.?$/i, ''), false);
  return [...names]
    .map(([name, isLast]) => ({ name, isLast }))
    .filter(({ name }) => name.length >= 2 && name.length <= 80)
    .sort((a, b) => b.name.length - a.name.length);
}
