// owner_lock: the process that has an embedded brain open still holds the kernel's lock on it.
import { defineCheck } from '../../../check.ts';

export default defineCheck({
  name: 'owner_lock',
  category: 'ops',
  summary: 'The process that has the brain open still holds its lock.',
  requirement: 'facts/user-faults P5, P6',
  needsBrain: true,
  run: async ({ brain }) => {
    if (!brain.checkLock) return { status: 'ok', message: 'a server needs no lock of ours' };
    const lock = brain.checkLock();
    if (lock === 'held') return { status: 'ok', message: 'the kernel lists the lock as held' };
    if (lock === 'unknown') return { status: 'ok', message: 'held; this system does not list locks, so not probed' };
    return {
      status: 'fail',
      message: 'the lock is lost: another process could open the same brain and damage it',
      fix: {
        argv: ['kill', String(process.pid)],
        actor: 'user',
        why: 'It ends the process that lost the lock in an orderly way; the next command takes the lock anew.',
        userMessage: `gbrain (PID ${process.pid}) lost its lock on the brain. Please restart the app that runs it.`,
      },
    };
  },
});
