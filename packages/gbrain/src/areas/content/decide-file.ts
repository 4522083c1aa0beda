// What becomes of a page's file, from what the page is, what was written for it and what stands there now. Pure.
import type { Standing } from './write-file.ts';

/** A page's file as it should be; null for a page that is deleted. */
export interface WantedFile {
  path: string;
  hash: string;
}

/** What to do at one path. */
export type FileAction =
  /** Nothing stands there: write, and never over what comes in between. */
  | { do: 'create' }
  /** What stands there is what we wrote: replace it. */
  | { do: 'replace' }
  /** It is as it should be already. */
  | { do: 'adopt' }
  /** Somebody has written to it: leave it alone. */
  | { do: 'hold'; reason: 'edited' | 'occupied' };

/** What to do with the file that a page should have. `ours` is the hash of what was written last at this path. */
export function decideFile(wanted: WantedFile, standing: Standing, ours: string | null): FileAction {
  if (standing.kind === 'nothing') return { do: 'create' };
  if (standing.kind === 'other') return { do: 'hold', reason: 'occupied' };
  if (standing.hash === wanted.hash) return { do: 'adopt' };
  if (standing.hash === ours) return { do: 'replace' };
  return { do: 'hold', reason: ours === null ? 'occupied' : 'edited' };
}

/** Whether a file that no page wants any more may be removed: only while it holds what we wrote. */
export function decideRemoval(standing: Standing, ours: string | null): 'gone' | 'remove' | 'keep' {
  if (standing.kind === 'nothing') return 'gone';
  return standing.kind === 'file' && standing.hash === ours ? 'remove' : 'keep';
}
