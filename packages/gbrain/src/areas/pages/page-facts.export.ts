// What a page's row says beside its text: when and by whom it was written, at which revision, and whether it is
// deleted.
import { defineExportPart } from '../../export-part.ts';
import { type PageFacts, readPageFacts, restorePageFacts } from './export.sql.ts';
import { parseRow } from './kept-rows.ts';

const TIERS: ReadonlySet<string> = new Set(['owner', 'agent_written', 'external_untrusted']);
const ORIGINS: ReadonlySet<string | null> = new Set([null, 'user_said', 'tool_output', 'inferred', 'imported']);

export default defineExportPart<PageFacts>({
  name: 'page-facts',
  version: 1,
  summary: 'Revision, times, tombstone, provenance and file of every page.',
  requirement: 'design/decisions 19b; facts/user-faults P14',
  // Last: rows of other parts may go by what it changes.
  order: 90,
  read: async (db, sourceId, after) => {
    const rows = await readPageFacts(db, sourceId, after ?? '');
    return { rows, next: rows.at(-1)?.slug ?? null };
  },
  parse: (value) => {
    const row = parseRow<PageFacts>(value, {
      slug: 'slug',
      text_hash: 'hash',
      source_path: 'text?',
      revision: 'uuid',
      created_at: 'instant',
      updated_at: 'instant',
      deleted_at: 'instant?',
      trust_tier: 'text',
      content_origin: 'text?',
      source_kind: 'text?',
      source_uri: 'text?',
      ingested_via: 'text?',
      writer_principal: 'text?',
      writer_session: 'text?',
      writer_sequence: 'number?',
    });
    return row && TIERS.has(row.trust_tier) && ORIGINS.has(row.content_origin) ? row : undefined;
  },
  slugOf: ({ slug }) => slug,
  restore: (sourceId, rows) => [restorePageFacts(sourceId, rows)],
});
