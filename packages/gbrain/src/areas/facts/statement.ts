// What a sentence says, apart from how it is worded: openers and fillers gone, contractions, numbers and dates in one
// form, everything with a page under its title. Two facts with the same gist say the same. Pure; English, and for other
// languages as much as punctuation and case.
import { createHash } from 'node:crypto';
import { casedForm, namesInS, oneForm } from './one-form.ts';

/** Words of a statement that carry meaning, in order, its dates, and whether it denies. */
export interface Statement {
  /** One text for all wordings, dates and times as `d:2026-03-01` and `t:09:00`. */
  plain: string;
  words: readonly string[];
  dates: readonly string[];
  /** Words in it that are names and end in `s`, in lower case. */
  names: ReadonlySet<string>;
  isDenied: boolean;
  /** It says itself that something is new: now, no longer, changed to. */
  isChange: boolean;
}

/** Somebody or something that a text names: what it is called first of all, and what it may be called besides. */
export interface Named {
  title: string;
  names: readonly string[];
}

/** What a page is called in a sentence: as given, and by the last part of its slug. */
export function namesOf(slug: string, ...given: readonly string[]): string[] {
  const tail = slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return [...new Set([...given.filter((name) => !name.includes('/')), tail])];
}

const OPENER = new RegExp(
  `^(?:${[
    '(?:fyi|for your information|for the record|for reference|note|please note|just so you know|please remember)',
    '(?:remember|reminder|by the way|btw|to recap|in short|recap|again|once more|once again|quick note|heads up)',
    '(?:as|just)? ?(?:a )?(?:quick |friendly |gentle )?reminder that',
    '(?:as (?:i|we|you|they|he|she) (?:already )?(?:said|mentioned|told you|know|noted)(?: before| earlier)?)',
    '(?:as (?:already )?(?:mentioned|noted|stated|discussed|said)(?: before| earlier| above)?)',
    '(?:according to (?:my |our |the )?(?:memory|memories|notes|records|recall|brain|knowledge base))',
    '(?:(?:memory|recall|the brain|my memory|the notes|our notes|the record) (?:says|shows|has it|tells me|states))',
    '(?:i (?:recall|remember|know|see|found|can confirm|have noted|noted)(?: here)?)',
    '(?:it is (?:true|known|clear|worth noting|noted|recorded|important to note))',
    '(?:the user (?:said|says|mentioned|told me|stated|confirmed|noted|wants you to know|reports))',
    '(?:also|so|well|ok|okay|actually|in fact|indeed|basically|additionally|furthermore|moreover|update|correction)',
  ].join('|')})(?: that)?(?:\\s*[:,;\\u2013\\u2014-]+\\s*|\\s+that\\s+|\\s+(?=\\S))`,
  'u',
);
/** Openers that a subject could begin with need their mark or `that` behind them. */
const BARE =
  /^(?:note|update|correction|recap|remember|reminder|well|so|also|again|ok|okay|indeed|heads up)\s+(?!that\b)/u;

const CLOSER = new RegExp(
  `[\\s,;\\u2013\\u2014-]*(?:\\((?:as )?(?:you know|mentioned|noted|said|discussed)[^)]*\\)|,? (?:${[
    'by the way|as mentioned(?: before| earlier)?|as you know|you know|for the record|fyi|btw|i think so',
    'if i recall correctly|as noted|as discussed|if you remember',
  ].join('|')}))$`,
  'u',
);

