// Takes the facts out of turns that hooks have put down, for as long as a server has the brain open: soon after it has
// opened, and then every while. It runs the same command that a person runs, as a job.
import { countBanked } from '../areas/extraction/turn-bank.ts';
import type { Caller } from '../context.ts';
import type { Host } from '../host.ts';
import { invoke } from '../invoke.ts';

/** When it looks for the first time, so that a short session does its part too, and how often after. */
const FIRST_MS = 15_000;
/** Source: facts/engine E.2. */
const EVERY_MS = 10 * 60_000;

const JOB: Caller = {
  transport: 'job',
  principal: 'local',
  scopes: ['read', 'write', 'admin'],
  surface: 'full',
  surfaceSource: 'default',
  access: 'full',
  owner: true,
};

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Starts looking for turns. Faults of a run are logged by the pipeline; the next look tries again. */
export function drainTurns(host: Host): { stop(): Promise<void> } {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<void> => {
    if ((await countBanked(host.home)) > 0) {
      const io = { signal: end.signal, progress: () => undefined, stdin: nothing };
      await invoke(host, { op: 'facts_drain', args: {} }, JOB, io);
    }
    again(EVERY_MS);
  };
  const again = (ms: number): void => {
    if (end.signal.aborted) return;
    timer = setTimeout(() => {
      running = look().catch((error: unknown) => host.reportFault('facts_drain', error));
    }, ms).unref();
  };
  again(FIRST_MS);
  return {
    stop: async () => {
      clearTimeout(timer);
      end.abort();
      await running;
    },
  };
}
