// schema_version: the brain's tables are those of this version of gbrain.
import { defineCheck } from '../../../check.ts';
import { raise } from '../../../failure.ts';
import { counted } from '../../../row-text.ts';
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
      // An owner applies what is missing when it opens: this brain was opened as it is, or changed from outside.
      const message = `version ${version}; ${counted(pending.length, 'newer step')} not applied`;
      return {
        status: 'warn',
        message,
        details,
        readiness: { state: 'degraded', reason: 'pending', tier: 'probed' },
        fix: {
          call: { op: 'run_doctor', input: { only: ['schema_version'] } },
          expectedMs: 10_000,
          why: 'Opening the brain applies what is missing, after a copy of its folder was taken.',
        },
      };
    }
    const message = `version ${version}, nothing to apply`;
    return { status: 'ok', message, details, readiness: { state: 'ok', reason: 'current', tier: 'probed' } };
  },
});
