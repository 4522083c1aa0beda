// What an evaluation runs over: documents with questions whose answers are known. Knows no file layout and no metric.
import { readFileSync } from 'node:fs';
import type { IndexDocument } from '../../index/document.ts';
import type { Edge } from '../../index/ranking/state.ts';

/** A question with its answers. */
export interface Question {
  readonly id: string;
  /** Category that figures are reported by. */
  readonly kind: string;
  readonly text: string;
  /** Keys of the units that answer, each with its grade (1 where the set has none); empty for a negative question. */
  readonly gold: ReadonlyMap<string, number>;
  /** Keys that are taken out of a ranking before it is scored: defensible, but not the answer. */
  readonly neutral?: ReadonlySet<string>;
}

/** Documents that are searched together, with the questions asked of them. */
export interface Group {
  readonly pages: readonly IndexDocument[];
  readonly questions: readonly Question[];
  /** Typed links, where the set has them. */
  readonly edges?: readonly Edge[];
  /** Today, as an ISO day, for questions that say "last week". */
  readonly today?: string;
}

/** A set at one grain: whole pages (their slug is the key) or chunks (`slug#index`). */
export interface Dataset {
  readonly name: string;
  readonly grain: 'page' | 'chunk';
  readonly groups: readonly Group[];
}

/** A test set that is not what its layout promises: the file or the question that does not fit, never its text. */
export class DatasetFault extends Error {
  /** Such as `queries.jsonl line 3`. */
  readonly place: string;
  /** The line itself, where it is one. */
  readonly line: { readonly file: string; readonly number: number } | undefined;

  constructor(place: string, line?: DatasetFault['line']) {
    super(place);
    this.place = place;
    this.line = line;
  }
}

/** The text of a file, without the mark that some editors put before it. */
export const readText = (file: string): string => readFileSync(file, 'utf8').replace(/^\uFEFF/, '');

/** Key of a chunk. */
export const chunkKey = (slug: string, index: number): string => `${slug}#${index}`;

/** A page of a conversation, for sets that are conversations. */
export function conversationPage(
  pageId: number,
  name: { readonly slug: string; readonly title: string },
  date: string | null,
  chunks: IndexDocument['chunks'],
): IndexDocument {
  return {
    ...name,
    pageId,
    sourceId: 'default',
    visibility: 'world',
    aliases: [],
    type: 'conversation',
    effectiveDate: date,
    chunks,
    timeline: [],
  };
}

/** The same set at page grain: a page answers when one of its chunks does. */
export function atPageGrain(dataset: Dataset, name: string): Dataset {
  const toPage = (question: Question): Question => {
    const gold = new Map<string, number>();
    for (const [key, grade] of question.gold) {
      const slug = key.slice(0, key.lastIndexOf('#'));
      gold.set(slug, Math.max(grade, gold.get(slug) ?? 0));
    }
    return { ...question, gold };
  };
  const groups = dataset.groups.map((group) => ({ ...group, questions: group.questions.map(toPage) }));
  return { name, grain: 'page', groups };
}
