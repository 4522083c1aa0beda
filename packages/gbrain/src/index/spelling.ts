// Distance between spellings, and the names of a segment that are near a word. Knows dictionaries, never pages.
import { foldAccents } from './characters.ts';
import type { SegmentColumns } from './segment.ts';
import { stringAt } from './string-table.ts';

/** Edits that a word of a length may have: none below four letters, one up to six, two from seven on. */
export const editsAllowed = (length: number): number => (length < 4 ? 0 : length < 7 ? 1 : 2);

/**
 * Number of insertions, deletions, replacements and swaps of neighbours from one word to another, or `max + 1` when it
 * is more than `max` (optimal string alignment).
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  const width = b.length + 1;
  let before = new Uint8Array(width);
  let last = new Uint8Array(width).map((_, i) => i);
  let row = new Uint8Array(width);
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    let least = i;
    for (let j = 1; j < width; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > max) return max + 1;
    [before, last, row] = [last, row, before];
  }
  return Math.min(last[b.length]!, max + 1);
}

/** Bit set of a word's letters, for a quick no. */
function lettersOf(units: ArrayLike<number>, from: number, to: number): number {
  let bits = 0;
  for (let i = from; i < to; i++) bits |= 1 << (units[i]! & 31);
  return bits;
}

function isPlain(units: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (units[i]! > 127) return false;
  return true;
}

function bitCount(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** A name's spelling near a word. */
export interface NearName {
  readonly spelling: string;
  readonly term: number;
  readonly edits: number;
}

/** Words of titles and aliases within the allowed edits of `word` (lower case), accents aside. */
export function namesNear(segment: SegmentColumns, word: string): NearName[] {
  const plain = foldAccents(word);
  const max = editsAllowed(plain.length);
  if (max === 0) return [];
  const { terms, nameTerms, termIds } = segment;
  const wanted = lettersOf(
    Array.from(plain, (letter) => letter.charCodeAt(0)),
    0,
    plain.length,
  );
  const found: NearName[] = [];
  for (const place of nameTerms) {
    const from = terms.offsets[place]!;
    const to = terms.offsets[place + 1]!;
    if (Math.abs(to - from - plain.length) > max + 1) continue;
    // An accented letter may differ from its plain one in one bit more on either side.
    const letters = lettersOf(terms.units, from, to);
    if (bitCount(wanted ^ letters) > (isPlain(terms.units, from, to) ? 2 * max : 2 * max + 2)) continue;
    const spelling = stringAt(terms, place);
    const edits = editDistance(plain, foldAccents(spelling), max);
    if (edits > 0 && edits <= max) found.push({ spelling, term: termIds[place]!, edits });
  }
  return found;
}
