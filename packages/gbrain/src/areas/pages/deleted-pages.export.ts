// Texts of deleted pages, so that they can still be restored after a round trip. That they are deleted is a page fact.
import { defineExportPart } from '../../export-part.ts';
import { type DeletedText, readDeletedTexts } from './export.sql.ts';
import { parseRow } from './kept-rows.ts';

export default defineExportPart<DeletedText>({
  name: 'deleted-pages',
  version: 1,
  summary: 'Texts of deleted pages.',
  requirement: 'design/decisions 16b, 19b',
  order: 10,
  read: async (db, sourceId, after) => {
    const rows = await readDeletedTexts(db, sourceId, after ?? '');
    return { rows, next: rows.at(-1)?.slug ?? null };
  },
  parse: (value) => parseRow<DeletedText>(value, { slug: 'slug', text: 'text' }),
  toPage: (row) => row,
  restore: () => [],
});
