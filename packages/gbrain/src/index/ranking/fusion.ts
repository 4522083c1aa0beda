// Fusion at page grain: what the vector arm says of each page is added to what the words say, as far as the arm can be
// trusted for this question. Knows no provider and no store.
//
// Both sides are absolute. Words: the share of the question's ceiling that a page has. Vectors: by how many deviations
// a page's nearest chunk stands above what chance gives the best of as many chunks. An arm that is noise gives the
// pages that the words found no more than chance does, so it is not believed (`trustOf`).

import { DEFAULT_WEIGHTS } from '../bm25f.ts';
import type { VectorHit, VectorIndex } from '../vectors/vector-index.ts';
import { admits } from './lexical.ts';
import { type Candidate, candidateOf, marked, ranked, type SearchState, type Stage } from './state.ts';

/** Chunks that the vector arm gives. */
const HITS = 60;
/** Best pages by words whose nearness says whether the arm can be trusted, and the deviations of full trust. */
const WITNESSES = 20;
/** At most this share of the brain's pages are witnesses: all pages together say nothing. */
const WITNESS_SHARE = 0.25;
const WITNESSES_MIN = 3;
const TRUST_FROM = 2.5;
const TRUST_FULL = 5.5;
/** Deviations from which nearness counts, and at which it counts in full. */
const NEAR_FROM = 1;
const NEAR_FULL = 5;
/** What full nearness adds, as a share of the question's ceiling. */
const WEIGHT = 0.25;
/** From this cosine a page that no word found is evidence of its own (facts C.9). */
const HIGH_COSINE = 0.8;

/** A page as the vector arm sees it. */
interface Near {
  readonly hit: VectorHit;
  /** Deviations above what chance gives the best of the page's chunks. */
  readonly above: number;
}

/** Standard normal distribution up to a value (Abramowitz and Stegun 7.1.26). */
export function normalBelow(value: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(value)) / Math.SQRT2);
  const poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const half = (1 - poly * Math.exp((-value * value) / 2)) / 2;
  return value >= 0 ? 0.5 + half : 0.5 - half;
}

/** The deviations at which a single draw is as unlikely as the best of `count` draws at `value`. */
function ofBest(value: number, count: number): number {
  if (count <= 1) return value;
  // Far out the chance of the best of n is n times that of one; nearer it is exact.
  const tail =
    value > 4 ? count * (1 - normalBelow(4)) * Math.exp((16 - value * value) / 2) : 1 - normalBelow(value) ** count;
  return quantile(Math.min(Math.max(tail, 1e-300), 1 - 1e-12));
}

/** Deviations above which a share `tail` of a normal distribution lies (Abramowitz and Stegun 26.2.23). */
function quantile(tail: number): number {
  if (tail > 0.5) return -quantile(1 - tail);
  const t = Math.sqrt(-2 * Math.log(tail));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/** How far the arm is trusted for this question, 0 to 1: by the pages that the words put first. */
function trustOf({ candidates, view }: SearchState, near: ReadonlyMap<number, Near>): number {
  let sum = 0;
  let squares = 0;
  let having = 0;
  const most = Math.max(WITNESSES_MIN, Math.floor(view.documents * WITNESS_SHARE));
  const witnesses = candidates.slice(0, Math.min(WITNESSES, most));
  const top = witnesses[0]?.base ?? 0;
  for (const { pageId, base } of witnesses) {
    const one = near.get(pageId);
    if (!one || top <= 0) continue;
    having++;
    sum += (base / top) * one.above;
    squares += (base / top) ** 2;
  }
  if (squares === 0) return 0;
  // Pages without a vector gain nothing, so the fewer have one, the less the others may pass them.
  const covered = (having / witnesses.length) ** 2;
  return covered * shareOf(sum / Math.sqrt(squares), TRUST_FROM, TRUST_FULL);
}

const shareOf = (value: number, from: number, full: number): number =>
  Math.min(1, Math.max(0, (value - from) / (full - from)));

function nearPages(state: SearchState, index: VectorIndex, query: Float32Array): ReadonlyMap<number, Near> | null {
  const visible = (pageId: number): boolean => state.view.locate(pageId) !== null;
  const spread = index.spread(query, visible);
  if (!(spread.deviation > 1e-6)) return null;
  const ids = [
    ...index.search(query, HITS, visible).hits.map((hit) => hit.pageId),
    ...state.candidates.map((one) => one.pageId),
  ];
  const pages = new Map<number, Near>();
  for (const [pageId, hit] of index.nearestOf(query, [...new Set(ids)])) {
    const deviations = (hit.cosine - spread.mean) / spread.deviation;
    pages.set(pageId, { hit, above: ofBest(deviations, index.chunksOf(pageId)) });
  }
  return pages;
}

/** A page with what the arm adds to it; nothing for one that neither side speaks for. */
function fuse(state: SearchState, near: Near, trust: number, ceiling: number): Candidate[] {
  const { hit, above } = near;
  const ref = state.view.locate(hit.pageId);
  if (!ref || admits(ref.segment, state.options)?.(ref.doc) === false) return [];
  const found = state.candidates.find((one) => one.pageId === hit.pageId);
  const known = found && { ...found, cosine: hit.cosine };
  const more = WEIGHT * ceiling * trust * shareOf(above, NEAR_FROM, NEAR_FULL);
  if (more <= 0) return known ? [known] : [];
  const candidate = known ?? candidateOf(ref);
  const isHigh = hit.cosine >= HIGH_COSINE && candidate.evidence === null;
  const said = `cosine ${hit.cosine.toFixed(3)}, ${above.toFixed(1)} deviations above chance`;
  return [
    marked(candidate, 'fusion', `${said}, trust ${trust.toFixed(2)}`, {
      score: candidate.score + more,
      chunk: hit.chunk,
      cosine: hit.cosine,
      ...(isHigh && { evidence: 'high_vector_match' as const }),
    }),
  ];
}

/** The stage. */
export const fusion: Stage = {
  name: 'fusion',
  run(state: SearchState): SearchState {
    const { vectors } = state.options;
    if (!vectors?.index.takes(vectors.query)) return state;
    const pages = nearPages(state, vectors.index, vectors.query);
    const ceiling = state.scores.terms.reduce(
      (sum, { term, idf }) => sum + term.weight * idf * (DEFAULT_WEIGHTS.k1 + 1),
      0,
    );
    if (!pages || ceiling <= 0) return state;
    const trust = trustOf(state, pages);
    const fused = [...pages.values()].flatMap((near) => fuse(state, near, trust, ceiling));
    const rest = state.candidates.filter((one) => !pages.has(one.pageId));
    return { ...state, candidates: ranked([...fused, ...rest]), vectorTrust: trust };
  },
};
