// Finds who a predicate speaks of: the words before a verb or a role, read backwards. It knows grammar and no relation.

import { ADVERBS, GROUP, LINK, OWN, SUBJECT } from './lexicon.ts';
import { SELF } from './sentences.ts';

/** Somebody or something that a rule speaks of: the page itself, or the unit of a reference. */
export type End = string;

/** The page itself as an end. */
export const SELF_END: End = SELF;

/** What is known before a sentence is read. */
export interface Speech {
  /** Whom a pronoun means; undefined when nobody or too many. */
  readonly pronoun: End | undefined;
  /** Whether a sentence without a subject speaks of the page (a person's or a company's). */
  readonly implied: boolean;
  /** Whether `the company` means the page. */
  readonly company: boolean;
  /** False for a reference that is plainly no person, so that it takes no pronoun away from one. */
  readonly couldBePerson: (end: End) => boolean;
}

/** A subject, where its words end, and what stands between it and the predicate. */
export interface Subject {
  readonly ends: readonly End[];
  readonly between: string;
  /** Words of the clause before the subject. */
  readonly before: string;
}

const BREAKS =
  /; | but | while | whereas | because | although | though | \| |: (?=[\p{Lu}\ue000-\uf8ff])|, (?=(?:so|yet|which|where) )| (?:said|says|noted|mentioned|added|wrote|thinks|believes|heard|reported|announced|confirmed|told \S+) (?:that )?/gu;

/** Where the clause that holds `at` begins. */
export function clauseStart(text: string, at: number): number {
  let start = 0;
  for (const match of text.slice(0, at).matchAll(BREAKS)) start = match.index + match[0].length;
  return start;
}

const NAME_BEFORE = new RegExp(
  `(${SUBJECT})(?:'ve|'s|'d)?(?:, [^,;${'\\ue000-\\uf8fe'}]{1,80},| ?\\([^()]{1,80}\\))? ((?:who )?${ADVERBS})$`,
  'u',
);
const RELATIVE = new RegExp(`(${GROUP}|${OWN})(?:, [^,;]{1,60})?, who ((?:${ADVERBS.slice(0, -1)})?)$`, 'u');
const PREPOSITION =
  /(?:^|\s)(?:of|at|in|from|by|for|with|to|on|near|behind|under|like|via|about|than|between|against|without|through|joining|leaving|meeting|at the)\s$/i;
const OF_SUBJECT = new RegExp(`(${GROUP}|${OWN}) (?:of|from|at|with) $`, 'u');
const CONNECTIVE = new RegExp(`(?:,| and|, and| &| then|, then|, but|\\)|'s)? (?:and |& )?(${ADVERBS})$`, 'u');
const FINITE =
  '(?:\\p{Ll}+(?:s|ed)|is|was|are|were|has|had|have|led|ran|began|grew|built|sold|left|took|made|became|held|sits|put|wrote|spoke|won|went)';
const ADVERBIAL =
  '(?:(?:(?:[Ii]n|[Oo]n|[Aa]t|[Ss]ince|[Aa]fter|[Bb]efore|[Dd]uring|[Ff]rom|[Uu]ntil|[Bb]y|[Ww]ith|[Aa]s|[Ff]or|[Tt]hrough|[Oo]ver) [^,]{1,80}, )|(?:Today|Now|Currently|Previously|Formerly|Earlier|Later|Recently|Then|Also|Meanwhile|Originally|Last \\p{L}+|This \\p{L}+|Note|FYI|Update)[,:]? |(?:\\d{4}(?:-\\d\\d){0,2}|\\p{Lu}\\p{Ll}+ \\d{4})[,:]? |[-–—>"\'(] ?|\\[[ xX]\\] )*';
const FIRST_SUBJECT = new RegExp(
  `^(${ADVERBIAL})(${SUBJECT})(?:'s|'ve|'d)?(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))? (?:who )?${ADVERBS}${FINITE}(?![\\p{L}])`,
  'u',
);
const LEADING = new RegExp(`^${ADVERBIAL}`, 'u');
const OTHER_SUBJECT = new RegExp(`[,;] ${LINK} ${FINITE} `, 'u');

/**
 * Subject of a predicate that begins at `at`: the name right before it, the antecedent of `who`, the clause's first
 * subject when the predicate is joined on (`X runs A and advises B`), or the page when the clause begins with it.
 */
