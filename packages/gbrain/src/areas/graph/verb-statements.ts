// Reads what the verb rules state in a sentence. It decides who is meant and whether it is stated as a fact; it does
// not know which pages exist or of what type they are.

import { DOUBT, LINK, PAST, PAST_AFTER } from './lexicon.ts';
import { DEPARTURE, type Kind, OBJECT, VERB_RULES, type VerbRule } from './rules.ts';
import {
  type Earlier,
  type End,
  endsOf,
  findSubject,
  firstSubject,
  SELF_END,
  type Speech,
  type Subject,
} from './subjects.ts';

/** A relation that a sentence states: each `from` to each `to`. */
export interface Statement {
  readonly linkType: string;
  readonly from: readonly End[];
  readonly to: readonly End[];
  readonly fromKind: Kind;
  readonly toKind: Kind;
  /** Id of the rule that read it. */
  readonly reason: string;
  readonly lasts: 'state' | 'event';
  /** True when it says that the relation ended; it then makes no edge. */
  readonly ended?: boolean;
}

/** A sentence and what is known before it. */
export interface Reading {
  readonly text: string;
  readonly speech: Speech;
  /** Under a heading such as `Previous roles`, states are over unless the words say otherwise. */
  readonly pastSection: boolean;
}

interface Compiled {
  readonly rule: VerbRule;
  readonly pattern: RegExp;
}

const AT_WORD = "(?<![\\p{L}\\p{N}'-])";
const NOUN =
  '(?:(?:the|a|an|their|its|his|her|our) )?(?:(?:[\\p{Ll}-]+ )?(?:company|startup|start-up|firm|fund|studio|agency|lab|nonprofit|non-profit|bank|university|brothers|angels?|investors?|founders?|entrepreneurs?|partners?) )?';

const COMPILED: readonly Compiled[] = [...VERB_RULES, DEPARTURE].map((rule) => ({
  rule,
  pattern: new RegExp(`${AT_WORD}(?:${rule.verb}) ${NOUN}(${OBJECT})`, 'gu'),
}));

/** A cheap test that spares most sentences the table. */
const ANY_VERB =
  /found|start|launch|creat|establish|incorporat|spun|set up|\bled\b|lead|anchor|invest|back|bankroll|fund|financ|seed|check|cheque|\bput\b|bought|took|hold|own|rais|secur|clos|receiv|particip|came|count|list|advis|mentor|coach|counsel|sit|serve|chair|work|employ|intern|teach|clerk|\bat\b|\bwith\b|join|began|moved|switch|transfer|signed|runs?\b|head|manag|overs|direct|handl|coordinat|supervis|build|design|develop|maintain|practi|does|hire|recruit|poach|brought|appoint|promot|attend|part in|sat in|spoke|present|host|moderat|facilitat|dial|call|cit|quot|referenc|left|depart|quit|resign|retire|stepp|fired|let go|laid|dismiss|ways|leaving/;

/** Statements of the verbs of a sentence, in the order of the verbs. */
export function readVerbs(reading: Reading): Statement[] {
  const { text } = reading;
  if (!ANY_VERB.test(text)) return [];
  const statements: Statement[] = [];
  let earlier: Earlier | undefined;
  for (const found of verbMatches(text)) {
    const statement = readVerb(reading, found, earlier);
    if (!statement) continue;
    const { at, ends } = statement;
    earlier = { at, ends };
    if (statement.stated) statements.push(statement.stated);
  }
  return statements;
}

interface Found {
  readonly rule: VerbRule;
  readonly at: number;
  readonly verbEnd: number;
  readonly object: string;
  readonly end: number;
}

