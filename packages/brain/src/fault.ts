// Named points where a test may kill the server or its workers; each is a no-op unless one is armed. Knows no test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The points, in the order in which an effect passes them. */
export const FAULT_POINTS = [
  'before_append',
  'after_append_before_sync',
  'after_sync_before_send',
  'after_send_before_reply',
  'after_reply_before_record',
  'during_checkpoint',
] as const;
/** One of the points. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** What is armed: at the `hit`th passage of `point` with `at`, counted from 1 in each thread, end `kill`. */
interface Armed {
  point: FaultPoint;
  hit: number;
  /** Kind of record or effect whose passages count; absent counts all. */
  at?: string;
  kill: 'server' | 'worker' | 'both';
}

let armed: Armed | undefined;
let dataDir = '';
let passed = 0;

/** Arms the point that `BRAIN_FAULT` names (JSON). Without the variable nothing is ever armed. */
export function armFaults(text: string | undefined, folder: string): void {
  dataDir = folder;
  armed = text ? (JSON.parse(text) as Armed) : undefined;
  if (armed && !FAULT_POINTS.includes(armed.point)) throw new Error(`BRAIN_FAULT names no point: ${armed.point}`);
}

/** True when that point is armed: then what it needs to know is kept. */
export function isArmed(point: FaultPoint): boolean {
  return armed?.point === point;
}

/**
 * Passes a point on behalf of a kind of effect, or of the kinds of records that are written. The killed process does
 * not come back from here.
 */
export function reach(point: FaultPoint, what: string | (() => readonly string[])): void {
  const kill = hit(point, what);
  if (!kill) return;
  if (kill !== 'server') for (const pid of listWorkers()) process.kill(-pid, 'SIGKILL');
  if (kill !== 'worker') process.kill(process.pid, 'SIGKILL');
}

/**
 * Stays inside a point for tests: repeats the work, which must change nothing, until what is to be killed is dead. The
 * killing is the test's, which stops this process in the middle of the work and looks where it stands.
 */
export function dwell(point: FaultPoint, what: () => readonly string[], work: () => void): void {
  const kill = hit(point, what);
  if (!kill) return;
  const workers = listWorkers();
  while (kill !== 'worker' || workers.some(isAlive)) work();
}

/** What this passage kills; undefined for a passage that is not the armed one. */
function hit(point: FaultPoint, what: string | (() => readonly string[])): Armed['kill'] | undefined {
  if (armed?.point !== point) return undefined;
  if (armed.at !== undefined && !(typeof what === 'string' ? [what] : what()).includes(armed.at)) return undefined;
  passed += 1;
  return passed === armed.hit ? armed.kill : undefined;
}

function listWorkers(): number[] {
  const text = readFileSync(join(dataDir, 'workers.json'), 'utf8');
  return (JSON.parse(text) as { pid: number }[]).map(({ pid }) => pid);
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    // No such group any more.
    return false;
  }
}
