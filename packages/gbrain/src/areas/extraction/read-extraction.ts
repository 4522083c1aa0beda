// Reads what a model took out of a turn, without trust: the whole answer has the shape that was asked for or nothing of
// it counts, and a fact is kept only where the turn's own words bear it out. Pure.
import { FACT_KINDS, type FactKind, factTerms } from '../facts/fact.ts';
import { jsonObjectIn } from '../models/prompt-data.ts';
import { readsAsOrder } from '../pages/trust-marks.ts';

/** Most facts of one turn. Source: facts/engine E.2. */
export const FACTS_MAX = 10;

const SPEAKERS = ['user', 'assistant', 'other'] as const;
const NOTABILITIES = ['high', 'medium', 'low'] as const;

/** Whose words a fact stands on. */
export type Speaker = (typeof SPEAKERS)[number];

/** A fact as a model says it found it. */
export interface DraftFact {
  fact: string;
  quote: string;
  kind: FactKind;
  entity?: string;
  said_by: Speaker;
  notability: (typeof NOTABILITIES)[number];
  transient: boolean;
  confidence: number;
}

/** Why a fact that a model found is left out. */
export type DropReason =
  /** Its quote is not in the turn, or it says names, numbers or words that the turn does not. */
  | 'not_in_text'
  /** It speaks to a model as its master would. */
  | 'reads_as_order'
  /** It stands on something that was struck out. */
  | 'redacted'
  /** Words of an assistant, or of somebody else where only the user's own count. */
  | 'not_the_users'
  /** Less notable than what is asked for. */
  | 'not_notable'
  /** It only held for some days, and those are over. */
  | 'over'
  | 'too_many';

/** Why an answer is of no use. */
export type DraftFault = 'empty_answer' | 'not_json' | 'output_truncated';

const oneOf = <T extends string>(list: readonly T[], value: unknown): T | undefined =>
  list.find((one) => one === value);

function draftOf(value: unknown): DraftFact | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { fact, quote, entity, ...rest } = value as Record<string, unknown>;
  const kind = oneOf(FACT_KINDS, rest.kind);
  const said_by = oneOf(SPEAKERS, rest.said_by);
  const notability = oneOf(NOTABILITIES, rest.notability);
  const { transient = false, confidence = 1 } = rest;
  const isText = typeof fact === 'string' && fact.trim() !== '' && typeof quote === 'string';
  if (!isText || !kind || !said_by || !notability || typeof transient !== 'boolean') return undefined;
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) return undefined;
  if (entity !== null && entity !== undefined && typeof entity !== 'string') return undefined;
  const name = entity?.trim();
  return { fact: fact.trim(), quote, kind, said_by, notability, transient, confidence, ...(name && { entity: name }) };
}

/** The facts in a model's answer, or why there are none. One fact of another shape spoils the whole answer. */
export function readDrafts(text: string, isCut: boolean): DraftFact[] | DraftFault {
  if (text.trim() === '') return 'empty_answer';
  const found = jsonObjectIn(text);
  if (!found || !Array.isArray(found.facts)) return isCut ? 'output_truncated' : 'not_json';
  const drafts = found.facts.map(draftOf);
  return drafts.every((one) => one !== undefined) ? drafts : 'not_json';
}

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();

/** Words of a fact that stand for the speaker and are in no turn. */
const OF_THE_SPEAKER = new Set(factTerms('the user'));
/** Share of the words of a fact that the turn has to have. */
const SHARED_MIN = 0.5;

/** Words that open a sentence and name nobody. */
const OPENERS = new Set(
  (
    'the a an this that these those there it its on in at by of to for from with without as since until after before ' +
    'during every each all both no some most many when while if because and but or'
  ).split(' '),
);

/** Words in the form in which they are compared, the parts of a joined one each by itself. */
const partsOf = (text: string): string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}.,:%]*/gu) ?? [];
const bare = (word: string): string =>
  plain(word)
    .replace(/[.,:]+$/u, '')
    .replace(/(?<=\d),(?=\d{3})/g, '');

/** Names and numbers: words with a capital, and words with a digit. */
const namesIn = (text: string): string[] =>
  partsOf(text)
    .filter((word, at) => /\p{N}/u.test(word) || (/^\p{Lu}/u.test(word) && !(at === 0 && OPENERS.has(bare(word)))))
    .map(bare);

/** What facts are checked against. */
export interface TurnWords {
  /** The turn as the model was given it. */
  data: string;
  hints: readonly string[];
}

function isBorneOut({ fact, quote }: DraftFact, { data, hints }: TurnWords): boolean {
  const said = plain(data);
  const quoted = plain(quote);
  if (quoted === '' || !said.includes(quoted)) return false;
  const known = `${said} ${plain(hints.join(' '))}`;
  const words = new Set(partsOf(known).map(bare));
  const stems = new Set(factTerms(known));
  // A number is the same one or another one; a name may be in another case.
  const isThere = (name: string): boolean =>
    words.has(name) || (!/\p{N}/u.test(name) && factTerms(name).every((term) => stems.has(term)));
  if (namesIn(fact).some((name) => !isThere(name))) return false;
  const terms = factTerms(fact).filter((term) => !OF_THE_SPEAKER.has(term));
  return terms.length > 0 && terms.filter((term) => stems.has(term)).length >= terms.length * SHARED_MIN;
}

/** Which facts are wanted. */
export interface Wanted {
  /** Only what the user states; with `salient` only what is of medium notability or more. */
  only?: 'all' | 'salient';
}

function dropOf(draft: DraftFact, turn: TurnWords, { only }: Wanted): DropReason | undefined {
  if (readsAsOrder(draft.fact) || readsAsOrder(draft.quote)) return 'reads_as_order';
  if (/\[redacted/iu.test(`${draft.fact}${draft.quote}`)) return 'redacted';
  if (draft.said_by === 'assistant' || (only && draft.said_by !== 'user')) return 'not_the_users';
  if (only === 'salient' && draft.notability === 'low') return 'not_notable';
  return isBorneOut(draft, turn) ? undefined : 'not_in_text';
}

/** Facts that may be saved, and how many were left out for which reason. */
export interface Checked {
  facts: DraftFact[];
  dropped: Partial<Record<DropReason, number>>;
}

/** Checks the facts of an answer against the turn. An entity that the turn does not name is left out of its fact. */
export function checkDrafts(drafts: readonly DraftFact[], turn: TurnWords, wanted: Wanted): Checked {
  const facts: DraftFact[] = [];
  const dropped: Checked['dropped'] = {};
  const known = plain(`${turn.data} ${turn.hints.join(' ')}`);
  for (const draft of drafts) {
    const reason = facts.length === FACTS_MAX ? 'too_many' : dropOf(draft, turn, wanted);
    if (reason) {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
      continue;
    }
    const { entity, ...fact } = draft;
    facts.push(entity !== undefined && known.includes(plain(entity)) ? draft : fact);
  }
  return { facts, dropped };
}
