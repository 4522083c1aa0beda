// Finds who holds a role, from the words before it: a copula, a comma, a sentence that begins with the role. It knows
// no relation and no place of work.

import { ADVERBS, LINK, NAME, NOTE_OPENERS, PAST, ROLE_GERUNDS, ROLE_STOPS, SUBJECT } from './lexicon.ts';
import { classOfRole, isRoleWord } from './roles.ts';
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

/** The last word of a role and where it stands. */
export interface RoleWord {
  readonly word: string;
  readonly at: number;
  readonly end: number;
}

/** Who holds a role, and the words around that. */
export interface Place {
  readonly ends: readonly End[];
  readonly between: string;
  readonly before: string;
  readonly modifiers: string;
  /** The subject is plural in words: `they are engineers at`. */
  readonly many: boolean;
  /** It hangs on a parenthesis or a dash behind a name: `B (CTO`, `B — CTO`. */
  readonly beside: boolean;
}

const COPULA =
  "(?:is|are|was|were|am|'s|'re|became|becomes|remains|stays|serves as|served as|serving as|works as|" +
  'worked as|acts as|acted as|joined as|stayed on as|(?:has|have|had) been|(?:is|was|were|been|got) ' +
  '(?:[a-z]+ )?(?:appointed|named|made|elected|promoted|hired|installed)(?: as| to)?|takes over as|' +
  'took over as|doubles as|(?:appointed|named|made|elected|promoted|hired|installed)(?: as| to)?)';
const ARTICLE =
  '(?:(?:an?|the|its|their|our|his|her|one of the(?: first| earliest| original| main| three| two| four|' +
  ' five)?|(?:an? )?(?:member|part) of the|both|now|currently|also|still|formerly|previously|once|then|' +
  'not|never|no longer|just|only|simply|today) )*';
const COPULAR = new RegExp(
  `(${SUBJECT})(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))?(?:,? who)? ?(${ADVERBS}${COPULA} ` +
    `${ARTICLE}(?:as )?${ARTICLE})$`,
);
const APPOSED = new RegExp(`(${NAME})(?:,| ?\\(| [–—-]|:) ?(${ARTICLE})$`);
const OPENING = new RegExp(
  String.raw`^(?:["'(]|[-–—>|] |\[[ xX]\] |[Cc]urrently,? |[Nn]ow,? |[Pp]resently,? |[Aa]lso,? |[Tt]oday,? |` +
    '[Ss]till,? |[Ff]ormerly,? |[Pp]reviously,? |[Oo]nce |(?:Current )?(?:[Rr]ole|[Tt]itle|[Pp]osition|' +
    String.raw`[Jj]ob|[Oo]ccupation|[Ww]ork|[Bb]io|[Aa]bout|[Ww]ho|[Ss]ummary) ?[:–—-] ?|\d{4}(?:[-–]\d\d)*(?: ` +
    String.raw`?[-–—] ?(?:\d{2,4}|present|now|today))? ?[:–—|-] ?)*((?:[Aa]n?|[Tt]he) )?$`,
);
/** A row's cell that is a name speaks for the cell behind it. */
const NAME_CELL = new RegExp(`^\\|? ?(${LINK}) \\| $`);
const JOINED_ON = new RegExp(
  `(?:,| and|, and| &|;) (${ADVERBS}(?:(?:is|was|serves as|works as|served as|worked as) )?${ARTICLE})$`,
);
const AS_ROLE = new RegExp(
  `\\b(?:join(?:ed|s)|serv(?:ed|es|ing)|work(?:ed|s|ing)|hired|appointed|named|return(?:ed|s)|` +
    `continu(?:ed|es)|start(?:ed|s)|began|promoted|elected|replac(?:ed|es)|succeed(?:ed|s)|stay(?:ed|s) ` +
    `on|acts?|acted|t(?:ook|akes) over)(?: [^.;]{0,40})? as ${ARTICLE}$|\\b(?:before|after|to) becoming ${ARTICLE}$`,
);

