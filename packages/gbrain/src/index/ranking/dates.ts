// The date arm: pages and timeline entries of the time that a question names, and "the latest" of what it asks for.
import { inverseFrequency, type SegmentScores } from '../bm25f.ts';
import { fromDay, NO_DAY } from '../document.ts';
import { isStopWord } from '../query-terms.ts';
import type { SegmentColumns } from '../segment.ts';
import { stringAt } from '../string-table.ts';
import { type Candidate, figuresOf, marked, type SearchState, type Stage, withCandidates } from './state.ts';

/** A page's own date weighs as this many rare words. */
const PAGE_DATE_WEIGHT = 3;
/** A timeline entry's date. */
const TIMELINE_WEIGHT = 0.8;

function hasEntry(columns: SegmentColumns, doc: number, from: number, to: number): boolean {
  for (let i = columns.timelineAt[doc]!; i < columns.timelineAt[doc + 1]!; i++)
    if (columns.timelineDays[i]! >= from && columns.timelineDays[i]! <= to) return true;
  return false;
}

/** Calls `found` for every visible page of the time: 2 for the page's own date, 1 for an entry. */
function forPagesOf(
  scores: readonly SegmentScores[],
  from: number,
  to: number,
  found: (one: SegmentScores, doc: number, kind: 1 | 2) => void,
): void {
  for (const one of scores) {
    const { columns, visible } = one.segment;
    for (let doc = 0; doc < visible.length; doc++) {
      if (visible[doc] === 0) continue;
      const day = columns.days[doc]!;
      if (day >= from && day <= to) found(one, doc, 2);
      else if (hasEntry(columns, doc, from, to)) found(one, doc, 1);
    }
  }
}

/** Adds the time as one more term to the scores. */
export const dates: Stage = {
  name: 'dates',
  run(state: SearchState): SearchState {
    const { span } = state.question.when;
    if (!span) return state;
    const { segments } = state.scores;
    let own = 0;
    let entries = 0;
    forPagesOf(segments, span.from, span.to, (_, __, kind) => {
      if (kind === 2) own++;
      else entries++;
    });
    const weights = [
      0,
      TIMELINE_WEIGHT * inverseFrequency(state.view.documents, own + entries),
      PAGE_DATE_WEIGHT * inverseFrequency(state.view.documents, own),
    ];
    forPagesOf(segments, span.from, span.to, (one, doc, kind) => {
      if (one.scores[doc] === 0) one.touched[one.touchedCount++] = doc;
      one.scores[doc]! += weights[kind]!;
    });
    return state;
  },
};

/** Share of the best coverage that a page needs to be one of what is asked for. */
const COVERAGE_SHARE = 0.9;

/** Puts the newest (or oldest) of the pages that are what is asked for in front. */
export const order: Stage = {
  name: 'order',
  run(state: SearchState): SearchState {
    const wanted = state.question.when.order;
    if (!wanted || state.candidates.some((one) => one.tier >= 2)) return state;
    const pages = ofKind(
      state,
      state.candidates.filter((one) => one.ref.segment.columns.days[one.ref.doc] !== NO_DAY),
    );
    if (pages.length === 0) return state;
    const day = (one: Candidate): number => one.ref.segment.columns.days[one.ref.doc]!;
    const sign = wanted === 'latest' ? 1 : -1;
    const sorted = [...pages].sort(
      (a, b) => sign * (day(b) - day(a)) || b.score - a.score || (a.slug < b.slug ? -1 : 1),
    );
    const changed = sorted.map((one, i) =>
      marked(one, 'order', `${wanted} of ${sorted.length}: ${fromDay(day(one))}`, {
        tier: 1,
        score: sorted.length - i,
      }),
    );
    return { ...state, candidates: withCandidates(state.candidates, changed) };
  },
};

const typeOf = ({ ref }: Candidate): string =>
  stringAt(ref.segment.columns.types, ref.segment.columns.typeOf[ref.doc]!);

/** Types of the candidates that the question names ("meeting", "notes"). */
function typesNamed(state: SearchState, candidates: readonly Candidate[]): Set<string> {
  const content = state.question.words.filter((word) => !isStopWord(word));
  const stems = new Set(content.flatMap((word) => [word, ...state.stemmer.stems(word)]));
  const named = (type: string): boolean => stems.has(type) || state.stemmer.stems(type).some((stem) => stems.has(stem));
  return new Set([...new Set(candidates.map(typeOf))].filter(named));
}

/** Those candidates that are of the type asked for and about the thing asked for: by title when any title says it. */
function ofKind(state: SearchState, candidates: readonly Candidate[]): readonly Candidate[] {
  const types = typesNamed(state, candidates);
  const typed = candidates.filter((one) => types.has(typeOf(one)));
  const pool = typed.length > 0 ? typed : candidates;
  const isType = (word: string): boolean =>
    [word, ...state.stemmer.stems(word)].some((form) =>
      [...types].some((type) => type === form || state.stemmer.stems(type).includes(form)),
    );
  const about = figuresOf(state).map(({ term, idf }, place) => ({
    place,
    weight: term.kind === 'word' && isType(term.text) ? 0 : idf * term.weight,
  }));
  const total = about.reduce((sum, one) => sum + one.weight, 0);
  if (total === 0) return pool;
  const cover = (bits: number): number =>
    about.reduce((sum, { place, weight }) => sum + (place < 32 && (bits >>> place) & 1 ? weight : 0), 0) / total;
  const titled = pool.filter((one) => cover(one.passages?.titleMatched ?? 0) >= COVERAGE_SHARE);
  return titled.length > 0
    ? titled
    : pool.filter((one) => cover(one.matched) >= COVERAGE_SHARE && (one.passages?.closeness ?? 0) >= 0.5);
}
