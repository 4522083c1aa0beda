// Digests of turns that were extracted: a brain that was put back from an export does not pay for them again.
import { defineExportPart } from '../../export-part.ts';
import { parseRow } from '../pages/kept-rows.ts';
import { type KeptTurn, readKeptTurns, restoreKeptTurns } from './turns.sql.ts';

export default defineExportPart<KeptTurn>({
  name: 'extracted-turns',
  version: 1,
  summary: 'Digests of turns of conversations whose facts were extracted, so that no model is asked about them again.',
  requirement: 'facts/engine E.2; facts/user-faults P53',
  order: 80,
  read: async (db, sourceId, after) => {
    const rows = await readKeptTurns(db, sourceId, after ?? '');
    return { rows, next: rows.at(-1)?.turn_hash ?? null };
  },
  parse: (value) => parseRow<KeptTurn>(value, { turn_hash: 'hash', at: 'instant' }),
  restore: (sourceId, rows) => [restoreKeptTurns(sourceId, rows)],
});