interface Around {
  readonly after: string;
  readonly earlier: Earlier | undefined;
}

/**
 * Reads the words before a role backwards: its modifiers, then the copula, comma or sentence start that it hangs on.
 */
export function placeOf(reading: Reading, role: RoleWord, { after, earlier }: Around): Place | undefined {
  const start = clauseStart(reading.text, role.at);
  const { base, modifiers } = takeModifiers(reading.text.slice(start, role.at));
  const hung = COPULAR.exec(base) ?? APPOSED.exec(base);
  if (hung) return placeFromWords(reading, hung, base, modifiers);
  const cell = base === '' ? NAME_CELL.exec(reading.text.slice(0, start)) : null;
  if (cell) return { ends: endsOf(reading, cell[1]!), between: '', before: '', modifiers, many: false, beside: false };
  const opening = OPENING.exec(reading.text.slice(0, start) + base);
  if (opening) {
    const opens = reading.speech.implied && !goesOn(after) && opensRole(modifiers, role.word, opening[1] !== undefined);
    return opens
      ? { ends: [SELF_END], between: opening[0], before: '', modifiers, many: false, beside: false }
      : undefined;
  }
  const joined = JOINED_ON.exec(base) ?? AS_ROLE.exec(base);
  if (!joined) return undefined;
  // The words that join are cut off, so that the subject is looked for as if a verb stood there.
  const subject =
    joined[1] === undefined
      ? (findSubject(reading, start + joined.index, earlier) ?? firstSubject(reading, start + joined.index))
      : findSubject(reading, start + base.length - joined[1].length, earlier);
  return subject && { ...subject, between: `${subject.between} ${joined[0]}`, modifiers, many: false, beside: false };
}

/** Words before a name that make it somebody else's: `the brother of A`. */
export const OTHERS = new RegExp(
  String.raw`\b(?:CEO|founder|head|brother|sister|wife|husband|mother|father|son|daughter|friend|colleague|` +
    String.raw`partner|boss|assistant|team|people|members?) (?:of|at|from) $`,
  'i',
);

function placeFromWords(reading: Reading, match: RegExpExecArray, base: string, modifiers: string): Place | undefined {
  const [, words, between = ''] = match;
  const before = base.slice(0, match.index);
  // `the brother of A, a manager at B` speaks of somebody else.
  if (/[\p{L}\p{N}'-]$/u.test(before) || OTHERS.test(before)) return undefined;
  return {
    ends: endsOf(reading, words!),
    between,
    before,
    modifiers,
    many: /^they/i.test(words!),
    beside: /(?:\(| [–—-]) ?$/.test(base.slice(match.index)),
  };
}

/** Without an article a role must look like one from its first word: `Senior engineer at`, not `Met engineer at`. */
function opensRole(modifiers: string, word: string, hasArticle: boolean): boolean {
  if (modifiers === '' || hasArticle || PAST.test(modifiers)) return true;
  const first = modifiers.split(/[ /]/)[0]!.toLowerCase();
  if (isRoleWord(first) || !['staff', 'leader'].includes(classOfRole(word) ?? 'staff')) return true;
  return !NOTE_OPENERS.has(first) && (!/(?:ed|ing)$/.test(first) || ROLE_GERUNDS.test(first));
}

/** A role that is the subject of a verb speaks of somebody else: `A senior engineer at A told us`. */
function goesOn(after: string): boolean {
  const next = /^ ([a-z]+)\b/.exec(after)?.[1];
  if (next === undefined) return false;
  if (/^(?:based|focused|located|tasked|dedicated|speciali[sz]ed|across|plus|besides|as|since)$/.test(next))
    return false;
  return /^(?:is|was|has|had|will|would|can|could|said|told)$/.test(next) || /(?:ed|[^sui]s)$/.test(next);
}

const NO_MODIFIER = new RegExp(
  String.raw`^(?:became|becomes|becoming|remains|named|appointed|elected|promoted|hired|installed|made|just|` +
    String.raw`recently|formerly|previously|currently|now|also|still|once|\d{4})$`,
  'i',
);

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
