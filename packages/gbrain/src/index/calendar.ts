// Month names and the normal form of dates written in text. Knows words and numbers, never a clock.

const NAMES: readonly (readonly string[])[] = [
  ['january', 'jan', 'januar', 'janvier', 'enero', 'gennaio', 'janeiro', 'januari'],
  ['february', 'feb', 'februar', 'février', 'fevrier', 'febrero', 'febbraio', 'fevereiro', 'februari'],
  ['march', 'mar', 'märz', 'marz', 'mars', 'marzo', 'março', 'marco', 'maart'],
  ['april', 'apr', 'avril', 'abril', 'aprile'],
  ['may', 'mai', 'mayo', 'maggio', 'maio', 'mei'],
  ['june', 'jun', 'juni', 'juin', 'junio', 'giugno', 'junho'],
  ['july', 'jul', 'juli', 'juillet', 'julio', 'luglio', 'julho'],
  ['august', 'aug', 'août', 'aout', 'agosto', 'augustus'],
  ['september', 'sep', 'sept', 'septembre', 'septiembre', 'settembre', 'setembro'],
  ['october', 'oct', 'oktober', 'okt', 'octobre', 'octubre', 'ottobre', 'outubro'],
  ['november', 'nov', 'novembre', 'noviembre', 'novembro'],
  ['december', 'dec', 'dezember', 'dez', 'décembre', 'decembre', 'diciembre', 'dicembre', 'dezembro'],
];

const MONTHS = new Map<string, number>(
  NAMES.flatMap((names, month) => names.map((name) => [name, month + 1] as const)),
);

/** Month 1 to 12 of a lower-case name or abbreviation (English and seven European languages), else 0. */
export const monthOf = (word: string): number => MONTHS.get(word) ?? 0;

/** Year of a four-digit word between 1900 and 2099, else 0. */
export function yearOf(word: string): number {
  if (word.length !== 4 || (word.charCodeAt(0) !== 49 && word.charCodeAt(0) !== 50)) return 0;
  return /^(19|20)\d\d$/.test(word) ? Number(word) : 0;
}

/** Day of the month of `8`, `08`, `8th`, `1st`, `3.`, else 0. */
export function dayOfMonth(word: string | undefined): number {
  const match = word === undefined ? null : /^(\d{1,2})(st|nd|rd|th)?$/.exec(word);
  const day = match ? Number(match[1]) : 0;
  return day <= 31 ? day : 0;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `YYYY-MM` and, with a day, `YYYY-MM-DD`: the terms that stand for a written date. */
export function dateTerms(year: number, month: number, day: number): string[] {
  const monthTerm = `${year}-${two(month)}`;
  return day > 0 ? [`${monthTerm}-${two(day)}`, monthTerm] : [monthTerm];
}

/**
 * Normal forms of a date that ends or stands at the year word at `at`: `March 8, 2024`, `8 March 2024`, `March 2024`.
 * Empty when no month name is near.
 */
export function writtenDate(words: readonly string[], at: number): string[] {
  const year = yearOf(words[at]!);
  if (year === 0) return [];
  const before = monthOf(words[at - 1] ?? '');
  if (before > 0) return dateTerms(year, before, dayOfMonth(words[at - 2]));
  const day = dayOfMonth(words[at - 1]);
  const month = day > 0 ? monthOf(words[at - 2] ?? '') : 0;
  return month > 0 ? dateTerms(year, month, day) : [];
}

/** Normal forms of every ISO or CJK date inside a piece of text. */
export function numericDates(text: string): string[] {
  const terms: string[] = [];
  for (const match of text.matchAll(/(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)/g)) {
    if (Number(match[2]) <= 12 && Number(match[3]) <= 31)
      terms.push(...dateTerms(Number(match[1]), Number(match[2]), Number(match[3])));
  }
  for (const match of text.matchAll(
    /(?<!\d)((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일])?/g,
  )) {
    if (Number(match[2]) <= 12) terms.push(...dateTerms(Number(match[1]), Number(match[2]), Number(match[3] ?? 0)));
  }
  return terms;
}
