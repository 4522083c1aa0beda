// Texts of pages by slug, tombstones included, for a run that only says what it would do.
import type { Queryable } from '../../store/store.ts';
import type { StoredPage } from '../pages/page-write.ts';
import { readPageTexts } from './source-files.sql.ts';

/** The pages of one source that have these slugs, by slug. */
export async function pageTexts(
  db: Queryable,
  sourceId: string,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, StoredPage>> {
  const pages = await readPageTexts(db, sourceId, slugs);
  return new Map(pages.map((page) => [page.slug, { ...page, id: page.pageId } as unknown as StoredPage]));
}
