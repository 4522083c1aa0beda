// The index as its owner uses it: apply changes, search, look at figures, save and load. Pure: no clock, no files, no
// SQL.
import { DEFAULT_WEIGHTS, ScoringRoom, startScores } from './bm25f.ts';
import { drained, type SlicedParts } from './column-file.ts';
import { type SegmentFigures, SegmentSet } from './deltas.ts';
import { fromDay, type IndexChange, type IndexScope, NO_DAY } from './document.ts';
import { PassageRoom } from './passages.ts';
import { readQuestion } from './ranking/question.ts';
import { STAGES } from './ranking/stages.ts';
import type {
  Candidate,
  Confidence,
  CreateSafety,
  Evidence,
  RankedChunk,
  SearchOptions,
  SearchState,
} from './ranking/state.ts';
import { ScopeViews } from './scope.ts';
import { readSnapshot, type SnapshotRefusal, type SnapshotStamp, writeSnapshot } from './snapshot.ts';
import type { Stemmer } from './stemming.ts';
import { stringAt } from './string-table.ts';

/** One page of an answer. */
export interface RankedPage {
  readonly pageId: number;
  readonly sourceId: string;
  readonly slug: string;
  readonly title: string;
  readonly type: string;
  readonly effectiveDate: string | null;
  readonly score: number;
  /** Chunk indexes that answer, best first, at most three; empty when the page matched by structure only. */
  readonly chunks: readonly number[];
  readonly evidence: Evidence;
  readonly createSafety: CreateSafety;
  readonly marks: readonly { readonly stage: string; readonly note: string }[];
  /** Score of the words alone, as a share of what a page can have whose main theme is every word. */
  readonly base: number;
  /** Words of the question, and spellings taken for them, that stand in the page. */
  readonly matched: readonly string[];
  /** Its place is sure without its text: it is called as the question, or structure gives it as the answer. */
  readonly isPinned: boolean;
  /** Cosine of the page's nearest chunk; null where the vector arm did not read the page. */
  readonly cosine: number | null;
}

/** An answer. */
export interface SearchReply {
  readonly pages: readonly RankedPage[];
  /** Chunks across pages, best first; empty unless the grain is `chunk`. */
  readonly chunks: readonly RankedChunk[];
  readonly confidence: Confidence;
  /** How far the vector arm was trusted, 0 to 1; null when it did not take part. */
  readonly vectorTrust: number | null;
  /** The stages that ran, in order. */
  readonly stages: readonly { readonly name: string; readonly elapsedMs: number; readonly candidates: number }[];
  /** What was looked for, with the number of visible pages that hold it. */
  readonly terms: readonly { readonly text: string; readonly kind: string; readonly pages: number }[];
  /** False when the query holds nothing to look for (only punctuation, for example). */
  readonly hasTerms: boolean;
}

/** An index from a snapshot, or why there is none. */
export type LoadedIndex =
  | { readonly ok: true; readonly stamp: SnapshotStamp; readonly index: LexicalIndex }
  | { readonly ok: false; readonly reason: SnapshotRefusal };

/** Figures of an index. */
export interface IndexFigures extends SegmentFigures {
  readonly language: string;
  readonly bytesPerPage: number;
}

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;
const CHUNKS_MAX = 3;

/** Pages, words and names of one brain in memory. */
export class LexicalIndex {
  private readonly stemmer: Stemmer;
  private readonly set: SegmentSet;
  private readonly views: ScopeViews;
  private readonly room = { scoring: new ScoringRoom(), passages: new PassageRoom() };

  constructor(stemmer: Stemmer, set = new SegmentSet(stemmer)) {
    this.stemmer = stemmer;
    this.set = set;
    this.views = new ScopeViews(set);
  }

  /** Applies changes; the next search sees them. */
  apply(changes: readonly IndexChange[]): void {
    this.set.apply(changes);
  }

  /** The same in turns of a few milliseconds. */
  applySlices(changes: readonly IndexChange[]): Generator<void, void, void> {
    return this.set.applySlices(changes);
  }

  /**
   * Does about `units` of background merge work; true while there is more. A quiet core does 20,000 units in a
   * millisecond, so a query that comes meanwhile waits about three.
   */
  step(units = 60_000): boolean {
    return this.set.step(units);
  }

  /** Begins to merge everything, where no other merge runs; `step` does the work. */
  beginCompaction(): void {
    this.set.beginCompaction();
  }

  /** Merges everything at once: after a bulk load, before a snapshot. */
  compact(): void {
    this.set.compact();
  }

  /** Sizes. */
  stats(): IndexFigures {
    const figures = this.set.figures();
    return {
      ...figures,
      language: this.stemmer.language,
      bytesPerPage: figures.documents > 0 ? Math.round(figures.bytes / figures.documents) : 0,
    };
  }

  /** The index as bytes; `load` gives it back. */
  snapshot(stamp: Omit<SnapshotStamp, 'language'>): Uint8Array<ArrayBuffer> {
    return drained(this.snapshotSlices(stamp));
  }

  /**
   * The same as the pieces of a file, made in slices. What changes meanwhile is not in it, so the stamp must be of when
   * this was called.
   */
  snapshotSlices(stamp: Omit<SnapshotStamp, 'language'>): SlicedParts {
    return writeSnapshot(this.set.segments, { ...stamp, language: this.stemmer.language });
  }

