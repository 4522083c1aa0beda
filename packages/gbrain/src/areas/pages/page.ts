// A page from its text: everything that is derived from the markdown, by pure functions. Knows no row and no operation.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@gbrain/wire/canonical-json';
import { decideEffectiveDate, type EffectiveDateSource } from './effective-date.ts';
import { type Fence, type FenceError, type FenceWarning, parseFences } from './fences.ts';
import { type Frontmatter, type FrontmatterCode, parseFrontmatter, tagKey } from './frontmatter.ts';
import type { Json } from './frontmatter-yaml.ts';
import { splitBody, type TimelineMarker } from './page-body.ts';
import { parseSlug, type Slug, slugBasename } from './slug.ts';
import { parseText, type Range } from './text-edge.ts';

/** A page as read from its text. Lines and ranges count in `view`. */
export interface Page {
  slug: Slug;
  /** The file to the last character; what is stored and exported. */
  text: string;
  /** `text` without byte order mark and with `\n` as line end; what all else is derived from. */
  view: string;
  title: string;
  titleSource: 'frontmatter' | 'heading' | 'slug';
  /** Lower case, words joined by hyphens, at most 64 characters. */
  type: string;
  typeSource: 'frontmatter' | 'stored' | 'path' | 'default';
  /** Without repeats (compared without case), in order. */
  tags: string[];
  aliases: string[];
  visibility: 'private' | 'world';
  /** All fields but `type`, `title`, `tags` and `slug`. */
  frontmatter: { [key: string]: Json };
  /** Whether the text opens with a frontmatter block. */
  hasFrontmatter: boolean;
  compiledTruth: string;
  /** Where the body begins: offset in `view`, and line. */
  bodyStart: number;
  bodyLine: number;
  timeline: string;
  timelineLine: number;
  /** Null when the page has no timeline section; an empty section has a marker and an empty `timeline`. */
  timelineMarker: TimelineMarker | null;
  timelineRange: Range | null;
  /** ISO instant in UTC; null when the page says nothing (`fallback`) and its row's time stands in. */
  effectiveDate: string | null;
  effectiveDateSource: EffectiveDateSource;
  /** The one content hash (`contentHashOf`), hex. */
  contentHash: string;
  /** SHA-256 of the file's bytes, hex. */
  textHash: string;
  /** The facts and takes fences; offsets count in `view`. */
  fences: Fence[];
  warnings: PageWarning[];
}

/** Something that was read in spite of a flaw. */
export interface PageWarning {
  code: 'frontmatter_repaired' | 'empty_frontmatter' | 'unknown_visibility' | 'unusable_date' | FenceWarning['code'];
  line: number;
  message: string;
}

/** Why a text is not a page. `NULL_BYTES`, `LONE_SURROGATE` and `TOO_LARGE` concern the whole text. */
export interface PageError {
  code: FrontmatterCode | 'LONE_SURROGATE' | FenceError['code'];
  /** From 1, as is `column`. */
  line: number;
  column: number;
  /** The offending line, at most 200 characters. */
  text: string;
  message: string;
  other_line?: number;
}

/** A page, or every reason why the text is none. */
export type PageResult = { ok: true; page: Page } | { ok: false; errors: PageError[] };

/** What a text alone does not tell. */
export interface ParsePageOptions {
  slug: Slug;
  /** Upper end of valid dates is a year after it; without it there is none. */
  now?: Date;
  /** The type that the page has so far: kept where the text names none. */
  storedType?: string;
}

