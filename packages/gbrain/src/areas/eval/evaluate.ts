// Runs the questions of a set through the index and through plain BM25 over the same units, and reports by category.
// Knows no file layout: benchmarks and `gbrain eval run` call it alike.
import type { IndexDocument } from '../../index/document.ts';
import { LexicalIndex } from '../../index/lexical-index.ts';
import type { WordTable } from '../../index/meaning/word-table.ts';
import type { Confidence, SearchOptions } from '../../index/ranking/state.ts';
import type { Stemmer } from '../../index/stemming.ts';
import { chunkKey, type Dataset, type Group, type Question } from './dataset.ts';
import { type Figures, figuresOf, type Interval, meansOf, pairedDifference, sampleOf, wilson } from './metrics.ts';
import { PlainBm25 } from './plain-bm25.ts';

/** What a ranking found for one question. */
export interface Found {
  readonly keys: readonly string[];
  readonly confidence: Confidence;
}

/** One question with what both rankings made of it. */
export interface Judged {
  readonly question: Question;
  readonly found: Found;
  readonly ours: Figures;
  /** Absent where the texts are not at hand. */
  readonly plain?: Figures;
}

/** Figures of one category. */
export interface CategoryReport {
  readonly kind: string;
  readonly questions: number;
  readonly gbrain: Readonly<Record<string, Interval>>;
  readonly bm25: Figures | null;
}

/** The report of one set. */
export interface EvalReport {
  readonly name: string;
  readonly grain: 'page' | 'chunk';
  readonly questions: number;
  readonly all: CategoryReport;
  readonly categories: readonly CategoryReport[];
  /** How far gbrain is above plain BM25, question by question, with its bootstrap interval; null without BM25. */
  readonly above: Readonly<Record<string, Interval>> | null;
  /** Questions without an answer: how many there were, and how many got nothing or the word weak. */
  readonly negatives: { readonly questions: number; readonly quiet: number };
  /** Questions with an answer whose reply was called weak. */
  readonly calledWeak: number;
}

