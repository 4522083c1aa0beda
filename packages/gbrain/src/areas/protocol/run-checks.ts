// Runs the checks of the protocol over a server, one after another, and tells each by its name.
import { CHECKS, type Check, Session, type Subject } from './checks.ts';

/** What came of one check. */
export interface CheckResult {
  name: string;
  verb?: string;
  status: 'pass' | 'fail' | 'skip';
  why?: string;
}

/** How a run is made. */
export interface RunOptions {
  /** Leaves out what writes. */
  readOnly: boolean;
  onProgress(done: number, total: number): void;
  signal: AbortSignal;
}

async function runOne(check: Check, session: Session): Promise<CheckResult> {
  const about = { name: check.name, ...(check.verb !== undefined && { verb: check.verb }) };
  try {
    const why = await check.run(session);
    return why === undefined ? { ...about, status: 'pass' } : { ...about, status: 'fail', why };
  } catch (error) {
    // What the server answers outside of the protocol is a failure of the clause, whatever form it has.
    return { ...about, status: 'fail', why: (error as Error).message.slice(0, 300) };
  }
}

/** Every check with its result. Rejects only when the run is cut off. */
export async function runChecks(subject: Subject, options: RunOptions): Promise<CheckResult[]> {
  const session = new Session(subject);
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    options.signal.throwIfAborted();
    options.onProgress(results.length, CHECKS.length);
    if (options.readOnly && check.isWrite) results.push({ name: check.name, status: 'skip', why: 'it writes' });
    else results.push(await runOne(check, session));
  }
  return results;
}
