// A folder of a classic test set: corpus.jsonl, queries.jsonl and judgements in qrels.tsv, qrels.txt or qrels/*.tsv.
// Without a corpus the pages of the open brain are asked, by slug.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ChunkText, IndexDocument } from '../../index/document.ts';
import { type Dataset, DatasetFault, type Question, readText } from './dataset.ts';

/** A line of JSON as somebody's tool wrote it. */
interface Line {
  readonly value: Readonly<Record<string, unknown>>;
  /** Says that this line does not fit. */
  fault(): never;
}

/** Words of a chunk, about those of the product's own. */
const CHUNK_WORDS = 300;

interface TextLine {
  readonly text: string;
  fault(): never;
}

function linesOf(file: string): TextLine[] {
  const lines = readText(file).split('\n');
  return lines.flatMap((text, i): TextLine[] => {
    const fault = (): never => {
      throw new DatasetFault(`${basename(file)} line ${i + 1}`, { file, number: i + 1 });
    };
    return text.trim() === '' ? [] : [{ text: text.trim(), fault }];
  });
}

function parseLine({ text, fault }: TextLine): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault();
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: { ...value }, fault }
    : fault();
}

const parseLines = (file: string): Line[] => linesOf(file).map(parseLine);

/** An id, which some write as a number. */
function idOf({ value, fault }: Line): string | undefined {
  const id = value._id ?? value.id;
  if (id === undefined) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : fault();
}

/** The first of some keys that has a value; a text. */
function textOf({ value, fault }: Line, ...keys: string[]): string {
  const found = keys.map((key) => value[key]).find((one) => one !== undefined && one !== null);
  return found === undefined ? '' : typeof found === 'string' ? found : fault();
}

function slugsOf({ value, fault }: Line, key: string): string[] {
  const found = value[key] ?? [];
  return Array.isArray(found) && found.every((one) => typeof one === 'string') ? found : fault();
}

/** Files of judgements in a folder. */
function judgementFiles(folder: string): string[] {
  const single = ['qrels.tsv', 'qrels.txt'].map((name) => join(folder, name)).filter((file) => existsSync(file));
  const below = join(folder, 'qrels');
  const more = existsSync(below) ? readdirSync(below).filter((name) => /\.(tsv|txt)$/.test(name)) : [];
  const test = more.filter((name) => name.startsWith('test'));
  return [...single, ...(test.length > 0 ? test : more).map((name) => join(below, name))];
}

/**
 * Grades by query and document: lines of three columns (query, document, grade) or TREC's four, under a heading or not.
 * Zero is no answer.
 */
function readJudgements(files: readonly string[]): Map<string, Map<string, number>> {
  const byQuery = new Map<string, Map<string, number>>();
  for (const file of files) {
    for (const [i, { text, fault }] of linesOf(file).entries()) {
      const columns = text.split(text.includes('\t') ? /\t+/ : /\s+/);
      const [query, document, grade] = columns.length >= 4 ? [columns[0], columns[2], columns[3]] : columns;
      if (query === undefined || document === undefined || grade === undefined) return fault();
      if (Number.isNaN(Number(grade))) {
        if (i > 0) fault();
        continue;
      }
      if (!(Number(grade) > 0)) continue;
      const grades = byQuery.get(query) ?? new Map<string, number>();
      byQuery.set(query, grades.set(document, Number(grade)));
    }
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

const toPage = (line: Line, place: number): IndexDocument => ({
  pageId: place + 1,
  sourceId: 'default',
  visibility: 'world',
  slug: idOf(line) ?? line.fault(),
  title: textOf(line, 'title'),
  aliases: [],
  type: 'note',
  effectiveDate: null,
  chunks: cut(textOf(line, 'text')),
  timeline: [],
});

/** The questions of such a folder; those nobody judged are left out, those of the kind `negative` have no answer. */
export function readQuestions(folder: string): Question[] {
  const judged = readJudgements(judgementFiles(folder));
  return parseLines(join(folder, 'queries.jsonl')).flatMap((line, i): Question[] => {
    const id = idOf(line) ?? String(i + 1);
    const text = textOf(line, 'text', 'query');
    // Slugs that answer, for sets that judge in the query itself.
    const gold = judged.get(id) ?? new Map(slugsOf(line, 'relevant').map((slug) => [slug, 1] as const));
    const kind = textOf(line, 'kind') || 'all';
    const neutral = slugsOf(line, 'neutral');
    if (text === '' || (gold.size === 0 && kind !== 'negative')) return [];
    return [{ id, kind, text, gold, ...(neutral.length > 0 && { neutral: new Set(neutral) }) }];
  });
}

/** The set of a folder that has a corpus. Judgements that name none of its documents are those of another one. */
export function readQrels(folder: string, name: string): Dataset {
  const pages = parseLines(join(folder, 'corpus.jsonl')).map(toPage);
  const known = new Set(pages.map(({ slug }) => slug));
  const questions = readQuestions(folder);
  const isOurs = questions.some(({ gold }) => gold.size === 0 || [...gold.keys()].some((key) => known.has(key)));
  return { name, grain: 'page', groups: [{ pages, questions: isOurs ? questions : [] }] };
}
