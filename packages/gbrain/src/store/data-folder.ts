// The data folder of an embedded brain: made from the shipped template in one step, and checked before it is opened.
// It must not know the engine; it sees files, a format record beside the folder, and the template.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unpackEntries, writeEntries } from './archive.ts';
import { templateDir } from './assets.ts';
import { fromSystem, storeError } from './faults.ts';
import { StoreError } from './store.ts';

/** Major version of the Postgres inside the embedded engine; a folder of another one cannot be opened. */
export const engineMajor = 18;
/** Layout of the folder and of what lies beside it. */
export const folderFormat = 1;

/** What a template says of itself, in `template.json` beside the archive. */
export interface TemplateRecord {
  /** File name of the archive beside the record. */
  archive: string;
  sha256: string;
  postgres_major: number;
  format: number;
  /** Checksums of the migrations it holds, in order; tells a stale template from a current one. */
  migrations: string[];
}

/** What stands beside a data folder, in `<folder>.format.json`. */
export interface FolderRecord {
  engine: 'pglite';
  postgres_major: number;
  format: number;
  /** False until the brain of a new folder has ids of its own. */
  born: boolean;
}

/** File name of a template's record. */
export const templateRecordFile = 'template.json';

const recordPath = (dataDir: string) => `${dataDir}.format.json`;

/** True when the folder holds a database, whatever its version. */
export const hasDatabase = (dataDir: string): boolean => fs.existsSync(join(dataDir, 'PG_VERSION'));

/**
 * Checks a folder before it is opened; gives its record, or that of an older folder without one.
 * Throws StoreError: `schema_missing` without a database, `incompatible` for another Postgres major or format (with
 * both numbers in its message), `damaged` for an unreadable record, `read_only`.
 */
export function checkFolder(dataDir: string): FolderRecord {
  if (!hasDatabase(dataDir)) {
    throw storeError('schema_missing', { at: dataDir, message: 'There is no database in this folder' });
  }
  const major = Number(readText(join(dataDir, 'PG_VERSION')).trim());
  if (major !== engineMajor) throw incompatible(dataDir, `Postgres ${major}`, `Postgres ${engineMajor}`);
  const path = recordPath(dataDir);
  if (!fs.existsSync(path)) return { engine: 'pglite', postgres_major: major, format: folderFormat, born: true };
  const record = parseRecord<FolderRecord>(path);
  if (record.format !== folderFormat) throw incompatible(dataDir, `format ${record.format}`, `format ${folderFormat}`);
  return record;
}

function incompatible(dataDir: string, found: string, wanted: string): StoreError {
  return storeError('incompatible', {
    at: dataDir,
    message: `This database folder was made for ${found}; this version of gbrain opens ${wanted} only`,
  });
}

/**
 * Makes a data folder from the template: unpacked beside it, synced, then renamed into place, so that a folder is
 * either absent or whole. What an interrupted call left beside it is removed. The parent folder is made if need be.
 * Rejects with StoreError: `damaged` for a template that is missing or altered, `disk_full`, `read_only`.
 */
export async function createFolder(dataDir: string, template = templateDir): Promise<void> {
  try {
    const entries = readTemplate(template);
    const parent = dirname(dataDir);
    fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
    const prefix = `${basename(dataDir)}.new-`;
    for (const name of fs.readdirSync(parent)) {
      if (name.startsWith(prefix)) fs.rmSync(join(parent, name), { recursive: true, force: true });
    }
    // An empty folder that somebody prepared is replaced; one that holds anything makes this fail.
    if (fs.existsSync(dataDir)) fs.rmdirSync(dataDir);
    const fresh = fs.mkdtempSync(join(parent, prefix));
    writeEntries(fresh, entries);
    await Promise.all(['', ...entries.map((entry) => entry.path)].map((path) => syncPath(join(fresh, path))));
    await writeRecord(dataDir, { engine: 'pglite', postgres_major: engineMajor, format: folderFormat, born: false });
    fs.renameSync(fresh, dataDir);
    await syncPath(parent);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = 'The database folder cannot be made here';
    throw fromSystem(error, dataDir) ?? storeError('other', { cause: error, at: dataDir, message });
  }
}

function readTemplate(template: string): ReturnType<typeof unpackEntries> {
  const recordFile = join(template, templateRecordFile);
  const damaged = (cause?: unknown) =>
    storeError('damaged', { cause, at: recordFile, message: 'The empty database that ships with gbrain is damaged' });
  if (!fs.existsSync(recordFile)) throw damaged();
  const record = parseRecord<TemplateRecord>(recordFile);
  const archive = fs.readFileSync(join(template, record.archive));
  if (createHash('sha256').update(archive).digest('hex') !== record.sha256) throw damaged();
  if (record.postgres_major !== engineMajor || record.format !== folderFormat) throw damaged();
  try {
    return unpackEntries(archive);
  } catch (cause) {
    throw damaged(cause);
  }
}

/**
 * Copies a folder that no engine has open to `target`, with its record, synced; a copy is absent or whole, and an
 * earlier one of that name is replaced. On file systems that can, it shares its blocks with the original.
 * Rejects with StoreError `disk_full` or `read_only`.
 */
export async function copyFolder(dataDir: string, target: string): Promise<void> {
  const fresh = `${target}.new`;
  try {
    fs.rmSync(fresh, { recursive: true, force: true });
    fs.cpSync(dataDir, fresh, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
    const paths = fs.readdirSync(fresh, { recursive: true, encoding: 'utf8' });
    await Promise.all(['', ...paths].map((path) => syncPath(join(fresh, path))));
    await writeRecord(target, checkFolder(dataDir));
    fs.rmSync(target, { recursive: true, force: true });
    fs.renameSync(fresh, target);
    await syncPath(dirname(target));
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    throw error instanceof StoreError ? error : (fromSystem(error, target) ?? error);
  }
}

/** Writes the record beside a folder, whole or not at all, synced. */
export async function writeRecord(dataDir: string, record: FolderRecord): Promise<void> {
  const path = recordPath(dataDir);
  const fresh = `${path}.new`;
  fs.writeFileSync(fresh, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await syncPath(fresh);
  fs.renameSync(fresh, path);
  await syncPath(dirname(path));
}

/**
 * Removes what a killed engine left of its temporary files. A server's postmaster does this at its start; the
 * embedded engine has none.
 */
export function removeTemporaryFiles(dataDir: string): void {
  const base = join(dataDir, 'base');
  for (const database of fs.readdirSync(base)) {
    const folder = join(base, database);
    for (const name of fs.readdirSync(folder)) {
      const temporary = database === 'pgsql_tmp' || /^t\d+_\d+(_\w+)?(\.\d+)?$/.test(name);
      if (temporary) fs.rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

async function syncPath(path: string): Promise<void> {
  // Windows syncs through handles that may write, and folders not at all.
  if (process.platform === 'win32' && fs.statSync(path).isDirectory()) return;
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw fromSystem(error, path) ?? storeError('damaged', { cause: error, at: path });
  }
}

function parseRecord<T>(path: string): T {
  const text = readText(path);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw storeError('damaged', { cause, at: path });
  }
}
