// Says how much text is, unit by unit: words, estimated tokens, worst-case tokens. It knows no page and cuts nothing.

/** What one UTF-16 unit is, as far as counting and cutting ask. A low surrogate belongs to the unit before it. */
export const UnitClass = {
  space: 0,
  newline: 1,
  letter: 2,
  digit: 3,
  punctuation: 4,
  ideograph: 5,
  foreign: 6,
  highSurrogate: 7,
  lowSurrogate: 8,
  mark: 9,
} as const;

const ASCII = new Uint8Array(128).map((_, code) => {
  if (code === 10) return UnitClass.newline;
  if (code <= 32 || code === 127) return UnitClass.space;
  if (code >= 48 && code <= 57) return UnitClass.digit;
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95) return UnitClass.letter;
  return UnitClass.punctuation;
});

/** Class of the unit `code`; one of `UnitClass`. Scripts written without spaces are `ideograph`. */
export function unitClass(code: number): number {
  if (code < 128) return ASCII[code]!;
  if (code >= 0xd800 && code <= 0xdbff) return UnitClass.highSurrogate;
  if (code >= 0xdc00 && code <= 0xdfff) return UnitClass.lowSurrogate;
  if (code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200b) || code === 0x2028 || code === 0xfeff) {
    return UnitClass.space;
  }
  if (code === 0x200d || (code >= 0x300 && code <= 0x36f) || (code >= 0xfe00 && code <= 0xfe0f)) return UnitClass.mark;
  if (isUnspaced(code)) return UnitClass.ideograph;
  if ((code >= 0x2010 && code <= 0x206f) || (code >= 0x3001 && code <= 0x303f) || (code >= 0xff01 && code <= 0xff0f)) {
    return UnitClass.punctuation;
  }
  return UnitClass.foreign;
}

/** Han, kana, Thai, Lao, Khmer and Myanmar: one unit is about half a word, for no space tells the words apart. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff)
  );
}

/** UTF-8 bytes that the unit adds. A pair is four: the high half carries them and the low half none. */
export function unitBytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code >= 0xdc00 && code <= 0xdfff) return 0;
  return code >= 0xd800 && code <= 0xdbff ? 4 : 3;
}

/** A letter run longer than this is no word of a language (base64, minified code): its tokens are short. */
const WORD_CHARS_MAX = 24;

/**
 * Estimated embedding tokens that the unit adds, `run` units into its run of letters. Densities are the high end of
 * what byte-pair vocabularies give: 4 letters a token in words, 2 in dense runs, 2 digits, 1 mark, 1.2 an ideograph.
 */
export function unitTokens(unit: number, run: number): number {
  switch (unit) {
    case UnitClass.space:
    case UnitClass.lowSurrogate:
      return 0;
    case UnitClass.newline:
      return 0.25;
    case UnitClass.letter:
      if (run === 0) return 1;
      return run > WORD_CHARS_MAX ? 0.5 : 0.2;
    case UnitClass.digit:
      return 0.5;
    case UnitClass.ideograph:
      return 1.2;
    case UnitClass.highSurrogate:
      return 3;
    case UnitClass.foreign:
      return 0.6;
    default:
      return 1;
  }
}

/** Estimated embedding tokens of `text`, rounded up. For budgets; never a bound. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = unitClass(text.charCodeAt(at));
    tokens += unitTokens(unit, run);
    run = unit === UnitClass.letter ? run + 1 : 0;
  }
  return Math.ceil(tokens);
}

/**
 * The most tokens that any byte-level tokenizer can make of `text`: its UTF-8 bytes. Source: worst case of a
 * byte-pair vocabulary.
 */
export function worstCaseTokens(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += unitBytes(text.charCodeAt(at));
  return bytes;
}

/** Words of `text`: runs between spaces, and half a word for each unit of a script that has no spaces. */
export function countWords(text: string): number {
  let words = 0;
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const unit = unitClass(text.charCodeAt(at));
    if (unit === UnitClass.ideograph) words += 0.5;
    else if (unit > UnitClass.newline && !inWord) words += 1;
    inWord = unit > UnitClass.newline && unit !== UnitClass.ideograph;
  }
  return words;
}
