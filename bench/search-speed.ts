// Speed and size of the index in process, as ratios to plain BM25 over maps in the same run.
//   node bench/search-speed.ts [--pages 50000] [--bytes 2000] [--seed 1]
import { parseArgs } from 'node:util';
import { PlainBm25 } from '../packages/gbrain/src/areas/eval/plain-bm25.ts';
import { LexicalIndex } from '../packages/gbrain/src/index/lexical-index.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';
import { makeCorpus } from './search-corpus.ts';

const { values: args } = parseArgs({
  options: {
    pages: { type: 'string', default: '50000' },
    bytes: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    plain: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

const SCOPE = { sources: 'all', seesPrivate: true } as const;

function quantiles(times: number[]): string {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

const { pages, queries } = makeCorpus(Number(args.pages), Number(args.bytes), Number(args.seed));
const stemmer = await openStemmer('english');
const index = new LexicalIndex(stemmer);
let begun = performance.now();
for (let at = 0; at < pages.length; at += 50) {
  index.apply(pages.slice(at, at + 50).map((page) => ({ kind: 'put', page })));
  while (index.step());
}
const arrived = performance.now() - begun;
begun = performance.now();
index.compact();
const compacted = performance.now() - begun;
console.log(
  `build in groups of 50: ${Math.round((pages.length / arrived) * 1000)} pages/s;`,
  `compaction ${Math.round(compacted)} ms`,
);
console.log(JSON.stringify(index.stats()));

begun = performance.now();
const bytes = index.snapshot({ incarnation: 'bench', position: '0', lastChangeHash: '' });
const written = performance.now() - begun;
const loads = Array.from({ length: 5 }, () => {
  const from = performance.now();
  LexicalIndex.load(bytes, stemmer, 'bench');
  return performance.now() - from;
}).sort((a, b) => a - b);
console.log(
  `snapshot ${(bytes.length / 1e6).toFixed(1)} MB: written in ${Math.round(written)} ms,`,
  `loaded in ${loads[2]!.toFixed(1)} ms`,
);

const stageMs = new Map<string, number>();
const times: number[] = [];
for (let round = 0; round < 2; round++) {
  times.length = 0;
  stageMs.clear();
  for (const query of queries) {
    const from = performance.now();
    const reply = await index.search(query, SCOPE, { clock: () => performance.now(), today: '2026-05-26' });
    times.push(performance.now() - from);
    for (const stage of reply.stages) stageMs.set(stage.name, (stageMs.get(stage.name) ?? 0) + stage.elapsedMs);
  }
}
console.log(`search, compacted: ${quantiles(times)}`);
console.log([...stageMs].map(([name, ms]) => `${name} ${(ms / queries.length).toFixed(2)}`).join(', '), 'ms a query');

const writing: number[] = [];
for (const [i, query] of queries.entries()) {
  index.apply([{ kind: 'put', page: { ...pages[(i * 37) % pages.length]!, title: `changed ${i}` } }]);
  index.step();
  const from = performance.now();
  await index.search(query, SCOPE, {});
  writing.push(performance.now() - from);
}
console.log(`search, a write before each query: ${quantiles(writing)}`);

if (args.plain) {
  const plain = new PlainBm25();
  for (const page of pages) plain.add(page.slug, `${page.title} ${page.chunks[0]!.text}`);
  const plainTimes = queries.map((query) => {
    const from = performance.now();
    plain.search(query, 10);
    return performance.now() - from;
  });
  const median = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1]!;
  console.log(
    `plain BM25 over maps: ${quantiles(plainTimes)};`,
    `ratio of medians ${(median(times) / median(plainTimes)).toFixed(2)}`,
  );
}
