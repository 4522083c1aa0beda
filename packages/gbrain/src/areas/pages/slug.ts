// The one name of a page: every door (tools, files, links, lookups) makes a Slug here and nowhere else. Knows no page.
import { createHash } from 'node:crypto';

declare const slugBrand: unique symbol;

/** A canonical page name, for example `people/alice-example`. Only `parseSlug` and the functions below make one. */
export type Slug = string & { readonly [slugBrand]: true };

/** Most UTF-8 bytes of a slug. */
export const MAX_SLUG_BYTES = 512;
/** Most UTF-8 bytes of one segment of a slug. */
export const MAX_SEGMENT_BYTES = 255;
/** Longest text, in UTF-16 units, that is looked at; anything longer cannot be a slug within the bounds above. */
const MAX_INPUT_LENGTH = 4096;
/** Longest segment, in code points, that a title becomes. */
const MAX_TITLE_SEGMENT = 80;

/** Why a text is not a slug. A closed set: each one is a reason a caller can act on. */
export type SlugFault =
  | 'empty'
  | 'leading_slash'
  | 'empty_segment'
  | 'dot_segment'
  | 'control_character'
  | 'bidi_control'
  | 'backslash'
  | 'percent_encoded'
  | 'lone_surrogate'
  | 'link_syntax'
  | 'segment_too_long'
  | 'too_long';

/** `at` is the UTF-16 index of the offending place in the text that was given. */
export type SlugResult = { ok: true; slug: Slug } | { ok: false; reason: SlugFault; at: number };

/** Places that no cleaning may hide: the first match of the first pattern that matches is the refusal. */
const FORBIDDEN: readonly (readonly [RegExp, SlugFault])[] = [
  [/\p{Surrogate}/u, 'lone_surrogate'],
  [/[\u0000-\u001f\u007f-\u009f]/, 'control_character'],
  [/[\u202a-\u202e\u2066-\u2069]/, 'bidi_control'],
  [/\\/, 'backslash'],
  [/%(?:2e|2f|5c|00)/i, 'percent_encoded'],
  [/\]\(/, 'link_syntax'],
];

/** Characters that never show: joiners, variation selectors, Hangul fillers. Two names may not differ by them alone. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const NOT_KEPT = /[^\p{L}\p{N}\p{M}._-]/gu;

/**
 * The canonical slug of a text: NFC, lower case, letters, digits and marks of every script kept along with `. _ -`,
 * white space to `-`, everything else dropped, hyphens collapsed and trimmed; `.md` and `.mdx` at the end are no part
 * of a name, and neither are dots at the end of a segment. A segment of which nothing is left becomes `u-` and a hash
 * of it. Idempotent; composed and decomposed input meet. At most 512 bytes, 255 a segment.
 */
export function parseSlug(text: string): SlugResult {
  if (text.length > MAX_INPUT_LENGTH) return { ok: false, reason: 'too_long', at: MAX_INPUT_LENGTH };
  for (const [pattern, reason] of FORBIDDEN) {
    const at = text.search(pattern);
    if (at >= 0) return { ok: false, reason, at };
  }
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, reason: 'empty', at: 0 };
  let at = text.length - text.trimStart().length;
  if (trimmed.startsWith('/')) return { ok: false, reason: 'leading_slash', at };

  const segments: string[] = [];
  const raws = trimmed.split('/');
  for (const [index, raw] of raws.entries()) {
    if (raw.trim() === '') return { ok: false, reason: 'empty_segment', at: Math.min(at, text.length - 1) };
    const segment = cleanSegment(raw, index === raws.length - 1);
    if (segment === null) return { ok: false, reason: 'dot_segment', at };
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return { ok: false, reason: 'segment_too_long', at };
    segments.push(segment);
    at += raw.length + 1;
  }
  const slug = segments.join('/');
  if (Buffer.byteLength(slug) > MAX_SLUG_BYTES) return { ok: false, reason: 'too_long', at: 0 };
  return { ok: true, slug: slug as Slug };
}

