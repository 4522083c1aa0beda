// Reads what roles state in a sentence: `is a senior engineer at A`, `A's founder B`, `B is A's CTO`, and `CEO B` on a
// company's own page. It decides who holds the role and whether it is held; it knows no page and no type.

import {
  ADVERBS,
  DOUBT,
  LINK,
  NAME,
  PAST,
  PAST_AFTER,
  ROLE_OPENERS,
  ROLE_STOPS,
  SUBJECT,
  WORD,
  WORD_END,
} from './lexicon.ts';
import { classOfRole, isRoleWord, ROLE_MEANINGS } from './roles.ts';
import { OBJECT } from './rules.ts';
import {
  clauseStart,
  type Earlier,
  type End,
  endsOf,
  findSubject,
  firstSubject,
  type Reading,
  SELF_END,
} from './subjects.ts';
import type { Statement } from './verb-statements.ts';

/** A role in words and where its last word stands. */
interface RoleWord {
  readonly word: string;
  readonly at: number;
  readonly end: number;
}

/** Statements of the roles of a sentence. `single` is the same sentence with its lists not yet one unit. */
export function readRoles(reading: Reading, single: string): Statement[] {
  const words = roleWords(reading.text);
  if (words.length === 0) return [];
  const statements = [...readComplements(reading, words), ...readOwned(reading), ...readOwners(reading)];
  return reading.speech.company ? [...statements, ...readBareRoles(reading, single)] : statements;
}

function roleWords(text: string): RoleWord[] {
  const found: RoleWord[] = [];
  for (const { 0: word, index } of text.matchAll(/[A-Za-z][A-Za-z-]+/g)) {
    if (isRoleWord(word)) found.push({ word, at: index, end: index + word.length });
  }
  return found;
}

/** What stands around a role that decides whether somebody holds it. */
interface Holding {
  readonly from: readonly End[];
  readonly to: readonly End[];
  readonly between: string;
  readonly before: string;
  readonly after: string;
  /** Empty where the role has none, as in `A's founder`. */
  readonly preposition: string;
}

const COMPLEMENT = new RegExp(
  `((?:(?:,? and |, | & |/)(?:(?:an?|the) )?(?:${WORD} ){0,4}?${WORD})*?)((?: (?:of|for|in) (?:(?!at |of )${WORD} ){0,5}?(?!at )${WORD})?)(?: full-time| here)?,?(?: currently| now)? (at|of|for|with|to|in|behind|@) ` +
    `(?:(?:the|a|an|their|his|her|our) )?(?:(?:[a-z-]+ )?(?:company|startup|start-up|firm|fund|studio|agency|lab|nonprofit|bank|university|hospital|school|team) )?(${OBJECT})`,
  'y',
);

/** `ROLE at A`: the role's words behind it lead to the place, those before it to the holder. */
function readComplements(reading: Reading, words: readonly RoleWord[]): Statement[] {
  const { text } = reading;
  const statements: Statement[] = [];
  let earlier: Earlier | undefined;
  let from = 0;
  for (const role of words) {
    COMPLEMENT.lastIndex = role.end;
    const match = role.at < from ? null : COMPLEMENT.exec(text);
    if (!match) continue;
    const [whole, more, , preposition, object] = match;
    const end = role.end + whole.length;
    const after = text.slice(end);
    const place = /^'s?(?=\s)/.test(after) ? undefined : placeOf(reading, role, { after, earlier });
    if (!place) continue;
    from = end;
    earlier = { at: role.at, ends: place.ends };
    if (isPlural(role.word) && place.ends.length < 2 && !place.many) continue;
    const to = endsOf(reading, object!).filter((target) => !place.ends.includes(target));
    const holding = { ...place, from: place.ends, to, after, preposition: preposition! };
    const roles = [`${place.modifiers} ${role.word}`, ...splitRoles(more!)];
    statements.push(...roles.flatMap((one) => stateRole(reading, one, holding, roles.length > 1)));
  }
  return statements;
}

function isPlural(word: string): boolean {
  return /[a-z]s$/.test(word) && isRoleWord(word.slice(0, -1));
}

