// Fusion against the lexical arm alone, with a good arm, a random one and broken ones. Vectors come from a file of
// lines {sha256, vector}: the hash of a text (UTF-8) and its 32-bit floats in base64, made with any model.
//   node bench/search-fusion.ts --vectors FILE [--set PATH] [--vault DIR] [--words FILE]
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Dataset, Group } from '../packages/gbrain/src/areas/eval/dataset.ts';
import { evaluate } from '../packages/gbrain/src/areas/eval/evaluate.ts';
import { numbersFrom } from '../packages/gbrain/src/areas/eval/metrics.ts';
import { openDataset } from '../packages/gbrain/src/areas/eval/open-dataset.ts';
import { WordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';
import { encodeVector } from '../packages/gbrain/src/index/vectors/code.ts';
import { VectorIndex } from '../packages/gbrain/src/index/vectors/vector-index.ts';
import { readVault } from './search-vault.ts';

const { values: args } = parseArgs({
  options: {
    vectors: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    vault: { type: 'string', multiple: true, default: [] },
    words: { type: 'string' },
    arm: { type: 'string', multiple: true, default: ['good', 'random', 'other-model', 'negated', 'half', 'constant'] },
  },
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const known = new Map<string, Float32Array>();
for (const line of readFileSync(args.vectors!, 'utf8').split('\n')) {
  if (line === '') continue;
  const { sha256, vector } = JSON.parse(line) as { sha256: string; vector: string };
  known.set(sha256, new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer));
}
const size = [...known.values()][0]!.length;

/** A vector from the hash of a text: noise that stays the same. */
function noiseOf(text: string): Float32Array {
  const random = numbersFrom(Number.parseInt(hashOf(text).slice(0, 8), 16));
  const normal = (): number => Math.sqrt(-2 * Math.log(random() || 1e-12)) * Math.cos(2 * Math.PI * random());
  return Float32Array.from({ length: size }, normal);
}

function vectorOf(text: string): Float32Array {
  const found = known.get(hashOf(text));
  if (!found) throw new Error(`no vector for ${text.slice(0, 60)}`);
  return found;
}

/** What an arm makes of a document's text and of a question; null where it has none. */
const ARMS: Record<string, { document(text: string): Float32Array | null; query(text: string): Float32Array }> = {
  good: { document: vectorOf, query: vectorOf },
  random: { document: noiseOf, query: noiseOf },
  'other-model': { document: vectorOf, query: (text) => vectorOf(text).slice().reverse() },
  negated: { document: vectorOf, query: (text) => vectorOf(text).map((one) => -one) },
  half: {
    document: (text) => (Number.parseInt(hashOf(text).slice(0, 2), 16) < 128 ? vectorOf(text) : null),
    query: vectorOf,
  },
  constant: { document: () => new Float32Array(size).fill(1), query: vectorOf },
};

function buildArm(group: Group, document: (text: string) => Float32Array | null): VectorIndex {
  const index = new VectorIndex(size);
  for (const { pageId, chunks } of group.pages) {
    const texts = new Map<number, string>();
    for (const { index: i, text } of chunks) texts.set(i, texts.has(i) ? `${texts.get(i)}\n${text}` : text);
    for (const [i, text] of texts) {
      const vector = document(text);
      if (vector) index.put([{ pageId, chunkIndex: i, code: encodeVector(vector) }]);
    }
  }
  return index;
}

const stemmer = await openStemmer('english');
const words = args.words === undefined ? undefined : WordTable.read(readFileSync(args.words));
const opened = args.set.map(openDataset).flatMap((one) => (one.kind === 'sets' ? one.sets : []));
const sets: Dataset[] = [...opened, ...args.vault.map(readVault)];
const NAMES = ['strict@5', 'R@5', 'R@10', 'nDCG@10', 'MRR'];

for (const set of sets) {
  const run = (arm?: (typeof ARMS)[string]) => {
    const built = new Map<Group, VectorIndex>();
    return evaluate(set, {
      stemmer,
      seed: 1,
      ...(words && { words: () => words }),
      searchOptions: (group, question) => {
        if (!arm) return {};
        const index = built.get(group) ?? buildArm(group, arm.document);
        built.set(group, index);
        return { vectors: { index, query: arm.query(question.text) } };
      },
    });
  };
  const alone = await run();
  console.log(`\n${set.name}: ${alone.questions} questions`);
  const line = (name: string, values: number[]): string =>
    `${name.padEnd(14)}${values.map((one) => one.toFixed(1).padStart(9)).join('')}`;
  console.log(`${''.padEnd(14)}${NAMES.map((name) => name.padStart(9)).join('')}`);
  console.log(
    line(
      'words alone',
      NAMES.map((name) => 100 * alone.all.gbrain[name]!.value),
    ),
  );
  for (const name of args.arm) {
    const report = await run(ARMS[name]!);
    const of = (figure: string): number => 100 * (report.all.gbrain[figure]!.value - alone.all.gbrain[figure]!.value);
    const quiet =
      alone.negatives.questions > 0 ? `  quiet ${report.negatives.quiet}/${report.negatives.questions}` : '';
    console.log(line(`  ${name}`, NAMES.map(of)) + quiet);
  }
}
