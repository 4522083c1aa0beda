// Writes a source out: every page's text byte for byte at its path, and beside the pages what none of them holds. A
// file that an earlier export did not write is never overwritten unless that is asked for.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExportPart } from '../../export-part.ts';
import { raise } from '../../failure.ts';
import type { Queryable } from '../../store/store.ts';
import { nearestFolder } from '../ingest/nearest-folder.ts';
import { hashOf } from '../ingest/read-file.ts';
import { toBytes } from '../pages/text-edge.ts';
import { readBrainId, readPathedPages, readTexts } from './content.sql.ts';
import {
  dataFile,
  EXPORT_FORMAT,
  type ExportedFile,
  type Manifest,
  readExportedFiles,
  readManifest,
} from './export-data.ts';
import { decidePaths, EXPORT_FOLDER } from './page-paths.ts';
import { BlockedPath, Folders, isAside, lookAt, putFile, syncFolder } from './write-file.ts';

/** What an export is asked for. */
export interface ExportAsk {
  sourceId: string;
  dir: string;
  force: boolean;
  prune: boolean;
  parts: readonly ExportPart[];
  signal: AbortSignal;
  onProgress?(done: number, total: number): void;
}

/** A file that is not what the brain holds, and why. */
export interface ExportProblem {
  path: string;
  slug?: string;
  outcome: 'held' | 'failed' | 'stale';
  detail?: string;
}

/** An export that is over. */
export interface ExportResult {
  pages: number;
  written: number;
  unchanged: number;
  held: number;
  failed: number;
  stale: number;
  pruned: number;
  parts: { name: string; version: number; rows: number }[];
  problems: ExportProblem[];
}

/** Pages whose texts are in memory at once, and files that are written side by side. */
const BATCH_PAGES = 200;
const WIDTH = 16;

interface Run {
  db: Queryable;
  ask: ExportAsk;
  folders: Folders;
  aside: string;
  before: ReadonlyMap<string, ExportedFile>;
  files: ExportedFile[];
  result: ExportResult;
}

const detailOf = (error: unknown): string =>
  error instanceof BlockedPath
    ? `${error.message} is a file or a link`
    : ((error as NodeJS.ErrnoException).code ?? String(error));

/** Faults of the disk as a whole: the next file would meet them too. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

async function writePage(run: Run, page: { slug: string; text: string }, path: string): Promise<void> {
  const { ask, result } = run;
  const bytes = toBytes(page.text);
  const file: ExportedFile = { path, slug: page.slug, hash: hashOf(bytes) };
  try {
    await run.folders.make(path);
    const full = join(ask.dir, path);
    const ours = run.before.get(path)?.hash;
    const write = (replace: boolean) => putFile({ path: full, bytes, aside: run.aside, replace, isDurable: false });
    if (await write(false)) result.written += 1;
    else {
      const standing = await lookAt(full);
      const isFile = standing.kind === 'file';
      if (isFile && standing.hash === file.hash) result.unchanged += 1;
      else if (isFile && (ask.force || standing.hash === ours)) {
        await write(true);
        result.written += 1;
      } else {
        result.held += 1;
        result.problems.push({ path, slug: page.slug, outcome: 'held' });
        return;
      }
    }
    run.files.push(file);
  } catch (error) {
    const detail = detailOf(error);
    if (FULL.has(detail)) throw error;
    result.failed += 1;
    result.problems.push({ path, slug: page.slug, outcome: 'failed', detail });
  }
}

async function writePages(run: Run, paths: ReadonlyMap<number, string>): Promise<void> {
  const ids = [...paths.keys()].sort((a, b) => a - b);
  let reading = readTexts(run.db, ids.slice(0, BATCH_PAGES));
  for (let from = 0; from < ids.length; from += BATCH_PAGES) {
    run.ask.signal.throwIfAborted();
    const pages = await reading;
    // The next texts are on their way while these are written.
    reading = readTexts(run.db, ids.slice(from + BATCH_PAGES, from + 2 * BATCH_PAGES));
    reading.catch(() => undefined);
    const queue = pages.values();
    const work = async () => {
      for (const page of queue) await writePage(run, page, paths.get(page.id)!);
    };
    await Promise.all(Array.from({ length: WIDTH }, work));
    run.ask.onProgress?.(Math.min(from + BATCH_PAGES, ids.length), ids.length);
  }
  await reading;
}

/** Files of the earlier export that no page has any more; with `prune` those go that still hold what it wrote. */
async function clearStale(run: Run, paths: ReadonlySet<string>): Promise<void> {
  const { ask, result } = run;
  for (const file of run.before.values()) {
    if (paths.has(file.path)) continue;
    const full = join(ask.dir, file.path);
    const standing = await lookAt(full).catch(() => ({ kind: 'other' as const }));
    if (standing.kind === 'nothing') continue;
    const isOurs = standing.kind === 'file' && standing.hash === file.hash;
    if (ask.prune && isOurs) {
      await rm(full);
      result.pruned += 1;
      continue;
    }
    result.stale += 1;
    result.problems.push({ path: file.path, slug: file.slug, outcome: 'stale' });
    if (isOurs) run.files.push(file);
  }
}

