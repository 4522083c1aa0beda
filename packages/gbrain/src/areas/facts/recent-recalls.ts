// What a session was told a moment ago, so that it is not saved again as if it were new: an echo. It lives as long as
// the process that has the brain open; nothing is stored. Only what a read gave counts, and only for a while.
import type { Context } from '../../context.ts';
import type { Store } from '../../store/store.ts';
import { readStatement } from './statement.ts';

/** Something that a read has given. */
export interface Told {
  /** The fact's id; absent for a page. */
  factId?: string;
  /** The page's slug; absent for a fact. */
  slug?: string;
  text: string;
  /** When the fact ends. */
  until?: string | null;
}

interface Kept {
  factId?: string;
  slug?: string;
  text: string;
  until?: string | null;
  /** The text in lower case, and its sentences; both made when first needed. */
  lower?: string;
  sentences?: Sentence[];
  at: number;
}

interface Sentence {
  words: readonly string[];
  isDenied: boolean;
}

/** How long something counts as told, in milliseconds. */
const WINDOW_MS = 30 * 60_000;
/** Texts kept for a session, and sessions kept. */
const TEXTS_MAX = 300;
const SESSIONS_MAX = 500;
/** Fewest words by which a text can be an echo: shorter ones are in everything. */
const WORDS_MIN = 3;

const told = new WeakMap<Store, Map<string, Kept[]>>();

const sessionOf = (ctx: Context): string =>
  `${ctx.target.source}\n${ctx.caller.principal}\n${ctx.caller.session?.id ?? ''}`;

/** Keeps what a read gives to its caller. */
export function keepTold(ctx: Context, given: readonly Told[]): void {
  if (given.length === 0) return;
  const sessions = told.get(ctx.brain.store) ?? new Map<string, Kept[]>();
  told.set(ctx.brain.store, sessions);
  const key = sessionOf(ctx);
  const at = ctx.now().getTime();
  const kept = [...(sessions.get(key) ?? []), ...given.map((one) => ({ ...one, at }))].slice(-TEXTS_MAX);
  // The session that was told last stands at the end, so the oldest is the first to go.
  sessions.delete(key);
  sessions.set(key, kept);
  for (const oldest of sessions.keys()) {
    if (sessions.size <= SESSIONS_MAX) break;
    sessions.delete(oldest);
  }
}

/** Forgets what was told of facts whose words were taken away. */
export function dropTold(store: Store, factIds: ReadonlySet<string>): void {
  for (const [key, kept] of told.get(store) ?? []) {
    const left = kept.filter(({ factId }) => factId === undefined || !factIds.has(factId));
    if (left.length < kept.length) told.get(store)?.set(key, left);
  }
}

/** A fact as it was told. */
export const toldFact = (view: { fact_id: string; fact: string; valid_until?: string | null }): Told => ({
  factId: view.fact_id,
  text: view.fact,
  until: view.valid_until ?? null,
});

/** What a text repeats of what this session was told; undefined for one that says something of its own. */
export function echoOf(ctx: Context, text: string): { factId?: string; slug?: string } | undefined {
  const kept = told.get(ctx.brain.store)?.get(sessionOf(ctx));
  if (!kept) return undefined;
  const said = sentencesOf(text);
  if (said.every(({ words }) => words.length < WORDS_MIN)) return undefined;
  const since = ctx.now().getTime() - WINDOW_MS;
  const now = ctx.now().toISOString();
  const recent = kept.filter((one) => one.at >= since && (one.until == null || one.until > now));
  let first: Kept | undefined;
  for (const sentence of said) {
    const source = recent.findLast((one) => {
      one.lower ??= one.text.toLowerCase();
      if (!mayHold(one.lower, sentence)) return false;
      one.sentences ??= sentencesOf(one.text);
      return one.sentences.some((other) => holds(other, sentence));
    });
    if (!source) return undefined;
    first = first?.factId !== undefined ? first : source;
  }
  return (
    first && {
      ...(first.factId !== undefined && { factId: first.factId }),
      ...(first.slug !== undefined && { slug: first.slug }),
    }
  );
}

function sentencesOf(text: string): Sentence[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => readStatement(sentence))
    .map(({ words, dates, isDenied }) => ({ words: [...words, ...dates], isDenied }))
    .filter(({ words }) => words.length > 0);
}

/** Whether a text has the long words of a sentence at all: reading its sentences costs much more. */
const mayHold = (lower: string, { words }: Sentence): boolean =>
  words.every((word) => word.length < 5 || !/^[a-z]+$/u.test(word) || lower.includes(word.slice(0, 4)));

/** Words that may stand between those of an echo. */
const GAP = 1;

/** Whether a sentence says all that another one says, in the same order and in one go, and denies it alike. */
function holds(whole: Sentence, part: Sentence): boolean {
  if (whole.isDenied !== part.isDenied || part.words.length < WORDS_MIN) return false;
  const last = whole.words.length - part.words.length;
  for (let start = 0; start <= last; start++) {
    let at = 0;
    const end = Math.min(whole.words.length, start + part.words.length + GAP);
    for (let i = start; i < end && at < part.words.length; i++) if (whole.words[i] === part.words[at]) at += 1;
    if (at === part.words.length) return true;
  }
  return false;
}
