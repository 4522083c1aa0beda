// A table of word vectors as it is shipped: words, one short vector each, nearest words. Knows no page and no query.
import { foldAccents } from '../characters.ts';

/** A word near another, and how near: cosine, 0 to 1. */
export interface NearWord {
  readonly word: string;
  readonly nearness: number;
}

/** What a table file holds, as its first bytes say. */
interface TableHead {
  readonly language: string;
  readonly words: number;
  readonly neighbours: number;
}

const MAGIC = 'GBWT0001';

/**
 * A word table: for each word its nearest words. Layout: 8 bytes of magic, 4 bytes of header length, a JSON header, the
 * words joined by line feeds (length in the header), then by word and neighbour a 16-bit place and an 8-bit nearness.
 */
export class WordTable {
  readonly language: string;
  private readonly words: readonly string[];
  private readonly places = new Map<string, number>();
  private readonly near: Uint16Array;
  private readonly nearness: Uint8Array;
  private readonly each: number;

  private constructor(head: TableHead, words: readonly string[], near: Uint16Array, nearness: Uint8Array) {
    this.language = head.language;
    this.words = words;
    this.near = near;
    this.nearness = nearness;
    this.each = head.neighbours;
    words.forEach((word, place) => {
      this.places.set(word, place);
    });
  }

  /** Reads a table from its bytes, or null when they are not one of this version. */
  static read(bytes: Uint8Array): WordTable | null {
    const text = new TextDecoder();
    if (bytes.length < 12 || text.decode(bytes.subarray(0, 8)) !== MAGIC) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headEnd = 12 + view.getUint32(8, true);
    const head = JSON.parse(text.decode(bytes.subarray(12, headEnd))) as TableHead & { wordBytes: number };
    const words = text.decode(bytes.subarray(headEnd, headEnd + head.wordBytes)).split('\n');
    const pairs = head.words * head.neighbours;
    const at = headEnd + head.wordBytes;
    if (words.length !== head.words || bytes.length !== at + pairs * 3) return null;
    return new WordTable(
      head,
      words,
      new Uint16Array(new Uint8Array(bytes.subarray(at, at + pairs * 2)).buffer),
      bytes.subarray(at + pairs * 2),
    );
  }

  /** Words near a lower-case word, nearest first; empty when the table does not know it. */
  nearest(word: string): NearWord[] {
    const place = this.places.get(word) ?? this.places.get(foldAccents(word));
    if (place === undefined) return [];
    const found: NearWord[] = [];
    for (let i = place * this.each; i < (place + 1) * this.each && this.nearness[i]! > 0; i++)
      found.push({ word: this.words[this.near[i]!]!, nearness: this.nearness[i]! / 255 });
    return found;
  }
}
