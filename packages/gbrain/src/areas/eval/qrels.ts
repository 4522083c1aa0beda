// A folder of a classic test set: corpus.jsonl, queries.jsonl and judgements in qrels.tsv, qrels.txt or qrels/*.tsv.
// Without a corpus the pages of the open brain are asked, by slug.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChunkText, IndexDocument } from '../../index/document.ts';
import type { Dataset, Question } from './dataset.ts';

interface CorpusLine {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

interface QueryLine {
  readonly _id?: string;
  readonly id?: string;
  readonly text?: string;
  readonly query?: string;
  readonly kind?: string;
  /** Slugs that answer, for sets that judge in the query itself. */
  readonly relevant?: readonly string[];
  readonly neutral?: readonly string[];
}

/** Words of a chunk, about those of the product's own. */
const CHUNK_WORDS = 300;

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

const parseLines = <T>(file: string): T[] => linesOf(file).map((line) => JSON.parse(line) as T);

/** Files of judgements in a folder. */
export function judgementFiles(folder: string): string[] {
  const single = ['qrels.tsv', 'qrels.txt'].map((name) => join(folder, name)).filter((file) => existsSync(file));
  const below = join(folder, 'qrels');
  const more = existsSync(below) ? readdirSync(below).filter((name) => /\.(tsv|txt)$/.test(name)) : [];
  const test = more.filter((name) => name.startsWith('test'));
  return [...single, ...(test.length > 0 ? test : more).map((name) => join(below, name))];
}

/** Grades by query and document: lines of three columns (query, document, grade) or TREC's four. Zero is no answer. */
function readJudgements(files: readonly string[]): Map<string, Map<string, number>> {
  const byQuery = new Map<string, Map<string, number>>();
  for (const line of files.flatMap(linesOf)) {
    const columns = line.trim().split(/\s+/);
    const [query, document, grade] = columns.length >= 4 ? [columns[0], columns[2], columns[3]] : columns;
    if (query === undefined || document === undefined || !(Number(grade) > 0)) continue;
    const grades = byQuery.get(query) ?? new Map<string, number>();
    byQuery.set(query, grades.set(document, Number(grade)));
  }
  return byQuery;
}

function cut(text: string): ChunkText[] {
  const words = text.split(/\s+/);
  return Array.from({ length: Math.ceil(words.length / CHUNK_WORDS) }, (_, index) => ({
    index,
    field: 'body',
    text: words.slice(index * CHUNK_WORDS, (index + 1) * CHUNK_WORDS).join(' '),
  }));
}

const toPage = ({ _id, title, text }: CorpusLine, place: number): IndexDocument => ({
  pageId: place + 1,
  sourceId: 'default',
  visibility: 'world',
  slug: _id,
  title: title ?? '',
  aliases: [],
  type: 'note',
  effectiveDate: null,
  chunks: cut(text),
  timeline: [],
});

/** The questions of such a folder; those nobody judged are left out, those of the kind `negative` have no answer. */
export function readQuestions(folder: string): Question[] {
  const judged = readJudgements(judgementFiles(folder));
  return parseLines<QueryLine>(join(folder, 'queries.jsonl')).flatMap((line, i): Question[] => {
    const id = line._id ?? line.id ?? String(i + 1);
    const text = line.text ?? line.query ?? '';
    const gold = judged.get(id) ?? new Map((line.relevant ?? []).map((slug) => [slug, 1] as const));
    const kind = line.kind ?? 'all';
    if (text === '' || (gold.size === 0 && kind !== 'negative')) return [];
    return [{ id, kind, text, gold, ...(line.neutral?.length && { neutral: new Set(line.neutral) }) }];
  });
}

/** The set of a folder that has a corpus. */
export const readQrels = (folder: string, name: string): Dataset => ({
  name,
  grain: 'page',
  groups: [
    { pages: parseLines<CorpusLine>(join(folder, 'corpus.jsonl')).map(toPage), questions: readQuestions(folder) },
  ],
});
