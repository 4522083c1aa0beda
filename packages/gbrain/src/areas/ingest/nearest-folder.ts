// Where a person looks for the name that was meant: the nearest folder above a path that is there.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not for us to see: the next one above may be.
    return false;
  }
};

/** The nearest folder above a path that is there; the path's own root when nothing else is. */
export function nearestFolder(path: string): string {
  let at = dirname(path);
  while (!isFolder(at) && at !== dirname(at)) at = dirname(at);
  return at;
}
