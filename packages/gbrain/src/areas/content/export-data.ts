// Files beside the pages of an export: the manifest, the list of its files, and rows as lines of JSON. Every line
// that is read back is checked; nothing in a file is trusted.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raise } from '../../failure.ts';
import { EXPORT_FOLDER, isSafePath } from './page-paths.ts';

/** Format of the folder as a whole. */
export const EXPORT_FORMAT = 1;
/** Longest line of a data file, in characters. */
const LINE_MAX = 32 * 2 ** 20;

/** What an export says of itself. */
export interface Manifest {
  gbrain_export: typeof EXPORT_FORMAT;
  brain_id: string;
  source_id: string;
  pages: number;
  parts: { name: string; version: number; rows: number }[];
}

/** A page's file as an export wrote it. */
export interface ExportedFile {
  path: string;
  slug: string;
  /** Hex SHA-256 of its bytes. */
  hash: string;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Path of a data file of an export. */
export const dataFile = (root: string, name: string): string => join(root, EXPORT_FOLDER, name);

function parseManifest(value: unknown): Manifest | undefined {
  if (!isObject(value) || value.gbrain_export !== EXPORT_FORMAT) return undefined;
  const { brain_id, source_id, pages } = value;
  if (typeof brain_id !== 'string' || typeof source_id !== 'string' || typeof pages !== 'number') return undefined;
  const parts = Array.isArray(value.parts) ? value.parts.filter(isObject) : [];
  return {
    gbrain_export: EXPORT_FORMAT,
    brain_id,
    source_id,
    pages,
    parts: parts.flatMap(({ name, version, rows }) =>
      typeof name === 'string' && typeof version === 'number' && typeof rows === 'number'
        ? [{ name, version, rows }]
        : [],
    ),
  };
}

/** The manifest of a folder; undefined when it is no export. Raises `export_unreadable` for one that is not ours. */
export async function readManifest(root: string): Promise<Manifest | undefined> {
  const path = dataFile(root, 'manifest.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return raise('export_unreadable', { path, reason: 'unreadable' }, error);
  }
  let manifest: Manifest | undefined;
  try {
    manifest = parseManifest(JSON.parse(text));
  } catch {
    // Not JSON: the same as JSON of another shape.
    manifest = undefined;
  }
  return manifest ?? raise('export_unreadable', { path, reason: 'not_an_export' });
}

/** A line of a data file, or the number of one that is none. */
export type DataLine = { ok: true; value: unknown } | { ok: false; line: number };

/** Lines of a data file; a file that is not there has none. A bad line costs that line. */
export async function* readLines(path: string): AsyncGenerator<DataLine> {
  const stream = createReadStream(path, 'utf8');
  const opened = new Promise<boolean>((resolve, reject) => {
    stream.once('open', () => resolve(true));
    stream.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') resolve(false);
      else reject(error);
    });
  });
  if (!(await opened)) return;
  let line = 0;
  for await (const text of splitAtLineFeeds(stream)) {
    line += 1;
    if (text === '' || text === '\r') continue;
    if (text.length > LINE_MAX) yield { ok: false, line };
    else yield parseLine(text, line);
  }
}

/** JSON writes U+2028 and U+2029 as they are, and node:readline takes them for line ends; only LF ends a line here. */
async function* splitAtLineFeeds(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = chunk.split('\n');
    // What is beyond the bound is counted as a bad line, so no more of it than that is kept.
    const first = lines[0] as string;
    if (rest.length <= LINE_MAX) rest += first;
    if (lines.length === 1) continue;
    yield rest;
    yield* lines.slice(1, -1);
    rest = lines.at(-1) as string;
  }
  if (rest !== '') yield rest;
}

function parseLine(text: string, line: number): DataLine {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // Half a line, or something else: the caller counts it.
    return { ok: false, line };
  }
}

/** The files that the export in this folder wrote, by path; empty when there is none. */
export async function readExportedFiles(root: string): Promise<Map<string, ExportedFile>> {
  const files = new Map<string, ExportedFile>();
  for await (const line of readLines(dataFile(root, 'files.jsonl'))) {
    if (!line.ok || !isObject(line.value)) continue;
    const { path, slug, hash } = line.value;
    if (typeof path !== 'string' || typeof slug !== 'string' || typeof hash !== 'string') continue;
    if (isSafePath(path) && /^[0-9a-f]{64}$/.test(hash)) files.set(path, { path, slug, hash });
  }
  return files;
}
