// stale_locks: what killed owners left beside the brain. It never decides who owns the brain; the kernel's lock does.
import { defineCheck } from '../../../check.ts';
import { locateBrain } from '../../../home/locate.ts';

export default defineCheck({
  name: 'stale_locks',
  category: 'ops',
  summary: 'Nothing that a killed process left keeps the brain from opening.',
  requirement: 'facts/contract K.4; facts/user-faults P6',
  needsBrain: false,
  run: async ({ host }) => {
    const located = await locateBrain(host);
    const owner = located.kind === 'pglite' ? host.brainOwner(located.dataDir) : undefined;
    if (!owner || owner.isAlive) return { status: 'ok', message: 'nothing is left over' };
    const { pid, startedAt } = owner;
    // The kernel freed the lock when that process ended, so the record keeps nobody out.
    const message = `PID ${pid} ended without closing the brain; its lock is free and the next command opens it`;
    return { status: 'ok', message, details: { pid, started_at: startedAt } };
  },
});
