// The text of a row: links read as their labels, and of a long chunk the part that answers. Pure; knows no page.

/** Text as a reader sees it: a link is its label, or the last part of its target. */
export function readLinks(text: string): string {
  return text
    .replace(/\[\[([^\]|\n]{1,300})\|([^\]\n]{1,300})\]\]/g, '$2')
    .replace(/\[\[(?:[^\]|\n]{0,300}\/)?([^\]|/\n]{1,300})\]\]/g, '$1');
}

/** Places of the words in a text, in order, each with the word it is of. */
function sightings(text: string, words: readonly string[]): { at: number; word: number }[] {
  const lower = text.toLowerCase();
  const found: { at: number; word: number }[] = [];
  words.forEach((word, i) => {
    for (let at = lower.indexOf(word); at >= 0 && found.length < 2_000; at = lower.indexOf(word, at + word.length))
      found.push({ at, word: i });
  });
  return found.sort((a, b) => a.at - b.at);
}

/** Where the window of `chars` begins that holds most of the words; the first of equals. */
function bestStart(text: string, words: readonly string[], chars: number): number {
  const found = sightings(text, words);
  let best = { count: 0, at: 0 };
  found.forEach(({ at }, i) => {
    const inside = new Set<number>();
    for (let j = i; j < found.length && found[j]!.at < at + chars * 0.8; j++) inside.add(found[j]!.word);
    if (inside.size > best.count) best = { count: inside.size, at };
  });
  if (best.at < chars * 0.8) return 0;
  // A little of what stands before, from the beginning of a sentence when one is near.
  const from = Math.max(0, best.at - Math.floor(chars / 5));
  const sentence = text.slice(from, best.at).search(/(?<=[.!?。！？]\s|\n)\S/);
  return sentence >= 0 ? from + sentence : from;
}

/** `text` cut to about `chars` (0 is uncut) around the words, at code points, with a mark on either cut side. */
export function excerptOf(text: string, words: readonly string[], chars: number): string {
  if (chars === 0 || text.length <= chars) return text;
  const isInside = (at: number): boolean => /[\uDC00-\uDFFF]/.test(text[at] ?? '');
  const wanted = Math.min(bestStart(text, words, chars), text.length - chars + 1);
  const start = isInside(wanted) ? wanted + 1 : wanted;
  const end = Math.min(text.length, start + chars - (start > 0 ? 2 : 1));
  const piece = text.slice(start, isInside(end) ? end - 1 : end);
  return `${start > 0 ? '…' : ''}${start > 0 ? piece.trimStart() : piece}`.trimEnd() + (end < text.length ? '…' : '');
}
