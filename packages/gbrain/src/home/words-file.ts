// The table of near words that the package ships, one file a language; a language without one searches by its words.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { WordTable } from '../index/meaning/word-table.ts';

/** Where the build puts the tables, seen from the bundle and from source. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../data/words/' : './words/', import.meta.url);

/** The table of a language; undefined where the package has none. */
export async function readWords(language: string): Promise<WordTable | undefined> {
  const path = fileURLToPath(new URL(`${encodeURIComponent(language)}.words`, folder));
  const bytes = await readFile(path).catch(() => undefined);
  return (bytes && WordTable.read(bytes)) ?? undefined;
}
