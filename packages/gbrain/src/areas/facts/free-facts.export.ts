// Facts that no page states: they are born in the database, so an export is the only other place that has them.
import { defineExportPart } from '../../export-part.ts';
import { parseRow } from '../pages/kept-rows.ts';
import { FACT_KINDS, FACT_VISIBILITIES, factTerms, fingerprintOf } from './fact.ts';
import { type RestoredFact, readKeptFacts, restoreKeptFacts } from './kept-facts.sql.ts';

const isOneOf = (list: readonly (string | null)[], value: string | null): boolean => list.includes(value);

function isFact(row: RestoredFact): boolean {
  const confidence = Number(row.confidence);
  return (
    row.fact !== '' &&
    isOneOf(FACT_KINDS, row.kind) &&
    isOneOf(FACT_VISIBILITIES, row.visibility) &&
    isOneOf(['high', 'medium', 'low'], row.notability) &&
    isOneOf([null, 'user_said', 'tool_output', 'inferred', 'imported'], row.content_origin) &&
    isOneOf(['owner', 'agent_written', 'external_untrusted'], row.trust_tier) &&
    confidence >= 0 &&
    confidence <= 1 &&
    row.id > 0 &&
    row.seen_count > 0 &&
    Buffer.byteLength(row.entity_slug ?? '') <= 512
  );
}

export default defineExportPart<RestoredFact>({
  name: 'free-facts',
  version: 1,
  summary: 'Facts that were remembered and stand in no page, those that are over included.',
  requirement: 'design/decisions 19b; facts/user-faults P14',
  order: 60,
  read: async (db, sourceId, after) => {
    const rows = await readKeptFacts(db, sourceId, Number(after ?? 0));
    const last = rows.at(-1);
    // What is worked out from the text is worked out again.
    return { rows: rows as RestoredFact[], next: last ? String(last.id) : null };
  },
  parse: (value) => {
    const row = parseRow<RestoredFact>(value, {
      uid: 'uuid',
      id: 'number',
      entity_slug: 'slug?',
      fact: 'text',
      kind: 'text',
      visibility: 'text',
      notability: 'text',
      context: 'text?',
      valid_from: 'instant',
      valid_until: 'instant?',
      expired_at: 'instant?',
      expired_reason: 'text?',
      superseded_by: 'uuid?',
      source: 'text',
      source_session: 'text?',
      confidence: 'text',
      attributed_to: 'text?',
      content_origin: 'text?',
      trust_tier: 'text',
      writer_principal: 'text?',
      writer_session: 'text?',
      writer_sequence: 'number?',
      seen_count: 'number',
      seen_at: 'instant',
      created_at: 'instant',
      gist: 'hash?',
      dimension: 'text?',
      value: 'text?',
      claim_metric: 'text?',
      claim_value: 'text?',
      claim_unit: 'text?',
      claim_period: 'text?',
      premises: 'text?',
      purged_at: 'instant?',
    });
    if (!row || !isFact(row)) return undefined;
    return { ...row, fingerprint: fingerprintOf(row.fact), terms: factTerms(row.fact) };
  },
  restore: (sourceId, rows) => restoreKeptFacts(sourceId, rows),
});
