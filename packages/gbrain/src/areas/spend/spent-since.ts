// What one kind of work has spent since a time, with what is reserved for calls whose end is not known.
import type { Queryable } from '../../store/store.ts';
import { toUsd } from './prices.ts';
import { readSpentSince } from './spend.sql.ts';

/** US dollars that calls of an operation are charged with since a time. */
export const spentSince = async (db: Queryable, operation: string, since: Date): Promise<number> =>
  toUsd(await readSpentSince(db, operation, since));
