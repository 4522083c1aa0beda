// Reads what a model answered: its JSON, its citations against the evidence, its quotes against the words. Pure.
import { jsonObjectIn } from '../models/prompt-data.ts';
import type { Evidence } from './evidence.ts';

/** How reading went. Source: facts/engine F.1, Status. */
export type AnswerStatus = 'ok' | 'empty_answer' | 'not_json' | 'output_truncated';

/** What the model's JSON says. */
export interface Drafted {
  answer: string;
  gaps: string[];
}

/** A checked answer. */
export interface CheckedAnswer {
  answer: string;
  /** Slugs of the pages that it cites, in the order of their first citation. */
  sources: string[];
  /** Ids of the evidence that it cites. */
  cited: string[];
  /** Ids that it cites and that were not given. */
  invented: string[];
  quotes: { grounded: number; repaired: number; unverified: number };
  unverifiedQuotes: string[];
}

const GAPS_MAX = 20;

/** The draft in a model's text, or why there is none. Prose around the object and a code fence are left out. */
export function readDraft(text: string, isCut: boolean): Drafted | Exclude<AnswerStatus, 'ok'> {
  const found = jsonObjectIn(text);
  if (!found) return isCut ? 'output_truncated' : 'not_json';
  const answer = typeof found.answer === 'string' ? found.answer.trim() : '';
  if (answer === '') return 'empty_answer';
  const gaps = Array.isArray(found.gaps) ? found.gaps.filter((gap): gap is string => typeof gap === 'string') : [];
  return {
    answer,
    gaps: gaps
      .map((gap) => gap.trim())
      .filter((gap) => gap !== '')
      .slice(0, GAPS_MAX),
  };
}

/** A citation, or several with commas between, in square brackets; a link `[x](y)` and a wikilink are none. */
const CITATION = /(?<!\[)\[([^[\]\n]{1,600})\](?![\](])/gu;
/** What a name of a note looks like; other brackets are prose. */
const ID = /^(?:fact:\d+|[\p{L}\p{N}\p{M}._-]+(?:\/[\p{L}\p{N}\p{M}._-]+)+)$/u;

/** Words of a text, for comparing what is quoted with what was written. */
const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();
const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

const QUOTE = /"([^"\n]{12,400})"|“([^”\n]{12,400})”/gu;

interface Quoted {
  text: string;
  quotes: CheckedAnswer['quotes'];
  unverifiedQuotes: string[];
}

/** Takes the marks from quotes that no evidence holds, and says so where they stood. */
function checkQuotes(answer: string, evidence: readonly Evidence[]): Quoted {
  const exact = plain(evidence.map(({ text, title }) => `${title ?? ''} ${text}`).join('\n'));
  const loose = words(exact);
  const quotes = { grounded: 0, repaired: 0, unverified: 0 };
  const unverifiedQuotes: string[] = [];
  const text = answer.replace(QUOTE, (whole: string, straight?: string, curly?: string) => {
    const quote = straight ?? curly ?? '';
    if (exact.includes(plain(quote))) {
      quotes.grounded += 1;
      return whole;
    }
    if (words(quote) !== '' && loose.includes(words(quote))) {
      quotes.repaired += 1;
      return whole;
    }
    quotes.unverified += 1;
    unverifiedQuotes.push(quote);
    return `${quote} [unverified]`;
  });
  return { text, quotes, unverifiedQuotes };
}

/** Checks an answer against its evidence: invented citations are taken out, unsupported quotes lose their marks. */
export function checkAnswer(answer: string, evidence: readonly Evidence[]): CheckedAnswer {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const cited: string[] = [];
  const invented: string[] = [];
  const quoted = checkQuotes(answer, evidence);
  const text = quoted.text.replace(CITATION, (whole: string, inner: string) => {
    const ids = inner.split(/\s*[,;]\s*/).map((one) => one.trim().replace(/^\[|\]$/g, ''));
    const known = ids.filter((id) => byId.has(id));
    const unknown = ids.filter((id) => !byId.has(id));
    if (known.length === 0 && !unknown.some((id) => ID.test(id))) return whole;
    cited.push(...known);
    invented.push(...unknown);
    return known.map((id) => `[${id}]`).join('');
  });
  const sources = cited.flatMap((id) => byId.get(id)?.slug ?? []);
  return {
    answer: text
      .replace(/ +(?=[.,;:!?])/g, '')
      .replace(/ {2,}/g, ' ')
      .trim(),
    sources: [...new Set(sources)],
    cited: [...new Set(cited)],
    invented: [...new Set(invented)],
    quotes: quoted.quotes,
    unverifiedQuotes: quoted.unverifiedQuotes,
  };
}
