// What a search could not see: files that are not in the brain, pages that the provider gave no vector for, and how
// many of them could hold what was asked. Pure. Source: AGENT_OPERATOR v1, Coverage notices.
import type { CoverageCounts } from '@gbrain/wire/notice';
import { tokensOf } from '../../index/analysis.ts';
import { isStopWord, QUERY_LENGTH_MAX } from '../../index/query-terms.ts';
import type { HoldRow } from './search.sql.ts';

/** How many there are, and how many could hold what was asked. */
export interface HoldCount {
  count: number;
  could_affect: number;
}

/** The state of a brain that can hide text from a search; null is a state that could not be read. */
export interface SearchCoverage {
  /** Texts whose words wait to be derived. A page and its words are one commit, so none ever waits. */
  pending_projections: HoldCount;
  sync_holds: HoldCount | null;
  embedding_holds: HoldCount | null;
}

/** A search, as far as it decides what could have been among its answers. */
export interface Covered {
  query: string;
  types: readonly string[];
  rows: readonly { slug: string; type: string; source_id: string }[];
}

/** Files that could hold what was asked, for the notice about them. */
export interface HeldFiles {
  could_affect: number;
  failed: number;
  source: string;
  /** Folder of the first file; absent where it is one of the content directory. */
  dir?: string;
  coverage: CoverageCounts;
}

/** Whether a hold could have been among the answers of a search. */
function couldAffect({ query, types, rows }: Covered): (hold: HoldRow) => boolean {
  if (rows.length === 0) return () => true;
  const slugs = new Set(rows.map(({ slug, source_id }) => `${source_id}\0${slug}`));
  const shown = new Set([...types, ...rows.map(({ type }) => type)]);
  const words = new Set(tokensOf(query.slice(0, QUERY_LENGTH_MAX)).words.filter((word) => !isStopWord(word)));
  const named = (text: string | null): boolean => text !== null && tokensOf(text).words.some((word) => words.has(word));
  return ({ source_id, slug, type, title, path }) =>
    slugs.has(`${source_id}\0${slug}`) || (type !== null && shown.has(type)) || [title, slug, path].some(named);
}

const countOf = (holds: readonly HoldRow[], could: (hold: HoldRow) => boolean): HoldCount => ({
  count: holds.length,
  could_affect: holds.filter(could).length,
});

/** The coverage of a search; `holds` is undefined when they could not be read. */
export function coverageOf(covered: Covered, holds: readonly HoldRow[] | undefined): SearchCoverage {
  const pending_projections = { count: 0, could_affect: 0 };
  if (!holds) return { pending_projections, sync_holds: null, embedding_holds: null };
  const could = couldAffect(covered);
  const of = (kind: HoldRow['kind']) => holds.filter((hold) => hold.kind === kind);
  return {
    pending_projections,
    sync_holds: countOf(of('file'), could),
    embedding_holds: countOf(of('embedding'), could),
  };
}

/** What there is to say of held files: some could hold what was asked, or nobody knows. */
export function heldFiles(
  coverage: SearchCoverage,
  holds: readonly HoldRow[] | undefined,
  source: string,
): HeldFiles | undefined {
  const { sync_holds } = coverage;
  if (!holds || !sync_holds) return { could_affect: 0, failed: 0, source, coverage: { files: null } };
  const files = holds.filter(({ kind }) => kind === 'file');
  if (sync_holds.could_affect === 0) return undefined;
  const first = files.find(({ root }) => root !== null) ?? files[0]!;
  const sources = new Set(files.map(({ source_id }) => source_id));
  return {
    could_affect: sync_holds.could_affect,
    failed: sync_holds.count,
    source: first.source_id,
    ...(first.root !== null && { dir: first.root }),
    coverage: Object.fromEntries(
      [...sources].map((id) => [`files:${id}`, files.filter(({ source_id }) => source_id === id).length]),
    ),
  };
}
