// Claims: what a statement says of one attribute that has one value at a time, so that another value is an update or a
// contradiction. Read by the wording alone, no model; a sentence of another shape has no claim. Pure. English.
import { CLAIM_SHAPES, type Groups } from './claim-shapes.ts';
import { digest, matterOf, type Named, plainOf, readStatement, type Statement } from './statement.ts';

/** A claim of a fact: which attribute of whom, and its value. */
export interface Claim {
  /** `<attribute>:<whom>`, with `@<period>` for a figure of one; `says:<digest>` for what states none. */
  dimension: string;
  /** The value in one form, with `!` in front when it is denied; `yes` or `no` for `says:`. */
  value: string;
  /** The attribute has one value by its nature: a number, a date, an address; not merely as a rule. */
  isTyped: boolean;
  /** The statement says this and nothing besides, so that the same claim in any other words says no more. */
  isWhole: boolean;
  /** Set when the value is a number: what `find_trajectory` follows. */
  number?: { metric: string; value: string; unit: string | null; period: string | null };
  /** The day from which the sentence itself says that it holds, `YYYY-MM-DD`. */
  since?: string;
}

const PERIOD = / (?:in|for|during|at the end of|as of|on) (d:\d{4}-\d\d(?:-\d\d)?)$/u;
const SINCE =
  /(?:,)? (?:since|as of|from|starting|starting from|effective|with effect from) (?:on )?d:(\d{4}-\d\d-\d\d)$/u;
const SELF_WORDS = /^(?:he|she|they|it|this|his|her|its|their|our|my)$/u;
const NUMBER = /^(?:about |only |exactly )?(\d+(?:\.\d+)?)(?: (usd|eur|gbp|jpy|pct|\p{L}{1,20}))?$/u;
const VALUE_WORDS = 8;
/** Longest sentence that is read for an attribute. */
const CLAIM_CHARS_MAX = 400;
/** What may be said behind a name. */
const MANNER = / (?:as|with|near|on the|for the|full time|part time|together) .*$/u;
/** What makes a value several values or half a sentence. */
const SEVERAL = /,|;| and | or | but | because | which | who | when | if | while |\?/u;

/** A statement with its claim; undefined for one that says nothing in words. */
export interface Said {
  statement: Statement;
  claim?: Claim;
}

/** What a text says and claims. `self` is the first name of what it is about, `named` are those that it names. */
export function claimOf(text: string, about: { self?: string | null; named?: readonly Named[] } = {}): Said {
  const statement = readStatement(text, about.named);
  const claim = typedClaim(statement, about.self == null ? null : plainOf(about.self)) ?? plainClaim(statement);
  return { statement, ...(claim && { claim }) };
}

/** That a statement is so, or is not. */
function plainClaim(statement: Statement): Claim | undefined {
  if (statement.words.length < 2) return undefined;
  const dimension = `says:${digest(matterOf(statement)).slice(0, 32)}`;
  return { dimension, value: statement.isDenied ? 'no' : 'yes', isTyped: false, isWhole: false };
}

function typedClaim(statement: Statement, self: string | null): Claim | undefined {
  const since = SINCE.exec(statement.plain);
  const plain = since ? statement.plain.slice(0, since.index) : statement.plain;
  if (plain.length > CLAIM_CHARS_MAX) return undefined;
  for (const { pattern, attribute, isName } of CLAIM_SHAPES) {
    const groups: Groups | undefined = pattern.exec(plain)?.groups;
    if (!groups) continue;
    const whom = subjectOf(groups.s, self);
    const name = attribute(groups);
    const stated = groups.v ?? '';
    const bare = isName ? stated.replace(MANNER, '') : stated;
    const value = readValue(bare, statement.names);
    if (whom === undefined || value === undefined) return undefined;
    const isDenied = statement.isDenied || /\bno longer\b/u.test(plain);
    return {
      dimension: dimensionOf(name, whom, value.number && value.period),
      value: `${isDenied ? '!' : ''}${value.text}`,
      isWhole: bare === stated && !since && value.period === undefined,
      isTyped: value.number !== undefined || /^[dmt]:/u.test(value.text) || /[@/]|\d{3}/u.test(value.text),
      ...(value.number && !isDenied && { number: numberOf(name, whom, self, value) }),
      ...(since && { since: since[1]! }),
    };
  }
  return undefined;
}

function numberOf(name: string, whom: string, self: string | null, value: ReadValue): Claim['number'] {
  const isSelf = whom === '' || whom === self;
  return { metric: isSelf ? name : `${name} of ${whom}`, ...value.number!, period: value.period ?? null };
}

const dimensionOf = (name: string, whom: string, period: string | undefined): string =>
  `${name}${whom === '' ? '' : `:${whom}`}${period === undefined ? '' : `@${period}`}`.slice(0, 200);

/** Whom an attribute belongs to; nobody said is ''. Undefined for what is no name. */
function subjectOf(text: string | undefined, self: string | null): string | undefined {
  const own = self ?? '';
  if (text === undefined) return own;
  const plain = text.replace(/^(?:the|our|their|his|her|its|my) /u, '').trim();
  if (SELF_WORDS.test(plain)) return self === null ? undefined : own;
  if (SEVERAL.test(plain) || plain.split(' ').length > 6) return undefined;
  return plain.replace(/'s?(?= |$)/gu, '').trim();
}

interface ReadValue {
  text: string;
  number?: { value: string; unit: string | null };
  period?: string;
}

function readValue(text: string, names: ReadonlySet<string>): ReadValue | undefined {
  const period = PERIOD.exec(text);
  const isDate = /^[dmt]:/u.test(text);
  const bareText = (period && !isDate ? text.slice(0, period.index) : text)
    .replace(/^(?:now|currently|still|not|no longer|never|the|a|an) /u, '')
    .replace(/^(?:on|in|at|by|to) (?!hold$|track$|risk$)/u, '')
    .replace(/ (?:now|currently|any ?more|instead|these days|again|from now on|at the moment|right now)$/u, '')
    .trim();
  if (bareText === '' || SEVERAL.test(bareText) || bareText.split(' ').length > VALUE_WORDS) return undefined;
  const number = NUMBER.exec(bareText);
  const { words, dates } = readStatement(bareText, [], names);
  const plain = [...words, ...dates].join(' ');
  if (plain === '') return undefined;
  return {
    text: plain,
    ...(number && { number: { value: number[1]!, unit: number[2] ?? null } }),
    ...(period && !isDate && { period: period[1]!.slice(2) }),
  };
}

/** Whether two values of one dimension cannot both hold: a value and another one, or a value and its denial. */
export function clash(a: string, b: string): boolean {
  if (a.startsWith('!') && b.startsWith('!')) return false;
  if (a.startsWith('!')) return a.slice(1) === b;
  if (b.startsWith('!')) return b.slice(1) === a;
  return a !== b && !isNarrower(a, b) && !isNarrower(b, a);
}

/** `lyon france` says more than `lyon` and nothing else; with numbers every word counts. */
const isNarrower = (a: string, b: string): boolean => !/\d/u.test(a) && a.startsWith(`${b} `);