const CONTRACTIONS: readonly [RegExp, string][] = [
  [/\bcan't\b|\bcannot\b/gu, 'can not'],
  [/\bwon't\b/gu, 'will not'],
  [/\bshan't\b/gu, 'shall not'],
  [/n't\b/gu, ' not'],
  [/\b(it|he|she|that|there|what|who|here)'s\b/gu, '$1 is'],
  [/'re\b/gu, ' are'],
  [/'ll\b/gu, ' will'],
  [/'ve\b/gu, ' have'],
  [/\bi'm\b/gu, 'i am'],
];

/** A text in lower case without openers and closers, with contractions, numbers and dates in one form. */
export function plainOf(text: string): string {
  let plain = casedForm(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[“”«»"`*_]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.!。！\s]+$/u, '');
  for (const [pattern, to] of CONTRACTIONS) plain = plain.replace(pattern, to);
  for (let round = 0; round < 3; round++) {
    const next = BARE.test(plain) ? plain : plain.replace(OPENER, '');
    if (next === plain || next === '') break;
    plain = next;
  }
  plain = plain.replace(CLOSER, '').replace(/[.!。！\s]+$/u, '');
  return fronted(oneForm(plain));
}

/** `On Monday, the team meets` as `the team meets on Monday`. */
function fronted(plain: string): string {
  const found =
    /^((?:on|in|at|as of|since|from|during|by|until|after|before|every|starting|effective)\s[^,]{1,60}),\s+(.+)$/u.exec(
      plain,
    );
  return found ? `${found[2]} ${found[1]}` : plain;
}

/** Words that say nothing about what is so. */
const LIGHT = new Set(
  (
    'a an the is are am be been being really quite just still definitely certainly truly clearly obviously also too ' +
    'that now currently presently please do does very simply generally indeed'
  ).split(' '),
);
const DENIALS = new Set(['not', 'no', 'never', 'without', 'neither', 'nor', 'none', 'nobody', 'nothing']);
const CHANGED = [
  'changed|moved|raised|lowered|increased|reduced|cut|postponed|extended|delayed|renamed|updated|switched|promoted',
  'brought forward|pushed back',
].join('|');
const CHANGE = new RegExp(
  `\\b(?:${[
    'now|no longer|not [^.]{0,40}any ?more|from now on|any ?more|instead|these days|new',
    `(?:has|have|had|was|were|is|are|been|got) (?:been )?(?:${CHANGED}) (?:to|from|until|by|for)\\b`,
    '(?:changed|moved|switched|relocated|rose|fell|grew|dropped|went) (?:from .{1,60} )?to',
    'has (?:joined|left|become|stopped|started)|left|joined|became|quit|stopped',
  ].join('|')})\\b`,
  'u',
);
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    begin: 'start',
    begins: 'start',
    commences: 'start',
    commence: 'start',
    purchase: 'buy',
    purchased: 'bought',
    reside: 'live',
    resides: 'live',
    telephone: 'phone',
    'e-mail': 'email',
    mail: 'mail',
    colour: 'color',
    favourite: 'favorite',
    whilst: 'while',
    centre: 'center',
    organise: 'organize',
    organises: 'organize',
    till: 'until',
    approx: 'about',
    approximately: 'about',
    around: 'about',
    roughly: 'about',
    employed: 'works',
    prior: 'before',
  }),
);

/** The plural and the third person as the bare word; other forms differ in time and stay. */
function bare(word: string): string {
  const same = SAME.get(word) ?? word;
  if (same.length < 4 || /\d|(?:ss|us|is)$/u.test(same) || !/^[a-z]+s$/u.test(same)) return same;
  if (same.endsWith('ies')) return `${same.slice(0, -3)}y`;
  return /(?:s|x|z|ch|sh)es$/u.test(same) ? same.slice(0, -2) : same.slice(0, -1);
}

/** Days, times, words with the marks of a grade or a language (`b+`, `c++`, `a-`), and pictures that tell a state. */
const TOKEN = new RegExp(
  [
    'd:\\d{4}-\\d\\d(?:-\\d\\d)?|m:\\d\\d-\\d\\d|t:\\d\\d:\\d\\d',
    '(?<![\\p{L}\\p{N}])(?:ab|[a-fo])-(?![\\p{L}\\p{N}])',
    "[\\p{L}\\p{M}\\p{N}]+(?:[.'&/+#-][\\p{L}\\p{M}\\p{N}]+)*(?:\\+\\+|[+#])?",
    '(?![\\u{1f600}-\\u{1f64f}])\\p{Emoji_Presentation}|[\u2713\u2714\u2717\u2718]',
  ].join('|'),
  'gu',
);

const NAME_CHAR = /[\p{L}\p{N}/-]/u;

/** Whether a name may begin or end between two places of a text: no letter, digit, slash or hyphen goes on there. */
const isFree = (text: string, from: number): boolean => {
  const point = text.codePointAt(from);
  return point === undefined || !NAME_CHAR.test(String.fromCodePoint(point));
};
const isFreeBefore = (text: string, at: number): boolean => {
  if (at === 0) return true;
  const isLow = at > 1 && /[\udc00-\udfff]/.test(text[at - 1]!);
  return isFree(text, at - (isLow ? 2 : 1));
};

/** Whether a form stands at a place; a space of it may be a hyphen there. */
function standsAt(text: string, form: string, at: number): boolean {
  if (text.startsWith(form, at)) return true;
  if (!form.includes(' ') || at + form.length > text.length) return false;
  for (let i = 0; i < form.length; i++) {
    if (text[at + i] !== form[i] && !(form[i] === ' ' && text[at + i] === '-')) return false;
  }
  return true;
}

/**
 * Every name replaced by the first name of who bears it, in one pass, so that no name is found inside another. No
 * pattern is made of the names: making one takes longer than all else that is read in a statement.
 */
export function withTitles(plain: string, named: readonly Named[]): string {
  const titles = new Map(named.flatMap(({ title, names }) => names.map((name) => [plainOf(name), plainOf(title)])));
  const forms = [...titles.keys()].filter((form) => form.length > 1).sort((a, b) => b.length - a.length);
  const firsts = new Set(forms.map((form) => form[0]));
  let out = '';
  let done = 0;
  let at = 0;
  while (at < plain.length) {
    const isStart = firsts.has(plain[at]) && isFreeBefore(plain, at);
    const form = isStart && forms.find((one) => standsAt(plain, one, at) && isFree(plain, at + one.length));
    if (form) {
      const found = plain.slice(at, at + form.length);
      out += plain.slice(done, at) + (titles.get(found) ?? titles.get(form));
      done = at + form.length;
    }
    at += form ? form.length : 1;
  }
  return out + plain.slice(done);
}

/**
 * Words that keep their `s`: of those that are named, and names inside the sentence. What stands first has its capital
 * from there, with an opener in front of it or not.
 */
function namesOfText(text: string, plain: string, named: readonly Named[]): ReadonlySet<string> {
  const names = new Set(namesInS(text));
  names.delete(/^[\p{L}\p{N}]*/u.exec(plain)![0]);
  for (const { title } of named) {
    for (const word of plainOf(title).split(/[^\p{L}\p{N}]+/u)) if (word.endsWith('s')) names.add(word);
  }
  return names;
}

/** What a text says; `named` are those that it names. */
export function readStatement(text: string, named: readonly Named[] = [], held?: ReadonlySet<string>): Statement {
  const bareText = plainOf(text);
  const plain = withTitles(bareText, named);
  const names = held ?? namesOfText(text, bareText, named);
  const isChange = CHANGE.test(plain);
  let denials = 0;
  const words: string[] = [];
  const dates: string[] = [];
  const shown = plain.replace(/\bno longer\b|\bnot any ?more\b/gu, 'not').replace(/\bany ?more\b/gu, '');
  for (const [token] of shown.matchAll(TOKEN)) {
    const word = token.replace(/'s$|'$/u, '');
    if (/^[dmt]:/u.test(word)) {
      if (/^(?:on|at|in)$/u.test(words.at(-1) ?? '')) words.pop();
      dates.push(
        /^(?:since|until|before|after|by|from|to)$/u.test(words.at(-1) ?? '') ? `${words.pop()} ${word}` : word,
      );
    } else if (DENIALS.has(word)) denials += 1;
    else if (!LIGHT.has(word)) words.push(names.has(word) ? word : bare(word));
  }
  return { plain, words, dates: dates.sort(), names, isDenied: denials % 2 === 1, isChange };
}

/** What a statement affirms or denies, without which of the two. */
export const matterOf = ({ words, dates }: Statement): string => [...words, ...dates].join(' ');

/** SHA-256 of what a statement says, in hex; empty for one that says nothing in words. */
export function gistOf(statement: Statement): string {
  const matter = matterOf(statement);
  if (matter === '' || !/\s/u.test(matter)) return '';
  return digest(`${statement.isDenied ? '-' : '+'}${matter}`);
}

/** SHA-256 in hex. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
