// A query's words with the spellings that count as them in a segment: accents, inflection, prefixes of paired scripts.
// Knows analysis and dictionaries, never scores.
import { SKIP_MARK, type Tokens } from './analysis.ts';
import { yearOf } from './calendar.ts';
import { classOf, foldAccents, PAIRED } from './characters.ts';
import { findTerm, type SegmentColumns, termsOfKey, termsWithPrefix } from './segment.ts';
import { FOLD_KEY, STEM_KEY, type Stemmer } from './stemming.ts';

/** What a query term is, which decides how much it weighs. */
export type TermKind = 'word' | 'identifier' | 'part' | 'skip' | 'correction' | 'near';

/** One thing looked for. Terms of the same text in several places of a query are one with a greater weight. */
export interface QueryTerm {
  readonly text: string;
  readonly kind: TermKind;
  readonly weight: number;
  /** Position of its first word in the query, for phrases. */
  readonly at: number;
}

/** Most characters of a query that are read; the rest is not looked at. */
export const QUERY_LENGTH_MAX = 64_000;
/** Most terms that are scored. */
export const QUERY_TERMS_MAX = 96;

/** Weights by kind: an identifier's whole leads, its parts only help. Set by the known-item kinds of the made vault. */
const KIND_WEIGHT: Readonly<Record<TermKind, number>> = {
  word: 1,
  identifier: 2,
  part: 0.3,
  skip: 0.3,
  correction: 0.7,
  near: 1,
};

/** English words that carry no topic: they are dropped when a query holds anything else. */
const STOP_WORDS = new Set(
  [
    'a about above after again against all also am an and any are as at be because been before being below',
    'between both but by can could did do does doing don down during each few for from further had has have',
    'having he her here hers herself him himself his how i if in into is it its itself just ll me more most my',
    'myself no nor not now of off on once only or other our ours ourselves out over own re s same she should',
    'so some such t than that the their theirs them themselves then there these they this those through to too',
    'under until up us ve very was we were what when where which while who whom whose why will with would you',
    'your yours yourself yourselves  tell show find give please let know',
  ].flatMap((line) => line.split(' ')),
);

/** Whether a word carries no topic of its own. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** Plain words joined by hyphens: its words carry the meaning, the whole only helps. */
const COMPOUND = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)+$/u;

/** Words that a date term stands for: its own place and, for a written date, the month and day before it. */
function coveredBy(text: string, at: number, words: readonly string[]): number[] {
  const parts = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((part) => part !== '');
  if (words[at] === parts[0] && parts.every((part, i) => words[at + i] === part)) return parts.map((_, i) => at + i);
  return yearOf(words[at] ?? '') > 0 ? [at - parts.length + 1, at - 1, at].filter((place) => place >= 0) : [at];
}

/**
 * The terms of a query, at most QUERY_TERMS_MAX, in order. Words at `left` places say something else than what is
 * looked for (a date, an order) and are left out, unless nothing else would be left.
 */
export function termsOfQuery(tokens: Tokens, left: ReadonlySet<number>): QueryTerm[] {
  const covered = new Set<number>();
  const found = new Map<string, QueryTerm>();
  const add = (text: string, kind: TermKind, at: number): void => {
    const known = found.get(text);
    if (known) found.set(text, { ...known, weight: Math.min(known.weight + KIND_WEIGHT[kind] / 2, 3) });
    else if (found.size < QUERY_TERMS_MAX) found.set(text, { text, kind, weight: KIND_WEIGHT[kind], at });
  };
  tokens.extras.forEach((text, i) => {
    const at = tokens.extraAt[i]!;
    if (text.startsWith(SKIP_MARK)) add(text, 'skip', at);
    else if (COMPOUND.test(text)) add(text, 'part', at);
    else if (/[^\p{L}\p{M}]/u.test(text)) {
      add(text, 'identifier', at);
      for (const place of coveredBy(text, at, tokens.words)) covered.add(place);
    } else if (classOf(text.codePointAt(0)!) !== PAIRED) add(text, 'part', at);
  });
  const isContent = (word: string, at: number): boolean => !covered.has(at) && !left.has(at) && !isStopWord(word);
  const content = covered.size > 0 || tokens.words.some(isContent);
  tokens.words.forEach((word, at) => {
    if (covered.has(at)) {
      if (!left.has(at)) add(word, 'part', at);
    } else if (!content || isContent(word, at)) add(word, 'word', at);
  });
  return [...found.values()];
}

/** A spelling that counts as a query term, and how much an occurrence of it counts. */
export interface Form {
  readonly term: number;
  readonly weight: number;
}

/** Set by `search-quality`: exact spelling 1; the same letters with other accents and inflected forms a little less. */
const ACCENT_WEIGHT = 0.9;
const STEM_WEIGHT = 0.85;
/** Pairs that begin with a lone character; more than any text has, so that the cap never decides a ranking. */
const PREFIX_MAX = 20_000;

/** The spellings of a segment that count as a term, each once, in an order that does not depend on the segment. */
export function formsOf(segment: SegmentColumns, term: QueryTerm, stemmer: Stemmer): Form[] {
  const forms: Form[] = [];
  const seen = new Set<number>();
  const add = (id: number, weight: number): void => {
    if (id < 0 || seen.has(id)) return;
    seen.add(id);
    forms.push({ term: id, weight });
  };
  const { text } = term;
  add(findTerm(segment, text), 1);
  if (term.kind === 'skip') return forms;
  const plain = foldAccents(text);
  if (plain !== text) add(findTerm(segment, plain), ACCENT_WEIGHT);
  for (const id of termsOfKey(segment, FOLD_KEY + plain)) add(id, ACCENT_WEIGHT);
  for (const stem of stemmer.stems(text)) {
    if (stemmer.stems(stem).includes(stem)) add(findTerm(segment, stem), STEM_WEIGHT);
    for (const id of termsOfKey(segment, STEM_KEY + stem)) add(id, STEM_WEIGHT);
  }
  const first = text.codePointAt(0)!;
  if (String.fromCodePoint(first) === text && classOf(first) === PAIRED)
    for (const id of termsWithPrefix(segment, text, PREFIX_MAX)) add(id, 1);
  return forms;
}
