// Reads what the verb rules state in a sentence. It decides who is meant and whether it is stated as a fact; it does
// not know which pages exist or of what type they are.

import { ADVERBS, DOUBT, DOUBT_BEFORE, GONE_AFTER, NAME, PAST, PAST_AFTER } from './lexicon.ts';
import { DEPARTURE, type Kind, OBJECT, VERB_RULES, type VerbRule } from './rules.ts';
import {
  type Earlier,
  type End,
  endsOf,
  findSubject,
  firstSubject,
  type Reading,
  SELF_END,
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

interface Compiled {
  readonly rule: VerbRule;
  readonly pattern: RegExp;
}

const NOUN =
  '(?:both )?(?:(?:the|a|an|their|its|his|her|our) )?(?:(?:[a-z-]+ )?(?:company|startup|start-up|firm|fund|' +
  'studio|agency|lab|nonprofit|non-profit|bank|university|brothers|angels?|investors?|founders?|' +
  'entrepreneurs?|partners?) )?';

const COMPILED: readonly Compiled[] = [...VERB_RULES, DEPARTURE].map((rule) => ({
  rule,
  pattern: new RegExp(rule.bare ? `(?:${rule.verb})()` : `(?:${rule.verb}) ${NOUN}(${OBJECT})`, 'y'),
}));

/** Any rule at all: one test that most cues fail, before the rules are tried one by one. */
const ANY_RULE = new RegExp(
  `(?:${alternatives(({ bare }) => !bare)}) ${NOUN}${OBJECT}|(?:${alternatives(({ bare }) => bare === true)})`,
  'y',
);

function alternatives(kept: (rule: VerbRule) => boolean): string {
  return [...VERB_RULES, DEPARTURE]
    .filter(kept)
    .map(({ verb }) => `(?:${verb})`)
    .join('|');
}

/** How the verbs of the table begin. A place where none does costs no rule. */
const CUE = new RegExp(
  String.raw`\b(?:re-?|co-?|angel-|seed-)?(?:found|start|launch|creat|establish|incorporat|spun|set up|led|lead|` +
    'anchor|round|series|seed|pre-seed|financ|fundrais|rais|invest|back|bankroll|fund|wrote|put|made|' +
    'bought|took|hold|own|particip|join|came|secur|clos|receiv|count|lists|has|have|advis|is|are|been|' +
    'mentor|coach|counsel|sits|serves|chair|work|intern|teach|clerk|began|moved|switch|transfer|signed|' +
    'went|run|head|manag|overse|direct|handl|coordinat|supervis|build|design|develop|maintain|practi|' +
    'does|hired|recruit|employ|poach|brought|appoint|promot|was|were|got|now|attend|sat|spoke|present|' +
    'host|moderat|facilitat|dial|called|represent|cit|quot|referenc|left|depart|quit|resign|retire|stepp|' +
    'parted|no longer)',
  'g',
);

/** Statements of the verbs of a sentence, in the order of the verbs. */
export function readVerbs(reading: Reading): Statement[] {
  const statements: Statement[] = [];
  let earlier: Earlier | undefined;
  for (const found of verbMatches(reading.text)) {
    const understood = readVerb(reading, found, earlier);
    if (!understood) continue;
    earlier = understood;
    if (understood.stated) statements.push(understood.stated);
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

/** A verb that opens a sentence or what stands behind a colon or dash has a capital. */
const OPENERS = /(?:^|[:–—|>("-] ?)[A-Z](?=[a-z])/g;

/** Every rule at every cue; of the rules that begin together all count, for their ends decide which is true. */
function verbMatches(sentence: string): Found[] {
  const text = sentence.replace(OPENERS, (opener) => opener.toLowerCase());
  const found: Found[] = [];
  for (const { index: at } of text.matchAll(CUE)) {
    if (at > 0 && /[\p{L}\p{N}'-]/u.test(text[at - 1]!)) continue;
    ANY_RULE.lastIndex = at;
    if (!ANY_RULE.test(text)) continue;
    for (const { rule, pattern } of COMPILED) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match) continue;
      const object = match[1]!;
      const end = at + match[0].length;
      found.push({ rule, at, verbEnd: end - object.length, object, end });
    }
  }
  return found;
}

interface Understood extends Earlier {
  readonly stated: Statement | undefined;
}

function readVerb(reading: Reading, found: Found, earlier: Earlier | undefined): Understood | undefined {
  const { text } = reading;
  const { rule, at } = found;
  const subject = findSubject(reading, at, earlier) ?? (rule.passive ? describedSubject(reading, found) : undefined);
  if (!subject) return undefined;
  const { ends } = subject;
  const object = objectOf(reading, found).filter((end) => !ends.includes(end));
  const after = text.slice(found.end);
  if (object.length === 0 || !fitsPossession(rule, after)) return { at, ends, stated: undefined };
  const verb = text.slice(at, found.verbEnd);
  const stated = isFact(reading, rule, { subject, verb, after }) ? toStatement(rule, ends, object) : undefined;
  return { at, ends, stated };
}

function toStatement(rule: VerbRule, subject: readonly End[], object: readonly End[]): Statement | undefined {
  const [from, to] = rule.passive ? [object, subject] : [subject, object];
  // A sentence of nothing but the page's own name states no edge.
  if (from.every((end) => end === SELF_END) && to.every((end) => end === SELF_END)) return undefined;
  const { linkType, from: fromKind, to: toKind, id: reason, lasts } = rule;
  const ended = rule === DEPARTURE ? { ended: true } : {};
  return { linkType, from, to, fromKind, toKind, reason, lasts, ...ended };
}

const REDUCED = new RegExp(`(${NAME})(?:,| is| was| are|'s) (?:now |also )?(?:an?|the) (?:[^\\s.,;:()]+ ){0,6}$`);
/** `A, founded by B,` and `A (founded by B)`. */
const BESIDE = new RegExp(`(${NAME})(?:,|:| \\(| [–—-]) ?(${ADVERBS})$`);
const BARE_COMPANY = new RegExp(
  String.raw`^(?:[-–—>] ?)*(?:An?|The|This) (?:[^\s.,;:()]+ ){0,5}(?:company|startup|start-up|firm|fund|studio|` +
    String.raw`agency|lab|round|seed|series \S+) $`,
);

/**
 * Of what a participle speaks that follows a description: `Acme is a small company founded by`, `raised a round led
 * by`.
 */
function describedSubject(reading: Reading, { at, rule }: Found): Subject | undefined {
  if (rule.linkType === 'led_round') return firstSubject(reading, at);
  const left = reading.text.slice(0, at);
  const beside = BESIDE.exec(left);
  if (beside)
    return { ends: endsOf(reading, beside[1]!).slice(-1), between: beside[2]!, before: left.slice(0, beside.index) };
  const reduced = REDUCED.exec(left);
  if (reduced) return { ends: endsOf(reading, reduced[1]!), between: '', before: left.slice(0, reduced.index) };
  if (reading.speech.company && BARE_COMPANY.test(left)) return { ends: [SELF_END], between: '', before: '' };
  return undefined;
}

const NEXT_CLAUSE = new RegExp(
  String.raw`^,? (?:is|was|are|were|has|had|will|would|then|later|said|says)\b|^ (?!based|located|headquartered|` +
    String.raw`focused|called|named|backed|founded|led|dedicated|specialized|listed)[a-z]{3,}ed\b`,
);

/** Ends of the object, without the last name of a list that begins another clause: `founded A and B acquired it`. */
function objectOf(reading: Reading, { rule, object, end }: Found): End[] {
  if (rule.bare) return reading.speech.company ? [SELF_END] : [];
  const ends = endsOf(reading, object);
  const parted =
    / (?:and|&) /.test(reading.groups.get(object)?.words ?? '') && NEXT_CLAUSE.test(reading.text.slice(end, end + 40));
  return parted ? ends.slice(0, -1) : ends;
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
const JOINED_OTHERWISE = new RegExp(
  '^ (?:(?:board|advisory|beta|programme|program|trial|pilot|waitlist|call|meeting|community|webinar|' +
    String.raw`slack|newsletter)\b|(?:for|on|in|at|over) (?:an?|the|our|their|his|her|this|that|today|lunch|dinner|` +
    String.raw`coffee|drinks|breakfast)\b|as (?:an? |the |its |their )?(?:[\p{L}-]+ )?(?:advis|mentor|investor|` +
    'board|non-executive|customer|client|member|guest|observer|backer|shareholder|sponsor)|to ' +
    String.raw`(?:discuss|talk|celebrate|present|review)|['’]s? )`,
  'u',
);

const EARLIER = /\b(?:previously|formerly|before that|back then|at the time|until)\b/i;

/** `manages the A account` is about an account. */
const RUNS_IT = new RegExp(
  String.raw`^(?:$|[.,;:)!]| [–—-] | (?:and|in|from|since|with|as|for|on|at|until|together|alongside|out|today|` +
    String.raw`now|full|part|but|while|where|which|who)\b)`,
);

function isFact(
  { text, pastSection }: Reading,
  rule: VerbRule,
  { subject, verb, after }: { subject: Subject; verb: string; after: string },
): boolean {
  if (text.endsWith('?')) return false;
  if (rule === DEPARTURE) return !DOUBT.test(subject.between);
  if (DOUBT.test(`${subject.between} ${verb}`) || DOUBT_BEFORE.test(subject.before)) {
    return false;
  }
  if (rule.linkType === 'works_at' && /\bjoin/.test(verb) && JOINED_OTHERWISE.test(after)) return false;
  if (rule.id === 'works-runs' && !RUNS_IT.test(after)) return false;
  if (rule.linkType === 'advises' && /^ (?:to|against|that|on whether|not to)\b/.test(after)) return false;
  if (rule.lasts === 'event') return !(rule.linkType === 'works_at' && PAST_AFTER.test(after));
  const perfect = /\b(?:has|have|'s|'ve) (?:\p{L}+ )?been\b|\bha(?:s|ve) /u.test(`${subject.between}${verb}`);
  if (PAST.test(`${subject.between} ${verb}`) && !perfect) return false;
  if (PAST_AFTER.test(after) || GONE_AFTER.test(after) || EARLIER.test(subject.before)) return false;
  return !pastSection || /\b(?:present|current|currently|now|today|ongoing)\b/i.test(text);
}
