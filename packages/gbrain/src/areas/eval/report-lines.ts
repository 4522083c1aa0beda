// A report of an evaluation as lines for a person: a row a category, gbrain's figure with its interval, BM25 beside it.
import type { HumanView } from '../../operation.ts';
import { tableLines } from '../../render/table.ts';
import { counted } from '../../row-text.ts';
import type { CategoryReport, EvalReport } from './evaluate.ts';

/** What a person is shown of a report; `--json` has all of it. */
type Shown = Pick<EvalReport, 'name' | 'questions' | 'all' | 'categories' | 'negatives'>;

const COLUMNS = ['any@5', 'strict@5', 'R@10', 'nDCG@10', 'MRR'] as const;

const percent = (value: number): string => (100 * value).toFixed(1);

function cellOf(category: CategoryReport, name: string): string {
  const ours = category.gbrain[name];
  if (!ours) return '-';
  const plain = category.bm25?.[name];
  const line = plain === undefined ? '' : ` / ${percent(plain)}`;
  const half = Math.max(ours.high - ours.value, ours.value - ours.low);
  return `${percent(ours.value)} ±${percent(half)}${line}`;
}

const rowOf = (category: CategoryReport): string[] => [
  category.kind,
  String(category.questions),
  ...COLUMNS.map((name) => cellOf(category, name)),
];

/** The lines of the sets of a report. */
export function reportLines(sets: readonly Shown[], seed: number, view: HumanView): string {
  const head = ['category', 'n', ...COLUMNS].map((text) => ({ text, style: view.bold }));
  const blocks = sets.map(({ name, questions, all, categories, negatives }) => [
    view.bold(`${name}: ${counted(questions, 'question')}`),
    ...tableLines([head, ...[...categories.filter(({ kind }) => kind !== all.kind), all].map(rowOf)], view),
    ...(negatives.questions > 0
      ? [`${negatives.quiet} of ${negatives.questions} questions without an answer got none, or the word weak`]
      : []),
    '',
  ]);
  const key = `gbrain ± the wider half of its 95 % interval / plain BM25, in percent; seed ${seed}`;
  return [...blocks.flat(), view.dim(key)].join('\n');
}
