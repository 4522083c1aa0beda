// owner_process: who has the embedded brain open, and whether that is this version of gbrain.
import { defineCheck } from '../../../check.ts';
import { locateBrain } from '../../../home/locate.ts';

export default defineCheck({
  name: 'owner_process',
  category: 'ops',
  summary: 'Which process has the brain open, and whether it runs this version of gbrain.',
  requirement: 'facts/contract K.4 (version skew); facts/user-faults P4',
  needsBrain: false,
  run: async ({ host }) => {
    const located = await locateBrain(host);
    const owner = located.kind === 'pglite' ? host.brainOwner(located.dataDir) : undefined;
    if (!owner?.isAlive) return { status: 'ok', message: 'no other process has the brain open' };
    const { pid, serve, transport, version, startedAt } = owner;
    const details = { pid, serve, transport, version, started_at: startedAt };
    const what = pid === process.pid ? 'this process' : serve ? `a gbrain server (PID ${pid})` : `PID ${pid}`;
    if (version === host.version) return { status: 'ok', message: `open in ${what}`, details };
    return {
      status: 'warn',
      message: `open in ${what}, which runs gbrain ${version} while this is ${host.version}`,
      details,
      fix: {
        argv: ['kill', String(pid)],
        actor: 'user',
        why: 'It ends the older server in an orderly way; its app starts the installed version at the next session.',
        userMessage: `An older gbrain (${version}) still has your memory open. Please restart the app that runs it.`,
      },
    };
  },
});
