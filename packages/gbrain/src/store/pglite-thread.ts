// The embedded engine's thread as its owner sees it: started, asked, killed, closed.
// It must not know SQL, queues or transactions.
import type { Worker } from 'node:worker_threads';
import { faultOfLog, fromSystem, storeError } from './faults.ts';
import { KeptStatements } from './kept-statements.ts';
import type { EngineOptions } from './pglite-engine.ts';
import type { FromEngine, ToEngine } from './pglite-worker.ts';
import { takeEngine } from './prepared-engine.ts';
import type { StoreError } from './store.ts';

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: StoreError): void;
}

/** A thread with a running engine. One burst at a time. */
export class EngineThread {
  /** Statements that this engine keeps parsed. */
  readonly kept = new KeptStatements();
  readonly #worker: Worker;
  /** Resolves when the thread has ended and holds no file any more. */
  readonly gone: Promise<void>;
  #waiting: Waiting | undefined;
  #death: StoreError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.gone = new Promise((resolve) => worker.once('exit', () => resolve()));
    // The thread must not keep a process alive that has nothing left to ask of it.
    worker.unref();
    worker.on('message', (message: FromEngine) => {
      if (message.kind === 'reply') this.#take()?.resolve(message.bytes);
      if (message.kind === 'crashed') this.#die(crashError(message.log));
    });
    worker.on('error', (cause) => this.#die(storeError('unreachable', { cause, at: 'lost' })));
    worker.on('exit', () => this.#die(storeError('unreachable', { at: 'lost' })));
  }

  /**
   * Opens the engine in a thread, the prepared one or a new one. Rejects with StoreError: why the folder cannot be
   * opened, or `timeout`.
   */
  static async start(options: EngineOptions, timeoutMs: number): Promise<EngineThread> {
    const worker = takeEngine();
    worker.ref();
    worker.postMessage({ kind: 'open', options } satisfies ToEngine);
    const first = await new Promise<FromEngine>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'crashed', log: '' }), timeoutMs);
      const settle = (message: FromEngine) => {
        clearTimeout(timer);
        resolve(message);
      };
      worker.once('message', settle);
      worker.once('error', (cause) => settle({ kind: 'failed', log: '', cause }));
      worker.once('exit', () => settle({ kind: 'failed', log: '', cause: undefined }));
    });
    if (first.kind === 'opened') return new EngineThread(worker);
    await worker.terminate();
    if (first.kind === 'failed') throw startError(first.log, first.cause, options.dataDir);
    throw storeError('timeout', { at: options.dataDir });
  }

  /** True once the engine is gone, whoever ended it. */
  get dead(): boolean {
    return this.#death !== undefined;
  }

  /** Sends a burst, whose bytes are the engine's from then on; rejects with StoreError when it ends unanswered. */
  ask(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    if (this.#death) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.ref();
      this.#worker.postMessage({ kind: 'run', bytes } satisfies ToEngine, [bytes.buffer]);
    });
  }

  /** Ends the thread at once, like a crash; the next start recovers. What was asked rejects with `reason`. */
  async kill(reason: StoreError): Promise<void> {
    this.#die(reason);
    await this.#worker.terminate();
    await this.gone;
  }

  /** Ends the engine with a checkpoint; after `timeoutMs` like a crash, which loses nothing that was committed. */
  async close(timeoutMs: number): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage({ kind: 'close' } satisfies ToEngine);
    const timer = setTimeout(() => void this.#worker.terminate(), timeoutMs);
    await this.gone;
    clearTimeout(timer);
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref();
    return waiting;
  }

  #die(reason: StoreError): void {
    this.#death ??= reason;
    this.#take()?.reject(this.#death);
  }
}

function crashError(log: string): StoreError {
  const fault = faultOfLog(log);
  return fault ? storeError(fault, { cause: log }) : storeError('unreachable', { cause: log, at: 'lost' });
}

function startError(log: string, cause: unknown, dataDir: string): StoreError {
  const fault = faultOfLog(log);
  if (fault) return storeError(fault, { cause: log, at: dataDir });
  return fromSystem(cause, dataDir) ?? storeError('damaged', { cause: cause ?? log, at: dataDir });
}