/** Reads a page, or every reason why it cannot be one. */
export function parsePage(text: string, options: ParsePageOptions): PageResult {
  const edge = parseText(text);
  if (!edge.ok) {
    const { line, column } = edge;
    const code = edge.reason === 'nul' ? 'NULL_BYTES' : edge.reason === 'too_large' ? 'TOO_LARGE' : 'LONE_SURROGATE';
    return { ok: false, errors: [{ code, line, column, text: '', message: EDGE_MESSAGES[code] }] };
  }
  const { view } = edge.edge;
  const head = parseFrontmatter(view);
  if (!head.ok) return head;
  const { data, bodyStart, bodyLine, present } = head.frontmatter;
  const mismatch = findSlugMismatch(view, head.frontmatter, options.slug);
  if (mismatch !== undefined) return { ok: false, errors: [mismatch] };

  const fenced = parseFences(view);
  if (!fenced.ok) return { ok: false, errors: fenced.errors };

  const body = splitBody(view, bodyStart, bodyLine);
  const dated = decideEffectiveDate(data, options.slug, options.now);
  const visibility = toVisibility(data.visibility);
  const { title: _title, type: _type, tags: _tags, slug: _slug, ...frontmatter } = data;
  const parts = {
    slug: options.slug,
    ...decideTitle(data.title, body.heading, options.slug),
    ...decideType(data.type, options),
    tags: distinct(
      texts(data.tags).map((tag) => tag.replace(/^#+/, '').trim()),
      tagKey,
    ),
    aliases: distinct(texts(data.aliases), (alias) => alias.normalize('NFC')),
    visibility: visibility.value,
    frontmatter,
    compiledTruth: body.compiledTruth,
    timeline: body.timeline,
  };
  const page: Page = {
    ...parts,
    text,
    view,
    hasFrontmatter: present,
    bodyStart,
    bodyLine,
    timelineLine: body.timelineLine,
    timelineMarker: body.marker,
    timelineRange: body.range,
    effectiveDate: dated.date,
    effectiveDateSource: dated.source,
    contentHash: contentHashOf(parts),
    textHash: sha256(text),
    fences: fenced.fences,
    warnings: [...listWarnings(head.frontmatter, dated.ignored, visibility.known), ...fenced.warnings],
  };
  return { ok: true, page };
}

/** Fields that say how a page was taken in and not what it says. */
const EPHEMERAL = new Set(['captured_at', 'ingested_at', 'quarantine', 'content_flag', 'embed_skip', 'tags']);

/**
 * The one formula by which two pages say the same: SHA-256 of JSON with sorted keys of title, type, compiled truth,
 * timeline, frontmatter without its ephemeral fields, and sorted tags. Line ends and a byte order mark do not count.
 */
export function contentHashOf(
  page: Pick<Page, 'title' | 'type' | 'compiledTruth' | 'timeline' | 'frontmatter' | 'tags'>,
): string {
  const { title, type, timeline } = page;
  const frontmatter = Object.fromEntries(Object.entries(page.frontmatter).filter(([key]) => !EPHEMERAL.has(key)));
  const tags = [...page.tags].sort();
  return sha256(canonicalJson({ title, type, compiled_truth: page.compiledTruth, timeline, frontmatter, tags }));
}

/** Words of a slug's last segment with capitals; a date in front keeps its hyphens. */
export function humanizeSlug(slug: Slug): string {
  const name = slugBasename(slug);
  const date = /^\d{4}-\d{2}-\d{2}(?=$|[-_. ])/.exec(name)?.[0] ?? '';
  const words = name
    .slice(date.length)
    .split(/[-_]+/)
    .filter((word) => word !== '');
  const capital = (word: string): string => word.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return [...(date === '' ? [] : [date]), ...words.map(capital)].join(' ') || name;
}

const EDGE_MESSAGES = {
  NULL_BYTES: 'the text holds a NUL character',
  LONE_SURROGATE: 'the text holds half of a surrogate pair',
  TOO_LARGE: 'the text is longer than 5,000,000 bytes',
} as const;

/** Types of the default pack by folder, for pages that name none. */
const FOLDER_TYPES: Readonly<Record<string, string>> = {
  people: 'person',
  companies: 'company',
  media: 'media',
  tweets: 'tweet',
  analysis: 'analysis',
  atoms: 'atom',
  concepts: 'concept',
  sources: 'source',
  deals: 'deal',
  emails: 'email',
  slack: 'slack',
  writing: 'writing',
  projects: 'project',
  meetings: 'meeting',
};
const MAX_TITLE_LENGTH = 1000;

function decideTitle(
  field: Json | undefined,
  heading: string | undefined,
  slug: Slug,
): Pick<Page, 'title' | 'titleSource'> {
  const stated = typeof field === 'string' ? field.replace(/\s+/g, ' ').trim() : '';
  if (stated !== '') return { title: cut(stated, MAX_TITLE_LENGTH), titleSource: 'frontmatter' };
  const found = heading === undefined ? '' : plainInline(cut(heading, MAX_TITLE_LENGTH));
  if (found !== '') return { title: found, titleSource: 'heading' };
  return { title: humanizeSlug(slug), titleSource: 'slug' };
}

function decideType(field: Json | undefined, options: ParsePageOptions): Pick<Page, 'type' | 'typeSource'> {
  const stated = typeof field === 'string' ? cut(field.trim().toLowerCase().replace(/\s+/g, '-'), 64) : '';
  if (stated !== '') return { type: stated, typeSource: 'frontmatter' };
  if (options.storedType !== undefined) return { type: options.storedType, typeSource: 'stored' };
  const [folder, ...rest] = options.slug.split('/');
  const known =
    rest.length > 0 && folder !== undefined && Object.hasOwn(FOLDER_TYPES, folder) ? FOLDER_TYPES[folder] : undefined;
  return known === undefined ? { type: 'note', typeSource: 'default' } : { type: known, typeSource: 'path' };
}

/** A word that is not known hides the page: who writes one wanted fewer readers, not more. */
function toVisibility(field: Json | undefined): { value: Page['visibility']; known: boolean } {
  const word = typeof field === 'string' ? field.trim().toLowerCase() : '';
  if (word === '' || word === 'world' || word === 'public') return { value: 'world', known: true };
  return { value: 'private', known: word === 'private' };
}

function findSlugMismatch(view: string, frontmatter: Frontmatter, slug: Slug): PageError | undefined {
  const declared = frontmatter.data.slug;
  if (typeof declared !== 'string' || declared.trim() === '') return undefined;
  const parsed = parseSlug(declared);
  if (parsed.ok && parsed.slug === slug) return undefined;
  const line = frontmatter.lines.get('slug') ?? 1;
  const text = view.split('\n', line)[line - 1] ?? '';
  return {
    code: 'SLUG_MISMATCH',
    line,
    column: 1,
    text: cut(text, 200),
    message: `the page is ${slug}, its text says ${cut(declared, 200)}`,
  };
}

function listWarnings(
  frontmatter: Frontmatter,
  ignoredDates: readonly string[],
  knownVisibility: boolean,
): PageWarning[] {
  const lineOf = (field: string): number => frontmatter.lines.get(field) ?? 1;
  const warnings: PageWarning[] = frontmatter.repairs.map((repair) => ({ code: 'frontmatter_repaired', ...repair }));
  if (frontmatter.present && frontmatter.lines.size === 0) {
    warnings.push({ code: 'empty_frontmatter', line: 1, message: 'the frontmatter block holds no field' });
  }
  for (const field of ignoredDates) {
    const message = `${field} is not a date between 1990 and a year from now and was not used`;
    warnings.push({ code: 'unusable_date', line: lineOf(field), message });
  }
  if (!knownVisibility) {
    const message = 'visibility is neither private nor world: the page is treated as private';
    warnings.push({ code: 'unknown_visibility', line: lineOf('visibility'), message });
  }
  return warnings;
}

/** Text of a heading without the marks of links, emphasis and code. */
function plainInline(text: string): string {
  return text
    .replace(/!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g, (_, target: string, name?: string) => name ?? target)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function texts(field: Json | undefined): string[] {
  return Array.isArray(field) ? field.filter((item) => typeof item === 'string') : [];
}

function distinct(values: readonly string[], toKey: (value: string) => string): string[] {
  const byKey = new Map<string, string>();
  for (const value of values) if (value !== '' && !byKey.has(toKey(value))) byKey.set(toKey(value), value);
  return [...byKey.values()];
}

/** The first `length` UTF-16 units, without half a pair at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
