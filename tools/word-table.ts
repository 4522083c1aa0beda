// Makes the table of near words that gbrain ships (packages/gbrain/data/words): from the token vectors of a small open
// sentence model and the glosses of WordNet. Anyone can run it again:
//   node tools/with-node.mjs tools/word-table.ts --model DIR --wordnet DIR --out FILE
// DIR of the model holds model.safetensors and vocab.txt of all-MiniLM-L6-v2; DIR of WordNet holds index.* and data.*.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeWordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import { openStemmer, type Stemmer } from '../packages/gbrain/src/index/stemming.ts';

/** Words from WordNet beside those of the model, and how many of them may be neighbours. */
const EXTRA_WORDS = 14_000;
const EXTRA_NEIGHBOURS = 6_000;
const NEIGHBOURS = 48;
const NEARNESS_MIN = 0.25;
/** Directions shared by all token vectors: they say how frequent a token is, not what it means. */
const COMMON_DIRECTIONS = 2;
/** Size of the sketches by which candidates are found before they are compared in full. */
const SKETCH = 96;
const CANDIDATES = 360;

interface Vectors {
  readonly words: string[];
  readonly size: number;
  readonly data: Float32Array;
}

/** One tensor of a safetensors file. */
function readTensor(file: string, name: string): { shape: number[]; data: Float32Array } {
  const bytes = readFileSync(file);
  const headLength = Number(bytes.readBigUInt64LE(0));
  const head = JSON.parse(bytes.toString('utf8', 8, 8 + headLength)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const entry = head[name];
  if (entry?.dtype !== 'F32') throw new Error(`${file}: no 32-bit tensor ${name}`);
  const [from, to] = entry.data_offsets;
  const data = new Float32Array(new Uint8Array(bytes.subarray(8 + headLength + from, 8 + headLength + to)).buffer);
  return { shape: entry.shape, data };
}

/** Rows of one size in one array. */
interface Rows {
  readonly data: Float32Array;
  readonly size: number;
}

/** Inner product of a row of `a` and a row of `b`, which have one size. */
function dot(a: Rows, row: number, b: Rows, other: number): number {
  const [at, bt] = [row * a.size, other * b.size];
  let sum = 0;
  for (let i = 0; i < a.size; i++) sum += a.data[at + i]! * b.data[bt + i]!;
  return sum;
}

function normalizeRows(rows: Rows): void {
  const { data, size } = rows;
  for (let row = 0; row * size < data.length; row++) {
    const length = Math.sqrt(dot(rows, row, rows, row)) || 1;
    for (let i = row * size; i < (row + 1) * size; i++) data[i]! /= length;
  }
}

/** Whole English words of the model's vocabulary with their token vectors, centred, without the common directions. */
function modelVectors(folder: string): Vectors {
  const { shape, data: all } = readTensor(join(folder, 'model.safetensors'), 'embeddings.word_embeddings.weight');
  const size = shape[1]!;
  const words: string[] = [];
  const rows: number[] = [];
  readFileSync(join(folder, 'vocab.txt'), 'utf8')
    .split('\n')
    .forEach((token, row) => {
      if (!/^[a-z]{2,}$/.test(token)) return;
      words.push(token);
      rows.push(row);
    });
  const data = new Float32Array(words.length * size);
  rows.forEach((row, i) => {
    data.set(all.subarray(row * size, (row + 1) * size), i * size);
  });
  const mean = new Float32Array(size);
  for (let i = 0; i < data.length; i++) mean[i % size]! += data[i]! / words.length;
  for (let i = 0; i < data.length; i++) data[i]! -= mean[i % size]!;
  for (let round = 0; round < COMMON_DIRECTIONS; round++) removeDirection({ data, size });
  normalizeRows({ data, size });
  return { words, size, data };
}

/** Takes the strongest direction out of all rows (power iteration). */
function removeDirection(rows: Rows): void {
  const { data, size } = rows;
  let direction: Rows = { data: new Float32Array(size).map((_, i) => 1 + (i % 7)), size };
  for (let round = 0; round < 60; round++) {
    const next = new Float32Array(size);
    for (let row = 0; row * size < data.length; row++) {
      const weight = dot(rows, row, direction, 0);
      for (let i = 0; i < size; i++) next[i]! += weight * data[row * size + i]!;
    }
    direction = { data: next, size };
    normalizeRows(direction);
  }
  for (let row = 0; row * size < data.length; row++) {
    const weight = dot(rows, row, direction, 0);
    for (let i = 0; i < size; i++) data[row * size + i]! -= weight * direction.data[i]!;
  }
}

interface Synset {
  readonly lemmas: readonly string[];
  readonly gloss: readonly string[];
}

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const;

function readSynsets(folder: string): { synsets: Map<string, Synset>; rarity: (word: string) => number } {
  const synsets = new Map<string, Synset>();
  const having = new Map<string, number>();
  for (const part of PARTS) {
    for (const line of readFileSync(join(folder, `data.${part}`), 'utf8').split('\n')) {
      if (line === '' || line.startsWith(' ')) continue;
      const [head = '', gloss = ''] = line.split('|');
      const fields = head.split(' ');
      const count = Number.parseInt(fields[3]!, 16);
      const lemmas = Array.from({ length: count }, (_, i) => fields[4 + 2 * i]!.toLowerCase());
      const words =
        gloss
          .split('"')[0]!
          .toLowerCase()
          .match(/[a-z]+/g) ?? [];
      synsets.set(`${part}:${fields[0]}`, { lemmas, gloss: words });
      for (const word of new Set(words)) having.set(word, (having.get(word) ?? 0) + 1);
    }
  }
  return { synsets, rarity: (word) => Math.log(synsets.size / (1 + (having.get(word) ?? 0))) };
}

interface Lemma {
  /** Synsets in the order of use, and how often the word was seen in them. */
  readonly senses: string[];
  uses: number;
}

function readLemmas(folder: string, known: ReadonlySet<string>): Map<string, Lemma> {
  const lemmas = new Map<string, Lemma>();
  for (const part of PARTS) {
    for (const line of readFileSync(join(folder, `index.${part}`), 'utf8').split('\n')) {
      const fields = line.trim().split(' ');
      const word = fields[0]!;
      if (line.startsWith(' ') || !/^[a-z]{3,24}$/.test(word) || known.has(word)) continue;
      const pointers = Number(fields[3]);
      const senses = fields.slice(6 + pointers).map((offset) => `${part}:${offset}`);
      const lemma = lemmas.get(word) ?? { senses: [], uses: 0 };
      lemma.senses.push(...senses.slice(0, 4));
      lemma.uses += Number(fields[5 + pointers]) + senses.length;
      lemmas.set(word, lemma);
    }
  }
  return lemmas;
}

/** Words that only WordNet knows: the mean of their synonyms and the rare words of their glosses, by sense. */
function glossVectors(folder: string, base: Vectors, stemmer: Stemmer): Vectors {
  const { synsets, rarity } = readSynsets(folder);
  const places = new Map<string, number>();
  base.words.forEach((word, i) => {
    const stem = stemmer.stems(word)[0] ?? word;
    if (!places.has(stem)) places.set(stem, i);
  });
  base.words.forEach((word, i) => {
    places.set(word, i);
  });
  const placeOf = (word: string): number | undefined => places.get(word) ?? places.get(stemmer.stems(word)[0] ?? word);
  const lemmas = readLemmas(folder, new Set(base.words));
  const ordered = [...lemmas].sort(([a, one], [b, other]) => other.uses - one.uses || (a < b ? -1 : 1));
  const words: string[] = [];
  const rows: Float32Array[] = [];
  for (const [word, { senses }] of ordered) {
    if (words.length === EXTRA_WORDS) break;
    const row = new Float32Array(base.size);
    senses.forEach((sense, rank) => {
      const meaning = senseVector(synsets.get(sense)!, word, { base, placeOf, rarity });
      for (let i = 0; i < base.size; i++) row[i]! += meaning[i]! / (1 + rank);
    });
    if (row.every((value) => value === 0)) continue;
    words.push(word);
    rows.push(row);
  }
  const data = new Float32Array(words.length * base.size);
  rows.forEach((row, i) => {
    data.set(row, i * base.size);
  });
  normalizeRows({ data, size: base.size });
  return { words, size: base.size, data };
}

interface Known {
  readonly base: Vectors;
  readonly placeOf: (word: string) => number | undefined;
  readonly rarity: (word: string) => number;
}

/** A synonym counts as much as this many units of rarity in a gloss. */
const SYNONYM_WEIGHT = 6;

function senseVector(synset: Synset, word: string, known: Known): Float32Array {
  const { base, placeOf, rarity } = known;
  const sum = new Float32Array(base.size);
  const add = (part: string, weight: number): void => {
    const place = placeOf(part);
    if (place === undefined || weight <= 0) return;
    for (let i = 0; i < base.size; i++) sum[i]! += weight * base.data[place * base.size + i]!;
  };
  for (const lemma of synset.lemmas) if (lemma !== word) for (const part of lemma.split('_')) add(part, SYNONYM_WEIGHT);
  for (const part of synset.gloss) if (part.length > 2) add(part, rarity(part) - 2);
  normalizeRows({ data: sum, size: base.size });
  return sum;
}

/** Rows projected on fixed pseudo-random directions: near rows stay near, at a quarter of the work. */
function sketch(all: Vectors): Rows {
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const directions: Rows = { data: Float32Array.from({ length: SKETCH * all.size }, random), size: all.size };
  const out: Rows = { data: new Float32Array(all.words.length * SKETCH), size: SKETCH };
  for (let row = 0; row < all.words.length; row++)
    for (let i = 0; i < SKETCH; i++) out.data[row * SKETCH + i] = dot(all, row, directions, i);
  normalizeRows(out);
  return out;
}

/** The nearest words of each word, one of each stem. */
function nearest(all: Vectors, targets: number, stemmer: Stemmer): { near: Uint16Array; nearness: Uint8Array } {
  const near = new Uint16Array(all.words.length * NEIGHBOURS);
  const nearness = new Uint8Array(near.length);
  const stems = all.words.map((word) => stemmer.stems(word)[0] ?? word);
  const sketches = sketch(all);
  const rough = new Float64Array(targets);
  for (let row = 0; row < all.words.length; row++) {
    // A key holds the rough nearness and, in its low digits, the place: one numeric sort orders the candidates.
    for (let other = 0; other < targets; other++)
      rough[other] = Math.round(dot(sketches, row, sketches, other) * 1e6) * 2 ** 17 + other;
    const candidates = [...rough.toSorted().subarray(targets - CANDIDATES)]
      .map((key) => ((key % 2 ** 17) + 2 ** 17) % 2 ** 17)
      .map((other) => ({ other, value: dot(all, row, all, other) }))
      .sort((a, b) => b.value - a.value || a.other - b.other);
    const seen = new Set([stems[row]!]);
    let count = 0;
    for (const { other, value } of candidates) {
      if (value < NEARNESS_MIN || count === NEIGHBOURS) break;
      if (seen.has(stems[other]!)) continue;
      seen.add(stems[other]!);
      near[row * NEIGHBOURS + count] = other;
      nearness[row * NEIGHBOURS + count++] = Math.min(255, Math.floor(value * 255));
    }
    if (row % 2000 === 0) console.log(`${row} of ${all.words.length} words`);
  }
  return { near, nearness };
}

const { values: args } = parseArgs({
  options: { model: { type: 'string' }, wordnet: { type: 'string' }, out: { type: 'string' } },
});
if (!args.model || !args.wordnet || !args.out)
  throw new Error('usage: word-table.ts --model DIR --wordnet DIR --out FILE');
const stemmer = await openStemmer('english');
const base = modelVectors(args.model);
const more = glossVectors(args.wordnet, base, stemmer);
const data = new Float32Array(base.data.length + more.data.length);
data.set(base.data);
data.set(more.data, base.data.length);
const all = { words: [...base.words, ...more.words], size: base.size, data };
const { near, nearness } = nearest(all, base.words.length + EXTRA_NEIGHBOURS, stemmer);
const table = writeWordTable({ language: 'english', words: all.words, neighbours: NEIGHBOURS, near, nearness });
writeFileSync(args.out, table);
console.log(`${all.words.length} words, ${NEIGHBOURS} neighbours each, ${(table.length / 1e6).toFixed(1)} MB`);
