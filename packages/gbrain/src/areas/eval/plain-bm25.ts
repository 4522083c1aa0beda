// The line that every figure of an evaluation stands beside: plain BM25 over whole texts, k1 0.9, b 0.4, English
// stems, stop words dropped, OR of the terms. Shares the stemmer with the index, and nothing else.
import { stemmer } from '@orama/stemmers/english';

const STOP = new Set(
  [
    'a about after all also an and any are as at be because been before but by can could did do does for',
    'from had has have he her him his how i if in into is it its me more most my no not of on one or our',
    'out she so some such than that the their them then there these they this to up was we were what when',
    'where which who why will with would you your',
  ].flatMap((line) => line.split(' ')),
);

const terms = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP.has(word)).map((word) => stemmer(word));

/** A plain BM25 index of texts by key. */
export class PlainBm25 {
  private readonly keys: string[] = [];
  private readonly lengths: number[] = [];
  private readonly postings = new Map<string, [number, number][]>();
  private total = 0;

  /** Adds one text. */
  add(key: string, text: string): void {
    const counts = new Map<string, number>();
    const words = terms(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const doc = this.keys.push(key) - 1;
    this.lengths.push(words.length);
    this.total += words.length;
    for (const [word, count] of counts) {
      const list = this.postings.get(word);
      if (list) list.push([doc, count]);
      else this.postings.set(word, [[doc, count]]);
    }
  }

  /** Keys of the best texts. */
  search(query: string, limit: number): string[] {
    const scores = new Map<number, number>();
    const mean = this.total / this.keys.length;
    for (const word of terms(query)) {
      const list = this.postings.get(word) ?? [];
      const idf = Math.log(1 + (this.keys.length - list.length + 0.5) / (list.length + 0.5));
      for (const [doc, count] of list) {
        const norm = count + 0.9 * (0.6 + (0.4 * this.lengths[doc]!) / mean);
        scores.set(doc, (scores.get(doc) ?? 0) + (idf * count * 1.9) / norm);
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, limit)
      .map(([doc]) => this.keys[doc]!);
  }
}
