// Decides which page a reference leads to, from what a lookup finds. Pure: it asks keys of an injected lookup, never
// a database, and it never breaks a tie by how popular a page is.

import { foldSlug, parseSlug, slugBasename } from '../pages/slug.ts';
import { nameKey, wordsKey } from './names.ts';
import { remember } from './remember.ts';
import type { Target } from './targets.ts';

/** What a page can be looked up by, best first. `moved` is an old slug that leads to the page. */
export type KeyKind = 'slug' | 'moved' | 'name' | 'basename' | 'folded' | 'folded_basename' | 'words';

/** One key of a page within one source. */
export interface LookupKey {
  readonly source: string;
  readonly kind: KeyKind;
  readonly key: string;
}

/** A page that a lookup found. */
export interface PageRef {
  readonly source: string;
  readonly slug: string;
  readonly type: string;
}

/** The live pages that have a key. */
export type Lookup = (key: LookupKey) => readonly PageRef[];

/** What became of a reference. */
export type Resolution =
  | { readonly state: 'resolved'; readonly page: PageRef; readonly by: KeyKind }
  | { readonly state: 'ambiguous'; readonly candidates: readonly PageRef[]; readonly by: KeyKind }
  | { readonly state: 'unresolved' };

/** Who asks, and how far the words may be stretched. */
export interface Asking {
  readonly source: string;
  readonly slug: string;
  /** False for words that may be no reference: only a page of exactly that name will do. */
  readonly byName: boolean;
  /** Folders that a plain name is looked for in first, for a field that says what it names. */
  readonly folders?: readonly string[];
}

/** Types whose pages may be found by the words of their name in any order. Source: engine facts, D.2. */
const ENTITY_TYPES = new Set([
  'person',
  'company',
  'organization',
  'organisation',
  'fund',
  'entity',
  'project',
  'account',
]);

/** A step of the search: its keys are asked together, or one by one when the order of the paths decides. */
interface Step {
  readonly keys: readonly LookupKey[];
  readonly inOrder: boolean;
}

/** The keys of a page in its source; a page answers exactly those references that ask for one of them. */
export function pageKeys(page: PageRef & { readonly title: string; readonly aliases: readonly string[] }): LookupKey[] {
  const { source, slug } = page;
  const names = [page.title, ...page.aliases];
  const basename = slugBasename(slug as Parameters<typeof slugBasename>[0]);
  const keys: LookupKey[] = [
    { source, kind: 'slug', key: slug },
    { source, kind: 'basename', key: basename },
    { source, kind: 'folded', key: foldSlug(slug) },
    { source, kind: 'folded_basename', key: nameKey(basename) },
    ...names.map((name): LookupKey => ({ source, kind: 'name', key: nameKey(name) })),
  ];
  if (ENTITY_TYPES.has(page.type)) {
    for (const name of names) keys.push({ source, kind: 'words', key: wordsKey(name) });
  }
  const seen = new Set<string>();
  return keys.filter(({ kind, key }) => key !== '' && !seen.has(`${kind} ${key}`) && seen.add(`${kind} ${key}`));
}

/** Every key that resolving `target` may ask for; what an unresolved reference waits for. */
export function referenceKeys(target: Target, asking: Asking): LookupKey[] {
  return stepsOf(target, asking).flatMap(({ keys }) => keys);
}

/**
 * The page that `target` means: exact slug, moved slug, alias or title, last segment, folded form, words; the first
 * step that finds anything decides. One page resolves; several are ambiguous, unless a field's folders leave one. The
 * asking page is no candidate by name, so `[[alice]]` on `notes/alice` means the other one.
 */
export function resolveTarget(target: Target, asking: Asking, lookup: Lookup): Resolution {
  for (const step of stepsOf(target, asking)) {
    const groups = step.inOrder ? step.keys.map((key) => [key]) : [step.keys];
    for (const keys of groups) {
      const found = distinctPages(keys.flatMap((key) => admitted(key, target, asking, lookup)));
      const kept = found.length > 1 ? preferFolders(found, asking.folders ?? []) : found;
      const by = keys[0]?.kind;
      if (by === undefined || kept.length === 0) continue;
      if (kept.length === 1) return { state: 'resolved', page: kept[0]!, by };
      return { state: 'ambiguous', candidates: kept, by };
    }
  }
  return { state: 'unresolved' };
}

function stepsOf(target: Target, asking: Asking): Step[] {
  const source = target.source ?? asking.source;
  const slugs = target.paths.flatMap((path) => toSlug(path));
  const key = (kind: KeyKind, value: string): LookupKey[] => (value === '' ? [] : [{ source, kind, key: value }]);
  const steps: Step[] = [
    { keys: slugs.flatMap((slug) => key('slug', slug)), inOrder: true },
    { keys: slugs.flatMap((slug) => key('moved', slug)), inOrder: true },
  ];
  if (!asking.byName || target.name === undefined) return steps;
  const { name } = target;
  const hinted = (asking.folders ?? []).flatMap((folder) => toSlug(`${folder}/${name.replaceAll('/', '-')}`));
  const whole = name === target.paths[0] ? slugs[0] : toSlug(name)[0];
  const basename = whole?.slice(whole.lastIndexOf('/') + 1) ?? toSlug(name.slice(name.lastIndexOf('/') + 1))[0] ?? '';
  steps.push(
    { keys: hinted.flatMap((slug) => key('slug', slug)), inOrder: true },
    { keys: key('name', nameKey(name)), inOrder: false },
    { keys: key('basename', basename), inOrder: false },
    { keys: slugs.flatMap((slug) => key('folded', foldedKey(slug))), inOrder: false },
    { keys: key('folded_basename', nameKey(basename)), inOrder: false },
  );
  if (!name.includes('/')) steps.push({ keys: key('words', wordsKey(name)), inOrder: false });
  return steps;
}

/** What a key finds, without the asker when it is found by name, and only below the path that a name spells out. */
function admitted(key: LookupKey, target: Target, asking: Asking, lookup: Lookup): readonly PageRef[] {
  const found = lookup(key);
  if (key.kind === 'slug' || key.kind === 'moved') return found;
  const path = target.name?.includes('/') ? foldedKey(toSlug(target.name)[0] ?? '') : '';
  return found.filter((page) => {
    const below = path === '' || key.kind === 'name' || `/${foldedKey(page.slug)}`.endsWith(`/${path}`);
    return below && !(page.slug === asking.slug && page.source === asking.source);
  });
}

function preferFolders(found: readonly PageRef[], folders: readonly string[]): readonly PageRef[] {
  const inside = found.filter(({ slug }) => folders.some((folder) => slug.startsWith(`${folder}/`)));
  return inside.length > 0 ? inside : found;
}

function distinctPages(found: readonly PageRef[]): PageRef[] {
  const byId = new Map(found.map((page) => [`${page.source}:${page.slug}`, page]));
  return [...byId.values()].sort((a, b) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0));
}

/** A brain names the same pages again and again, and making a slug is most of the work of a key. */
const toSlug = remember((path: string): string[] => {
  const parsed = parseSlug(path);
  return parsed.ok ? [parsed.slug] : [];
});

const foldedKey = remember(foldSlug);
