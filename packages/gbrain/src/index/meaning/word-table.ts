// A table of word vectors as it is shipped: words, one short vector each, nearest words. Knows no page and no query.
import { foldAccents } from '../characters.ts';
import type { Stemmer } from '../stemming.ts';

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
  readonly wordBytes: number;
}

/** Letters by which words are grouped for their stems. Of the shipped words one (eyed) has a stem of another group. */
const HEAD_LETTERS = 2;

const MAGIC = 'GBWT0001';

function parseHead(json: string): TableHead | null {
  try {
    const head = JSON.parse(json) as Partial<TableHead>;
    const counts = [head.words, head.neighbours, head.wordBytes];
    return typeof head.language === 'string' && counts.every(Number.isInteger) ? (head as TableHead) : null;
  } catch {
    return null;
  }
}

/**
 * A word table: for each word its nearest words. Layout: 8 bytes of magic, 4 bytes of header length, a JSON header, the
 * words joined by line feeds (length in the header), then by word and neighbour a 16-bit place and an 8-bit nearness.
 */
export class WordTable {
  readonly language: string;
  /** Its words, the most frequent first. */
  readonly words: readonly string[];
  private readonly places = new Map<string, number>();
  private readonly near: Uint16Array;
  private readonly nearness: Uint8Array;
  private readonly each: number;
  private readonly stems = new Map<string, ReadonlyMap<string, number>>();
  private heads: Map<string, number[]> | undefined;

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
    const headEnd = 12 + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(8, true);
    const head = parseHead(text.decode(bytes.subarray(12, headEnd)));
    if (!head) return null;
    const at = headEnd + head.wordBytes;
    const words = text.decode(bytes.subarray(headEnd, at)).split('\n');
    const pairs = head.words * head.neighbours;
    if (words.length !== head.words || bytes.length !== at + pairs * 3) return null;
    // A copy, because 16-bit views need an even offset.
    const near = new Uint16Array(new Uint8Array(bytes.subarray(at, at + pairs * 2)).buffer);
    for (let i = 0; i < near.length; i++) if (near[i]! >= head.words) return null;
    return new WordTable(head, words, near, bytes.subarray(at + pairs * 2));
  }

  /** Bytes of its neighbours in memory; the words come on top. */
  get bytes(): number {
    return this.near.byteLength + this.nearness.byteLength;
  }

  /**
   * Words near a lower-case word, nearest first. A word that the table does not know is looked for by its plain
   * spelling, its stem, its other spelling (-ise, -ize) and its two halves; empty when none is known.
   */
  nearest(word: string, stemmer: Stemmer): NearWord[] {
    const plain = foldAccents(word);
    const place = this.placeOf(plain, stemmer) ?? this.placeOf(otherSpelling(plain), stemmer);
    if (place !== undefined) return this.around(place);
    for (let at = plain.length - PART_MIN; at >= PART_MIN; at--) {
      const left = this.places.get(plain.slice(0, at));
      const right = left === undefined ? undefined : this.placeOf(plain.slice(at), stemmer);
      if (left !== undefined && right !== undefined)
        return [left, right].flatMap((half) => [
          { word: this.words[half]!, nearness: PART_NEARNESS },
          ...this.around(half).slice(0, PART_NEAR_MAX),
        ]);
    }
    return [];
  }

  private placeOf(word: string, stemmer: Stemmer): number | undefined {
    const known = this.places.get(word);
    if (known !== undefined) return known;
    const stem = stemmer.stems(word)[0];
    return stem === undefined ? undefined : this.stemmed(word.slice(0, HEAD_LETTERS), stemmer).get(stem);
  }

  /**
   * The first (most frequent) word of each stem, among the words that begin as the looked-for word does: a stemmer
   * changes the end of a word, and to stem the whole table, or the words of one letter, takes longer than a search has.
   */
  private stemmed(head: string, stemmer: Stemmer): ReadonlyMap<string, number> {
    const known = this.stems.get(head);
    if (known) return known;
    const stems = new Map<string, number>();
    for (const place of this.placesOf(head)) {
      const stem = stemmer.stems(this.words[place]!)[0];
      if (stem !== undefined && !stems.has(stem)) stems.set(stem, place);
    }
    this.stems.set(head, stems);
    return stems;
  }

  /** Places of the words that begin alike, in their order. */
  private placesOf(head: string): readonly number[] {
    if (!this.heads) {
      this.heads = new Map();
      for (const [place, word] of this.words.entries()) {
        const begin = word.slice(0, HEAD_LETTERS);
        const places = this.heads.get(begin);
        if (places) places.push(place);
        else this.heads.set(begin, [place]);
      }
    }
    return this.heads.get(head) ?? [];
  }

  private around(place: number): NearWord[] {
    const found: NearWord[] = [];
    for (let i = place * this.each; i < (place + 1) * this.each && this.nearness[i]! > 0; i++)
      found.push({ word: this.words[this.near[i]!]!, nearness: this.nearness[i]! / 255 });
    return found;
  }
}

/** What a table is made of. */
export interface WordTableParts {
  readonly language: string;
  /** Most frequent first. */
  readonly words: readonly string[];
  /** Places of near words kept for each word. */
  readonly neighbours: number;
  /** By word and neighbour: place of the near word, nearest first. */
  readonly near: Uint16Array;
  /** By word and neighbour: cosine times 255; 0 ends a list early. */
  readonly nearness: Uint8Array;
}

/** A table's bytes, as `WordTable.read` takes them. */
export function writeWordTable(parts: WordTableParts): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder();
  const words = text.encode(parts.words.join('\n'));
  const head = {
    language: parts.language,
    words: parts.words.length,
    neighbours: parts.neighbours,
    wordBytes: words.length,
  };
  const json = text.encode(JSON.stringify(head));
  const bytes = new Uint8Array(12 + json.length + words.length + parts.near.length * 3);
  bytes.set(text.encode(MAGIC));
  new DataView(bytes.buffer).setUint32(8, json.length, true);
  bytes.set(json, 12);
  bytes.set(words, 12 + json.length);
  const at = 12 + json.length + words.length;
  bytes.set(new Uint8Array(parts.near.buffer, parts.near.byteOffset, parts.near.byteLength), at);
  bytes.set(parts.nearness, at + parts.near.byteLength);
  return bytes;
}

/** Letters of the shorter half of a compound, how near a half is to the whole, and neighbours taken of each. */
const PART_MIN = 4;
const PART_NEARNESS = 0.8;
const PART_NEAR_MAX = 12;

const otherSpelling = (word: string): string =>
  word.replace(/is(e|es|ed|ing|er|ers|ation)$/, 'iz$1').replace(/our(s?)$/, 'or$1');
