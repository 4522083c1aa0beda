// Ranks chunks across pages: each chunk by its own words, by those of its neighbours and by its page. For
// conversations, where a question's words are spread over the turns around the one that answers. Knows streams, never
// postings.
import type { Bm25fWeights } from './bm25f.ts';
import { inverseFrequency } from './bm25f.ts';
import { FIELD_COUNT } from './document.ts';
import { type Spread, withNeighbours } from './neighbours.ts';
import type { SegmentTerm } from './passages.ts';
import type { Form } from './query-terms.ts';
import { decodeStream, type SegmentColumns } from './segment.ts';

/** A term of the question with the near words that stand for it. */
export interface TurnTerm extends SegmentTerm {
  readonly near: readonly Form[];
}

/** A page whose chunks take part, with what its words say. */
export interface TurnPage {
  readonly columns: SegmentColumns;
  readonly doc: number;
  readonly score: number;
  /** The question's terms in this page's segment. */
  readonly terms: readonly TurnTerm[];
}

/** How much a chunk's neighbours and its page add to its own words. */
export interface TurnWeights extends Spread {
  readonly window: number;
  /** Share of the greatest score that a turn gains which begins with a word of the question: who speaks. */
  readonly speaker: number;
  /** What the score over all fields, answers of the assistant included, adds to that over the rest. */
  readonly answers: number;
  readonly page: number;
}

/** One chunk in the order of rank. */
export interface RankedTurn {
  /** Place in the list of pages. */
  readonly page: number;
  readonly index: number;
  readonly score: number;
}

interface Turn {
  readonly page: number;
  readonly index: number;
  readonly lengths: Float64Array;
  /** Occurrences by field and term. */
  readonly counts: Float64Array;
  /** By field and term: 1 where the term itself stands, not only a word near it. */
  readonly own: Uint8Array;
  /** Words in all fields. */
  size: number;
  /** Place of the term that its first word is (who speaks), or -1. */
  readonly opens: number;
}

function readTurns(pages: readonly TurnPage[], terms: number): Turn[] {
  const turns: Turn[] = [];
  let room: Uint32Array = new Uint32Array(8192);
  pages.forEach(({ columns, doc, terms: forms }, page) => {
    const marks = new Map<number, { place: number; weight: number; own: boolean }>();
    forms.forEach((one, place) => {
      for (const form of one.near) marks.set(form.term, { place, weight: form.weight, own: false });
    });
    forms.forEach((one, place) => {
      for (const form of one.forms) marks.set(form.term, { place, weight: 1, own: true });
    });
    const { ids, length } = decodeStream(columns, doc, room);
    room = ids;
    const byIndex = new Map<number, Turn>();
    const end = columns.spanAt[doc + 1]!;
    for (let at = columns.spanAt[doc]!; at < end; at += 3) {
      const field = columns.spans[at + 1]!;
      if (field <= 1) continue;
      const index = columns.spans[at + 2]!;
      let turn = byIndex.get(index);
      if (!turn) {
        turn = {
          page,
          index,
          lengths: new Float64Array(FIELD_COUNT),
          size: 0,
          opens: marks.get(ids[columns.spans[at]!]!)?.place ?? -1,
          counts: new Float64Array(FIELD_COUNT * terms),
          own: new Uint8Array(FIELD_COUNT * terms),
        };
        byIndex.set(index, turn);
      }
      const to = at + 3 < end ? columns.spans[at + 3]! : length;
      turn.size += to - columns.spans[at]!;
      turn.lengths[field]! += to - columns.spans[at]!;
      for (let position = columns.spans[at]!; position < to; position++) {
        const mark = marks.get(ids[position]!);
        if (mark === undefined) continue;
        turn.counts[field * terms + mark.place]! += mark.weight;
        if (mark.own) turn.own[field * terms + mark.place] = 1;
      }
    }
    turns.push(...[...byIndex.values()].sort((a, b) => a.index - b.index));
  });
  return turns;
}

