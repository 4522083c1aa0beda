// What other areas may know of a page's file in the content directory: whether it is held, and why.
import type { Queryable } from '../../store/store.ts';
import { readPageFile as read, type UnwrittenFile } from './projection.sql.ts';

/** The file of a page that is not as the page says; undefined when it is, or when there is none. */
export const readPageFile = (db: Queryable, pageId: number): Promise<UnwrittenFile | undefined> => read(db, pageId);
