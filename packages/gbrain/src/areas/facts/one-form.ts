// Numbers, amounts, units, signs, days and times of a text in one form each: two wordings of one figure are one, and
// two figures never are. Pure; English wording. Every form is its own: what is in it already stays as it is.
import { monthOf } from '../../index/calendar.ts';

const SCALES: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  bn: 1e9,
  b: 1e9,
  billion: 1e9,
};
const CURRENCIES: Record<string, string> = {
  $: 'usd',
  '€': 'eur',
  '£': 'gbp',
  '¥': 'jpy',
  usd: 'usd',
  eur: 'eur',
  gbp: 'gbp',
  jpy: 'jpy',
  dollar: 'usd',
  dollars: 'usd',
  euro: 'eur',
  euros: 'eur',
  pounds: 'gbp',
};

const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SMALL_WORDS = new Map(SMALL.map((word, n) => [word, n]));
const TEN_WORDS = new Map(TENS.map((word, n) => [word, 10 * (n + 2)]));
const NUMBER_WORD = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:(${TENS.join('|')})(?:[- ](${SMALL.slice(1, 10).join('|')}))?|(${SMALL.join('|')}))` +
    '(?![\\p{L}\\p{N}-])',
  'gu',
);

/** Units that have a sign: the sign, then what else it is written as. A unit is one only behind a number. */
const UNITS: readonly (readonly [string, string])[] = [
  ['kg', 'kgs?|kilos?|kilograms?|kilogrammes?'],
  ['g', 'grams?|grammes?'],
  ['mg', 'milligrams?'],
  ['km', 'kms|kilomet(?:er|re)s?'],
  ['m', 'met(?:er|re)s?'],
  ['cm', 'centimet(?:er|re)s?'],
  ['mm', 'millimet(?:er|re)s?'],
  ['mi', 'miles?'],
  ['ft', 'feet|foot'],
  ['lb', 'lbs'],
  ['oz', 'ounces?'],
  ['l', 'lit(?:er|re)s?'],
  ['ml', 'millilit(?:er|re)s?'],
  ['h', 'hrs?|hours?'],
  ['min', 'mins|minutes?'],
  ['s', 'secs?|seconds?'],
  ['ms', 'milliseconds?'],
  ['kb', 'kilobytes?'],
  ['mb', 'megabytes?'],
  ['gb', 'gigabytes?'],
  ['tb', 'terabytes?'],
  ['kw', 'kilowatts?'],
  ['kwh', 'kilowatt[- ]hours?'],
  ['c', 'degrees celsius|degrees c|celsius|° ?c'],
  ['f', 'degrees fahrenheit|degrees f|fahrenheit|° ?f'],
];
const UNIT_OF = UNITS.map(([sign, words]): [RegExp, string] => [new RegExp(`^(?:${words})$`, 'u'), sign]);
/** Behind a number with no space between, signs and words; with a space, words alone: `20 m` is in its form already. */
const UNIT = new RegExp(
  `(?<=(?<![\\p{L}\\d.:-])\\d+(?:\\.\\d+)?)(?: ?(${UNITS.map(([, words]) => words).join('|')})|` +
    `(${UNITS.map(([sign]) => sign).join('|')}))(?![\\p{L}\\p{N}])`,
  'gu',
);
const unitOf = (words: string): string => UNIT_OF.find(([pattern]) => pattern.test(words))?.[1] ?? words;
const PER = new RegExp(
  '(?<=\\d|\\b(?:usd|eur|gbp|jpy|pct))(?:(?: (?:a|an|per|each|every) | ?/ ?))' +
    '(second|minute|hour|day|night|week|month|quarter|year|person|head|user|seat|unit)(?![\\p{L}\\p{N}])',
  'gu',
);

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|' +
  'oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const AMOUNT = '(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)';
const SCALE = '( ?(?:k|thousand|mn|million|bn|billion|m|b)\\b)?';
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';

const MONTH_DAY_YEAR = new RegExp(`\\b${MONTH} ${DAY},? (\\d{4})\\b`, 'gu');
const DAY_MONTH_YEAR = new RegExp(`\\b(?:the )?${DAY}(?: of)? ${MONTH},? (\\d{4})\\b`, 'gu');
const MONTH_YEAR = new RegExp(`\\b${MONTH},? (\\d{4})\\b`, 'gu');
const MONTH_DAY = new RegExp(`\\b${MONTH} (?:the )?${DAY}(?![\\p{L}\\p{N}:.,-]*\\d)(?![\\p{L}%])`, 'gu');
const DAY_MONTH = new RegExp(`(?<![\\d:.,-])(?:the )?${DAY}(?: of)? ${MONTH}(?![\\p{L}\\p{N}])`, 'gu');
const WEEKDAY_BEFORE = new RegExp(`\\b${WEEKDAY},? (?=(?:the )?d:\\d{4}-\\d\\d-\\d\\d)`, 'gu');
const WEEKDAY_BEHIND = new RegExp(`(d:\\d{4}-\\d\\d-\\d\\d)(?:,? ${WEEKDAY}\\b| \\(${WEEKDAY}\\))`, 'gu');
const MARKED_MONEY = new RegExp(`([$€£¥]) ?${AMOUNT}${SCALE}`, 'gu');
const NAMED_MONEY = new RegExp(`(?<![\\d:.-])${AMOUNT}${SCALE} ?(usd|eur|gbp|jpy|dollars?|euros?|pounds)\\b`, 'gu');
const LED_MONEY = new RegExp(`\\b(usd|eur|gbp|jpy) ${AMOUNT}${SCALE}(?! ?(?:usd|eur|gbp|jpy)\\b)`, 'gu');
const PERCENT = new RegExp(`(?<![\\d:.-])${AMOUNT} ?(?:%|percent\\b|per cent\\b)`, 'gu');

const two = (value: number | string): string => String(Number(value)).padStart(2, '0');

function amount(digits: string, scale: string | undefined): string {
  const value = Number(digits.replaceAll(',', '')) * (SCALES[scale?.trim() ?? ''] ?? 1);
  return String(Math.round(value * 1e6) / 1e6);
}

const monthNumber = (month: string): string => two(monthOf(month.replace('.', '')));
const dayForm = (year: string, month: string, day?: string): string =>
  `d:${year}-${monthNumber(month)}${day === undefined ? '' : `-${two(day)}`}`;

/** A written time of day of an ISO timestamp; midnight of no zone is the day alone. */
function timeForm(hour: string, minute: string, zone: string | undefined): string {
  if (hour === '00' && minute === '00' && (zone === undefined || zone === 'z')) return '';
  return ` t:${hour}:${minute}${zone === undefined || zone === 'z' ? '' : ` utc${zone}`}`;
}

/** `31/12/2027` and `12/31/2027` are one day; `05/03/2027` may be two, and stays as it is written. */
function slashed(found: string, first: string, second: string, year: string): string {
  const [a, b] = [Number(first), Number(second)];
  if (a > 12 && a <= 31 && b >= 1 && b <= 12) return `d:${year}-${two(b)}-${two(a)}`;
  if (b > 12 && b <= 31 && a >= 1 && a <= 12) return `d:${year}-${two(a)}-${two(b)}`;
  return found;
}

const dotted = (found: string, day: string, month: string, year: string): string =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) <= 31 ? `d:${year}-${two(month)}-${two(day)}` : found;

/** Days and times of day: `d:2026-03-01`, `m:03-01` where no year is said, `t:09:00`. */
function daysInOneForm(text: string): string {
  return text
    .replace(
      /(?<![\p{L}\d:-])(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?)?\b/gu,
      (_, y, m, d, hour, minute, zone) => `d:${y}-${m}-${d}${hour === undefined ? '' : timeForm(hour, minute, zone)}`,
    )
    .replace(/(?<![\d/.-])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/gu, slashed)
    .replace(/(?<![\d/.-])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d/]|\.\d)/gu, dotted)
    .replace(MONTH_DAY_YEAR, (_, m, d, y) => dayForm(y, m, d))
    .replace(DAY_MONTH_YEAR, (_, d, m, y) => dayForm(y, m, d))
    .replace(MONTH_YEAR, (_, m, y) => dayForm(y, m))
    .replace(/(?<![\p{L}\d:-])(\d{4})-(0[1-9]|1[0-2])(?![\d-])/gu, 'd:$1-$2')
    .replace(DAY_MONTH, (_, d, m) => `m:${monthNumber(m)}-${two(d)}`)
    .replace(MONTH_DAY, (_, m, d) => `m:${monthNumber(m)}-${two(d)}`)
    .replace(WEEKDAY_BEFORE, '')
    .replace(WEEKDAY_BEHIND, '$1')
    .replace(
      /\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?/gu,
      (_, h, m, half) => `t:${two((Number(h) % 12) + (half === 'p' ? 12 : 0))}:${m ?? '00'}`,
    )
    .replace(/(?<![\d:t.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/gu, (_, h, m) => `t:${two(h)}:${m}`)
    .replace(/(?<![+-]\d\d)(t:\d\d:\d\d) (?:o'clock)\b/gu, '$1');
}

/** Amounts with what they are of: money, percent, units, and how often. */
function amountsInOneForm(text: string): string {
  return text
    .replace(MARKED_MONEY, (_, mark, digits, scale) => `${amount(digits, scale)} ${CURRENCIES[mark]}`)
    .replace(LED_MONEY, (_, unit, digits, scale) => `${amount(digits, scale)} ${unit}`)
    .replace(NAMED_MONEY, (_, digits, scale, unit) => `${amount(digits, scale)} ${CURRENCIES[unit]}`)
    .replace(PERCENT, (_, digits) => `${amount(digits, undefined)} pct`)
    .replace(/(?<![\d:.-])\d{1,3}(?:,\d{3})+(?:\.\d+)?\b/gu, (digits) => amount(digits, undefined))
    .replace(UNIT, (_, words, sign) => ` ${sign ?? unitOf(words)}`)
    .replace(PER, ' per $1');
}

/** Signs that decide what a figure is, as words. */
function signsAsWords(text: string): string {
  return text
    .replace(/(?<=^|[\s(:=])[-\u2212\u2013](?=[$€£¥]?\d)/gu, 'minus ')
    .replace(/(?:<=|≤) ?(?=[$€£¥]?\d)/gu, 'at most ')
    .replace(/(?:>=|≥) ?(?=[$€£¥]?\d)/gu, 'at least ')
    .replace(/< ?(?=[$€£¥]?\d)/gu, 'under ')
    .replace(/> ?(?=[$€£¥]?\d)/gu, 'over ')
    .replace(/[~≈] ?(?=[$€£¥]?\d)/gu, 'about ')
    .replace(/(?:\bno\.|\bnr\.|#|№) ?(?=\d)/gu, 'number ');
}

/** Numbers, signs, days and times in one form; the text is in lower case. */
export function oneForm(text: string): string {
  const marked = text
    .replace(/ ?(?:≠|!=) ?/gu, ' not ')
    .replace(/ ?(?:→|->|=>) ?/gu, ' to ')
    .replace(/ & /gu, ' and ')
    .replace(/\bat noon\b/gu, 'at t:12:00')
    .replace(/\bat midnight\b/gu, 'at t:00:00')
    .replace(NUMBER_WORD, (_, ten, unit, small) =>
      String(ten === undefined ? SMALL_WORDS.get(small) : TEN_WORDS.get(ten)! + (SMALL_WORDS.get(unit) ?? 0)),
    );
  return /\d/u.test(marked) ? amountsInOneForm(daysInOneForm(signsAsWords(marked))) : marked;
}

/** A bit under another name than a byte: in lower case the two are the same. */
export const bitsApart = (text: string): string => text.replace(/(?<=\d ?[kKMGT])b(?=ps\b|\b)/gu, 'bit');

/**
 * What only the case of a letter tells: a bit from a byte, the grade or plan A from the article. For a text before it
 * is put in lower case; one that is all capitals tells nothing.
 */
export function casedForm(text: string): string {
  const withBits = bitsApart(text);
  if (!/\p{Ll}/u.test(withBits)) return withBits;
  return withBits.replace(/(?<=[\p{L}\p{N}] )A(?![\p{L}\p{N}'’+-])/gu, 'letter-a');
}

/**
 * Words that end in `s` and lose nothing when it goes: all but names and acronyms, which a capital shows inside a
 * sentence. In lower case.
 */
export function namesInS(text: string): ReadonlySet<string> {
  if (!/\p{Ll}/u.test(text)) return new Set();
  const inside = text.matchAll(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}]*s\b/gu);
  // A longer word in capitals is said aloud.
  const acronyms = text.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}]{1,3}S(?![\p{L}\p{N}])/gu);
  return new Set([...inside, ...acronyms].map(([word]) => word.toLowerCase()).filter((word) => !WEEKDAYS.test(word)));
}

/** Words with a capital, in their order: whom and what a text names, as far as it shows. */
export const properWords = (text: string): string =>
  [...text.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*/gu)].map(([word]) => word.toLowerCase()).join(' ');

const WEEKDAYS = new RegExp(`^${WEEKDAY}s$`, 'u');
