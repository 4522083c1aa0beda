// Identity: the page whose slug, alias or title is the question itself stands first; pages named inside it gain.

import { joinWords, type NameKind, pagesCalled, pagesNamed } from '../names.ts';
import { isStopWord } from '../query-terms.ts';
import type { DocRef } from '../scope.ts';
import { admits } from './lexical.ts';
import { type Candidate, candidateFor, marked, type SearchState, type Stage, withCandidates } from './state.ts';

/** Pages of one name that come first; more of the same name is no identity. */
const IDENTITIES_MAX = 3;
/** A page whose whole name stands in the question gains this factor. */
const MENTION_FACTOR = 1.25;
/** Words of a question in which names are looked for, and words of the longest name. */
const MENTION_WORDS_MAX = 32;
const NAME_WORDS_MAX = 6;

/** What people put around a name when they ask for its page. */
const FRAME = new RegExp(
  [
    "^(?:(?:who|what) (?:is|are|was|were)|who's|what's|tell me (?:more )?about|everything about|profile of",
    '|show(?: me)?|find|open|about) (.+?)[?!. ]*$',
  ].join(''),
  'iu',
);

/** Names that the whole question may be: itself, and what stands inside a frame. */
function wholeNames(text: string): string[] {
  const bare = text.trim();
  const framed = FRAME.exec(bare)?.[1];
  return framed === undefined
    ? [bare, bare.replace(/[?!.]+$/, '')]
    : [bare, framed, framed.replace(/^(?:the|a|an) /i, '')];
}

const admitted = (state: SearchState, refs: readonly DocRef[]): DocRef[] =>
  refs.filter((ref) => admits(ref.segment, state.options)?.(ref.doc) ?? true);

/** Moves the pages that are called like the whole question to the front. */
export const identity: Stage = {
  name: 'identity',
  run(state: SearchState): SearchState {
    const room = state.room.scoring.postings;
    for (const name of wholeNames(state.question.text)) {
      const found = pagesCalled(state.view, name, room);
      if (!found) continue;
      const pages = admitted(state, found.pages);
      if (pages.length === 0 || pages.length > IDENTITIES_MAX) continue;
      const changed = pages.map((ref) => identified(candidateFor(state, ref), found.kind));
      return { ...state, candidates: withCandidates(state.candidates, changed) };
    }
    return state;
  },
};

function identified(candidate: Candidate, kind: NameKind): Candidate {
  const evidence = kind === 'title' ? 'exact_title_match' : 'alias_hit';
  return marked(candidate, 'identity', `the question is its ${kind === 'tail' ? 'slug' : kind}`, { tier: 3, evidence });
}

/** Pages whose whole name stands among the question's words, longest names first, each word used once. */
export function mentionedPages(state: SearchState): { readonly ref: DocRef; readonly name: string }[] {
  const words = state.question.words
    .slice(0, MENTION_WORDS_MAX)
    .map((word) => joinWords([state.corrections.get(word) ?? word]));
  const used = new Uint8Array(words.length);
  const found: { ref: DocRef; name: string }[] = [];
  for (let length = Math.min(NAME_WORDS_MAX, words.length); length > 0; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      if (used.subarray(at, at + length).some((one) => one === 1)) continue;
      const run = words.slice(at, at + length);
      if (run.every((word) => isStopWord(word) || word.length < 2)) continue;
      const name = run.join(' ');
      const refs = (['title', 'alias', 'tail'] as const).flatMap((kind) =>
        pagesNamed(state.view, kind, name, state.room.scoring.postings),
      );
      if (refs.length === 0 || refs.length > IDENTITIES_MAX * 2) continue;
      used.fill(1, at, at + length);
      for (const ref of refs)
        if (!found.some((one) => one.ref.segment === ref.segment && one.ref.doc === ref.doc)) found.push({ ref, name });
    }
  }
  return found;
}

/** Lifts the pages that a question names. */
export const mentions: Stage = {
  name: 'mentions',
  run(state: SearchState): SearchState {
    const changed: Candidate[] = [];
    for (const { ref, name } of mentionedPages(state)) {
      const candidate = state.candidates.find((one) => one.ref.segment === ref.segment && one.ref.doc === ref.doc);
      if (candidate)
        changed.push(marked(candidate, 'mentions', `named: ${name}`, { score: candidate.score * MENTION_FACTOR }));
    }
    return changed.length === 0 ? state : { ...state, candidates: withCandidates(state.candidates, changed) };
  },
};
