// What a run finds before it reads any text: paths with their verdicts so far, records whose files are gone, moves.
// It reads folders, file bytes where a move is possible, and records; it writes nothing.
import { access, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../../store/store.ts';
import { type Manifest, readExportedFiles, readManifest } from '../content/export-data.ts';
import { EXPORT_FOLDER, PLACED } from '../content/page-paths.ts';
import { decideMoves, type KnownFile, type SeenFile } from '../graph/moves.ts';
import { parseFrontmatter } from '../pages/frontmatter.ts';
import { type SlugResult, slugFromPath } from '../pages/slug.ts';
import { toView } from '../pages/text-edge.ts';
import { readAhead } from './read-file.ts';
import { readDeclaredIds, readRecords } from './source-files.sql.ts';
import {
  decideVerdict,
  type FileRecord,
  isBlank,
  isHidden,
  isMarkdown,
  type Seen,
  type VerdictOptions,
} from './verdict.ts';
import { type Found, walkFolder } from './walk.ts';

/** What a run is asked for. */
export interface RunAsk extends VerdictOptions {
  sourceId: string;
  /** Absolute, links resolved. */
  root: string;
  /** Folder of this program's own data, left out where it lies below the root. */
  home: string;
  signal: AbortSignal;
  onProgress?(what: string, done: number, total?: number): void;
}

/** A path that is to be read: everything else has its verdict. */
export interface Candidate {
  seen: Seen;
  /** Record of the path that this file had before. */
  movesFrom?: FileRecord;
}

/** Result of looking at a folder and at the records of a source. */
export interface RunPlan {
  seen: number;
  /** What the folder says of itself when it is an export. */
  manifest?: Manifest;
  /** The choices that hold for this folder. */
  options: VerdictOptions;
  /** Paths whose verdict stands. */
  settled: Seen[];
  candidates: Candidate[];
  records: ReadonlyMap<string, FileRecord>;
  /** Records of this root, of live pages, whose files are certainly gone and went nowhere. */
  gone: FileRecord[];
  /** Records that another root is named in, whose files are now found here. */
  rerooted: string[];
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // Not there, or not for us to see: either way there is nothing that we may count on.
    return false;
  }
}

