// How a search came about, for a person: what was looked for, the stages with their time, what did not run, and what
// each stage did to each row. Pure.
import type { HumanView } from '../../operation.ts';
import { plainLine } from '../../render/text-width.ts';
import { counted } from '../../row-text.ts';
import type { SearchRow } from './run-search.ts';

/** What a search says beside its rows when it was asked to explain itself. */
interface Explained {
  confidence?: string;
  terms?: readonly { text: string; kind: string; pages: number }[];
  stages?: readonly { name: string; elapsed_ms: number; candidates?: number }[];
  degraded?: readonly { stage: string; reason?: string }[];
  vector_trust?: number;
}

const SKIP_MARK = '\u0001';

/** Lines of one row: the words that stand in it and the marks of the stages. */
export function rowMarks(row: SearchRow, view: HumanView): string[] {
  const marks = (row.marks ?? []) as readonly { stage: string; note: string }[];
  const matched = (row.matched ?? []) as readonly string[];
  const words = `words  ${row.base_score ?? 0} of 1${matched.length > 0 ? `: ${matched.join(', ')}` : ''}`;
  const cosine = row.cosine === undefined ? [] : [`vectors  cosine ${row.cosine}`];
  return [`score ${row.score}`, words, ...cosine, ...marks.map(({ stage, note }) => `${stage}  ${note}`)].map((line) =>
    view.dim(`    ${plainLine(line)}`),
  );
}

/** Lines about the whole search. */
export function explainLines(meta: Readonly<Record<string, unknown>>, view: HumanView): string[] {
  const { confidence, terms = [], stages = [], degraded = [], vector_trust } = (meta.retrieval ?? {}) as Explained;
  const looked = terms
    .filter(({ text }) => !text.startsWith(SKIP_MARK))
    .map(({ text, kind, pages }) => `${text} (${kind === 'word' ? '' : `${kind}, `}${counted(pages, 'page')})`);
  const missing = degraded.map(({ stage, reason }) => (reason === undefined ? stage : `${stage} (${reason})`));
  const width = Math.max(0, ...stages.map(({ name }) => name.length));
  const ran = stages.map(({ name, elapsed_ms, candidates }) => {
    const time = `${elapsed_ms.toFixed(2).padStart(8)} ms`;
    return `  ${name.padEnd(width)}${time}  ${counted(candidates ?? 0, 'page')}`;
  });
  const told = [
    `confidence  ${confidence ?? 'unknown'}`,
    `terms  ${looked.join(', ')}`,
    ...(vector_trust === undefined ? [] : [`vectors  trusted ${vector_trust} of 1`]),
    ...(missing.length > 0 ? [`did not run  ${missing.join(', ')}`] : []),
    'stages',
  ];
  return [...told.map(plainLine), ...ran].map(view.dim);
}
