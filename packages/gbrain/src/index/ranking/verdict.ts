// What a reply says about itself: the evidence of each row, and how sure the whole is that it holds what was asked.
import { inverseFrequency } from '../bm25f.ts';
import type { Candidate, Confidence, Evidence, SearchState, Stage } from './state.ts';

/** Share of the question's weight that must stand in a page for `keyword_exact`. */
const EXACT_SHARE = 0.999;
/** Shares of the question's weight in the best page, below which an answer is weak, and from which it is strong. */
const WEAK_BELOW = 0.6;
const STRONG_FROM = 0.9;

/**
 * Share of the question's weight that stands in a page. A word that no page holds weighs as the rarest there can
 * be.
 */
export function coverageOf(state: SearchState, candidate: Pick<Candidate, 'matched'>): number {
  const missing = inverseFrequency(state.view.documents, 0);
  let total = 0;
  let held = 0;
  state.scores.terms.forEach(({ term, documents, idf }, place) => {
    if (term.kind === 'correction' || term.kind === 'skip') return;
    const corrected = state.corrections.has(term.text);
    const weight = term.weight * (documents > 0 || !corrected ? (documents > 0 ? idf : missing) : missing / 2);
    total += weight;
    const bits = corrected ? correctionBits(state, term.at) : place < 32 ? 2 ** place : 0;
    if ((candidate.matched & bits) !== 0) held += weight;
  });
  return total > 0 ? held / total : 0;
}

/** Bits of the spellings taken for a misspelt word. */
function correctionBits(state: SearchState, at: number): number {
  let bits = 0;
  state.scores.terms.forEach(({ term }, place) => {
    if (term.kind === 'correction' && term.at === at && place < 32) bits |= 2 ** place;
  });
  return bits;
}

/** Greatest coverage of any page, before selection: how well the question's own words are answered. */
export function bestCoverage(state: SearchState): number {
  const seen = new Set<number>();
  let best = 0;
  for (const { matched, touched, touchedCount } of state.scores.segments)
    for (let i = 0; i < touchedCount; i++) {
      const bits = matched[touched[i]!]!;
      if (seen.has(bits)) continue;
      seen.add(bits);
      best = Math.max(best, coverageOf(state, { matched: bits }));
    }
  return best;
}

function evidenceOf(state: SearchState, candidate: Candidate): Evidence {
  if (candidate.evidence) return candidate.evidence;
  return state.corrections.size === 0 && coverageOf(state, candidate) >= EXACT_SHARE
    ? 'keyword_exact'
    : 'weak_semantic';
}

function confidenceOf(state: SearchState): Confidence {
  const top = state.candidates[0];
  if (!top) return 'weak';
  if (top.tier >= 2) return 'strong';
  const coverage = coverageOf(state, top);
  if (coverage < WEAK_BELOW) return 'weak';
  return coverage >= STRONG_FROM && (top.passages?.closeness ?? 0) >= STRONG_FROM ? 'strong' : 'moderate';
}

/** The stage. */
export const verdict: Stage = {
  name: 'verdict',
  run(state: SearchState): SearchState {
    const shown = state.candidates.slice(0, state.limit).map((one) => ({ ...one, evidence: evidenceOf(state, one) }));
    return {
      ...state,
      candidates: [...shown, ...state.candidates.slice(state.limit)],
      confidence: confidenceOf(state),
    };
  },
};
