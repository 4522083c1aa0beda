// What a page's fence does not say of its facts: since when they are known, and when those that are over ended.
import { defineExportPart } from '../../export-part.ts';
import { parseRow } from '../pages/kept-rows.ts';
import { type FenceFact, readFenceFacts, restoreFenceFacts } from './kept-facts.sql.ts';

export default defineExportPart<FenceFact>({
  name: 'fence-facts',
  version: 1,
  summary: 'Moments of the facts that pages state, as far as their fences do not say them.',
  requirement: 'design/decisions 19b; facts/user-faults P14; issue Memory, Measures',
  order: 65,
  read: async (db, sourceId, after) => {
    const [slug = '', row = '0'] = after?.split('\n') ?? [];
    const rows = await readFenceFacts(db, sourceId, { slug, row: Number(row) });
    const last = rows.at(-1);
    return { rows, next: last ? `${last.slug}\n${last.row_num}` : null };
  },
  parse: (value) =>
    parseRow<FenceFact>(value, {
      slug: 'slug',
      row_num: 'number',
      fingerprint: 'hash',
      valid_from: 'instant',
      expired_at: 'instant?',
      seen_at: 'instant',
      created_at: 'instant',
    }),
  slugOf: ({ slug }) => slug,
  restore: (sourceId, rows) => [restoreFenceFacts(sourceId, rows)],
});
