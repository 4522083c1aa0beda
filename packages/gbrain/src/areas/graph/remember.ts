// Keeps what a pure function of a text gave for the texts that it was asked lately. It knows nothing of what it keeps.

/** Texts that are kept; a longer text is worked out every time. */
const KEPT = 20_000;
const LENGTH_MAX = 200;

/** The same function, with the results for its latest arguments at hand; they are shared and must not be changed. */
export function remember<Value>(compute: (text: string) => Value): (text: string) => Value {
  // Two generations: when the young one is full it becomes the old one, so that what is in use stays.
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  return (text) => {
    if (text.length > LENGTH_MAX) return compute(text);
    const known = young.get(text) ?? old.get(text);
    const value = known ?? compute(text);
    if (!young.has(text)) young.set(text, value);
    if (young.size >= KEPT / 2) {
      old = young;
      young = new Map();
    }
    return value;
  };
}
