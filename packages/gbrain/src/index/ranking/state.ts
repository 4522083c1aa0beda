// What a search carries from stage to stage, and what a stage is. Knows no stage.
import type { ScoringRoom, TermFigures } from '../bm25f.ts';
import type { IndexScope } from '../document.ts';
import type { PassageFigures, PassageRoom } from '../passages.ts';
import type { QueryTerm } from '../query-terms.ts';
import type { DocRef, ScopeView } from '../scope.ts';
import type { Stemmer } from '../stemming.ts';
import { stringAt } from '../string-table.ts';

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

/** Reads typed links of pages: `out` are links that start at them. Must give only pages that the scope may see. */
export type EdgesPort = (
  pageIds: readonly number[],
  types: readonly string[],
  direction: 'in' | 'out',
) => Promise<readonly Edge[]> | readonly Edge[];

/** What a caller may set. */
export interface SearchOptions {
  /** Rows wanted, default 10. */
  readonly limit?: number;
  /** Today, for "last week"; without it relative dates are not read. */
  readonly today?: string;
  /** Links, for relational questions; without it they are answered from text alone. */
  readonly edges?: EdgesPort;
  /** Only pages of these types. */
  readonly types?: readonly string[];
  /** Only pages with an effective date within these ISO days, both included. */
  readonly since?: string;
  readonly until?: string;
  /** Stages that are left out, by name: for experiments and `search diagnose`. */
  readonly without?: readonly string[];
  /** Milliseconds from anywhere, for timings; without it stages report 0. */
  readonly clock?: () => number;
}

/** A page on its way to a row. */
export interface Candidate {
  readonly ref: DocRef;
  readonly pageId: number;
  readonly slug: string;
  /** Rows of a higher tier stand first: identity, then answers that structure gives, then text. */
  tier: number;
  score: number;
  /** Score of the lexical arm alone. */
  base: number;
  /** Bit i is set when term i (below 32) stands in the page. */
  matched: number;
  passages: PassageFigures | null;
  evidence: Evidence | null;
  /** What each stage did to the row: for `--explain`. */
  readonly marks: { readonly stage: string; readonly note: string }[];
}

/** A search on its way. Stages replace what they change. */
export interface SearchState {
  readonly query: string;
  readonly scope: IndexScope;
  readonly options: SearchOptions;
  readonly limit: number;
  readonly view: ScopeView;
  readonly room: { readonly scoring: ScoringRoom; readonly passages: PassageRoom };
  readonly stemmer: Stemmer;
  readonly words: readonly string[];
  readonly terms: readonly QueryTerm[];
  readonly figures: readonly TermFigures[];
  readonly candidates: readonly Candidate[];
  readonly confidence: Confidence;
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
    evidence: null,
    marks: [],
  };
}

/** Order of rows: tier, score, then what never changes (slug, page id), so that equal content ranks alike. */
export function byRank(a: Candidate, b: Candidate): number {
  return b.tier - a.tier || b.score - a.score || (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : a.pageId - b.pageId);
}

/** Sorted copy of candidates. */
export const ranked = (candidates: readonly Candidate[]): Candidate[] => [...candidates].sort(byRank);
