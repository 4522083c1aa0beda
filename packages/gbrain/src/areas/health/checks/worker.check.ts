// worker: work that was accepted gets done: waiting writes, and effects that follow a commit.
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { queueOf } from '../../writes/queue.ts';
import { readBacklog } from '../health.sql.ts';

/** A write, or an effect that is due, is worth a word when it has waited this long. */
const LATE_MS = 10 * 60_000;

export default defineCheck({
  name: 'worker',
  category: 'ops',
  summary: 'Accepted writes and the work that follows them get done.',
  requirement: 'facts/contract K.2; facts/user-faults P54 (queue age is the signal)',
  capability: 'worker',
  needsBrain: true,
  run: async ({ brain, host }) => {
    const { open, oldestAt } = queueOf(brain.store).figures();
    const { dueEffects, failedEffects, oldestEffectAt, openReceipts } = await readBacklog(brain.store);
    const ageMs = (at: Date | null | undefined) => (at ? Math.max(0, host.now().getTime() - at.getTime()) : 0);
    const oldestMs = Math.max(ageMs(oldestAt), ageMs(oldestEffectAt));
    const details = {
      waiting_writes: open,
      due_effects: dueEffects,
      failed_effects: failedEffects,
      open_receipts: openReceipts,
      oldest_seconds: Math.round(oldestMs / 1000),
    };
    const waiting = `${counted(open, 'write')}, ${counted(dueEffects, 'follow-up')}`;
    const readiness = { tier: 'probed' as const };
    if (oldestMs < LATE_MS && failedEffects === 0) {
      const isIdle = open === 0 && dueEffects === 0;
      const message = isIdle ? 'nothing waits' : `${waiting} waiting, none for long`;
      const reason = isIdle ? 'no_pending_jobs' : 'worker_running';
      return { status: 'ok', message, details, readiness: { ...readiness, state: 'ok', reason } };
    }
    return {
      status: 'warn',
      message: `work waits since ${counted(Math.round(oldestMs / 60_000), 'minute')} (${waiting})`,
      details,
      readiness: { ...readiness, state: 'degraded', reason: 'no_worker' },
      fix: {
        call: { op: 'list_write_requests', input: { limit: 5 } },
        why: 'It shows what became of the last writes; the oldest that waits holds up the others.',
      },
    };
  },
});
