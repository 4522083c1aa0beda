// Edges that a person or an agent made by hand: no page's text holds them.
import { defineExportPart } from '../../export-part.ts';
import { parseRow } from '../pages/kept-rows.ts';
import { type ManualLink, readManualLinks, restoreManualLinks } from './graph.sql.ts';

const TAG = /^[a-z][a-z0-9_-]{0,63}$/;

export default defineExportPart<ManualLink>({
  name: 'manual-links',
  version: 1,
  summary: 'Edges made by hand between pages of the source.',
  requirement: 'design/decisions 19b; facts/user-faults P14',
  read: async (db, sourceId, after) => {
    const rows = await readManualLinks(db, sourceId, Number(after ?? 0));
    const last = rows.at(-1);
    return { rows: rows.map(({ id: _, ...row }) => row), next: last ? String(last.id) : null };
  },
  parse: (value) => {
    const row = parseRow<ManualLink>(value, {
      from_slug: 'slug',
      to_slug: 'slug',
      link_type: 'slug',
      link_source: 'slug',
      context: 'text',
      created_at: 'instant',
    });
    return row && TAG.test(row.link_type) && TAG.test(row.link_source) ? row : undefined;
  },
  slugOf: ({ from_slug }) => from_slug,
  restore: (sourceId, rows) => [restoreManualLinks(sourceId, rows)],
});