/** How a set is run. */
export interface EvaluateOptions {
  readonly stemmer: Stemmer;
  readonly words?: (() => WordTable | null) | undefined;
  /** Questions taken of the set, chosen by the seed; all when left out. */
  readonly sample?: number | undefined;
  readonly seed: number;
  /** More options of each search: stages left out, for example. May depend on the group. */
  readonly searchOptions?: (group: Group, question: Question) => Partial<SearchOptions>;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** Ranks that are read of each answer. */
const DEPTH = 40;
const CONVERSATION_DEPTH = 10;

/** Texts of the units of a page, by key. */
function unitsOf(page: IndexDocument, grain: Dataset['grain']): Map<string, string> {
  if (grain === 'page') return new Map([[page.slug, `${page.title} ${page.chunks.map((one) => one.text).join(' ')}`]]);
  const units = new Map<string, string>();
  for (const { index, text } of page.chunks) {
    const key = chunkKey(page.slug, index);
    units.set(key, `${units.get(key) ?? ''} ${text}`);
  }
  return units;
}

const withoutNeutral = ({ neutral }: Question, keys: readonly string[]): readonly string[] =>
  neutral ? keys.filter((key) => !neutral.has(key)) : keys;

/** Figures of what was found for a question; negative questions have none. */
export const judge = (question: Question, found: Found, plain?: readonly string[]): Judged => ({
  question,
  found,
  ours: question.gold.size > 0 ? figuresOf(withoutNeutral(question, found.keys), question.gold) : {},
  ...(plain && question.gold.size > 0 && { plain: figuresOf(withoutNeutral(question, plain), question.gold) }),
});

function buildIndex(pages: readonly IndexDocument[], stemmer: Stemmer): LexicalIndex {
  const index = new LexicalIndex(stemmer);
  index.apply(pages.map((page) => ({ kind: 'put', page })));
  index.compact();
  return index;
}

const SCOPE = { sources: 'all', seesPrivate: true } as const;

async function search(
  index: LexicalIndex,
  { grain }: Dataset,
  group: Group,
  asked: { readonly question: Question; readonly options: EvaluateOptions },
): Promise<Found> {
  const { question, options } = asked;
  const { edges, today } = group;
  const reply = await index.search(question.text, SCOPE, {
    limit: question.neutral || grain === 'page' ? DEPTH : CONVERSATION_DEPTH,
    grain,
    ...(options.words && { words: options.words }),
    ...(today && { today }),
    ...(edges && {
      edges: (ids, types, direction) =>
        edges.filter(
          (edge) => types.includes(edge.type) && ids.includes(direction === 'out' ? edge.fromPageId : edge.toPageId),
        ),
    }),
    ...options.searchOptions?.(group, question),
  });
  if (grain === 'page') return { keys: reply.pages.map((page) => page.slug), confidence: reply.confidence };
  const slugOf = new Map(group.pages.map((page) => [page.pageId, page.slug]));
  const keys = reply.chunks.map((chunk) => chunkKey(slugOf.get(chunk.pageId)!, chunk.index));
  return { keys, confidence: reply.confidence };
}

/** Asks every question of a set, or those that the seed chooses. */
export async function judgeDataset(dataset: Dataset, options: EvaluateOptions): Promise<Judged[]> {
  const all = dataset.groups.flatMap((group) => group.questions);
  const chosen = new Set(sampleOf(all, options.sample ?? all.length, options.seed));
  const judged: Judged[] = [];
  for (const group of dataset.groups) {
    const questions = group.questions.filter((question) => chosen.has(question));
    if (questions.length === 0) continue;
    const index = buildIndex(group.pages, options.stemmer);
    const plain = new PlainBm25();
    for (const page of group.pages) for (const [key, text] of unitsOf(page, dataset.grain)) plain.add(key, text);
    for (const question of questions) {
      options.signal?.throwIfAborted();
      const found = await search(index, dataset, group, { question, options });
      judged.push(judge(question, found, plain.search(question.text, DEPTH)));
      options.progress?.(judged.length, chosen.size);
    }
  }
  return judged;
}

function categoryOf(kind: string, judged: readonly Judged[]): CategoryReport {
  const ours = meansOf(judged.map((one) => one.ours));
  const plain = judged.flatMap((one) => (one.plain ? [one.plain] : []));
  const gbrain = Object.entries(ours).map(([name, mean]) => [name, wilson(mean, judged.length)] as const);
  return {
    kind,
    questions: judged.length,
    gbrain: Object.fromEntries(gbrain),
    bm25: plain.length === judged.length && plain.length > 0 ? meansOf(plain) : null,
  };
}

/** The report of judged questions. */
export function reportOf(
  dataset: Pick<Dataset, 'name' | 'grain'>,
  judged: readonly Judged[],
  seed: number,
): EvalReport {
  const answered = judged.filter((one) => one.question.gold.size > 0);
  const negative = judged.filter((one) => one.question.gold.size === 0);
  const isQuiet = ({ found }: Judged): boolean => found.keys.length === 0 || found.confidence === 'weak';
  const kinds = [...new Set(answered.map((one) => one.question.kind))];
  const all = categoryOf('all', answered);
  const differences = (name: string): number[] => answered.map((one) => one.ours[name]! - one.plain![name]!);
  const above =
    all.bm25 && Object.keys(all.bm25).map((name) => [name, pairedDifference(differences(name), seed)] as const);
  return {
    name: dataset.name,
    grain: dataset.grain,
    questions: answered.length,
    all,
    categories: kinds.map((kind) =>
      categoryOf(
        kind,
        answered.filter((one) => one.question.kind === kind),
      ),
    ),
    above: above && Object.fromEntries(above),
    negatives: { questions: negative.length, quiet: negative.filter(isQuiet).length },
    calledWeak: answered.filter((one) => one.found.confidence === 'weak').length,
  };
}

/** Runs a set and reports it. */
export const evaluate = async (dataset: Dataset, options: EvaluateOptions): Promise<EvalReport> =>
  reportOf(dataset, await judgeDataset(dataset, options), options.seed);
