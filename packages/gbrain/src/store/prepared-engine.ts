// A thread of the embedded engine that makes its code ready before anybody knows which folder it will open.
// It must load nothing but threads: it is started before the rest of the program is there.
import { Worker } from 'node:worker_threads';
import { engineEntry } from './assets.ts';

let prepared: Worker | undefined;

/** Starts a thread, unless one waits already. It opens nothing, takes no lock and keeps no process up. */
export function prepareEngine(): void {
  if (prepared) return;
  const worker = new Worker(engineEntry, { execArgv: [], env: {}, name: 'gbrain-engine' });
  worker.unref();
  // One that dies waiting is replaced; what was wrong is told by the one that is asked to open a folder.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (prepared === worker) prepared = undefined;
  });
  prepared = worker;
}

/** The thread that waits, or a new one. */
export function takeEngine(): Worker {
  prepareEngine();
  const worker = prepared!;
  prepared = undefined;
  return worker;
}
