// Files that the last run over each source's folder could not take in, as counts: what they say is not in the brain.
import type { Queryable } from '../../store/store.ts';
import { readLastFailures } from './ingest.sql.ts';

/** What a source's last run left out. */
export interface FailedFiles {
  sourceId: string;
  root: string;
  failed: number;
}

/** Sources whose last run left files out. */
export const readFailedFiles = (db: Queryable): Promise<FailedFiles[]> => readLastFailures(db);
