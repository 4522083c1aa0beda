// The vector arm in process: time, memory and recall against full scans, beside the same loops over typed arrays.
//   node bench/search-vectors.ts [--vectors 100000] [--dimensions 1024] [--seed 1] [--shape themes|noise]
import { parseArgs } from 'node:util';
import { numbersFrom } from '../packages/gbrain/src/areas/eval/metrics.ts';
import { encodeVector } from '../packages/gbrain/src/index/vectors/code.ts';
import { VectorIndex } from '../packages/gbrain/src/index/vectors/vector-index.ts';

const { values: args } = parseArgs({
  options: {
    vectors: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '1024' },
    seed: { type: 'string', default: '1' },
    shape: { type: 'string', default: 'themes' },
    queries: { type: 'string', default: '40' },
  },
});
const count = Number(args.vectors);
const size = Number(args.dimensions);
const random = numbersFrom(Number(args.seed));
const K = 20;

/** A number of the normal distribution. */
const normal = (): number => Math.sqrt(-2 * Math.log(random() || 1e-12)) * Math.cos(2 * Math.PI * random());

// Embeddings of texts lie around themes, and their variance falls from direction to direction; noise has neither.
const variance = Float32Array.from({ length: size }, (_, i) =>
  args.shape === 'noise' ? 1 : 1 / Math.sqrt(1 + i / 20),
);
const themes = Array.from({ length: 500 }, () => variance.map((one) => one * normal()));

function makeVector(): Float32Array {
  const theme = themes[Math.floor(random() * themes.length)]!;
  const vector = variance.map((one, i) => one * normal() + (args.shape === 'noise' ? 0 : 0.7 * theme[i]! + 0.15));
  const length = Math.hypot(...vector);
  return vector.map((one) => one / length);
}

const floats = new Float32Array(count * size);
const index = new VectorIndex(size);
let writing = 0;
for (let from = 0; from < count; from += 100) {
  const group = Array.from({ length: Math.min(100, count - from) }, (_, i) => {
    const vector = makeVector();
    floats.set(vector, (from + i) * size);
    return { pageId: from + i, chunkIndex: 0, code: encodeVector(vector) };
  });
  const begun = performance.now();
  index.put(group);
  writing += performance.now() - begun;
}
console.log(`${count} vectors of ${size} (${args.shape}): ${Math.round((count / writing) * 1000)} a second`);
console.log(JSON.stringify(index.stats()));

/** Row numbers of the nearest by the exact cosine. */
function fullScan(query: Float32Array): number[] {
  const scores = Float64Array.from({ length: count }, (_, row) => {
    let sum = 0;
    for (let i = 0, at = row * size; i < size; i++) sum += floats[at + i]! * query[i]!;
    return sum;
  });
  return Array.from(scores.keys())
    .sort((a, b) => scores[b]! - scores[a]!)
    .slice(0, K);
}

const queries = Array.from({ length: Number(args.queries) }, makeVector);
const everyone = (): boolean => true;
const times: number[] = [];
const compared: number[] = [];
for (let round = 0; round < 4; round++) {
  times.length = 0;
  compared.length = 0;
  for (const query of queries) {
    const begun = performance.now();
    const answer = index.search(query, K, everyone);
    times.push(performance.now() - begun);
    compared.push(answer.compared);
  }
}
const hits = queries.reduce((sum, query) => {
  const found = new Set(index.search(query, K, everyone).hits.map((hit) => hit.pageId));
  return sum + fullScan(query).filter((row) => found.has(row)).length;
}, 0);
const at = (list: number[], share: number): number =>
  list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!;
console.log(
  `recall@${K} ${(hits / queries.length / K).toFixed(4)} of an exact scan;`,
  `search p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms;`,
  `rows compared by nine bits: p50 ${at(compared, 0.5)}, p95 ${at(compared, 0.95)}`,
);

/** The first pass over typed arrays: bits counted by halves, quarters and bytes. */
function scanWords(words: Uint32Array, query: Uint32Array, out: Uint16Array): void {
  for (let row = 0, w = 0; row < out.length; row++) {
    let sum = 0;
    for (let i = 0; i < query.length; i++, w++) {
      let x = words[w]! ^ query[i]!;
      x -= (x >>> 1) & 0x55555555;
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
      sum += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    out[row] = sum;
  }
}

const words = new Uint32Array((count * size) / 32).map(() => Math.floor(random() * 2 ** 32));
const out = new Uint16Array(count);
const plain = Array.from({ length: 12 }, () => {
  const begun = performance.now();
  scanWords(words, words.subarray(0, size / 32), out);
  return performance.now() - begun;
});
console.log(`the first pass alone over typed arrays: p50 ${at(plain, 0.5).toFixed(1)} ms`);
