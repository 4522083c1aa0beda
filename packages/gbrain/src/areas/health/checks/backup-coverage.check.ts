// backup_coverage: what would be lost with this machine. gbrain cannot see other programs' backups and says so.
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { readCounts } from '../health.sql.ts';

export default defineCheck({
  name: 'backup_coverage',
  category: 'ops',
  summary: 'What would be lost with this machine, as far as gbrain can know.',
  requirement: 'facts/contract J.4, K.2',
  capability: 'backup',
  needsBrain: true,
  run: async ({ brain, caller }) => {
    const { page_count: pages } = await readCounts(brain.store, caller.owner ? 'all' : 'world');
    const details = { pages, path: brain.path };
    if (brain.store.facts.engine === 'postgres') {
      return {
        status: 'ok',
        message: `${counted(pages, 'page')} on the Postgres server; its own backups are not visible from here`,
        details,
        readiness: { state: 'unknown', reason: 'info', tier: 'config' },
      };
    }
    if (pages === 0) {
      const readiness = { state: 'not_applicable', reason: 'covered', tier: 'config' } as const;
      return { status: 'ok', message: 'there is nothing to lose yet', details, readiness };
    }
    return {
      status: 'ok',
      message: `${counted(pages, 'page')} on this disk only, unless the machine's own backup takes ${brain.path} along`,
      details,
      readiness: { state: 'unknown', reason: 'unverified', tier: 'config' },
    };
  },
});
