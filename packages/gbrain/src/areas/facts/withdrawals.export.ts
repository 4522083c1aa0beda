// Texts that were forgotten on request: an import that lost them would bring the forgotten back.
import { defineExportPart } from '../../export-part.ts';
import { parseRow } from '../pages/kept-rows.ts';
import { type KeptWithdrawal, readKeptWithdrawals, restoreKeptWithdrawals } from './kept-facts.sql.ts';

export default defineExportPart<KeptWithdrawal>({
  name: 'fact-withdrawals',
  version: 1,
  summary: 'Digests of the texts that were forgotten on request, so that no import brings them back.',
  requirement: 'design/decisions 19b; facts/engine E.1',
  // After the facts, which it ends.
  order: 70,
  read: async (db, sourceId, after) => {
    const [fingerprint = '', entitySlug = ''] = after?.split('\n') ?? [];
    const rows = await readKeptWithdrawals(db, sourceId, { fingerprint, entitySlug });
    const last = rows.at(-1);
    return { rows, next: last ? `${last.fingerprint}\n${last.entity_slug}` : null };
  },
  parse: (value) =>
    parseRow<KeptWithdrawal>(value, {
      fingerprint: 'hash',
      entity_slug: 'text',
      reason: 'text?',
      principal: 'text',
      at: 'instant',
    }),
  restore: (sourceId, rows) => restoreKeptWithdrawals(sourceId, rows),
});
