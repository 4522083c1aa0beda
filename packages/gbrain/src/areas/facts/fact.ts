// A fact's vocabulary and its text: kinds, what counts as the same text, what a question is compared with. Pure.
import { createHash } from 'node:crypto';
import { stemmer } from '@orama/stemmers/english';
import { tokensOf } from '../../index/analysis.ts';
import { foldAccents } from '../../index/characters.ts';
import { termsOfQuery } from '../../index/query-terms.ts';
import { bitsApart } from './one-form.ts';

/** Kinds of a fact. Source: facts/engine A.2. */
export const FACT_KINDS = ['event', 'preference', 'commitment', 'belief', 'fact'] as const;
/** One kind of a fact. */
export type FactKind = (typeof FACT_KINDS)[number];

/** Who may read a fact. */
export const FACT_VISIBILITIES = ['world', 'private'] as const;

/** Where a fact's words came from. */
export const FACT_ORIGINS = ['user_said', 'tool_output', 'inferred'] as const;

/** Longest text of a fact and of its provenance, in characters. */
export const FACT_CHARS_MAX = 8_000;
/** Longest provenance. Source: facts/contract G.6. */
export const PROVENANCE_CHARS_MAX = 500;

/** Version of the verbs' protocol, in every reply and error. Source: facts/contract G.6. */
export const PROTOCOL_VERSION = 1 as const;

/** A text in the form in which two count as the same: case, spaces, quotes and the full stop at its end aside. */
export function sameText(text: string): string {
  return bitsApart(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.!。！\s]+$/u, '');
}

/** SHA-256 of that form, in hex. */
export const fingerprintOf = (text: string): string =>
  createHash('sha256')
    .update(sameText(text) || text)
    .digest('hex');

const TERMS_MAX = 200;

/** Stems of English over the language-neutral words: stored rows depend on it, so it is no setting. */
const stemOf = (term: string): string =>
  /^[\p{L}\p{M}]{3,40}$/u.test(term) ? foldAccents(stemmer(term)) : foldAccents(term);

/** Terms by which a text is found: stems and whole identifiers; stop words only when there is nothing else. */
export function factTerms(text: string): string[] {
  const terms = termsOfQuery(tokensOf(text), new Set()).filter(({ kind }) => kind !== 'skip');
  return [...new Set(terms.map((term) => stemOf(term.text)))].slice(0, TERMS_MAX);
}

/** Days after which the weight of a fact has fallen to 1/e. Source: facts/engine E.1. */
const HALF_LIFE_DAYS: Record<FactKind, number> = { event: 7, commitment: 90, preference: 90, belief: 365, fact: 365 };
const DAY_MS = 86_400_000;

/** Confidence of a fact today: what it was told with, less its age by kind. */
export function decayedConfidence(fact: { kind: string; confidence: number; valid_from: Date }, now: Date): number {
  const days = Math.max(0, now.getTime() - fact.valid_from.getTime()) / DAY_MS;
  return fact.confidence * Math.exp(-days / (HALF_LIFE_DAYS[fact.kind as FactKind] ?? 365));
}