export function findSubject(
  text: string,
  at: number,
  speech: Speech,
  earlier: Earlier | undefined,
): Subject | undefined {
  const start = clauseStart(text, at);
  const left = text.slice(start, at);
  const relative = RELATIVE.exec(left);
  if (relative) return toSubject(relative[1]!, relative[2] ?? '', left.slice(0, relative.index), speech);
  const named = NAME_BEFORE.exec(left);
  if (named) return nearSubject(named, left, speech);
  const connective = CONNECTIVE.exec(left);
  const bare = left.replace(LEADING, '').replace(new RegExp(`^${ADVERBS}$`, 'u'), '');
  if (bare.trim() === '') return start === 0 || earlier === undefined ? impliedSubject(left, speech) : undefined;
  if (!connective || !/(?:,| and| &| then) /.test(connective[0])) return undefined;
  return joinedSubject(text, left, connective[1] ?? '', { speech, earlier, start });
}

/** The last predicate that was understood in a sentence. */
export interface Earlier {
  readonly at: number;
  readonly ends: readonly End[];
}

/** The subject that the clause of `at` begins with; the page when the clause names nobody and the page is a company. */
export function firstSubject(text: string, at: number, speech: Speech): Subject | undefined {
  const left = text.slice(clauseStart(text, at), at);
  const first = FIRST_SUBJECT.exec(left);
  if (first) return toSubject(first[2]!, left.slice(first[0].length), first[1]!, speech);
  const silent = speech.implied && !/[\ue000-\uf8fe]/.test(left);
  return silent ? { ends: [SELF_END], between: left, before: '' } : undefined;
}

function nearSubject(named: RegExpExecArray, left: string, speech: Speech): Subject | undefined {
  const before = left.slice(0, named.index);
  const between = named[2] ?? '';
  const isPronoun = /^(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t)$/.test(named[1]!);
  if (/[\p{L}\p{N}'-]$/u.test(before)) return undefined;
  if (isPronoun || !PREPOSITION.test(before)) return toSubject(named[1]!, between, before, speech);
  // `In A, B founded C`: the comma ends the phrase, it makes no list.
  const last = /, ([\ue000-\uf8fe])$/.exec(named[1]!);
  if (last && !/ (?:and|&) /.test(named[1]!)) return { ends: [last[1]!], between, before };
  const head = OF_SUBJECT.exec(before);
  if (!head || PREPOSITION.test(before.slice(0, head.index))) return undefined;
  return toSubject(head[1]!, between, before.slice(0, head.index), speech);
}

function joinedSubject(
  text: string,
  left: string,
  between: string,
  { speech, earlier, start }: { speech: Speech; earlier: Earlier | undefined; start: number },
): Subject | undefined {
  const first = FIRST_SUBJECT.exec(left);
  if (first && !OTHER_SUBJECT.test(left.slice(first[0].length))) {
    return toSubject(first[2]!, between, first[1]!, speech);
  }
  // No subject in words, but a predicate of this clause was already read as speaking of somebody.
  if (!earlier || earlier.at < start || OTHER_SUBJECT.test(text.slice(earlier.at, start + left.length)))
    return undefined;
  return { ends: earlier.ends, between, before: '' };
}

function impliedSubject(left: string, speech: Speech): Subject | undefined {
  return speech.implied ? { ends: [SELF_END], between: left, before: '' } : undefined;
}

/** Ends of a subject's words; undefined when the pronoun or description means nobody known. */
export function toSubject(words: string, between: string, before: string, speech: Speech): Subject | undefined {
  const ends = endsOf(words, speech);
  return ends.length === 0 ? undefined : { ends, between, before };
}

/** The references in `words`, leaving out remarks in parentheses; or the page, or whom a pronoun means. */
export function endsOf(words: string, speech: Speech): End[] {
  const links = words.replace(/\([^()]*\)/g, '').match(/[\ue000-\uf8fe]/g);
  if (links) return links;
  if (words.includes(SELF)) return [SELF_END];
  if (/^(?:he|she|they|it|us)$/i.test(words.trim())) return speech.pronoun === undefined ? [] : [speech.pronoun];
  return speech.company ? [SELF_END] : [];
}

const STARTS_WITH = new RegExp(`^${ADVERBIAL}(${SUBJECT})(?=[\\s,'(]|$)`, 'u');
const A_NAME = /(?:^|[\s(])\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u;

/** Whom a pronoun in the next sentence means, after this one. */
export function pronounAfter(text: string, speech: Speech): End | undefined {
  const first = STARTS_WITH.exec(text)?.[1];
  const links = (text.match(/[\ue000-\uf8fe]/g) ?? []).filter(speech.couldBePerson);
  if (first?.includes(SELF)) return SELF_END;
  if (first && /[\ue000-\uf8fe]/.test(first)) return endsOf(first, speech).length === 1 ? first[0] : undefined;
  if (first) return speech.pronoun;
  return links.length > 0 || A_NAME.test(text) ? undefined : speech.pronoun;
}
