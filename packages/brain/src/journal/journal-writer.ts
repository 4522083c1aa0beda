// The writer thread: takes groups of batches, makes each durable, says so. All its decisions are in the committer.
import { parentPort, workerData } from 'node:worker_threads';
import { armFaults } from '../fault.ts';
import { type Committer, openCommitter, RecordsLostError } from './committer.ts';
import type { DataPaths } from './data-dir.ts';
import type { Batch } from './journal.ts';

/** What the thread is started with. */
export interface WriterData {
  paths: DataPaths;
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
const { paths, fault, maxPages } = workerData as WriterData;
armFaults(fault, paths.folder);
const say = (reply: WriterReply) => port.postMessage(reply);
const committer = open();

if (committer) {
  port.on('message', (request: WriterRequest) => {
    if (request.type === 'commit') commit(committer, request.batches);
    else {
      committer.close();
      say({ type: 'closed' });
      port.close();
    }
  });
  say({ type: 'ready' });
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
  try {
    to.commit(batches);
  } catch (error) {
    const full = (error as { errcode?: number }).errcode === SQLITE_FULL;
    say({ type: full ? 'full' : 'failed', message: (error as Error).message });
    return;
  }
  say({ type: 'committed' });
  try {
    to.checkpointIfLarge();
  } catch (error) {
    // The commit is durable in the log; a disk that is too full to fold it in shows at the next commit.
    if ((error as { errcode?: number }).errcode !== SQLITE_FULL) throw error;
  }
}
