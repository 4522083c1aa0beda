// Reads a question once: its words and terms, its time, the links it walks. Knows no page.
import { tokensOf } from '../analysis.ts';
import { NO_DAY, toDay } from '../document.ts';
import { QUERY_LENGTH_MAX, termsOfQuery } from '../query-terms.ts';
import { readRelation } from './relations.ts';
import type { Question } from './state.ts';
import { readWhen } from './when.ts';

/** Longest question that is read as a sentence; longer text is only words. */
const SENTENCE_LENGTH_MAX = 400;

/** What a text asks. Any text gives a question; one without words has no terms. */
export function readQuestion(query: string, today: string | undefined): Question {
  const text = query.slice(0, QUERY_LENGTH_MAX);
  const tokens = tokensOf(text);
  const day = toDay(today ?? null);
  const isSentence = text.length <= SENTENCE_LENGTH_MAX;
  const when = isSentence
    ? readWhen(text, tokens.words, day === NO_DAY ? null : day)
    : { span: null, order: null, words: new Set<number>() };
  return {
    text,
    words: tokens.words,
    terms: termsOfQuery(tokens, when.words),
    when,
    relation: isSentence ? readRelation(text) : null,
  };
}