/** Each turn's weighted frequency by term over some fields, normalised by its length in them. */
function weigh(
  turns: readonly Turn[],
  terms: number,
  weights: Bm25fWeights,
  fields: readonly number[],
): Float64Array[] {
  const mean = new Float64Array(FIELD_COUNT).fill(1);
  for (const field of fields) {
    const lengths = turns.map((turn) => turn.lengths[field]!).filter((length) => length > 0);
    if (lengths.length > 0) mean[field] = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  }
  return turns.map((turn) => {
    const frequencies = new Float64Array(terms);
    for (const field of fields) {
      if (turn.lengths[field] === 0) continue;
      const share = weights.lengthShares[field]!;
      const factor = weights.weights[field]! / (1 - share + (share * turn.lengths[field]!) / mean[field]!);
      for (let term = 0; term < terms; term++) frequencies[term]! += factor * turn.counts[field * terms + term]!;
    }
    return frequencies;
  });
}

const ALL_FIELDS = [2, 3, 4, 5, 6];
const ASKED_FIELDS = [2, 3, 4, 5];

/** What is ranked, for what, and how. */
interface Ranking {
  readonly turns: readonly Turn[];
  /** How many pages they are of. */
  readonly pages: number;
  readonly terms: readonly TurnTerm[];
  readonly weights: Bm25fWeights;
  readonly mix: TurnWeights;
}

/** Scores of turns by their own words and by those around them, over some fields with those fields' statistics. */
function scoreFields(ranking: Ranking, fields: readonly number[]): { scores: number[]; ceiling: number } {
  const { turns, terms, weights, mix } = ranking;
  const frequencies = weigh(turns, terms.length, weights, fields);
  const idf = terms.map(({ term }, place) => {
    const holds = (turn: Turn): boolean => fields.some((field) => turn.own[field * terms.length + place] === 1);
    const having = turns.reduce((sum, turn) => sum + (holds(turn) ? 1 : 0), 0);
    return term.weight * inverseFrequency(turns.length, having);
  });
  const score = (one: Float64Array): number =>
    one.reduce(
      (sum, frequency, place) => sum + (idf[place]! * (frequency * (weights.k1 + 1))) / (weights.k1 + frequency),
      0,
    );
  const around = Array.from({ length: ranking.pages }, (_, page) => {
    const first = turns.findIndex((turn) => turn.page === page);
    const own = turns.filter((turn) => turn.page === page);
    return withNeighbours(
      own.map(({ size }, i) => ({ size, held: frequencies[first + i]! })),
      mix,
    );
  }).flat();
  const scores = frequencies.map((own, at) => score(own) + mix.window * score(around[at]!));
  return { scores, ceiling: idf.reduce((sum, value) => sum + value * (weights.k1 + 1), 0) * (1 + mix.window) };
}

/** How much a page says of its turns: all where they are short, hardly anything where each is a text of its own. */
function contextShare(turns: readonly Turn[], scale: number): number {
  const mean = turns.reduce((sum, turn) => sum + turn.size, 0) / Math.max(1, turns.length);
  return Math.min(1, scale / Math.max(1, mean)) ** 2;
}

/** Chunks of the pages with any of the terms in them or around them, best first. */
export function rankTurns(pages: readonly TurnPage[], weights: Bm25fWeights, mix: TurnWeights): RankedTurn[] {
  const terms = pages[0]?.terms ?? [];
  const turns = readTurns(pages, terms.length);
  const asked = scoreFields({ turns, pages: pages.length, terms, weights, mix }, ASKED_FIELDS);
  const all = scoreFields({ turns, pages: pages.length, terms, weights, mix }, ALL_FIELDS);
  const best = pages.reduce((top, page) => Math.max(top, page.score), 0);
  const contexts = pages.map((_, page) =>
    contextShare(
      turns.filter((turn) => turn.page === page),
      mix.scale,
    ),
  );
  const ranked = turns.map(({ page, index, opens }, at) => {
    const own = asked.scores[at]! + mix.answers * all.scores[at]!;
    const whole = best > 0 ? (pages[page]!.score / best) * (asked.ceiling + mix.answers * all.ceiling) : 0;
    return {
      page,
      index,
      score: own > 0 ? own + mix.page * contexts[page]! * whole + (opens >= 0 ? mix.speaker * asked.ceiling : 0) : 0,
    };
  });
  return ranked
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.page - b.page || a.index - b.index);
}
