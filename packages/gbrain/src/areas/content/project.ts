// Writes the files of pages into the content directory, each whole or not at all, and says what stands there then. It
// reads no row and keeps none: a page goes in, a record comes out.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hashOf } from '../ingest/read-file.ts';
import { toBytes } from '../pages/text-edge.ts';
import { decideFile, decideRemoval } from './decide-file.ts';
import { ownPath, PLACED } from './page-paths.ts';
import type { FileState, MarkedPage, ProjectedFile } from './projection.sql.ts';
import { BlockedPath, Folders, isAside, lookAt, putFile, syncFolder } from './write-file.ts';

/** A fault of the disk as a whole: the next page would meet it too, so its pages wait. */
export class DiskFault extends Error {
  readonly reason: string;
  constructor(reason: string, cause: unknown) {
    super(`the content directory cannot be written (${reason})`, { cause });
    this.reason = reason;
  }
}

const WIDE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Folder of one source below the home. */
export const contentRoot = (home: string, brainId: string, sourceId: string): string =>
  join(home, 'content', brainId, sourceId);

/** One content directory while files are written to it. */
export interface Directory {
  root: string;
  folders: Folders;
  /** Folders whose names have to reach the disk before the records do. */
  touched: Set<string>;
  /** Whether the brain has held these very bytes as this page's text: then nothing is lost by replacing them. */
  isOurs(pageId: number, hash: string): Promise<boolean>;
}

/** Opens a directory, made where it is not there. */
export async function openDirectory(root: string, isOurs: Directory['isOurs']): Promise<Directory> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  return { root, folders: new Folders(root), touched: new Set(), isOurs };
}

/** Takes away what a crash has left half written. */
export async function clearUnfinished(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) if (isAside(name)) await rm(join(root, name), { force: true });
}

/** Makes sure that what was written to a directory is on the disk. */
export async function settleDirectory({ touched }: Directory): Promise<void> {
  await Promise.all([...touched].map(syncFolder));
  touched.clear();
}

/** Whether the directory itself takes nothing new: then no page is at fault, and all of them wait. */
function isShut(root: string, error: unknown): boolean {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined || dirname(path) !== root || !(code === 'EACCES' || code === 'EPERM')) return false;
  return syscall === 'mkdir' || isAside(basename(path));
}

/** Writes one page's file, or removes it. Rejects with DiskFault when the disk takes nothing. */
export async function projectPage(directory: Directory, page: MarkedPage): Promise<ProjectedFile> {
  const { pageId, revision, sourceId } = page;
  const done = (record: FileState | null): ProjectedFile => ({ pageId, revision, sourceId, record });
  try {
    return done(page.isDeleted ? await removeOld(directory, pageId, page.record) : await writePage(directory, page));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (WIDE.has(code) || isShut(directory.root, error)) throw new DiskFault(code, error);
    const path = page.record?.path ?? pathOf(page);
    return done({ path, hash: page.record?.hash ?? null, state: 'failed', reason: code });
  }
}

const pathOf = ({ pageId, slug, sourcePath }: MarkedPage): string => ownPath({ id: pageId, slug, sourcePath });

async function writePage(directory: Directory, page: MarkedPage): Promise<FileState> {
  const bytes = toBytes(page.text);
  const hash = hashOf(bytes);
  const wanted = pathOf(page);
  try {
    const written = await writeAt(directory, { path: wanted, hash, bytes }, page);
    if (written.reason !== 'occupied' || (await lookAt(join(directory.root, wanted))).kind === 'file') return written;
  } catch (error) {
    if (!(error instanceof BlockedPath)) throw error;
  }
  // A folder stands where the file should be, or a file where its folder should be: both pages keep a place.
  return writeAt(directory, { path: `${PLACED}/${page.pageId}.md`, hash, bytes }, page);
}

interface PlacedFile {
  path: string;
  hash: string;
  bytes: Uint8Array;
}

async function writeAt(directory: Directory, file: PlacedFile, page: MarkedPage): Promise<FileState> {
  const { path, hash, bytes } = file;
  const { record, pageId } = page;
  const full = join(directory.root, path);
  await directory.folders.make(path);
  const standing = await lookAt(full);
  const recorded = record?.path === path ? record.hash : null;
  // A crash between a file and its record leaves a file that only the page's history knows.
  const isKnown =
    decideFile(file, standing, recorded).do === 'hold' &&
    standing.kind === 'file' &&
    (await directory.isOurs(pageId, standing.hash));
  const ours = isKnown ? standing.hash : recorded;
  const write = (replace: boolean) => putFile({ path: full, bytes, aside: directory.root, replace, isDurable: true });
  const action = decideFile(file, standing, ours);
  if (action.do === 'hold') return { path, hash: ours, state: 'held', reason: action.reason };
  if (action.do === 'create' && !(await write(false))) return { path, hash: ours, state: 'held', reason: 'occupied' };
  if (action.do === 'replace') await write(true);
  directory.touched.add(dirname(full));
  // The new file is there before the old one goes.
  if (record && record.path !== path) await removeOld(directory, pageId, record);
  return { path, hash, state: 'written', reason: null };
}

/** Removes the file that was written for a page; one that was edited since stays, and is told of. */
async function removeOld(directory: Directory, pageId: number, record: FileState | null): Promise<FileState | null> {
  if (!record) return null;
  const full = join(directory.root, record.path);
  const standing = await lookAt(full);
  const isKnown = standing.kind === 'file' && (await directory.isOurs(pageId, standing.hash));
  const action = decideRemoval(standing, isKnown ? standing.hash : record.hash);
  if (action === 'keep') return { ...record, state: 'held', reason: 'edited' };
  if (action === 'remove') {
    await rm(full);
    directory.touched.add(dirname(full));
  }
  return null;
}
