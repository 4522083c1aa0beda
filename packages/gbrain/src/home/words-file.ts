// The table of near words that the package ships, one file a language; a language without one searches by its words.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WordTable } from '../index/meaning/word-table.ts';

/** Where the build puts the tables, seen from the bundle and from source. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../data/words/' : './words/', import.meta.url);

/** The language of the stemmed stream and of the table of near words: `GBRAIN_FTS_LANGUAGE`, else English. */
export const searchLanguage = (env: Readonly<Record<string, string | undefined>>): string =>
  env.GBRAIN_FTS_LANGUAGE || 'english';

function readWords(language: string): WordTable | null {
  try {
    return WordTable.read(readFileSync(fileURLToPath(new URL(`${encodeURIComponent(language)}.bin`, folder))));
  } catch {
    // No table of this language is shipped.
    return null;
  }
}

/** The table of a language, read when it is first asked for; null where the package has none. */
export function lazyWords(language: string): () => WordTable | null {
  let table: WordTable | null | undefined;
  return () => {
    if (table === undefined) table = readWords(language);
    return table;
  };
}
