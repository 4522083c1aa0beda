// A word table as bytes and back, and how a word that it does not hold is found in it.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStemmer, type Stemmer } from '../stemming.ts';
import { WordTable, writeWordTable } from './word-table.ts';

const WORDS = ['tired', 'exhausted', 'sanitize', 'clean', 'narrow', 'boat', 'barge'];
const parts = {
  language: 'english',
  words: WORDS,
  neighbours: 2,
  near: Uint16Array.from([1, 0, 0, 0, 3, 0, 2, 0, 0, 0, 6, 0, 5, 0]),
  nearness: Uint8Array.from([200, 0, 200, 0, 150, 0, 150, 0, 0, 0, 255, 0, 255, 0]),
};

let stemmer: Stemmer;
let table: WordTable;
beforeAll(async () => {
  stemmer = await openStemmer('english');
  table = WordTable.read(writeWordTable(parts))!;
});

const near = (word: string): string =>
  table
    .nearest(word, stemmer)
    .map((one) => one.word)
    .join(' ');

describe('word table', () => {
  it.each([
    ['tired', 'exhausted'],
    ['exhaust', 'tired'],
    ['sanitising', 'clean'],
    ['narrowboats', 'narrow boat barge'],
    ['boat', 'barge'],
    ['zeppelin', ''],
  ])('%s has near it: %s', (word, expected) => expect(near(word)).toBe(expected));

  it('gives nearness as a share', () =>
    expect(table.nearest('boat', stemmer)).toEqual([{ word: 'barge', nearness: 1 }]));
  it('may look for a stem among the words that begin with two of its letters: one shipped word has another', () => {
    const shipped = WordTable.read(readFileSync(new URL('../../../data/words/english.bin', import.meta.url)))!;
    const leaving = shipped.words.filter((word) => {
      const stem = stemmer.stems(word)[0];
      return stem !== undefined && stem.slice(0, 2) !== word.slice(0, 2);
    });
    expect(leaving).toEqual(['eyed']);
  });
  it('names its language', () => expect(table.language).toBe('english'));

  it('reads from bytes at any offset', () => {
    const bytes = writeWordTable(parts);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(WordTable.read(shifted.subarray(1))!.nearest('boat', stemmer)).toHaveLength(1);
  });

  it('refuses what is cut or foreign', () => {
    const bytes = writeWordTable(parts);
    expect(WordTable.read(bytes.subarray(0, bytes.length - 1))).toBeNull();
    expect(WordTable.read(bytes.subarray(0, 10))).toBeNull();
    expect(WordTable.read(new TextEncoder().encode('something else entirely'))).toBeNull();
  });
});
