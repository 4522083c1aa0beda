// The one reader of references: every way in which a page's text, frontmatter or place names another page, and
// nothing that code, comments or other frontmatter say. It does not know which pages exist.

import type { ScannedBody } from '../chunks/body.ts';
import type { Span } from '../chunks/visible.ts';
import { type Definitions, type RawReference, readDefinitions, scanInline } from './inline.ts';
import { type LinkField, readFieldValues } from './link-fields.ts';
import {
  isImagePath,
  parseBarePath,
  parseFieldTarget,
  parseLinkTarget,
  parseWikiTarget,
  type Target,
} from './targets.ts';
import { readTextBlocks, type TextBlock } from './text-blocks.ts';

/** How a page is referred to. `place` is an image that lies beside a page. */
export type MentionForm = RawReference['form'] | 'frontmatter' | 'place';

/** A page whose references are read. */
export interface LinkingPage {
  readonly source: string;
  readonly slug: string;
  readonly type: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly body: ScannedBody;
}

/** One reference, in units of the visible text; both offsets are 0 for `frontmatter` and `place`. */
export interface Mention extends Span {
  readonly form: MentionForm;
  readonly target: Target;
  readonly label: string;
  /**
   * False where the words may be no reference at all (`and/or`): it counts when a page of that name is there, and is
   * never listed as wanted.
   */
  readonly wanted: boolean;
  readonly field?: { readonly name: string; readonly rule: LinkField };
}

/** A block of prose with the mentions in it, in order, and what in it is no prose. */
export interface MentionBlock extends TextBlock {
  readonly mentions: readonly Mention[];
  readonly masked: readonly Span[];
}

/** All references of a page: block by block, then those without a place in the text. */
export interface PageMentions {
  readonly blocks: readonly MentionBlock[];
  readonly elsewhere: readonly Mention[];
}

/** Reads every reference of `page`. Linear in its text; never throws. */
export function readMentions(page: LinkingPage): PageMentions {
  const { text } = page.body.visible;
  const prose: TextBlock[] = [];
  const definitions = new Map<string, string>();
  for (const block of readTextBlocks(page.body)) {
    const found = readDefinitions(text, block);
    if (!found) prose.push(block);
    // The first definition of a label counts, as in CommonMark.
    else for (const [label, dest] of found) if (!definitions.has(label)) definitions.set(label, dest);
  }
  const blocks = prose.map((block) => readBlock(page, block, definitions));
  return { blocks, elsewhere: [...fieldMentions(page), ...placeMentions(page)] };
}

/** Every mention of a page, whatever its place. */
export function allMentions({ blocks, elsewhere }: PageMentions): Mention[] {
  return [...blocks.flatMap(({ mentions }) => mentions), ...elsewhere];
}

function readBlock(page: LinkingPage, block: TextBlock, definitions: Definitions): MentionBlock {
  const { references, masked } = scanInline(page.body.visible.text, block, definitions);
  const mentions: Mention[] = [];
  for (const reference of references) {
    const target = targetOf(reference, page.slug);
    if (target) mentions.push(toMention(reference, target));
  }
  return { ...block, mentions, masked };
}

function targetOf({ form, dest }: RawReference, slug: string): Target | undefined {
  if (form === 'wikilink' || form === 'embed') return parseWikiTarget(dest, slug);
  return form === 'path' || form === 'code' ? parseBarePath(dest) : parseLinkTarget(dest, slug);
}

function toMention({ form, label, start, end, dest }: RawReference, target: Target): Mention {
  const wanted = form === 'path' ? looksLikeSlug(dest) : form !== 'code' && form !== 'image' && !target.file;
  return { form, target, label, start, end, wanted };
}

/** Folders that brains keep entities in. Source: engine facts, A.5 and D.2. */
const ENTITY_FOLDER = new RegExp(
  '^(?:people|persons|contacts|companies|orgs|organizations|meetings|projects|concepts|notes|deals|' +
    'media|sources|hosts|daily|inbox|writing)/',
);

/**
 * `and/or` and `input/output` are words; `people/alice` and `ideas/cold-storage` are pages, written or still wanted.
 */
function looksLikeSlug(path: string): boolean {
  return ENTITY_FOLDER.test(path) || /-[^/]*$/.test(path);
}

function fieldMentions(page: LinkingPage): Mention[] {
  const mentions: Mention[] = [];
  for (const { field, rule, value } of readFieldValues(page.frontmatter, page.type)) {
    const target = parseFieldTarget(value, page.slug);
    if (!target) continue;
    // `source: LinkedIn` need not be a page; a name in `attendees` is meant as one.
    const wanted = !target.file && value.length <= 120 && (rule.pageType !== undefined || /\[\[|\//.test(value));
    const label = value.replace(/^!?\[\[|\]\]$/g, '').trim();
    mentions.push({ form: 'frontmatter', target, label, start: 0, end: 0, wanted, field: { name: field, rule } });
  }
  return mentions;
}

const IMAGE_FOLDER = /\/(?:images?|img|assets|attachments|media|files|figures|photos)$/;

/** An image lies beside the page it shows: the same path without the ending, or that above a folder of images. */
function placeMentions({ slug, type }: LinkingPage): Mention[] {
  if (type !== 'image' && !isImagePath(slug)) return [];
  const stem = slug.replace(/\.[a-z0-9]+$/, '');
  const folder = stem.slice(0, Math.max(0, stem.lastIndexOf('/')));
  const paths = stem === slug ? [] : [stem];
  if (IMAGE_FOLDER.test(`/${folder}`)) {
    const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    paths.push(`${above}${above === '' ? '' : '/'}${stem.slice(folder.length + 1)}`, above);
  }
  const target = { paths: paths.filter((path) => path !== '' && path !== slug) };
  if (target.paths.length === 0) return [];
  return [{ form: 'place', target, label: slug, start: 0, end: 0, wanted: false }];
}