function verbMatches(text: string): Found[] {
  const found: Found[] = [];
  for (const { rule, pattern } of COMPILED) {
    for (const match of text.matchAll(pattern)) {
      const object = match[1]!;
      const end = match.index + match[0].length;
      found.push({ rule, at: match.index, verbEnd: end - object.length, object, end });
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

interface Understood extends Earlier {
  readonly stated: Statement | undefined;
}

function readVerb(reading: Reading, found: Found, earlier: Earlier | undefined): Understood | undefined {
  const { text, speech } = reading;
  const { rule, at } = found;
  const subject =
    findSubject(text, at, speech, earlier) ?? (rule.passive ? describedSubject(text, found, speech) : undefined);
  if (!subject) return undefined;
  const object = trimObject(text, found);
  const ends = endsOf(object, speech).filter((end) => !subject.ends.includes(end));
  const after = text.slice(found.verbEnd + object.length);
  if (ends.length === 0 || !fitsPossession(rule, after)) return { at, ends: subject.ends, stated: undefined };
  const verb = text.slice(at, found.verbEnd);
  const stated = isFact(reading, rule, { subject, verb, after }) ? toStatement(rule, subject.ends, ends) : undefined;
  return { at, ends: subject.ends, stated };
}

function toStatement(rule: VerbRule, subject: readonly End[], object: readonly End[]): Statement | undefined {
  const [from, to] = rule.passive ? [object, subject] : [subject, object];
  // A sentence of nothing but the page's own name states no edge.
  if (from.every((end) => end === SELF_END) && to.every((end) => end === SELF_END)) return undefined;
  const { linkType, from: fromKind, to: toKind, id: reason, lasts } = rule;
  const ended = rule === DEPARTURE ? { ended: true } : {};
  return { linkType, from, to, fromKind, toKind, reason, lasts, ...ended };
}

const REDUCED = new RegExp(
  `(${LINK}|\\uf8ff)(?:,| is| was| are|'s) (?:now |also )?(?:an?|the) (?:[\\p{L}\\p{N}-]+ ){0,6}$`,
  'u',
);
const BARE_COMPANY =
  /^(?:[-–—>] ?)*(?:An?|The|This) (?:[\p{L}\p{N}-]+ ){0,5}(?:company|startup|start-up|firm|fund|studio|agency|lab|round|seed|series \S+) $/u;

/** Of what a participle speaks that follows a description: `Acme is a small company founded by`, `raised a round led by`. */
function describedSubject(text: string, { at, rule }: Found, speech: Speech): Subject | undefined {
  if (rule.linkType === 'led_round') return firstSubject(text, at, speech);
  const left = text.slice(0, at);
  const reduced = REDUCED.exec(left);
  if (reduced) return { ends: [reduced[1]!], between: '', before: left.slice(0, reduced.index) };
  if (speech.company && BARE_COMPANY.test(left)) return { ends: [SELF_END], between: '', before: '' };
  return undefined;
}

const NEXT_CLAUSE =
  /^,? (?:is|was|are|were|has|had|will|would|then|later|said|says)\b|^ (?!based|located|headquartered|focused|called|named|backed|founded|led|dedicated|specialized|listed)[\p{Ll}]{3,}ed\b/u;

/** Drops the last name of a list that begins another clause: `founded A and B acquired it`. */
function trimObject(text: string, { object, end }: Found): string {
  if (!NEXT_CLAUSE.test(text.slice(end, end + 40))) return object;
  const last = object.lastIndexOf(' and ');
  return last < 0 ? object : object.slice(0, last);
}

/** What belongs to somebody is not that somebody: `joined A's board`. Some rules are about just that. */
function fitsPossession(rule: VerbRule, after: string): boolean {
  const owns = /^'s?(?=\s)/.test(after);
  if (rule.id === 'led-round-of' || rule.id === 'invested-round-of') return owns && isPossession(rule, after);
  return !owns || isPossession(rule, after);
}

function isPossession(rule: VerbRule, after: string): boolean {
  return rule.possession !== undefined && new RegExp(`^${rule.possession}`, 'iu').test(after);
}

/** `joined A for a call` and `joined A as an adviser` are no employment. */
const JOINED_OTHERWISE =
  /^ (?:(?:for|on|in|at|over) (?:an?|the|our|their|his|her|this|that|today|lunch|dinner|coffee|drinks|breakfast)\b|as (?:an? |the |its |their )?(?:[\p{L}-]+ )?(?:advis|mentor|investor|board|non-executive|customer|client|partner|member|guest|observer|backer|shareholder|sponsor)|to (?:discuss|talk|celebrate|present|review)|['’]s? )/u;

function isFact(
  { text, pastSection }: Reading,
  rule: VerbRule,
  { subject, verb, after }: { subject: Subject; verb: string; after: string },
): boolean {
  if (text.endsWith('?')) return false;
  if (rule === DEPARTURE) return !DOUBT.test(subject.between);
  if (
    DOUBT.test(`${subject.between} ${verb}`) ||
    /\b(?:if|whether|unless|suppose|imagine|in case|rumou?r|hopes?|wish)\b/i.test(subject.before)
  ) {
    return false;
  }
  if (rule.linkType === 'works_at' && /\bjoin/.test(verb) && JOINED_OTHERWISE.test(after)) return false;
  if (rule.linkType === 'advises' && /^ (?:to|against|that|on whether|not to)\b/.test(after)) return false;
  if (rule.lasts === 'event') return !(rule.linkType === 'works_at' && PAST_AFTER.test(after));
  const perfect = /\b(?:has|have|'s|'ve) (?:\p{L}+ )?been\b|\bha(?:s|ve) /u.test(`${subject.between}${verb}`);
  if (PAST.test(`${subject.between} ${verb}`) && !perfect) return false;
  if (
    PAST_AFTER.test(after) ||
    /\b(?:previously|formerly|before that|back then|at the time|until)\b/i.test(subject.before)
  )
    return false;
  return !pastSection || /\b(?:present|current|currently|now|today|ongoing)\b/i.test(text);
}
