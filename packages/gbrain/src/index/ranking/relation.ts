// Relational questions over typed links: finds the page that a question names and walks its links. Asks its port for
// links; without it, or without a page of that name, the question is left to the text.
import { tokensOf } from '../analysis.ts';
import { NO_DAY } from '../document.ts';
import { pagesCalled } from '../names.ts';
import { isStopWord } from '../query-terms.ts';
import type { DocRef } from '../scope.ts';
import { findTerm } from '../segment.ts';
import { stringAt } from '../string-table.ts';
import type { Hop } from './relations.ts';
import {
  type Candidate,
  candidateFor,
  type EdgesPort,
  marked,
  type SearchState,
  type Stage,
  withCandidates,
} from './state.ts';

/** Pages from which the next hop starts, at most. */
const FRONTIER_MAX = 200;
/** Pages of one name that are walked from. */
const SEEDS_MAX = 3;

function correctedName(state: SearchState, name: string): string {
  return tokensOf(name)
    .words.map((word) => state.corrections.get(word) ?? word)
    .join(' ');
}

/**
 * Pages that the seed names: by name, by corrected name, or by a title that holds all its words on the day asked
 * for.
 */
function seedsOf(state: SearchState, name: string): DocRef[] {
  const room = state.room.scoring.postings;
  const bare = name.replace(/^(?:the|a|an) /, '');
  for (const form of [name, bare, correctedName(state, bare)]) {
    const found = pagesCalled(state.view, form, room);
    if (found && found.pages.length <= SEEDS_MAX) return found.pages;
  }
  return seedsByTitle(state, bare);
}

function seedsByTitle(state: SearchState, name: string): DocRef[] {
  const { span } = state.question.when;
  const words = tokensOf(name).words.filter((word) => !isStopWord(word) && !/^\d+$/.test(word));
  if (words.length < 2) return [];
  const fits = state.candidates.filter(({ ref }) => {
    const { columns } = ref.segment;
    const day = columns.days[ref.doc]!;
    if (span && (day === NO_DAY || day < span.from || day > span.to)) return false;
    const title = state.room.passages.titleTerms(columns, ref.doc);
    return words.every((word) => title.has(findTerm(columns, state.corrections.get(word) ?? word)));
  });
  return fits.slice(0, 1).map((one) => one.ref);
}

/** A page at the far end of a link, with what orders it. */
interface Far {
  readonly id: number;
  readonly strength: number;
  readonly score: number;
  readonly slug: string;
}

const byTelling = (a: Far, b: Far): number =>
  a.strength - b.strength || b.score - a.score || (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : a.id - b.id);

/**
 * Page ids at the end of the walk: the most telling links first, then what the words found, then by slug. Never in the
 * order in which links were made, which two brains of equal pages do not share.
 */
async function walk(
  { view, candidates }: SearchState,
  from: readonly number[],
  hops: readonly Hop[],
  edges: EdgesPort,
): Promise<number[]> {
  const scores = new Map(candidates.map(({ pageId, base }) => [pageId, base]));
  const slugOf = (pageId: number): string => {
    const ref = view.locate(pageId);
    return ref ? stringAt(ref.segment.columns.slugs, ref.doc) : '';
  };
  let frontier = [...from];
  const passed = new Set(from);
  for (const [i, hop] of hops.entries()) {
    if (frontier.length === 0) return [];
    const found = await edges(frontier.slice(0, FRONTIER_MAX), hop.types, hop.direction);
    const strength = (type: string): number => hop.types.indexOf(type);
    const far = found.map(({ type, fromPageId, toPageId }): Far => {
      const id = hop.direction === 'in' ? fromPageId : toPageId;
      return { id, strength: strength(type), score: scores.get(id) ?? 0, slug: slugOf(id) };
    });
    const next = new Set(far.sort(byTelling).map(({ id }) => id));
    if (i === hops.length - 1) for (const id of passed) next.delete(id);
    frontier = [...next];
  }
  return frontier;
}

/** The stage. */
export const relation: Stage = {
  name: 'relation',
  async run(state: SearchState): Promise<SearchState> {
    const asked = state.question.relation;
    const { edges } = state.options;
    if (!asked || !edges) return state;
    const seeds = seedsOf(state, asked.seed);
    if (seeds.length === 0) return state;
    const seedPages = seeds.map((ref) => candidateFor(state, ref));
    const ids = await walk(
      state,
      seedPages.map((one) => one.pageId),
      asked.hops,
      edges,
    );
    const refs = ids.map((id) => state.view.locate(id)).filter((ref) => ref !== null);
    if (refs.length === 0) return state;
    const types = asked.hops.map((hop) => hop.types[0]).join(', ');
    const answers = refs.map((ref, i): Candidate => {
      const one = candidateFor(state, ref);
      return marked(one, 'relation', `${types} of ${seedPages[0]!.slug}`, { tier: 2, score: refs.length - i });
    });
    const isEvent =
      asked.hops.at(-1)!.types.includes('attended') && asked.hops.length === 1 && asked.hops[0]!.direction === 'in';
    const around = seedPages.map((one) =>
      marked(one, 'relation', 'the page asked about', {
        tier: isEvent ? 2 : 1,
        score: isEvent ? refs.length + 1 : one.score,
      }),
    );
    return { ...state, candidates: withCandidates(state.candidates, [...answers, ...around]) };
  },
};
