// Files of the content directory that are not as their pages say, over every source: for doctor, and for what a search
// says of itself.
import type { Queryable } from '../../store/store.ts';
import { readAllUnwritten, type UnwrittenOfBrain } from './projection.sql.ts';

/** Files that are looked at; the oldest first. */
const FILES_MAX = 200;

/** A held file, or one that could not be written. */
export type HeldRow = UnwrittenOfBrain;

/** The files, those of private pages only for the owner. */
export async function readHeldFiles(db: Queryable, seesPrivate: boolean): Promise<HeldRow[]> {
  const all = await readAllUnwritten(db, FILES_MAX);
  return seesPrivate ? all : all.filter(({ isPrivate }) => !isPrivate);
}
