// The stemmed stream: the Snowball stemmer of one configured language, and the keys under which inflected and accented
// forms of a word are grouped. Loads one stemmer module; knows nothing of postings.
import { foldAccents } from './characters.ts';

type Stem = (word: string) => string;
type StemmerModule = { readonly stemmer: Stem };

const MODULES: Readonly<Record<string, () => Promise<StemmerModule>>> = {
  arabic: () => import('@orama/stemmers/arabic'),
  armenian: () => import('@orama/stemmers/armenian'),
  danish: () => import('@orama/stemmers/danish'),
  dutch: () => import('@orama/stemmers/dutch'),
  english: () => import('@orama/stemmers/english'),
  finnish: () => import('@orama/stemmers/finnish'),
  french: () => import('@orama/stemmers/french'),
  german: () => import('@orama/stemmers/german'),
  greek: () => import('@orama/stemmers/greek'),
  hindi: () => import('@orama/stemmers/indian'),
  hungarian: () => import('@orama/stemmers/hungarian'),
  indonesian: () => import('@orama/stemmers/indonesian'),
  irish: () => import('@orama/stemmers/irish'),
  italian: () => import('@orama/stemmers/italian'),
  lithuanian: () => import('@orama/stemmers/lithuanian'),
  nepali: () => import('@orama/stemmers/nepali'),
  norwegian: () => import('@orama/stemmers/norwegian'),
  portuguese: () => import('@orama/stemmers/portuguese'),
  romanian: () => import('@orama/stemmers/romanian'),
  russian: () => import('@orama/stemmers/russian'),
  serbian: () => import('@orama/stemmers/serbian'),
  spanish: () => import('@orama/stemmers/spanish'),
  swedish: () => import('@orama/stemmers/swedish'),
  tamil: () => import('@orama/stemmers/tamil'),
  turkish: () => import('@orama/stemmers/turkish'),
};

const SHORT_NAMES: Readonly<Record<string, string>> = {
  ar: 'arabic',
  hy: 'armenian',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  el: 'greek',
  hi: 'hindi',
  hu: 'hungarian',
  id: 'indonesian',
  ga: 'irish',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  es: 'spanish',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
};

/** Begins the key that lists the accented forms of a plain word. */
export const FOLD_KEY = 'a:';
/** Begins the key that lists the inflected forms of a stem. */
export const STEM_KEY = 's:';

/** The stemmer of one language with what the index needs of it. */
export interface Stemmer {
  /** The language whose stemmer runs; `simple` stems nothing. */
  readonly language: string;
  /** Stems of a lower-case word, of its spelling and of its plain spelling; empty when no stemmer applies. */
  stems(word: string): readonly string[];
}

/** Languages with a stemmer, by the names that `GBRAIN_FTS_LANGUAGE` takes. */
export const stemmedLanguages = (): string[] => Object.keys(MODULES);

// A word with a digit is an identifier or a number, and a long one is no word: neither is inflected.
const canStem = (word: string): boolean =>
  word.length > 2 && word.length <= 40 && (/^[a-z]+$/.test(word) || /^[\p{L}\p{M}]+$/u.test(word));

const REMEMBERED_MAX = 150_000;

/** In Portuguese the plural of -ão is -ões, -ães or -ãos, which the algorithm keeps apart. */
const repairPortuguese = (stem: string): string => stem.replace(/(ões|ães|ãos|õ|ã|ão)$/, 'ã');

/**
 * Opens the stemmer of a language by its name (`german`), short name (`de`) or locale (`pt_br`). A language without one
 * gets `simple`: the language-neutral stream alone.
 */
export async function openStemmer(language = 'english'): Promise<Stemmer> {
  const wanted = language.toLowerCase();
  const short = wanted.split(/[-_]/)[0]!;
  const name = Object.hasOwn(SHORT_NAMES, short) ? SHORT_NAMES[short]! : wanted;
  const load = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined;
  if (!load) return { language: 'simple', stems: () => [] };
  const { stemmer } = await load();
  const stem: Stem = name === 'portuguese' ? (word) => repairPortuguese(stemmer(word)) : stemmer;
  const remembered = new Map<string, readonly string[]>();
  const stems = (word: string): readonly string[] => {
    const known = remembered.get(word);
    if (known) return known;
    const found = canStem(word) ? stemBoth(stem, word) : [];
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(word, found);
    return found;
  };
  return { language: name, stems };
}

function stemBoth(stem: Stem, word: string): readonly string[] {
  const own = foldAccents(stem(word));
  const plain = foldAccents(word);
  if (plain === word) return [own];
  const other = foldAccents(stem(plain));
  return other === own ? [own] : [own, other];
}

/** Keys under which a term is listed besides its own spelling: its plain spelling, and its stems where they differ. */
export function groupKeys(term: string, stemmer: Stemmer): string[] {
  const keys: string[] = [];
  const plain = foldAccents(term);
  if (plain !== term) keys.push(FOLD_KEY + plain);
  for (const stem of stemmer.stems(term)) if (stem !== term) keys.push(STEM_KEY + stem);
  return keys;
}
