// Takes sealed values out of whatever is journaled, streamed or logged. It knows the values, not where they come from.

/** What stands where a sealed value stood. */
export const SCRUBBED = '[sealed]';

/** Shorter values are not looked for: they would be found in ordinary words. */
export const SCRUB_MIN_LENGTH = 8;

/** Takes a fixed set of values out of text. */
export interface Scrubber {
  /** Plain text without the values. */
  scrub(text: string): string;
  /** JSON text whose strings and keys are without the values; the very same text when there were none. */
  scrubJson(text: string): string;
  /** A scrubber of text that arrives in pieces: it holds back what may be the beginning of a value. */
  stream(): ScrubStream;
}

/** Pieces in, pieces out; together they are the scrubbed whole. */
export interface ScrubStream {
  push(piece: string): string;
  /** What was held back, at the end. */
  end(): string;
}

/** A scrubber of these values. */
export function createScrubber(values: Iterable<string>): Scrubber {
  // Longest first, so that a value that contains another goes as a whole.
  const list = [...new Set(values)].filter((value) => value.length >= SCRUB_MIN_LENGTH);
  list.sort((left, right) => right.length - left.length);
  const escaped = list.map((value) => JSON.stringify(value).slice(1, -1));
  const scrub = (text: string): string => {
    let clean = text;
    for (const value of list) if (clean.includes(value)) clean = clean.replaceAll(value, SCRUBBED);
    return clean;
  };
  const scrubJson = (text: string): string => {
    if (!escaped.some((value) => text.includes(value))) return text;
    // An escaped value may also match across an escape of its neighbour, so the strings themselves are looked at.
    return JSON.stringify(scrubValue(JSON.parse(text), scrub));
  };
  return { scrub, scrubJson, stream: () => createStream(list, scrub) };
}

function scrubValue(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [scrub(key), scrubValue(item, scrub)]));
}

function createStream(forms: readonly string[], scrub: (text: string) => string): ScrubStream {
  let held = '';
  return {
    push(piece) {
      if (forms.length === 0) return piece;
      const text = scrub(held + piece);
      const keep = longestBeginning(text, forms);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** Length of the longest end of `text` that some form begins with. */
function longestBeginning(text: string, forms: readonly string[]): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length -= 1) {
      if (form.startsWith(text.slice(text.length - length))) longest = length;
    }
  }
  return longest;
}
