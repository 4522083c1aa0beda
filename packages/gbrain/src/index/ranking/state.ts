// What a search carries from stage to stage, and what a stage is. Knows no stage.
import type { LexicalScores, ScoringRoom, TermFigures } from '../bm25f.ts';
import type { IndexScope } from '../document.ts';
import type { WordTable } from '../meaning/word-table.ts';
import type { PassageFigures, PassageRoom } from '../passages.ts';
import type { QueryTerm } from '../query-terms.ts';
import type { DocRef, ScopeView } from '../scope.ts';
import type { Stemmer } from '../stemming.ts';
import { stringAt } from '../string-table.ts';
import type { VectorIndex } from '../vectors/vector-index.ts';
import type { Relation } from './relations.ts';
import type { When } from './when.ts';

/** Why a row matched (facts C.9). */
export type Evidence = 'alias_hit' | 'exact_title_match' | 'high_vector_match' | 'keyword_exact' | 'weak_semantic';

/** Whether a page of this name would be a second one. */
export type CreateSafety = 'exists' | 'probable' | 'unknown';

/** How sure a reply is that it holds what was asked. */
export type Confidence = 'strong' | 'moderate' | 'weak';

/** A typed link between two pages. */
export interface Edge {
  readonly fromPageId: number;
  readonly toPageId: number;
  readonly type: string;
}

/**
 * Reads typed links: `out` those that start at one of the pages, `in` those that end there. What leads to pages outside
 * the scope is dropped by the reader of the answer, but links whose own text is hidden must not be given.
 */
export type EdgesPort = (
  pageIds: readonly number[],
  types: readonly string[],
  direction: 'in' | 'out',
) => Promise<readonly Edge[]> | readonly Edge[];

/** What a caller may set. */
export interface SearchOptions {
  /** Rows wanted, default 10. */
  readonly limit?: number;
  /** `chunk` ranks chunks across pages too (turns of conversations); default `page`. */
  readonly grain?: 'page' | 'chunk';
  /** Today as an ISO day, for "last week"; without it relative dates are not read. */
  readonly today?: string;
  /** Links, for relational questions; without it they are answered from text alone. */
  readonly edges?: EdgesPort;
  /**
   * Gives the table of near words, for questions whose own words find little. Called only for those, so that a cold
   * command need not read it; a table of another language than the index's is not used.
   */
  readonly words?: () => WordTable | null;
  /** The vector arm with this question's vector; without it the words and the structure answer alone. */
  readonly vectors?: { readonly index: VectorIndex; readonly query: Float32Array } | undefined;
  /** Only pages of these types. */
  readonly types?: readonly string[];
  /** Only pages with an effective date within these ISO days, both included. */
  readonly since?: string;
  readonly until?: string;
  /** Every stage notes what it did to a row, also where that is the rule: for `--explain`. */
  readonly explain?: boolean;
  /** Stages that are left out, by name: for experiments and `search diagnose`. */
  readonly without?: readonly string[];
  /** Milliseconds from anywhere, for timings; without it stages report 0. */
  readonly clock?: () => number;
}

/** What the question says, read once. */
export interface Question {
  readonly text: string;
  readonly words: readonly string[];
  readonly terms: readonly QueryTerm[];
  readonly when: When;
  readonly relation: Relation | null;
}

/** What a stage did to a row: for `--explain`. */
export interface Mark {
  readonly stage: string;
  readonly note: string;
}

/** A page on its way to a row. */
export interface Candidate {
  readonly ref: DocRef;
  readonly pageId: number;
  readonly slug: string;
  /** Rows of a higher tier stand first: 3 identity, 2 answers that structure gives, 1 what belongs to them, 0 text. */
  readonly tier: number;
  readonly score: number;
  /** Score of the lexical arm alone: the words of the question and those near them. */
  readonly base: number;
  /** Bit i is set when term i (below 32) stands in the page. */
  readonly matched: number;
  readonly passages: PassageFigures | null;
  /** Chunk that the vector arm found nearest; null where it found none. */
  readonly chunk: number | null;
  /** Cosine of that chunk; null where the arm did not read the page. */
  readonly cosine: number | null;
  readonly evidence: Evidence | null;
  readonly marks: readonly Mark[];
}

/** A chunk of an answer. */
export interface RankedChunk {
  readonly pageId: number;
  readonly index: number;
  readonly score: number;
}

/** A search on its way. A stage gives a new state; only `scores` is filled in place, by the stages before selection. */
export interface SearchState {
  readonly question: Question;
  readonly options: SearchOptions;
  readonly scope: IndexScope;
  readonly limit: number;
  readonly view: ScopeView;
  readonly room: { readonly scoring: ScoringRoom; readonly passages: PassageRoom };
  readonly stemmer: Stemmer;
  readonly scores: LexicalScores;
  /** Misspelt words of the question with the spelling taken instead. */
  readonly corrections: ReadonlyMap<string, string>;
  /** Near words that stand for words of the question, by the position of the word. */
  readonly alternatives: readonly TermFigures[];
  readonly candidates: readonly Candidate[];
  /** Chunks across pages, best first; empty unless the caller asked for them. */
  readonly chunks: readonly RankedChunk[];
  readonly confidence: Confidence;
  /** How far the vector arm was trusted, 0 to 1; null when it did not take part. */
  readonly vectorTrust: number | null;
}

/** One step of the pipeline. */
export interface Stage {
  readonly name: string;
  run(state: SearchState): SearchState | Promise<SearchState>;
}

/** A candidate for a document that no arm has scored. */
export function candidateOf(ref: DocRef): Candidate {
  const { columns } = ref.segment;
  return {
    ref,
    pageId: columns.pageIds[ref.doc]!,
    slug: stringAt(columns.slugs, ref.doc),
    tier: 0,
    score: 0,
    base: 0,
    matched: 0,
    passages: null,
    chunk: null,
    cosine: null,
    evidence: null,
    marks: [],
  };
}

/** A candidate with one more mark and what it changed. */
export const marked = (candidate: Candidate, stage: string, note: string, change: Partial<Candidate>): Candidate => ({
  ...candidate,
  ...change,
  marks: [...candidate.marks, { stage, note }],
});

/** Order of rows: tier, score, then what never changes (slug, page id), so that equal content ranks alike. */
export function byRank(a: Candidate, b: Candidate): number {
  return b.tier - a.tier || b.score - a.score || (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : a.pageId - b.pageId);
}

/** Sorted copy of candidates. */
export const ranked = (candidates: readonly Candidate[]): Candidate[] => [...candidates].sort(byRank);

/** Puts candidates in the place of those of the same page, adds the others, and sorts. */
export function withCandidates(all: readonly Candidate[], changed: readonly Candidate[]): Candidate[] {
  const ids = new Set(changed.map((one) => one.pageId));
  return ranked([...all.filter((one) => !ids.has(one.pageId)), ...changed]);
}

/** The candidate of a document: the one that is there, or a new one. */
export function candidateFor(state: SearchState, ref: DocRef): Candidate {
  const pageId = ref.segment.columns.pageIds[ref.doc]!;
  return state.candidates.find((one) => one.pageId === pageId) ?? candidateOf(ref);
}

/** Terms of the question with their frequencies. */
export const figuresOf = (state: SearchState): readonly TermFigures[] => state.scores.terms;
