// Keeps in the ingest log what another area has brought in. It knows no pages and no files.
import type { Queryable } from '../../store/store.ts';
import { type Ingest, keepIngest } from './ingest.sql.ts';

/** Slugs that one entry keeps. */
const SLUGS_MAX = 1_000;

/** Adds an entry, with its first 1,000 slugs. */
export async function logIngest(db: Queryable, entry: Ingest): Promise<void> {
  await db.query(keepIngest({ ...entry, pagesUpdated: entry.pagesUpdated.slice(0, SLUGS_MAX) }));
}