async function writeData(run: Run, name: string, lines: readonly string[]): Promise<void> {
  const bytes = toBytes(lines.map((line) => `${line}\n`).join(''));
  await putFile({ path: dataFile(run.ask.dir, name), bytes, aside: run.aside, replace: true, isDurable: true });
}

async function writePart(run: Run, part: ExportPart): Promise<{ name: string; version: number; rows: number }> {
  const lines: string[] = [];
  for (let after: string | null = null; ; ) {
    const { rows, next } = await part.read(run.db, run.ask.sourceId, after);
    for (const row of rows) lines.push(JSON.stringify(row));
    if (next === null) break;
    after = next;
  }
  await writeData(run, `${part.name}.jsonl`, lines);
  return { name: part.name, version: part.version, rows: lines.length };
}

/** The folder is ours to write in: empty, foreign with no `_gbrain` of its own, or an earlier export of this source. */
async function admitFolder(db: Queryable, ask: ExportAsk): Promise<string> {
  const brainId = await readBrainId(db);
  const above = nearestFolder(ask.dir);
  await mkdir(ask.dir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    raise('export_folder', { folder: ask.dir, above, reason: 'cannot_make', detail: `code=${error.code}` }, error);
  });
  const manifest = await readManifest(ask.dir);
  const isOther = manifest && (manifest.brain_id !== brainId || manifest.source_id !== ask.sourceId);
  if (isOther && !ask.force) raise('export_folder', { folder: ask.dir, above, reason: 'other_export' });
  if (!manifest && (await lookAt(join(ask.dir, EXPORT_FOLDER))).kind !== 'nothing') {
    const inside = await readdir(join(ask.dir, EXPORT_FOLDER)).catch(() => ['?']);
    // An export that was cut off before its first manifest has left nothing but its own unfinished files.
    if (inside.some((name) => name !== 'pages' && !isAside(name))) {
      raise('export_folder', { folder: ask.dir, above, reason: 'occupied' });
    }
  }
  return brainId;
}

async function clearAside(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (isAside(name)) await rm(join(folder, name), { force: true });
}

/** Runs an export. Rejects with the system's error when the disk is full; what was written stays and is whole. */
export async function runExport(db: Queryable, ask: ExportAsk): Promise<ExportResult> {
  const brainId = await admitFolder(db, ask);
  const aside = join(ask.dir, EXPORT_FOLDER);
  await mkdir(aside, { recursive: true });
  await clearAside(aside);
  const paths = decidePaths(await readPathedPages(db, ask.sourceId));
  const result: ExportResult = {
    pages: paths.size,
    written: 0,
    unchanged: 0,
    held: 0,
    failed: 0,
    stale: 0,
    pruned: 0,
    parts: [],
    problems: [],
  };
  const before = await readExportedFiles(ask.dir);
  const run: Run = { db, ask, folders: new Folders(ask.dir), aside, before, files: [], result };
  await writePages(run, paths);
  await clearStale(run, new Set(paths.values()));
  for (const part of ask.parts) result.parts.push(await writePart(run, part));
  const files = run.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  await writeData(
    run,
    'files.jsonl',
    files.map(({ path, slug, hash }) => JSON.stringify({ path, slug, hash })),
  );
  const manifest: Manifest = {
    gbrain_export: EXPORT_FORMAT,
    brain_id: brainId,
    source_id: ask.sourceId,
    pages: files.length,
    parts: result.parts,
  };
  await writeData(run, 'manifest.json', [JSON.stringify(manifest, null, 2)]);
  await syncFolder(aside);
  await syncFolder(dirname(aside));
  return result;
}