/** True only when the system says that nothing is at the path; a folder that cannot be read proves nothing. */
export async function isGone(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

/** Files of an export whose paths do not say their slugs, with the slugs that they were written for. */
async function placedFiles(root: string): Promise<Map<string, SlugResult>> {
  const placed = new Map<string, SlugResult>();
  for (const { path, slug } of (await readExportedFiles(root)).values()) {
    if (path.startsWith(`${PLACED}/`)) placed.set(path, slugFromPath(slug));
  }
  return placed;
}

function walk(ask: RunAsk, hasExport: boolean): Promise<Found[]> {
  return walkFolder(ask.root, {
    signal: ask.signal,
    leaveOut: (path, name) => {
      if (path === EXPORT_FOLDER && hasExport) return 'export_data';
      if (join(ask.root, path) === ask.home) return 'own_home';
      const isLeftOut = name === '.git' || (isHidden(name) && !ask.includeHidden);
      return isLeftOut ? 'hidden' : undefined;
    },
    onFolder: (folders) => ask.onProgress?.('reading folders', folders),
  });
}

/** The path that may have each slug: the one that has it already, else the first. */
function ownersOf(found: readonly Found[], slugs: Map<string, SlugResult>, records: RunPlan['records']) {
  const owners = new Map<string, string>();
  for (const { path, kind } of found) {
    const slug = slugs.get(path);
    if (kind !== 'file' || !slug?.ok) continue;
    const record = records.get(path);
    if (!owners.has(slug.slug) || record?.slug === slug.slug) owners.set(slug.slug, path);
  }
  return owners;
}

/** Which records of other roots stand for files that are still there; the others have come here with their folder. */
async function foreignPaths(ask: RunAsk, records: readonly FileRecord[]): Promise<Set<string>> {
  const foreign = new Set<string>();
  const roots = new Map<string, Promise<boolean>>();
  for (const { root, path } of records) {
    if (root === ask.root) continue;
    if (!roots.has(root)) roots.set(root, isThere(root));
    if ((await roots.get(root)) && !(await isGone(join(root, path)))) foreign.add(path);
  }
  return foreign;
}

/** Slugs of the markdown files by path. */
function slugsOf(found: readonly Found[], placed: ReadonlyMap<string, SlugResult>): Map<string, SlugResult> {
  return new Map(
    found.flatMap(({ path, kind }) =>
      kind === 'file' && isMarkdown(path) ? [[path, placed.get(path) ?? slugFromPath(path)] as const] : [],
    ),
  );
}

/** Looks at everything. Rejects with the system's error when the root cannot be read. */
export async function planRun(db: Queryable, given: RunAsk): Promise<RunPlan> {
  const manifest = await readManifest(given.root);
  // An export's own files are all meant, whatever their names.
  const ask = { ...given, includeHidden: given.includeHidden || manifest !== undefined };
  const placed = manifest ? await placedFiles(ask.root) : new Map<string, SlugResult>();
  const found = await walk(ask, manifest !== undefined);
  found.push(...[...placed.keys()].map((path): Found => ({ kind: 'file', path })));
  const records = await readRecords(db, ask.sourceId);
  const slugs = slugsOf(found, placed);
  const owners = ownersOf(found, slugs, records);
  const here = found.flatMap(({ path }) => records.get(path) ?? []);
  const foreign = await foreignPaths(ask, here);
  const settled: Seen[] = [];
  const candidates: Candidate[] = [];
  for (const { path, kind, why } of found) {
    const slug = slugs.get(path) ?? slugFromPath(path);
    const owner = slug.ok ? owners.get(slug.slug) : undefined;
    const record = records.get(path);
    const seen: Seen = {
      path,
      kind,
      slug,
      ...(why !== undefined && { why }),
      ...(owner !== undefined && owner !== path && { rival: owner }),
      ...(record && { record }),
      ...(foreign.has(path) && { isForeign: true }),
    };
    if (decideVerdict(seen, ask).kind === 'import') candidates.push({ seen });
    else settled.push(seen);
  }
  const missing = await missingRecords(ask, found, records);
  const moves = await findMoves(db, ask, { missing, candidates, records });
  return {
    seen: found.length,
    ...(manifest && { manifest }),
    options: { force: ask.force, includeHidden: ask.includeHidden },
    settled,
    candidates: candidates.map((one) => {
      const movesFrom = moves.get(one.seen.path);
      return movesFrom ? { ...one, movesFrom } : one;
    }),
    records,
    gone: missing.filter((record) => !record.isDeleted && ![...moves.values()].includes(record)),
    rerooted: here.filter(({ root, path }) => root !== ask.root && !foreign.has(path)).map(({ path }) => path),
  };
}

async function missingRecords(ask: RunAsk, found: readonly Found[], records: RunPlan['records']) {
  const paths = new Set(found.map(({ path }) => path));
  const absent = [...records.values()].filter(({ path, root }) => root === ask.root && !paths.has(path));
  const missing: FileRecord[] = [];
  for (const record of absent) if (await isGone(join(ask.root, record.path))) missing.push(record);
  return missing;
}

function declaredId(text: string): string | undefined {
  const head = parseFrontmatter(toView(text));
  const id = head.ok ? head.frontmatter.data.id : undefined;
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** Pages that declare an id, by page: of missing files, and of others that declare the same. */
async function declaredIds(db: Queryable, ask: RunAsk, missing: readonly FileRecord[]): Promise<Map<number, string>> {
  const ids = missing.map(({ pageId }) => pageId);
  return new Map((await readDeclaredIds(db, ask.sourceId, ids)).map((row) => [row.pageId, row.declared]));
}

const knownFile = ({ path, slug, hash, sizeBytes }: FileRecord, id: string | undefined): KnownFile => ({
  path,
  slug,
  contentHash: hash,
  empty: sizeBytes === 0,
  ...(id !== undefined && { id }),
});

/** New files that are missing ones at another path. They are read for it, because only their bytes can tell. */
async function findMoves(
  db: Queryable,
  ask: RunAsk,
  at: { missing: readonly FileRecord[]; candidates: readonly Candidate[]; records: RunPlan['records'] },
): Promise<Map<string, FileRecord>> {
  const live = at.missing.filter(({ isDeleted }) => !isDeleted);
  const fresh = at.candidates.filter(({ seen }) => !seen.record);
  if (live.length === 0 || fresh.length === 0) return new Map();
  const ids = await declaredIds(db, ask, live);
  const isMissing = new Set(live.map(({ path }) => path));
  const others = [...at.records.values()].filter(({ path, pageId }) => ids.has(pageId) && !isMissing.has(path));
  const hashes = new Set(live.map(({ hash }) => hash));
  const seen: SeenFile[] = others.map((record) => knownFile(record, ids.get(record.pageId)));
  let done = 0;
  for await (const { item, file } of readAhead(fresh, (one) => join(ask.root, one.seen.path), ask.signal)) {
    ask.onProgress?.('looking for moved files', ++done, fresh.length);
    if (!file.ok || !item.seen.slug.ok) continue;
    const id = declaredId(file.text);
    if (!hashes.has(file.hash) && (id === undefined || ids.size === 0)) continue;
    const { path, slug } = item.seen;
    const empty = isBlank(file.text);
    seen.push({ path, slug: slug.slug, contentHash: file.hash, empty, ...(id !== undefined && { id }) });
  }
  const known = [...live, ...others].map((record) => knownFile(record, ids.get(record.pageId)));
  const { moved } = decideMoves(known, seen);
  return new Map(moved.map(({ from, to }) => [to.path, at.records.get(from.path)!]));
}
