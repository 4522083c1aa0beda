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

/** True when that point is armed: then rare work is done often, so that a test gets there. */
export function isArmed(point: FaultPoint): boolean {
  return armed?.point === point;
}

/**
 * Passes a point on behalf of a kind of effect, or of the kinds of records that are written. The killed process does
 * not come back from here.
 */
export function reach(point: FaultPoint, what: string | (() => readonly string[])): void {
  if (armed?.point !== point) return;
  if (armed.at !== undefined && !(typeof what === 'string' ? [what] : what()).includes(armed.at)) return;
  passed += 1;
  if (passed !== armed.hit) return;
  if (armed.kill !== 'server') killWorkers();
  if (armed.kill !== 'worker') process.kill(process.pid, 'SIGKILL');
}

function killWorkers(): void {
  const text = readFileSync(join(dataDir, 'workers.json'), 'utf8');
  for (const { pid } of JSON.parse(text) as { pid: number }[]) process.kill(-pid, 'SIGKILL');
}
