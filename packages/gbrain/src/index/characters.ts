// What each character is to the scanner, and accent folding. Knows single characters and words, never documents.

/** Separates words. */
export const GAP = 0;
/** Letter or combining mark of a script that puts spaces between words. */
export const LETTER = 1;
/** Decimal digit or other number character. */
export const DIGIT = 2;
/** Letter of a script written without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar): read as pairs. */
export const PAIRED = 3;
/** Joins the parts of an identifier when it stands alone between two word characters. */
export const JOINER = 4;
/** Pictograph: a word of its own. */
export const PICTURE = 5;

const UNKNOWN = 255;
const classes = new Uint8Array(0x10000).fill(UNKNOWN);
const PAIRED_NAMES = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const PAIRED_SCRIPTS = new RegExp(`[${PAIRED_NAMES.map((name) => `\\p{Script=${name}}`).join('')}ー々]`, 'u');
const JOINERS = "-_./\\:@#+'’&=~%";

function classify(codePoint: number): number {
  const text = String.fromCodePoint(codePoint);
  if (JOINERS.includes(text)) return JOINER;
  if (PAIRED_SCRIPTS.test(text) && /[\p{L}\p{M}\p{N}]/u.test(text)) return PAIRED;
  if (/[\p{L}\p{M}]/u.test(text)) return LETTER;
  if (/\p{N}/u.test(text)) return DIGIT;
  if (/\p{Extended_Pictographic}/u.test(text) && codePoint > 0xff) return PICTURE;
  return GAP;
}

/** Class of a code point; remembered for the basic plane. */
export function classOf(codePoint: number): number {
  if (codePoint > 0xffff) return classify(codePoint);
  const known = classes[codePoint]!;
  if (known !== UNKNOWN) return known;
  const found = codePoint >= 0xd800 && codePoint < 0xe000 ? GAP : classify(codePoint);
  classes[codePoint] = found;
  return found;
}

// Letters that carry a stroke or are ligatures: Unicode does not decompose them.
const STROKES: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ſ: 's',
};

const isPlain = (word: string): boolean => {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
};

/**
 * A lower-case word without accents: combining marks of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel
 * signs go, stroked letters and ligatures become plain ones. Marks that are letters of their script stay.
 */
export function foldAccents(word: string): string {
  if (isPlain(word)) return word;
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0640]/g, '')
    .replace(/[øłßæœđðþıħŧŋĸſ]/g, (letter) => STROKES[letter]!)
    .normalize('NFC');
}

/** Compatibility form of a text (full-width letters, ligatures, half-width kana); plain text comes back as it is. */
export const normalizeText = (text: string): string => (isPlain(text) ? text : text.normalize('NFKC'));

/**
 * A name as identity compares it: compatibility form, lower case, one space between words, one layer of quotes
 * gone.
 */
export function normalizeName(name: string): string {
  const flat = normalizeText(name).toLowerCase().replace(/\s+/g, ' ').trim();
  return flat.replace(/^(["'“”‘’「」『』《》([{])(.+)(["'“”‘’「」『』《》)\]}])$/u, '$2').trim();
}
