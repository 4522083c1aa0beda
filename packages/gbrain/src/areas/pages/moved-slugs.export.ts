// Old slugs that lead to pages: what a move has left.
import { defineExportPart } from '../../export-part.ts';
import { type MovedSlug, readMovedSlugs, restoreMovedSlugs } from './export.sql.ts';
import { parseRow } from './kept-rows.ts';

export default defineExportPart<MovedSlug>({
  name: 'moved-slugs',
  version: 1,
  summary: 'Old slugs that lead to pages.',
  requirement: 'design/decisions 19b; facts/user-faults P21',
  read: async (db, sourceId, after) => {
    const rows = await readMovedSlugs(db, sourceId, after ?? '');
    return { rows, next: rows.at(-1)?.alias ?? null };
  },
  parse: (value) => parseRow<MovedSlug>(value, { alias: 'slug', slug: 'slug' }),
  slugOf: ({ slug }) => slug,
  restore: (sourceId, rows) => [restoreMovedSlugs(sourceId, rows)],
});
