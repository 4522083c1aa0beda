// Finds who a predicate speaks of: the words before a verb or a role, read backwards. It knows grammar and no relation.

import { ADVERBS, LINK, NAME, SUBJECT } from './lexicon.ts';
import { type LinkGroup, SELF } from './sentences.ts';

/** Somebody or something that a rule speaks of: the page itself, or the unit of a reference. */
export type End = string;

/** The page itself as an end. */
export const SELF_END: End = SELF;

/** What is known before a sentence is read. */
export interface Speech {
  /** Whom a pronoun means; undefined when nobody or too many. Asked only when a pronoun is met. */
  readonly pronoun: () => End | undefined;
  /** Whether a sentence without a subject speaks of the page. */
  readonly implied: boolean;
  /** Whether `the company` means the page. */
  readonly company: boolean;
  /** False for a reference that is plainly no person, so that it takes no pronoun away from one. */
  readonly couldBePerson: (end: End) => boolean;
}

/** A sentence as the rules read it, and what is known before it. */
export interface Reading {
  /** Lists of references are one unit each. */
  readonly text: string;
  readonly groups: ReadonlyMap<string, LinkGroup>;
  readonly speech: Speech;
  /** Under a heading such as `Previous roles`, states are over unless the words say otherwise. */
  readonly pastSection: boolean;
}

/** A subject, what stands between it and the predicate, and what stands before it in its clause. */
export interface Subject {
  readonly ends: readonly End[];
  readonly between: string;
  readonly before: string;
}

/** The last predicate that was understood in a sentence. */
export interface Earlier {
  readonly at: number;
  readonly ends: readonly End[];
}

const BREAKS = new RegExp(
  String.raw`; | but | while | whereas | because | although | though | \| |: (?=[A-Z\ue000-\uf8ff])|, (?=(?:so|` +
    'yet|where) )| (?:said|says|noted|mentioned|added|wrote|thinks|believes|heard|reported|announced|' +
    String.raw`confirmed) (?:that )?| told \S+ (?:that )?`,
  'g',
);

/** Where the clause that holds `at` begins. */
export function clauseStart(text: string, at: number): number {
  let start = 0;
  for (const match of text.slice(0, at).matchAll(BREAKS)) start = match.index + match[0].length;
  return start;
}

const NAMED = new RegExp(`(${SUBJECT})(?:'ve|'s|'d)?(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))? ((?:who )?${ADVERBS})$`);
/** `B's startup, A, raised`: a name between commas. */
const ENCLOSED = new RegExp(`, (${NAME}), (${ADVERBS})$`);
/** `B is an engineer who founded`. */
const DESCRIBED_WHO = new RegExp(`(${SUBJECT}) (?:is|was) (?:an?|the) (?:[^\\s.,;:()]+ ){1,6}who (${ADVERBS})$`);
const RELATIVE = new RegExp(`(${SUBJECT})(?:, [^,;]{1,60})?(?:,? who|, which|, that) (${ADVERBS})$`);
const PREPOSITION = new RegExp(
  String.raw`(?:^|\s)(?:of|at|in|from|by|for|with|to|on|near|behind|under|like|via|about|than|between|against|` +
    String.raw`without|through|joining|leaving|meeting)\s$`,
  'i',
);
const OF_SUBJECT = new RegExp(`(${NAME}) (?:of|from|at|with) $`);
const CONNECTED = new RegExp(`(?:,| and| &| then|\\)) (?:and |& )?(${ADVERBS})$`);
const FINITE =
  '(?:[a-z]+(?:s|ed)|is|was|are|were|has|had|have|led|ran|began|grew|built|sold|left|took|made|became|' +
  'held|put|wrote|spoke|won|went|spent|met|got|gave|came|saw|knew|thought|told|paid|lost|kept|chose|found|' +
  'brought|taught|sought)(?![A-Za-z])';
const ADVERBIAL =
  '(?:(?:(?:[Ii]n|[Oo]n|[Aa]t|[Ss]ince|[Aa]fter|[Bb]efore|[Dd]uring|[Ff]rom|[Uu]ntil|[Bb]y|[Ww]ith|' +
  '[Aa]s|[Ff]or|[Tt]hrough|[Oo]ver) [^,]{1,80}, )|(?:Today|Now|Currently|Previously|Formerly|Earlier|' +
  'Later|Recently|Then|Also|Meanwhile|Originally|Last [a-z]+|This [a-z]+|Note|FYI|Update)[,:]? |' +
  '(?:\\d{4}(?:-\\d\\d){0,2}|[A-Z][a-z]+ \\d{4})[,:]? |[-–—>"\'(] ?|\\[[ xX]\\] )*';
const FIRST = new RegExp(
  `^(${ADVERBIAL})(${SUBJECT})(?:'s|'ve|'d)?(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))? (?:who )?${ADVERBS}${FINITE}`,
);
const LEADING = new RegExp(`^${ADVERBIAL}${ADVERBS}$`);
const OTHER_SUBJECT = new RegExp(`[,;] ${LINK} ${FINITE} `);

/**
 * Subject of a predicate that begins at `at`: the name right before it, the antecedent of `who`, the clause's first
 * subject when the predicate is joined on (`X runs A and advises B`), or the page when the clause begins with it.
 */
export function findSubject(reading: Reading, at: number, earlier: Earlier | undefined): Subject | undefined {
  const { text, speech } = reading;
  const start = clauseStart(text, at);
  const left = text.slice(start, at);
  const relative = RELATIVE.exec(left) ?? DESCRIBED_WHO.exec(left) ?? ENCLOSED.exec(left);
  if (relative) return toSubject(reading, relative[1]!, relative[2]!, left.slice(0, relative.index));
  const named = NAMED.exec(left);
  if (named) return nearSubject(reading, named, start);
  if (LEADING.test(left)) {
    return speech.implied && (start === 0 || !earlier) ? { ends: [SELF_END], between: left, before: '' } : undefined;
  }
  const connected = CONNECTED.exec(left);
  return connected ? joinedSubject(reading, { start, left, between: connected[1]!, earlier }) : undefined;
}

