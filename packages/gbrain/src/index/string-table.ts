// Many strings in two typed arrays, so that a snapshot loads without creating one object a string. Knows nothing of
// terms.

/** Strings as UTF-16 code units with one offset more than there are strings. */
export interface StringTable {
  readonly units: Uint16Array;
  readonly offsets: Uint32Array;
}

/** Number of strings. */
export const tableSize = (table: StringTable): number => table.offsets.length - 1;

/** Packs strings in the given order. */
export function packStrings(strings: readonly string[]): StringTable {
  let total = 0;
  for (const text of strings) total += text.length;
  const units = new Uint16Array(total);
  const offsets = new Uint32Array(strings.length + 1);
  let at = 0;
  strings.forEach((text, i) => {
    for (let j = 0; j < text.length; j++) units[at++] = text.charCodeAt(j);
    offsets[i + 1] = at;
  });
  return { units, offsets };
}

/** The string at `index`. */
export function stringAt(table: StringTable, index: number): string {
  const from = table.offsets[index]!;
  const to = table.offsets[index + 1]!;
  if (to - from <= 4096) return String.fromCharCode.apply(null, table.units.subarray(from, to) as unknown as number[]);
  let text = '';
  for (let at = from; at < to; at += 4096)
    text += String.fromCharCode.apply(null, table.units.subarray(at, Math.min(at + 4096, to)) as unknown as number[]);
  return text;
}

/** Order of the string at `index` against `text`, by code unit: negative when it sorts before. */
export function compareAt(table: StringTable, index: number, text: string): number {
  const from = table.offsets[index]!;
  const length = table.offsets[index + 1]! - from;
  const shared = Math.min(length, text.length);
  for (let i = 0; i < shared; i++) {
    const difference = table.units[from + i]! - text.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return length - text.length;
}

/** In a sorted table: the first index whose string is not before `text` (the size when there is none). */
export function lowerBound(table: StringTable, text: string): number {
  let low = 0;
  let high = tableSize(table);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(table, middle, text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In a sorted table: the index of `text`, or -1. */
export function indexOf(table: StringTable, text: string): number {
  const at = lowerBound(table, text);
  return at < tableSize(table) && compareAt(table, at, text) === 0 ? at : -1;
}
