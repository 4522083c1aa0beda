// Makes pages and questions whose words follow a natural frequency curve, from a seed: for figures of speed and size
// only.
import { numbersFrom } from '../packages/gbrain/src/areas/eval/metrics.ts';
import type { IndexDocument } from '../packages/gbrain/src/index/document.ts';

const SYLLABLES =
  'ka lo mi ter van sol pre in con dar bel ra tu ness ing ed er ly mon tra vi sen fo gar pil qua ze ho wi cle'.split(
    ' ',
  );
const COMMON = [
  'the of and to in a is that for it was on as with be by at this from or had not are but an they which',
  'you one we were all their has more if will about can out up when',
].flatMap((line) => line.split(' '));

/** Pages of `bytes` bytes with words by Zipf's law, and questions of 3 to 8 of their words. */
export function makeCorpus(count: number, bytes: number, seed: number): { pages: IndexDocument[]; queries: string[] } {
  const random = numbersFrom(seed);
  const vocabulary = [...COMMON];
  const known = new Set(vocabulary);
  while (vocabulary.length < 60_000) {
    let word = '';
    for (let i = 0; i < 2 + Math.floor(random() * 3); i++) word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    if (known.has(word)) word += vocabulary.length.toString(36);
    known.add(word);
    vocabulary.push(word);
  }
  const word = (): string => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'the';
  const pages: IndexDocument[] = [];
  for (let id = 1; id <= count; id++) {
    let text = '';
    while (text.length < bytes) text += `${word()}${random() < 0.08 ? '. ' : ' '}`;
    const title = `${word()} ${word()} ${word()} ${id}`;
    pages.push({
      pageId: id,
      sourceId: 'default',
      visibility: 'world',
      slug: `notes/n${id}`,
      title,
      aliases: [],
      type: 'note',
      effectiveDate: new Date(1_600_000_000_000 + Math.floor(random() * 1.6e11)).toISOString().slice(0, 10),
      chunks: [{ index: 0, field: 'body', text }],
      timeline: [],
    });
  }
  const queries = Array.from({ length: 500 }, () =>
    Array.from({ length: 3 + Math.floor(random() * 6) }, word).join(' '),
  );
  return { pages, queries };
}
