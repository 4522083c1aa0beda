// Named points where a test may end or hold this process; each is a no-op unless one is armed. Knows no test.
import { setTimeout as delay } from 'node:timers/promises';

/** The points, in the order in which a process and a write pass them. */
export const FAULT_POINTS = [
  'owner_locked',
  'owner_listening',
  'store_opening',
  'store_opened',
  'init_made',
  'config_written',
  'write_admitted',
  'commit_decided',
  'commit_written',
  'commit_done',
  'model_call_reserved',
  'model_call_answered',
  'outcome_ready',
  'owner_closing',
  'owner_closed',
] as const;

/** One of the points. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** What is armed: at the `hit`th passage of the point the process is killed, or held until it gets SIGUSR2. */
interface Armed {
  point: FaultPoint;
  what: 'kill' | 'hold';
  hit: number;
}

let armed: Armed | undefined;
let passed = 0;

/** Arms `point:kill` or `point:hold`, with `@n` for the nth passage. Without a text nothing is armed. */
export function armFaultPoint(text: string | undefined): void {
  passed = 0;
  armed = undefined;
  if (!text) return;
  const [, point, what, hit = '1'] = /^(\w+):(kill|hold)(?:@(\d+))?$/.exec(text) ?? [];
  const known = FAULT_POINTS.find((one) => one === point);
  if (!known) throw new Error(`there is no fault point in "${text}"`);
  armed = { point: known, what: what as Armed['what'], hit: Number(hit) };
}

/** Passes a point. A killed process does not come back from here; a held one says so on stderr and waits. */
export async function passPoint(point: FaultPoint): Promise<void> {
  if (armed?.point !== point) return;
  passed += 1;
  if (passed !== armed.hit) return;
  if (armed.what === 'kill') process.kill(process.pid, 'SIGKILL');
  const released = new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()));
  process.stderr.write(`[gbrain] held at ${point}\n`);
  // A promise alone does not keep a process up.
  const awake = new AbortController();
  const idle = delay(2 ** 30, undefined, { signal: awake.signal }).catch(() => undefined);
  await released;
  awake.abort();
  await idle;
}
