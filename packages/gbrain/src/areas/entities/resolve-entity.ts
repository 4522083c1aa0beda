// Who a name means: alias, then slug, then title, then the last part of a slug; and which page a sentence mentions.
// It never fails: a name that means nothing or several pages says so.
import type { ReadScope } from '../../context.ts';
import type { Queryable } from '../../store/store.ts';
import { lookupName } from '../pages/columns.ts';
import { foldSlug, parseSlug, slugFromTitle } from '../pages/slug.ts';
import { type EntityPage, findByNames, type NamedEntity } from './entities.sql.ts';

/** By what a name was found: an alias, the slug, a slug that it had, the title, or the last part of the slug. */
export type FoundBy = 'alias' | 'slug' | 'moved' | 'title' | 'tail';

const TIERS: readonly FoundBy[] = ['alias', 'slug', 'moved', 'title', 'tail'];

/** What a name means. */
export type ResolvedEntity =
  | { kind: 'page'; page: EntityPage; by: FoundBy; siblings: readonly EntityPage[] }
  | { kind: 'several'; pages: readonly EntityPage[] }
  | { kind: 'none' };

const tailOf = (name: string): string => foldSlug(slugFromTitle(name));

/** The page that a name means. Several pages of the best tier are told and none is chosen. */
export async function resolveEntity(db: Queryable, scope: ReadScope, name: string): Promise<ResolvedEntity> {
  const parsed = parseSlug(name);
  const tiers = await findByNames(db, scope, {
    lookups: [lookupName(name)],
    slugs: parsed.ok ? [parsed.slug] : [],
    titles: [name.trim()],
    tails: [tailOf(name)],
  });
  for (const [tier, rows] of tiers.entries()) {
    const pages = distinct(rows);
    const [first, ...others] = pages;
    if (!first) continue;
    // A slug is exact: it means one page of each source, and the first source wins.
    if (others.length === 0 || tier === 1 || tier === 2)
      return { kind: 'page', page: first, by: TIERS[tier]!, siblings: others };
    return { kind: 'several', pages };
  }
  return { kind: 'none' };
}

function distinct(rows: readonly NamedEntity[]): EntityPage[] {
  return [...new Map(rows.map(({ name: _, ...page }) => [page.id, page])).values()];
}

/** Words that a mention may have. */
const MENTION_WORDS = 5;
/** Words of a sentence that are looked at. */
const SENTENCE_WORDS = 80;

interface Span {
  text: string;
  from: number;
  to: number;
}

/** Words in lower case with which no name ends: runs up to them are not looked up, which is a third of all. */
const NEVER_LAST = new Set(
  'a an the of and or nor but as at by for from in into on to with is are was were be been has have had that'.split(
    ' ',
  ),
);

/** Runs of words that may be a name; one word alone only when it begins with a capital. */
function spansOf(sentence: string): Span[] {
  const words = [...sentence.matchAll(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’.&-]*/gu)].slice(0, SENTENCE_WORDS);
  const spans: Span[] = [];
  for (let from = 0; from < words.length; from++) {
    for (let to = from; to < Math.min(words.length, from + MENTION_WORDS); to++) {
      const first = words[from]!;
      const last = words[to]!;
      if (NEVER_LAST.has(last[0])) continue;
      const whole = sentence.slice(first.index, last.index + last[0].length);
      const text = whole.replace(/['’]s$|[.'’&-]+$/gu, '');
      if (from < to || /^\p{Lu}/u.test(text)) spans.push({ text, from, to });
    }
  }
  return spans;
}

/** Slugs of people that nobody can tell apart. Source: facts/engine E.1. */
const ANONYMOUS = /^(?:speaker|participant|spk|unknown|guest|user|assistant)(?:[ _-]?[a-z0-9]{0,3})?$/i;

/** Whether a name is that of an unnamed speaker. */
export const isAnonymous = (name: string): boolean => ANONYMOUS.test(name.trim());

/** Marks of the tiers of `findByNames`; a sentence names no slugs. */
const TIER_MARKS = ['a:', '-', '-', 't:', 'b:'] as const;

/** A page that a sentence mentions, and the words that do. */
export interface Mention {
  page: EntityPage;
  names: readonly string[];
}

/** What a sentence mentions; words that mean several pages mention none of them, and make it ambiguous. */
export interface Mentions {
  pages: readonly Mention[];
  isAmbiguous: boolean;
}

/** Pages that a sentence mentions by alias, title or name. */
export async function mentionsOf(db: Queryable, scope: ReadScope, sentence: string): Promise<Mentions> {
  const spans = spansOf(sentence).filter(({ text }) => !isAnonymous(text));
  if (spans.length === 0) return { pages: [], isAmbiguous: false };
  const byName = new Map<string, Span[]>();
  const keep = (key: string, span: Span) => byName.set(key, [...(byName.get(key) ?? []), span]);
  for (const span of spans) {
    keep(`a:${lookupName(span.text)}`, span);
    keep(`t:${span.text}`, span);
    if (span.from < span.to) keep(`b:${tailOf(span.text)}`, span);
  }
  const of = (mark: string) => [...byName.keys()].filter((key) => key.startsWith(mark)).map((key) => key.slice(2));
  const tiers = await findByNames(db, scope, { lookups: of('a:'), slugs: [], titles: of('t:'), tails: of('b:') });
  const hits = tiers.flatMap((rows, tier) =>
    rows.flatMap((row) => (byName.get(`${TIER_MARKS[tier]}${row.name}`) ?? []).map((span) => ({ row, span }))),
  );
  const isInside = ({ span: inner }: { span: Span }, { span: outer }: { span: Span }): boolean =>
    outer.from <= inner.from && outer.to >= inner.to && outer.to - outer.from > inner.to - inner.from;
  // A longer name swallows the shorter ones inside it.
  const outer = hits.filter((hit) => !hits.some((other) => isInside(hit, other)));
  const pagesOf = (span: Span) => new Set(outer.filter((hit) => hit.span === span).map((hit) => hit.row.id)).size;
  let isAmbiguous = false;
  const found = new Map<number, { page: EntityPage; names: string[] }>();
  for (const { row, span } of outer) {
    if (pagesOf(span) > 1) {
      isAmbiguous = true;
      continue;
    }
    const { name: _, ...page } = row;
    const mention = found.get(page.id) ?? { page, names: [] };
    found.set(page.id, { page, names: [...mention.names, span.text] });
  }
  return { pages: [...found.values()], isAmbiguous };
}
