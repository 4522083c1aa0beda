// The forms in which names of pages are compared. It makes keys and knows no page and no lookup.

import { foldSlug } from '../pages/slug.ts';
import { remember } from './remember.ts';

/** Words at the end of a company's name that people leave out. */
const LEGAL_FORMS = new Set(
  (
    'inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh ag ab as asa oy oyj bv ' +
    'nv sa sas sarl ' +
    'srl spa kk pty pte pbc'
  ).split(' '),
);

/**
 * Key of a name: folded, lower case, every run of other characters than letters, marks and digits one hyphen. A
 * title, an alias and the last segment of a slug that read alike have the same key. Empty for a name of signs only.
 */
export function nameKey(name: string): string {
  // Most names asked for are segments of slugs, which are their own keys.
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) ? name : otherNameKey(name);
}

const otherNameKey = remember((name: string): string =>
  foldSlug(name.slice(0, 1000).toWellFormed())
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, ''),
);

/**
 * Key of a name's words whatever their order, without a legal form: `Acme, Inc.` and `ACME`; `Doe, Jane` and `Jane
 * Doe`.
 */
export const wordsKey = remember((name: string): string => {
  const words = nameKey(name).split('-');
  while (words.length > 1 && LEGAL_FORMS.has(words[words.length - 1]!)) words.pop();
  return words.sort().join(' ');
});
