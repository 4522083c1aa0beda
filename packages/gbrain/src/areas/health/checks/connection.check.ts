// connection: the brain can be reached and its database answers.
import { defineCheck } from '../../../check.ts';
import { ping } from '../health.sql.ts';

export default defineCheck({
  name: 'connection',
  category: 'ops',
  summary: 'The brain can be reached and its database answers.',
  requirement: 'facts/contract K.4',
  needsBrain: true,
  run: async ({ brain }) => {
    const startedMs = performance.now();
    await ping(brain.store);
    const elapsedMs = Math.round(performance.now() - startedMs);
    const { engine, serverMajor } = brain.store.facts;
    const what = engine === 'pglite' ? 'the embedded engine' : 'the Postgres server';
    return {
      status: 'ok',
      message: `${what} (Postgres ${serverMajor}) answered in ${elapsedMs} ms`,
      details: { engine, server_major: serverMajor, elapsed_ms: elapsedMs },
    };
  },
});
