// Decides which files of a scan are pages that moved: the same declared id or the same content at a new path, the old
// path empty. Pure: it is given what was known and what was seen, and it deletes nothing.

/** A page that a file of the source once made. */
export interface KnownFile {
  readonly path: string;
  readonly slug: string;
  readonly contentHash: string;
  /** Frontmatter `id`, when the page declares one. */
  readonly id?: string;
  /** True when the body is empty: two empty pages are not the same page. */
  readonly empty?: boolean;
}

/** A file that the scan found; the same facts of what it holds now. */
export type SeenFile = KnownFile;

/** Why a move is taken for one. */
export type MoveEvidence = 'id' | 'content' | 'content_and_name';

/** A page that goes on under a new path. Its links and facts stay; its old slug becomes an alias when it differs. */
export interface Move {
  readonly from: KnownFile;
  readonly to: SeenFile;
  readonly by: MoveEvidence;
}

/** Every known page and every seen file, each in exactly one place. */
export interface ScanDecision {
  /** Same path: unchanged or edited, the hash tells. */
  readonly kept: readonly { readonly from: KnownFile; readonly to: SeenFile }[];
  readonly moved: readonly Move[];
  readonly added: readonly SeenFile[];
  /** Pages whose path is empty and that no file continues; only these may be removed. */
  readonly gone: readonly KnownFile[];
  /** Ids that several files or several gone pages declare: told to the user, decided by nobody. */
  readonly ambiguousIds: readonly string[];
}

/**
 * Compares a source's pages with the files of a whole scan. A page moves only when its old path is empty and the new
 * one was no page. An id that both sides declare once decides first, whatever the content is; then content that both
 * sides hold once; then, among pages of equal content, the same file name. The result does not depend on the order of
 * the input. Linear. Source: user faults P21, P22.
 */
export function decideMoves(known: readonly KnownFile[], seen: readonly SeenFile[]): ScanDecision {
  const seenByPath = new Map(seen.map((file) => [file.path, file]));
  const knownPaths = new Set(known.map(({ path }) => path));
  const kept = known.flatMap((from) => {
    const to = seenByPath.get(from.path);
    return to ? [{ from, to }] : [];
  });
  const gone = new Set(inOrder(known.filter(({ path }) => !seenByPath.has(path))));
  const added = new Set(inOrder(seen.filter(({ path }) => !knownPaths.has(path))));
  const moved: Move[] = [];
  const pair = (keyOf: (file: KnownFile) => string | undefined, by: MoveEvidence) => {
    const before = groupBy(gone, keyOf);
    const now = groupBy(added, keyOf);
    for (const [key, files] of now) {
      const pages = before.get(key);
      if (files.length !== 1 || pages?.length !== 1) continue;
      moved.push({ from: pages[0]!, to: files[0]!, by });
      gone.delete(pages[0]!);
      added.delete(files[0]!);
    }
  };
  const ambiguousIds = repeatedIds(
    gone,
    added,
    kept.map(({ to }) => to),
  );
  pair(({ id }) => (id === undefined || ambiguousIds.has(id) ? undefined : id), 'id');
  pair(contentKey, 'content');
  pair((file) => {
    const content = contentKey(file);
    return content === undefined ? undefined : `${content}\n${fileName(file.path)}`;
  }, 'content_and_name');
  return { kept, moved, added: [...added], gone: [...gone], ambiguousIds: [...ambiguousIds].sort() };
}

/** Content says nothing about a page that has none, and nothing against a declared id. */
function contentKey({ contentHash, empty, id }: KnownFile): string | undefined {
  return empty ? undefined : `${contentHash}\n${id ?? ''}`;
}

/** Ids that more than one file declares now, or that more than one gone page declared. */
function repeatedIds(gone: Iterable<KnownFile>, added: Iterable<SeenFile>, kept: readonly SeenFile[]): Set<string> {
  const byId = ({ id }: KnownFile) => id;
  const groups = [groupBy(gone, byId), groupBy([...added, ...kept], byId)];
  return new Set(groups.flatMap((group) => [...group].filter(([, files]) => files.length > 1).map(([id]) => id)));
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function inOrder<T extends KnownFile>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function groupBy<T extends KnownFile>(files: Iterable<T>, keyOf: (file: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const file of files) {
    const key = keyOf(file);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  return groups;
}
