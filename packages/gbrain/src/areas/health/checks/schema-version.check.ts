// schema_version: the brain's tables are those of this version of gbrain.
import { defineCheck } from '../../../check.ts';
import { raise } from '../../../failure.ts';
import { readSchemaState } from '../../../store/migrate.ts';

export default defineCheck({
  name: 'schema_version',
  category: 'meta',
  summary: 'The tables of the brain are those of this version of gbrain.',
  requirement: 'facts/contract K.2 (migrations), K.4',
  capability: 'migrations',
  needsBrain: true,
  run: async ({ brain }) => {
    const { version, pending, newer } = await readSchemaState(brain.store);
    const details = { version, pending: pending.map(({ name }) => name), newer: newer.map(({ name }) => name) };
    if (newer.length > 0) return raise('migrations_pending', { path: brain.path, reason: 'newer_schema' });
    if (pending.length > 0) {
      // An owner applies what is missing when it opens, so an open brain that lacks some was changed from outside.
      const message = `version ${version}; ${pending.length} newer steps are not applied`;
      const fixUnavailable = 'They are applied when the brain is opened next: end the process that has it open now.';
      return {
        status: 'warn',
        message,
        details,
        readiness: { state: 'degraded', reason: 'pending', tier: 'probed' },
        fixUnavailable,
      };
    }
    const message = `version ${version}, nothing to apply`;
    return { status: 'ok', message, details, readiness: { state: 'ok', reason: 'current', tier: 'probed' } };
  },
});