  /** An index from bytes of `snapshot`, or why they are refused. The buffer must not be changed afterwards. */
  static load(bytes: Uint8Array, stemmer: Stemmer, incarnation: string): LoadedIndex {
    const reading = readSnapshot(bytes, { incarnation, language: stemmer.language });
    if (!reading.ok) return reading;
    return {
      ok: true,
      stamp: reading.stamp,
      index: new LexicalIndex(stemmer, new SegmentSet(stemmer, reading.segments)),
    };
  }

  /** Tells which pages a scope may see, as the index stands. */
  visibleTo(scope: IndexScope): (pageId: number) => boolean {
    const view = this.views.open(scope);
    return (pageId) => view.locate(pageId) !== null;
  }

  /** Ranks the pages that a scope may see. Any text is a valid query. */
  async search(query: string, scope: IndexScope, options: SearchOptions = {}): Promise<SearchReply> {
    const begun = this.start(query, scope, options);
    try {
      return await this.run(begun);
    } finally {
      this.room.scoring.release(begun.scores.segments);
    }
  }

  private async run(begun: SearchState): Promise<SearchReply> {
    const { options } = begun;
    const clock = options.clock ?? (() => 0);
    const stages: { name: string; elapsedMs: number; candidates: number }[] = [];
    let state = begun;
    for (const stage of STAGES) {
      if (options.without?.includes(stage.name)) continue;
      const from = clock();
      const next = stage.run(state);
      state = next instanceof Promise ? await next : next;
      stages.push({ name: stage.name, elapsedMs: clock() - from, candidates: state.candidates.length });
    }
    return {
      pages: toRows(state),
      chunks: state.chunks.slice(0, state.limit),
      confidence: state.confidence,
      vectorTrust: state.vectorTrust,
      stages,
      terms: state.scores.terms.map(({ term, documents }) => ({ text: term.text, kind: term.kind, pages: documents })),
      hasTerms: state.question.terms.length > 0,
    };
  }

  private start(query: string, scope: IndexScope, options: SearchOptions): SearchState {
    const view = this.views.open(scope);
    return {
      question: readQuestion(query, options.today),
      scope,
      options,
      limit: Math.min(Math.max(1, Math.trunc(options.limit ?? LIMIT_DEFAULT)), LIMIT_MAX),
      view,
      room: this.room,
      stemmer: this.stemmer,
      scores: { segments: startScores(view, this.room.scoring), terms: [] },
      corrections: new Map(),
      alternatives: [],
      candidates: [],
      chunks: [],
      confidence: 'weak',
      vectorTrust: null,
    };
  }
}

const SAFETY: Readonly<Record<Evidence, CreateSafety>> = {
  alias_hit: 'exists',
  exact_title_match: 'exists',
  high_vector_match: 'exists',
  keyword_exact: 'probable',
  weak_semantic: 'unknown',
};

/** Rows with scores between 0 and 1 that never rise: 1 is a page that is, or fully holds, what was asked. */
function toRows(state: SearchState): RankedPage[] {
  const ceiling = scoreCeiling(state);
  const rows = state.candidates
    .slice(0, state.limit)
    .map((one) => ({ ...toRow(state, one, ceiling), score: shownScore(one, ceiling) }));
  for (let i = rows.length - 2; i >= 0; i--) rows[i]!.score = Math.max(rows[i]!.score, rows[i + 1]!.score);
  return rows;
}

/** Score of a page of which every term of the question is a main theme. */
const scoreCeiling = (state: SearchState): number =>
  state.scores.terms.reduce((sum, { term, idf }) => sum + term.weight * idf * (DEFAULT_WEIGHTS.k1 + 1), 0);

const wordsShare = ({ base }: Candidate, ceiling: number): number => (ceiling > 0 ? Math.min(base / ceiling, 0.99) : 0);

function shownScore(candidate: Candidate, ceiling: number): number {
  if (candidate.tier >= 3) return 1;
  const share = wordsShare(candidate, ceiling);
  return Math.max(candidate.tier >= 2 ? 0.9 : candidate.tier === 1 ? 0.6 : 0, share, 0.0001);
}

/** Chunks that answer: those with the question's words, or the one that the vector arm found nearest. */
function chunksOf({ passages, chunk }: Candidate): number[] {
  const worded = (passages?.chunks ?? []).slice(0, CHUNKS_MAX).map((one) => one.index);
  return worded.length === 0 && chunk !== null ? [chunk] : worded;
}

function toRow(state: SearchState, candidate: Candidate, ceiling: number): Omit<RankedPage, 'score'> {
  const { columns } = candidate.ref.segment;
  const { doc } = candidate.ref;
  const evidence = candidate.evidence ?? 'weak_semantic';
  const day = columns.days[doc]!;
  return {
    pageId: candidate.pageId,
    sourceId: stringAt(columns.sources, columns.sourceOf[doc]!),
    slug: candidate.slug,
    title: stringAt(columns.titles, doc),
    type: stringAt(columns.types, columns.typeOf[doc]!),
    effectiveDate: day === NO_DAY ? null : fromDay(day),
    chunks: chunksOf(candidate),
    evidence,
    createSafety: SAFETY[evidence],
    marks: candidate.marks,
    base: wordsShare(candidate, ceiling),
    matched: state.scores.terms
      .filter(({ term }, place) => term.kind !== 'skip' && place < 32 && (candidate.matched & (2 ** place)) !== 0)
      .map(({ term }) => term.text),
    isPinned: candidate.tier >= 2,
    cosine: candidate.cosine,
  };
}
