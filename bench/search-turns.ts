// Conversations, measured as `gbrain eval run` does, with stages left out on demand: LoCoMo sessions and turns, BEAM.
//   node bench/search-turns.ts [--set LOCOMO_FILE] [--set BEAM_DIR] [--kinds] [--words FILE] [--without STAGE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CategoryReport, evaluate } from '../packages/gbrain/src/areas/eval/evaluate.ts';
import { openDataset } from '../packages/gbrain/src/areas/eval/open-dataset.ts';
import { WordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';

const { values: args } = parseArgs({
  options: {
    set: { type: 'string', multiple: true, default: [] },
    kinds: { type: 'boolean' },
    words: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const words = args.words === undefined ? undefined : WordTable.read(readFileSync(args.words));
const stemmer = await openStemmer('english');

const NAMES = ['any@5', 'strict@5', 'R@5', 'any@10', 'strict@10', 'R@10', 'nDCG@10', 'MRR'];

function line(title: string, { questions, gbrain, bm25 }: CategoryReport, isPlain: boolean): string {
  const figures = NAMES.map((name) => `${name} ${(100 * (isPlain ? bm25![name]! : gbrain[name]!.value)).toFixed(1)}`);
  return `${title.padEnd(26)} n=${String(questions).padStart(4)}  ${figures.join('  ')}`;
}

for (const path of args.set) {
  const opened = openDataset(path);
  if (opened.kind === 'brain') throw new Error(`${path} has no texts of its own`);
  for (const set of opened.sets) {
    const report = await evaluate(set, {
      stemmer,
      seed: 1,
      ...(words && { words: () => words }),
      searchOptions: () => ({ without: args.without }),
    });
    console.log(`\n${report.name}`);
    console.log(line('plain BM25', report.all, true));
    console.log(line('gbrain', report.all, false));
    if (args.kinds) for (const one of report.categories) console.log(line(`  ${one.kind}`, one, false));
  }
}
