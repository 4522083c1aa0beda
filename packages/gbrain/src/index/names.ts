// Names of pages: the forms under which a title, an alias or a slug is found whole, and the lookup. Knows no ranking.
import { tokensOf } from './analysis.ts';
import { foldAccents, normalizeName } from './characters.ts';
import type { IndexDocument } from './document.ts';
import type { DocRef, ScopeView } from './scope.ts';
import { decodePostings, findTerm, type Postings } from './segment.ts';

/** Begins the term of a whole name: it finds the page that is called so, and never scores. */
export const NAME_MARKS = { title: '\u0003t', alias: '\u0003a', slug: '\u0003s', tail: '\u0003b' } as const;

/** What kind of name a page is known by. */
export type NameKind = keyof typeof NAME_MARKS;

/** Kinds in the order of their strength. */
export const NAME_KINDS: readonly NameKind[] = ['slug', 'alias', 'title', 'tail'];

const NAME_LENGTH_MAX = 200;

/** Words of a text as names are compared inside queries: without accents, one space between. */
export const joinWords = (words: readonly string[]): string => foldAccents(words.join(' '));

/** Compared forms of a name: as written (case and spaces aside), without accents, and its words alone. */
export function nameForms(name: string): string[] {
  const exact = normalizeName(name);
  if (exact === '' || exact.length > NAME_LENGTH_MAX) return [];
  return [...new Set([exact, foldAccents(exact), joinWords(tokensOf(exact).words)])].filter((form) => form !== '');
}

/** Terms of all names of a page. */
export function nameTermsOf(page: IndexDocument): string[] {
  const tail = page.slug.slice(page.slug.lastIndexOf('/') + 1);
  const terms = new Set<string>();
  const add = (kind: NameKind, name: string): void => {
    for (const form of nameForms(name)) terms.add(NAME_MARKS[kind] + form);
  };
  add('title', page.title);
  for (const alias of page.aliases) add('alias', alias);
  add('slug', page.slug);
  add('tail', tail);
  return [...terms];
}

/** Visible pages that are called `form`, of one kind of name. */
export function pagesNamed(view: ScopeView, kind: NameKind, form: string, room: Postings): DocRef[] {
  const found: DocRef[] = [];
  for (const segment of view.segments) {
    const term = findTerm(segment.columns, NAME_MARKS[kind] + form);
    if (term < 0) continue;
    decodePostings(segment.columns, term, room);
    for (let i = 0; i < room.count; i++) {
      const doc = room.docs[i]!;
      if (segment.visible[doc] === 1) found.push({ segment, doc });
    }
  }
  return found;
}

/** Visible pages that go by a name, by the strongest kind that has any. */
export function pagesCalled(
  view: ScopeView,
  name: string,
  room: Postings,
): { readonly kind: NameKind; readonly pages: DocRef[] } | null {
  const forms = nameForms(name);
  for (const kind of NAME_KINDS) {
    for (const form of forms) {
      const pages = pagesNamed(view, kind, form, room);
      if (pages.length > 0) return { kind, pages };
    }
  }
  return null;
}
