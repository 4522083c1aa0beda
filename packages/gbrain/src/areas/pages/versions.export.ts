// Earlier states of pages, oldest first.
import { defineExportPart } from '../../export-part.ts';
import { type KeptVersion, readKeptVersions, restoreVersions } from './export.sql.ts';
import { parseRow } from './kept-rows.ts';

export default defineExportPart<KeptVersion>({
  name: 'versions',
  version: 1,
  summary: 'Earlier states of every page.',
  requirement: 'design/decisions 19b; facts/user-faults P14',
  read: async (db, sourceId, after) => {
    const rows = await readKeptVersions(db, sourceId, Number(after ?? 0));
    const last = rows.at(-1);
    return { rows: rows.map(({ id: _, ...row }) => row), next: last ? String(last.id) : null };
  },
  parse: (value) =>
    parseRow<KeptVersion>(value, {
      slug: 'slug',
      revision: 'uuid',
      text: 'text',
      title: 'text',
      type: 'slug',
      frontmatter: 'object',
      deleted: 'boolean',
      writer_principal: 'text?',
      writer_session: 'text?',
      writer_sequence: 'number?',
      created_at: 'instant',
    }),
  slugOf: ({ slug }) => slug,
  restore: (sourceId, rows) => [restoreVersions(sourceId, rows)],
});