function splitRoles(more: string): string[] {
  return more.split(/,? and |, | & |\//).filter((role) => role.trim() !== '');
}

function stateRole(reading: Reading, role: string, holding: Holding, shared: boolean): Statement[] {
  const roleClass = classOfRole(role);
  const { from, to, preposition } = holding;
  if (!roleClass || from.length === 0 || to.length === 0) return [];
  // `investor at a fund` works there, and so does `founding engineer`.
  const employed = roleClass === 'investor' && /^(?:at|with)$/.test(preposition);
  const name = employed ? 'staff' : roleClass;
  const { linkType, lasts, from: fromKind, to: toKind, prepositions } = ROLE_MEANINGS[name];
  if (preposition !== '' && !shared && !prepositions.test(preposition)) return [];
  if (!isHeld(reading, role, lasts, holding)) return [];
  return [{ linkType, from, to, fromKind, toKind, lasts, reason: `role-${name}` }];
}

const NOT_YET = /\b(?:aspiring|future|incoming|candidate|wannabe)\b/i;
const SOUGHT =
  /\b(?:if|whether|unless|suppose|imagine|hopes?|wish|looking for|search(?:ing)? for|seeking|need(?:s|ed)?|open role)\b/i;
const OPENING_ONLY = /^,? (?:candidate|applicant|role|position|job|opening|interview)\b/i;
const NEWLY = /\b(?:became|becomes|promoted|appointed|named|elected|hired|installed|joined|been)\b/;
const SERVED = /\b(?:served|worked|acted|stayed) (?:[a-z]+ )?as\b/;
const FORMER =
  /\b(?:former|formerly|previous|previously|past|ex|late|retired|then|one-time|onetime|outgoing|erstwhile|emeritus)\b|\bex-/i;
const EARLIER = /\b(?:previously|formerly|before that|earlier|until|back then|at the time|in the past)\b/i;
const STILL = /\b(?:present|current|currently|now|today|ongoing)\b/i;

function isHeld({ text, pastSection }: Reading, role: string, lasts: Statement['lasts'], holding: Holding): boolean {
  const { between, before, after } = holding;
  if (text.endsWith('?') || DOUBT.test(`${between} ${role}`) || NOT_YET.test(role)) return false;
  if (SOUGHT.test(before) || OPENING_ONLY.test(after)) return false;
  if (lasts === 'event') return true;
  const gone = PAST.test(between.replace(/\bserved as\b/, 'was')) || SERVED.test(between);
  if ((gone && !NEWLY.test(between)) || FORMER.test(role)) return false;
  if (PAST_AFTER.test(after) || EARLIER.test(before)) return false;
  return !pastSection || STILL.test(text);
}

/** Who holds a role, and the words around that. */
interface Place {
  readonly ends: readonly End[];
  readonly between: string;
  readonly before: string;
  readonly modifiers: string;
  /** The subject is plural in words: `they are engineers at`. */
  readonly many: boolean;
}

const COPULA =
  "(?:is|are|was|were|am|'s|'re|became|becomes|remains|stays|serves as|served as|serving as|works as|worked as|acts as|acted as|joined as|stayed on as|(?:has|have|had) been|(?:is|was|were|been|got) (?:[a-z]+ )?(?:appointed|named|made|elected|promoted|hired|installed)(?: as| to)?|takes over as|took over as|doubles as)";
const ARTICLE =
  '(?:(?:an?|the|its|their|our|his|her|one of the|both|now|currently|also|still|formerly|previously|once|then|not|never|no longer|just|only|simply|today) )*';
const COPULAR = new RegExp(
  `(${SUBJECT})(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))?(?: ?(?:who )?)(${ADVERBS}${COPULA} ${ARTICLE}(?:as )?${ARTICLE})$`,
);
const APPOSED = new RegExp(`(${NAME})(?:,| ?\\(| [–—-]|:) ?(${ARTICLE})$`);
const OPENING =
  /^(?:["'(]|[-–—>|] |\[[ xX]\] |[Cc]urrently,? |[Nn]ow,? |[Pp]resently,? |[Aa]lso,? |[Tt]oday,? |[Ss]till,? |[Ff]ormerly,? |[Pp]reviously,? |[Oo]nce |(?:Current )?(?:[Rr]ole|[Tt]itle|[Pp]osition|[Jj]ob|[Oo]ccupation|[Ww]ork|[Bb]io|[Aa]bout|[Ww]ho|[Ss]ummary) ?[:–—-] ?|\d{4}(?:[-–]\d\d)* ?[:–—|-] ?)*((?:[Aa]n?|[Tt]he) )?$/;
const JOINED_ON = new RegExp(
  `(?:,| and|, and| &|;) (${ADVERBS}(?:(?:is|was|serves as|works as|served as|worked as) )?${ARTICLE})$`,
);
const AS_ROLE = new RegExp(
  `\\b(?:join(?:ed|s)|serv(?:ed|es|ing)|work(?:ed|s|ing)|hired|appointed|named|return(?:ed|s)|continu(?:ed|es)|start(?:ed|s)|began|promoted|elected|stay(?:ed|s) on|acts?|acted)(?: [^.;]{0,40})? as ${ARTICLE}$`,
);

interface Around {
  readonly after: string;
  readonly earlier: Earlier | undefined;
}

/** Reads the words before a role backwards: its modifiers, then the copula, comma or sentence start that it hangs on. */
function placeOf(reading: Reading, role: RoleWord, { after, earlier }: Around): Place | undefined {
  const start = clauseStart(reading.text, role.at);
  const { base, modifiers } = takeModifiers(reading.text.slice(start, role.at));
  const hung = COPULAR.exec(base) ?? APPOSED.exec(base);
  if (hung) return placeFromWords(reading, hung, base, modifiers);
  const opening = start === 0 ? OPENING.exec(base) : null;
  if (opening) {
    const opens = reading.speech.implied && !goesOn(after) && opensRole(modifiers, role.word, opening[1] !== undefined);
    return opens ? { ends: [SELF_END], between: base, before: '', modifiers, many: false } : undefined;
  }
  const joined = JOINED_ON.exec(base) ?? AS_ROLE.exec(base);
  if (!joined) return undefined;
  // The words that join are cut off, so that the subject is looked for as if a verb stood there.
  const subject =
    joined[1] === undefined
      ? firstSubject(reading, start + joined.index)
      : findSubject(reading, start + base.length - joined[1].length, earlier);
  return subject && { ...subject, between: `${subject.between} ${joined[0]}`, modifiers, many: false };
}

const OTHERS =
  /\b(?:CEO|founder|head|brother|sister|wife|husband|mother|father|son|daughter|friend|colleague|partner|boss|assistant|team|people|members?) (?:of|at|from) $/i;

function placeFromWords(reading: Reading, match: RegExpExecArray, base: string, modifiers: string): Place | undefined {
  const [, words, between = ''] = match;
  const before = base.slice(0, match.index);
  // `the brother of A, a manager at B` speaks of somebody else.
  if (/[\p{L}\p{N}'-]$/u.test(before) || OTHERS.test(before)) return undefined;
  return { ends: endsOf(reading, words!), between, before, modifiers, many: /^they/i.test(words!) };
}

/** Without an article a role must look like one from its first word: `Senior engineer at`, not `Met engineer at`. */
function opensRole(modifiers: string, word: string, hasArticle: boolean): boolean {
  if (modifiers === '' || hasArticle || FORMER.test(modifiers)) return true;
  const first = modifiers.split(/[ /]/)[0]!.toLowerCase();
  return ROLE_OPENERS.has(first) || isRoleWord(first) || !['staff', 'leader'].includes(classOfRole(word) ?? 'staff');
}

/** A role that is the subject of a verb speaks of somebody else: `A senior engineer at A told us`. */
function goesOn(after: string): boolean {
  const next = /^ ([a-z]+)\b/.exec(after)?.[1];
  if (next === undefined) return false;
  if (/^(?:based|focused|located|tasked|dedicated|speciali[sz]ed|across|plus|besides|as|since)$/.test(next))
    return false;
  return /^(?:is|was|has|had|will|would|can|could|said|told)$/.test(next) || /(?:ed|[^sui]s)$/.test(next);
}

const NO_MODIFIER = /^(?:became|becomes|remains|formerly|previously|currently|now|also|still|once|\d{4})$/i;

/** Splits off up to five words that can belong to a role. */
function takeModifiers(left: string): { base: string; modifiers: string } {
  let base = left;
  const words: string[] = [];
  while (words.length < 5) {
    const word = /(?:^|[\s(,:"'/])([^\s\ue000-\uf8ff.,;:()[\]"'|/–—][^\s\ue000-\uf8ff.,;:()[\]"|–—]*)[ -]$/.exec(
      base,
    )?.[1];
    if (word === undefined || ROLE_STOPS.has(word.toLowerCase()) || NO_MODIFIER.test(word)) break;
    words.unshift(word);
    base = base.slice(0, base.length - word.length - 1);
  }
  return { base, modifiers: words.join(' ') };
}

const MORE = `((?:(?:,? and |, | & |/)(?:${WORD} ){0,4}?${WORD})*?)`;
const FIELD = `(?: (?:of|for) (?:${WORD} ){0,3}?${WORD})?`;
const ROLE = `((?:${WORD} ){0,3}?[A-Za-z-]+)${WORD_END}${MORE}${FIELD}`;
const OWNED = new RegExp(`(?:(${NAME})(?:'s)?|([Oo]ur|[Ii]ts|[Tt]he company's)) ${ROLE},? (${LINK})`, 'g');
const OWNERS = new RegExp(
  `(${SUBJECT})(,|,? ${ADVERBS}(?:is|are|was|were|as)(?: now| also| currently| still)?) (${LINK})'s? ${ROLE}(?=$|[.,;:)]| (?:and|in|from|since|for|who|where)\\b)`,
  'g',
);

/** `A's CEO B`, `A founder B`; on a company's page also `our CEO B`. */
function readOwned(reading: Reading): Statement[] {
  const { text, speech } = reading;
  return [...text.matchAll(OWNED)].flatMap((match) => {
    const [whole, owner, word, role, more, holders] = match;
    const before = text.slice(0, match.index);
    if (/[\p{L}]$/u.test(before) || !isRoleWord(role!.slice(role!.search(/[A-Za-z-]+$/)))) return [];
    const to = owner !== undefined ? endsOf(reading, owner) : speech.company && word !== undefined ? [SELF_END] : [];
    const past = /\b(?:former|ex|then|late) $|\bex-$/i.test(before) ? 'former ' : '';
    const holding = {
      from: endsOf(reading, holders!),
      to,
      between: '',
      before,
      after: text.slice(match.index + whole.length),
      preposition: '',
    };
    return [role!, ...splitRoles(more!)].flatMap((one) => stateRole(reading, `${past}${one}`, holding, true));
  });
}

/** `B is A's CEO`, `B, A's head of sales`. */
function readOwners(reading: Reading): Statement[] {
  const { text } = reading;
  return [...text.matchAll(OWNERS)].flatMap((match) => {
    const [whole, holders, copula, owner, role, more] = match;
    const before = text.slice(0, match.index);
    if (/[\p{L}]$/u.test(before) || OTHERS.test(before)) return [];
    const holding = {
      from: endsOf(reading, holders!),
      to: endsOf(reading, owner!),
      between: copula!,
      before,
      after: text.slice(match.index + whole.length),
      preposition: '',
    };
    return [role!, ...splitRoles(more!)].flatMap((one) => stateRole(reading, one, holding, true));
  });
}

const AFTER_NAME = new RegExp(
  `(${LINK})(,? (?:is|are) (?:now |currently |also )?(?:the |our |its |their )?|, (?:the |our |its |their )?| ?\\((?:the |our |its )?)((?:${WORD} ){0,2}?[A-Za-z-]+)${WORD_END}${MORE}(?=$|[.,;)])`,
  'g',
);
const BEFORE_NAME = new RegExp(`(?:^|[\\s(,])((?:${WORD} ){0,2}?[A-Za-z-]+)${MORE},? (${LINK})`, 'g');

/** On a company's own page a leader's or founder's role needs no complement: `B is the CEO`, `CEO B`, `B (CTO)`. */
function readBareRoles(reading: Reading, single: string): Statement[] {
  if (new RegExp(`${LINK}'s|\\b(?:of|at) ${LINK}`).test(single)) return [];
  const found = [
    ...[...single.matchAll(AFTER_NAME)].map((m) => ({
      at: m.index,
      holder: m[1]!,
      between: m[2]!,
      roles: [m[3]!, ...splitRoles(m[4]!)],
      end: m.index + m[0].length,
    })),
    ...[...single.matchAll(BEFORE_NAME)].map((m) => ({
      at: m.index,
      holder: m[3]!,
      between: '',
      roles: [m[1]!, ...splitRoles(m[2]!)],
      end: m.index + m[0].length,
    })),
  ];
  return found.flatMap(({ at, holder, between, roles, end }) => {
    const holding = {
      from: [holder],
      to: [SELF_END],
      between,
      before: single.slice(0, at),
      after: single.slice(end),
      preposition: '',
    };
    return roles
      .filter(
        (role) => ['founder', 'leader'].includes(classOfRole(role) ?? '') && roles.every((one) => classOfRole(one)),
      )
      .flatMap((role) => stateRole(reading, role, holding, true));
  });
}
