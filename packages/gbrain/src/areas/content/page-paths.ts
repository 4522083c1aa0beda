// Which file each page of a source gets: the one that it came from, else one named like its slug. Pure.
import { type Slug, slugFromPath } from '../pages/slug.ts';

/** A page as far as its file goes. */
export interface PathedPage {
  id: number;
  slug: string;
  /** Path that the page came from. */
  sourcePath: string | null;
}

/** Folder of what no page holds; no page's file lies in it, except under `PLACED`. */
export const EXPORT_FOLDER = '_gbrain';
/** Folder of pages whose slugs make no file name. */
export const PLACED = `${EXPORT_FOLDER}/pages`;

const PART_BYTES_MAX = 255;

/** True for a path that leads below its root and nowhere else, on any file system. */
export function isSafePath(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\\') || /[\u0000-\u001f]/.test(path)) return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= PART_BYTES_MAX);
}

const isUsual = (path: string): boolean =>
  isSafePath(path) &&
  path !== EXPORT_FOLDER &&
  !path.startsWith(`${EXPORT_FOLDER}/`) &&
  !path.split('/').includes('.git');

/** Paths that a page may have, best first; each leads back to its slug. */
function* candidates({ slug, sourcePath }: PathedPage): Generator<string> {
  const plain = `${slug}.md`;
  if (sourcePath !== null && isUsual(sourcePath) && (sourcePath === plain || slugOfPath(sourcePath) === slug)) {
    yield sourcePath;
  }
  // A slug with one of these ends leads back to itself: an end is no part of a name.
  for (const path of [plain, `${slug}.mdx`, `${plain}.md`]) if (isUsual(path)) yield path;
}

const firstOf = (page: PathedPage): string | undefined => candidates(page).next().value as string | undefined;

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

/**
 * A path for every page, no two alike, and none that would have to be a folder too. A page whose slug makes no file
 * name (too long, reserved, a folder of others) gets one under `_gbrain/pages`, by its id.
 */
export function decidePaths(pages: readonly PathedPage[]): Map<number, string> {
  const paths = new Map<number, string>();
  const taken = new Set<string>();
  // Folders that pages need whatever path they get: their own slugs' folders, and those of the files they came from.
  const folders = new Set(pages.flatMap((page) => foldersOf(firstOf(page) ?? '')));
  const ordered = [...pages].sort(
    (a, b) => Number(a.sourcePath === null) - Number(b.sourcePath === null) || a.id - b.id,
  );
  for (const page of ordered) {
    const free = [...candidates(page)].find(
      (path) => !taken.has(path) && !folders.has(path) && !foldersOf(path).some((folder) => taken.has(folder)),
    );
    const path = free ?? `${PLACED}/${page.id}.md`;
    paths.set(page.id, path);
    taken.add(path);
    for (const folder of foldersOf(path)) folders.add(folder);
  }
  return paths;
}

/** The path of one page that has nothing to share a folder with; what `decidePaths` gives when nothing collides. */
export const ownPath = (page: PathedPage): string => firstOf(page) ?? `${PLACED}/${page.id}.md`;

/** The slug that a path says by itself. */
export function slugOfPath(path: string): Slug | undefined {
  const found = slugFromPath(path);
  return found.ok ? found.slug : undefined;
}