/** The subject that the clause of `at` begins with; the page when the clause names nobody. */
export function firstSubject(reading: Reading, at: number): Subject | undefined {
  const left = reading.text.slice(clauseStart(reading.text, at), at);
  const first = FIRST.exec(left);
  if (first) return toSubject(reading, first[2]!, left.slice(first[0].length), first[1]!);
  const silent = reading.speech.implied && !/[\ue000-\uf8fe]/.test(left);
  return silent ? { ends: [SELF_END], between: left, before: '' } : undefined;
}

function nearSubject(reading: Reading, named: RegExpExecArray, start: number): Subject | undefined {
  const [, words, between] = named;
  const before = named.input.slice(0, named.index);
  if (/[\p{L}\p{N}'-]$/u.test(before)) return undefined;
  if (isPronoun(words!)) {
    const end = antecedent(reading, words!, start + named.index);
    return end === undefined ? undefined : { ends: [end], between: between!, before };
  }
  if (!PREPOSITION.test(before)) {
    const subject = toSubject(reading, words!, between!, before);
    // `She and B founded`: the pronoun is one of them.
    const also = /(?:^|[\s,])([Hh]e|[Ss]he) and $/.exec(before)?.[1];
    const end = also === undefined ? undefined : antecedent(reading, also, start + before.length - also.length - 5);
    return subject && end !== undefined ? { ...subject, ends: [...subject.ends, end] } : subject;
  }
  const head = OF_SUBJECT.exec(before);
  const beyond = head ? before.slice(0, head.index) : '';
  return head && !PREPOSITION.test(beyond) ? toSubject(reading, head[1]!, between!, beyond) : undefined;
}

interface Joined {
  readonly start: number;
  readonly left: string;
  readonly between: string;
  readonly earlier: Earlier | undefined;
}

function joinedSubject(reading: Reading, { start, left, between, earlier }: Joined): Subject | undefined {
  const first = FIRST.exec(left);
  if (first && !OTHER_SUBJECT.test(left.slice(first[0].length)))
    return toSubject(reading, first[2]!, between, first[1]!);
  // No subject in words, but a predicate of this clause was already read as speaking of somebody.
  if (!earlier || earlier.at < start || OTHER_SUBJECT.test(left.slice(earlier.at - start))) return undefined;
  return { ends: earlier.ends, between, before: '' };
}

/** A subject of `words`; undefined when the pronoun or description means nobody known. */
export function toSubject(reading: Reading, words: string, between: string, before: string): Subject | undefined {
  const ends = endsOf(reading, words);
  return ends.length === 0 ? undefined : { ends, between, before };
}

/** The references in `words`, or the page, or whom a pronoun means. */
export function endsOf({ groups, speech }: Pick<Reading, 'groups' | 'speech'>, words: string): End[] {
  const links = words.match(/[\ue000-\uf8fe]/g);
  if (links) return links.flatMap((unit) => groups.get(unit)?.units ?? [unit]);
  if (words.includes(SELF)) return [SELF_END];
  if (isPronoun(words)) return [pronounEnd(speech, words) ?? []].flat();
  return speech.company ? [SELF_END] : [];
}

function isPronoun(words: string): boolean {
  return /^(?:he|she|they|it)$/i.test(words.trim());
}

/** `it` is no person and `he` no company, as far as the page's own kind tells. */
function pronounEnd(speech: Speech, words: string): End | undefined {
  const end = speech.pronoun();
  if (end !== SELF_END || /^they$/i.test(words)) return end;
  return /^it$/i.test(words) === speech.company ? end : undefined;
}

/** Whom a pronoun at `at` means: the one person named before it in its sentence, unless the page's subject opens it. */
function antecedent(reading: Reading, words: string, at: number): End | undefined {
  const before = reading.text.slice(0, at);
  const opener = STARTS_WITH.exec(before)?.[1];
  if (opener?.includes(SELF) || (opener !== undefined && isPronoun(opener)) || /^it$/i.test(words)) {
    return opener?.includes(SELF) && !/^it$/i.test(words) ? SELF_END : pronounEnd(reading.speech, words);
  }
  const people = before.match(/[\ue000-\uf7ff]/g)?.flatMap((unit) => endsOf(reading, unit)) ?? [];
  const named = people.filter((end) => end !== SELF_END && reading.speech.couldBePerson(end));
  if (named.length === 0) return before.includes(SELF) ? SELF_END : pronounEnd(reading.speech, words);
  return named.length === 1 && !before.includes(SELF) ? named[0] : undefined;
}

const STARTS_WITH = new RegExp(`^${ADVERBIAL}(${SUBJECT})(?=[\\s,'(]|$)`);
const A_NAME = /(?:^|[\s(])\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u;

/** Whom a pronoun in the next sentence means, after this one. */
export function pronounAfter(text: string, groups: ReadonlyMap<string, LinkGroup>, speech: Speech): End | undefined {
  const first = STARTS_WITH.exec(text)?.[1];
  if (first?.includes(SELF)) return SELF_END;
  if (first && /[\ue000-\uf8fe]/.test(first)) return groups.has(first) ? undefined : first;
  if (first) return speech.pronoun();
  const people = endsOf({ groups, speech }, text).filter((end) => end !== SELF_END && speech.couldBePerson(end));
  return people.length > 0 || A_NAME.test(text) ? undefined : speech.pronoun();
}
