// The derived columns of a page's row, from its text alone. Pure; it knows no statement.
import { raise } from '../../failure.ts';
import { seenText } from './door.ts';
import { type Page, type PageError, parsePage } from './page.ts';
import { foldSlug, type Slug } from './slug.ts';
import { toBytes } from './text-edge.ts';

/** Columns of `pages` that the text decides. */
export interface PageColumns {
  text: string;
  title: string;
  type: string;
  pageKind: 'markdown';
  frontmatter: Page['frontmatter'];
  tags: string[];
  visibility: 'world' | 'private';
  contentHash: string;
  effectiveDate: Date;
  effectiveDateSource: string;
  foldedSlug: string;
  sizeBytes: number;
}

/** A text as it is stored: the page that it is, its columns and the names it declares. */
export interface Derived {
  page: Page;
  columns: PageColumns;
  /** Declared aliases in the form in which names are looked up. */
  aliases: string[];
}

/** Most bytes of a tag or alias that is indexed; longer ones stay in the text and are found by no index. */
const INDEXED_BYTES_MAX = 512;
const FOLDED_BYTES_MAX = 1024;

const fits = (text: string, bytes: number): boolean => Buffer.byteLength(text) <= bytes;

/** A name as it is looked up: NFKC, lower case, single spaces, without quotes or brackets around it. */
export function lookupName(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return plain.replace(/^(?:"(.*)"|'(.*)'|\[(.*)\]|\((.*)\))$/u, (_, ...inner: string[]) => inner.find(Boolean) ?? '');
}

/** Slug without accents, cut to what an index entry holds. */
export function foldedSlug(slug: string): string {
  let folded = foldSlug(slug);
  while (!fits(folded, FOLDED_BYTES_MAX)) folded = [...folded].slice(0, -16).join('');
  return folded;
}

/** Ends a write of a text that is no page: `file_too_large`, `content_rejected` or `invalid_frontmatter`. */
export function refuseText(errors: readonly PageError[], slug: string): never {
  const [first] = errors;
  if (!first) throw new Error('a page was refused without a reason');
  const place = { slug, line: first.line, column: first.column, problem: first.message, text: first.text };
  if (first.code === 'TOO_LARGE' && first.text === '') raise('file_too_large', { slug });
  if (first.code === 'LONE_SURROGATE' || (first.code === 'NULL_BYTES' && first.text === '')) {
    raise('content_rejected', { ...place, reason: 'encoding' });
  }
  raise('invalid_frontmatter', {
    ...place,
    reason: first.code === 'SLUG_MISMATCH' ? 'ambiguous_identity_key' : 'yaml_parse',
    finding: first.code,
    ...(first.other_line !== undefined && { otherLine: first.other_line }),
  });
}

/** A title is shown to everybody, so one that stands in a heading is looked for outside the rows that are hidden. */
function withSeenTitle(page: Page, at: { slug: Slug; at: Date }): Page {
  if (page.titleSource !== 'heading') return page;
  const seen = seenText(page.text, false);
  if (seen === page.text) return page;
  const parsed = parsePage(seen, { slug: at.slug, now: at.at });
  if (!parsed.ok) refuseText(parsed.errors, at.slug);
  const { title, titleSource } = parsed.page;
  return { ...page, title, titleSource };
}

/** Derives a page's columns; a text that is no page is refused. Nothing but text, slug and times goes in. */
export function deriveColumns(text: string, at: { slug: Slug; at: Date; createdAt?: Date | undefined }): Derived {
  const parsed = parsePage(text, { slug: at.slug, now: at.at });
  if (!parsed.ok) refuseText(parsed.errors, at.slug);
  const page = withSeenTitle(parsed.page, at);
  const aliases = page.aliases.map(lookupName).filter((name) => name !== '' && fits(name, INDEXED_BYTES_MAX));
  return {
    page,
    columns: {
      text,
      title: page.title,
      type: page.type,
      pageKind: 'markdown',
      frontmatter: page.frontmatter,
      tags: page.tags.filter((tag) => fits(tag, INDEXED_BYTES_MAX)),
      visibility: page.visibility,
      contentHash: page.contentHash,
      effectiveDate: page.effectiveDate === null ? (at.createdAt ?? at.at) : new Date(page.effectiveDate),
      effectiveDateSource: page.effectiveDateSource,
      foldedSlug: foldedSlug(at.slug),
      sizeBytes: toBytes(text).length,
    },
    aliases: [...new Set(aliases)],
  };
}
