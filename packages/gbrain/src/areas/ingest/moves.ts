// Which new files are old ones at a new path. Pure: it is told what is missing and what is new.
import type { FileRecord } from './verdict.ts';

/** A record whose file is gone, with the id that its page declares. */
export interface MissingFile {
  record: FileRecord;
  declared?: string;
}

/** A file without a record, with its hash and the id that its text declares. */
export interface NewFile {
  path: string;
  hash: string;
  declared?: string;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Pairs new files with missing ones: the same declared id first, then the same bytes under the same file name, then the
 * same bytes. A pairing that could be another one is none: such a file is new, and such a page keeps its place.
 */
export function decideMoves(missing: readonly MissingFile[], fresh: readonly NewFile[]): Map<string, FileRecord> {
  const moves = new Map<string, FileRecord>();
  const left = new Set(missing);
  const keys: [(one: MissingFile) => string | undefined, (one: NewFile) => string | undefined][] = [
    [({ declared }) => declared, ({ declared }) => declared],
    [({ record }) => `${record.hash}/${baseName(record.path)}`, ({ hash, path }) => `${hash}/${baseName(path)}`],
    [({ record }) => record.hash, ({ hash }) => hash],
  ];
  for (const [missingKey, freshKey] of keys) {
    const gone = groupBy([...left], missingKey);
    const candidates = fresh.filter(({ path }) => !moves.has(path));
    for (const [key, files] of groupBy(candidates, freshKey)) {
      const [only, ...others] = gone.get(key) ?? [];
      if (!only || others.length > 0 || files.length > 1) continue;
      moves.set(files[0]!.path, only.record);
      left.delete(only);
    }
  }
  return moves;
}
