// The log of failed calls of a home: what was refused and whether it said what to do. Never arguments, never messages.
// It is for `doctor`; a log that cannot be written costs nothing but its line.
import { appendFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Failure } from '@gbrain/wire/envelope';
import type { Home } from '../host.ts';

/** One failed call. Source: facts/contract F (contract-event log). */
export interface ContractEvent {
  ts: string;
  op: string;
  transport: string;
  code: string;
  outcome: 'failed' | 'refused';
  fault: Failure['class'];
  has_suggestion: boolean;
  has_fix: boolean;
}

const BYTES_MAX = 1024 * 1024;

const logFile = (home: Home): string => join(home.root, 'agent-contract', 'events.jsonl');

/** The event of a failure. */
export const eventOf = (op: string, failure: Failure, at: { transport: string; now: Date }): ContractEvent => ({
  ts: at.now.toISOString(),
  op: op.slice(0, 64),
  transport: at.transport,
  code: failure.code,
  outcome: failure.consent ? 'refused' : 'failed',
  fault: failure.class,
  has_suggestion: failure.suggestion !== '',
  has_fix: failure.fix !== undefined || failure.consent !== undefined,
});

/** Keeps the newer half of a log that has grown too long. */
async function halve(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const fresh = `${path}.new`;
  await writeFile(fresh, `${lines.slice(Math.ceil(lines.length / 2)).join('\n')}\n`, { mode: 0o600 });
  await rename(fresh, path);
}

/** Adds an event to a home that exists. Never rejects: a full or read-only disk loses the line. */
export async function logContractEvent(home: Home, event: ContractEvent): Promise<void> {
  const path = logFile(home);
  try {
    await mkdir(dirname(path), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await appendFile(path, `${JSON.stringify(event)}\n`, { mode: 0o600 });
    if ((await stat(path)).size > BYTES_MAX) await halve(path);
  } catch {
    // The home is missing, full or read-only: the call itself has said so where it matters.
  }
}

function parseEvent(line: string): ContractEvent | undefined {
  try {
    const value = JSON.parse(line) as ContractEvent;
    return typeof value.ts === 'string' && typeof value.code === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Events since a time, oldest first; lines that are none are left out. Empty when there is no log. */
export async function readContractEvents(home: Home, since: Date): Promise<ContractEvent[]> {
  const text = await readFile(logFile(home), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const from = since.toISOString();
  return text.split('\n').flatMap((line) => {
    const event = line === '' ? undefined : parseEvent(line);
    return event && event.ts >= from ? [event] : [];
  });
}
