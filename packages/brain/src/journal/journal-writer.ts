// The writer thread: takes groups of batches, makes each durable, says so. All its decisions are in the committer.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { armFaults } from '../fault.ts';
import { type Committer, openCommitter, RecordsLostError } from './committer.ts';
import type { DataPaths } from './data-dir.ts';
import type { Batch } from './journal.ts';

/** What the thread is started with. */
export interface WriterData {
  paths: DataPaths;
  /** Grows by one with every request. The thread sleeps on it: an event loop wakes later and costs more. */
  requests: Int32Array;
  fault?: string;
  maxPages?: number;
}

/** To the thread. */
export type WriterRequest = { type: 'commit'; batches: Batch[] } | { type: 'close' };

/** From the thread. `full`: nothing was written and the same group may be tried again. */
export type WriterReply =
  | { type: 'ready' }
  | { type: 'refused'; code: string; message: string }
  | { type: 'committed' }
  | { type: 'full'; message: string }
  | { type: 'failed'; message: string }
  | { type: 'closed' };

const SQLITE_FULL = 13;

const port = parentPort;
if (!port) throw new Error('the journal writer runs on a worker thread');
const { paths, requests, fault, maxPages } = workerData as WriterData;
armFaults(fault, paths.folder);
const say = (reply: WriterReply) => port.postMessage(reply);
const committer = open();
/** What went wrong after a commit was acknowledged; it is told at the next one. */
let broken: string | undefined;

if (committer) {
  say({ type: 'ready' });
  serve(committer);
}

/** Takes requests until one closes the journal. */
function serve(to: Committer): void {
  for (;;) {
    const seen = Atomics.load(requests, 0);
    for (let got = receive(); got; got = receive()) {
      if (got.type === 'commit') commit(to, got.batches);
      else {
        to.close();
        say({ type: 'closed' });
        return;
      }
    }
    Atomics.wait(requests, 0, seen);
  }
}

function receive(): WriterRequest | undefined {
  return port ? (receiveMessageOnPort(port)?.message as WriterRequest | undefined) : undefined;
}

function open(): Committer | undefined {
  try {
    return openCommitter(paths, maxPages === undefined ? {} : { maxPages });
  } catch (error) {
    const code = error instanceof RecordsLostError ? error.code : 'journal_unusable';
    say({ type: 'refused', code, message: (error as Error).message });
    return undefined;
  }
}

function commit(to: Committer, batches: Batch[]): void {
  if (broken !== undefined) {
    say({ type: 'failed', message: broken });
    return;
  }
  try {
    to.commit(batches);
  } catch (error) {
    say({ type: isFull(error) ? 'full' : 'failed', message: (error as Error).message });
    return;
  }
  say({ type: 'committed' });
  try {
    to.tidy();
  } catch (error) {
    // The commit is durable. A disk that is full shows at the next one, anything else is as bad as a failed sync.
    if (!isFull(error)) broken = (error as Error).message;
  }
}

function isFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || code === 'ENOSPC';
}