/** The slug of a file's path, relative to its source's root and written with `/`; a leading `./` is no part of it. */
export function slugFromPath(path: string): SlugResult {
  if (!path.startsWith('./')) return parseSlug(path);
  const result = parseSlug(path.slice(2));
  return result.ok ? result : { ...result, at: result.at + 2 };
}

/** The file that a page without a file of its own gets. `slugFromPath(pathFromSlug(slug))` is `slug`. */
export function pathFromSlug(slug: Slug): string {
  return `${slug}.md`;
}

/**
 * A slug from free text, which never fails: one segment of at most 80 code points, cut between words where one ends in
 * its second half. `folder` is put in front where the result stays within the bounds.
 */
export function slugFromTitle(title: string, folder?: Slug): Slug {
  const head = title.slice(0, 1000).toWellFormed();
  const plain = head.replace(/[\u0000-\u001f\u007f-\u009f\s/\\]+/g, ' ').trim();
  const clean = cleanSegment(plain, true) ?? hashSegment(plain);
  // Nothing of a short one is cut, and what was cleaned is clean.
  if (folder === undefined && clean.length <= MAX_TITLE_SEGMENT && Buffer.byteLength(clean) <= MAX_SEGMENT_BYTES) {
    return clean as Slug;
  }
  const points = [...clean].slice(0, MAX_TITLE_SEGMENT).join('');
  const border = points.length < clean.length ? points.lastIndexOf('-') : -1;
  const short = trimEnds(fitBytes(border >= points.length / 2 ? points.slice(0, border) : points, MAX_SEGMENT_BYTES));
  const segment = cleanSegment(short, true) ?? hashSegment(plain);
  const whole = folder === undefined ? segment : `${folder}/${segment}`;
  return (Buffer.byteLength(whole) > MAX_SLUG_BYTES ? segment : whole) as Slug;
}

/** The last segment, by which a bare wikilink names a page. */
export function slugBasename(slug: Slug): string {
  return slug.slice(slug.lastIndexOf('/') + 1);
}

/** Letters that carry their accent inside and so have no decomposition. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  ـ: '',
};
const PLAIN_LETTER = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'gu');
/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels. The vowel signs of other scripts are letters. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;

/** The form in which names are looked up regardless of accents and widths. No identity: several slugs share one. */
export function foldSlug(slug: string): string {
  const bare = slug.normalize('NFKD').toLowerCase().replace(ACCENTS, '').normalize('NFC');
  return bare.replace(PLAIN_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** Null for a segment of nothing but dots; `last` segments lose their markdown suffix. */
function cleanSegment(raw: string, last: boolean): string | null {
  const named = last ? raw.trim().replace(/(?:\.mdx?)+$/i, '') : raw.trim();
  if (/^\.+$/.test(named.replace(INVISIBLE, ''))) return null;
  const lower = named.normalize('NFC').toLowerCase();
  const kept = lower.replace(/\s+/gu, '-').replace(INVISIBLE, '').replace(NOT_KEPT, '').normalize('NFC');
  let segment = trimEnds(kept.replace(/-{2,}/g, '-'));
  while (last && /\.mdx?$/.test(segment)) segment = trimEnds(segment.slice(0, segment.lastIndexOf('.')));
  if (/^\.+$/.test(kept)) return null;
  return /[\p{L}\p{N}_]/u.test(segment) ? segment : hashSegment(named);
}

/** A mark with no letter before it would sit on the slash; a dot at the end is lost in prose and on Windows. */
function trimEnds(segment: string): string {
  return segment.replace(/^[-\p{M}]+/u, '').replace(/[-.]+$/, '');
}

function hashSegment(raw: string): string {
  const name = raw.normalize('NFC').replace(INVISIBLE, '').trim();
  return `u-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

function fitBytes(text: string, maxBytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxBytes) cut = [...cut].slice(0, -1).join('');
  return cut;
}
