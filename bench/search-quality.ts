// Finding on made vaults, measured as `gbrain eval run` does, with exact links behind the port of links.
//   node bench/search-quality.ts --vault DIR [--vault DIR] [--words FILE] [--misses KIND] [--without STAGE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Judged, judgeDataset, reportOf } from '../packages/gbrain/src/areas/eval/evaluate.ts';
import { WordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';
import { readVault } from './search-vault.ts';

const { values: args } = parseArgs({
  options: {
    vault: { type: 'string', multiple: true, default: [] },
    misses: { type: 'string' },
    words: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const words = args.words === undefined ? undefined : WordTable.read(readFileSync(args.words));
const stemmer = await openStemmer('english');

const percent = (value: number): string => (100 * value).toFixed(1).padStart(7);

function printMisses(judged: readonly Judged[], kind: string): void {
  for (const { question, found, ours } of judged) {
    if (question.kind !== kind || ours['R@5'] === 1) continue;
    console.log(`${found.confidence} ${question.text}\n   want ${[...question.gold.keys()].join(' ')}`);
    console.log(`   got  ${found.keys.slice(0, 5).join(' ')}`);
  }
}

for (const folder of args.vault) {
  const set = readVault(folder);
  const judged = await judgeDataset(set, {
    stemmer,
    seed: 1,
    ...(words && { words: () => words }),
    searchOptions: () => ({ without: args.without }),
  });
  const report = reportOf(set, judged, 1);
  console.log(
    `\n${folder}: ${set.groups[0]!.pages.length} pages\nkind                  n    R@5 strict@5    MRR   BM25 R@5`,
  );
  for (const one of [...report.categories, report.all]) {
    const values = ['R@5', 'strict@5', 'MRR'].map((name) => percent(one.gbrain[name]!.value)).join('');
    console.log(`${one.kind.padEnd(17)}${String(one.questions).padStart(6)}${values}${percent(one.bm25!['R@5']!)}`);
  }
  const { negatives, calledWeak } = report;
  console.log(`negatives answered with nothing or "weak": ${negatives.quiet} of ${negatives.questions};`);
  console.log(`answerable called weak: ${calledWeak} of ${report.questions}`);
  if (args.misses) printMisses(judged, args.misses);
}
