// The kind of file that declares a health check: `areas/<area>/<name>.check.ts`. A check reads and never spends.
import type { OpenBrain } from './brain.ts';
import type { FixSpec } from './fix.ts';
import type { Host } from './host.ts';

/** What a check found. A row that warns or fails carries a fix. */
export interface CheckResult {
  status: 'ok' | 'warn' | 'fail';
  message: string;
  fix?: FixSpec;
  details?: Record<string, unknown>;
}

/** One row of `doctor`. */
export interface Check {
  name: string;
  category: 'brain' | 'skill' | 'ops' | 'meta';
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  /** False when it works without an open brain. */
  needsBrain: boolean;
  run(at: { host: Host; brain?: OpenBrain; signal: AbortSignal }): Promise<CheckResult>;
}

/** Declares a check; the default export of its file. */
export const defineCheck = (check: Check): Check => check;
