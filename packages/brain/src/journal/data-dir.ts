// The data folder: its format mark, its lock, and where things are in it. Nothing of what is stored is known here.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** First line of the `format` file. Another value is refused. */
export const DATA_FORMAT = 'brain-data/2';

/** The folder cannot be used: not ours, another version, or held by another server. */
export class DataDirError extends Error {
  readonly code: 'data_dir_format' | 'data_dir_locked' | 'data_dir_unusable';
  /** What to do next, one sentence. */
  readonly suggestion: string;

  constructor(code: DataDirError['code'], message: string, suggestion: string) {
    super(message);
    this.name = 'DataDirError';
    this.code = code;
    this.suggestion = suggestion;
  }
}

/** Paths inside a data folder. */
export function dataPaths(folder: string) {
  return {
    folder,
    format: join(folder, 'format'),
    lock: join(folder, 'lock.db'),
    journal: join(folder, 'journal.db'),
    heads: join(folder, 'heads'),
    sealed: join(folder, 'sealed'),
    agentloops: join(folder, 'agentloops'),
    workers: join(folder, 'workers.json'),
    server: join(folder, 'server.json'),
  };
}

/** Paths inside a data folder. */
export type DataPaths = ReturnType<typeof dataPaths>;

/** Makes or checks the folder. A folder with other things in it, or with another format, is refused. */
export function openDataDir(folder: string): DataPaths {
  const paths = dataPaths(folder);
  usable(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const format = usable(folder, () => readFormat(paths));
  if (format === undefined) {
    const [first] = usable(folder, () => readdirSync(folder));
    if (first !== undefined) {
      const message = `${folder} is no data folder of Brain: it holds ${first}.`;
      throw new DataDirError('data_dir_format', message, 'Start with a new --data-dir.');
    }
    usable(folder, () => writeFileSync(paths.format, `${DATA_FORMAT}\n`, { flush: true }));
  } else if (format !== DATA_FORMAT) {
    throw new DataDirError(
      'data_dir_format',
      `${folder} has the format ${format.slice(0, 64)}; this server reads ${DATA_FORMAT}.`,
      'Start with a new --data-dir, or use the version that made this one.',
    );
  }
  for (const part of [paths.sealed, paths.agentloops]) {
    usable(folder, () => mkdirSync(part, { recursive: true, mode: 0o700 }));
  }
  return paths;
}

/** What the file system says no to, in words that say which folder. */
function usable<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = `${folder} cannot be used: ${(error as Error).message}`;
    throw new DataDirError(
      'data_dir_unusable',
      message,
      'Check its permissions and its disk, or choose another --data-dir.',
    );
  }
}

/** The format mark; undefined when there is none. */
export function readFormat(paths: DataPaths): string | undefined {
  try {
    return readFileSync(paths.format, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The hold on a data folder. The kernel lets go of it when the process dies, however it dies. */
export interface DataLock {
  release(): void;
}

/** Takes the folder for this process. A second server is refused at once, with the first one's pid. */
export function lockDataDir(paths: DataPaths): DataLock {
  const database = usable(paths.folder, () => new DatabaseSync(paths.lock, { timeout: 0 }));
  try {
    // One byte in one step, so of two servers that start together exactly one wins; the write makes sure of it.
    database.exec('BEGIN IMMEDIATE');
    database.exec('PRAGMA user_version = 1');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== 5) {
      usable(paths.folder, () => {
        throw error;
      });
    }
    throw new DataDirError(
      'data_dir_locked',
      `${paths.folder} is in use by another server${describeHolder(paths)}.`,
      'Stop that server, or choose another --data-dir.',
    );
  }
  return { release: () => database.close() };
}

function describeHolder(paths: DataPaths): string {
  try {
    const { pid, listen } = JSON.parse(readFileSync(paths.server, 'utf8')) as { pid: number; listen: string };
    return ` (pid ${pid}, ${listen})`;
  } catch {
    // The holder has not written the file yet; its name is a courtesy.
    return '';
  }
}
