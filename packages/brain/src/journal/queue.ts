// The order of appends and what becomes of them: groups, retries when the disk is full, the end when a sync failed.
// It commits through a function and waits through a timer that are given to it, so a simulator can stand for both.
import { type AppendOptions, type Batch, type JournalCondition, JournalError } from './journal.ts';

/** How one group ended. */
export type CommitResult =
  | { type: 'committed' }
  | { type: 'full'; message: string }
  | { type: 'failed'; message: string };

/** What the queue needs of the world. */
export interface QueuePorts {
  commit(batches: Batch[]): Promise<CommitResult>;
  /** Runs `then` later; gives what cancels it. */
  timer(ms: number, then: () => void): () => void;
}

/** How long a write that nobody waits for may ride along, and how long a full disk is left alone. */
export const QUEUE_TIMES = { lingerMs: 20, retryMs: 1000 } as const;

/** At most so much goes into one commit, so that nobody waits behind a mountain. */
const GROUP_BYTES = 8 * 1024 * 1024;
const GROUP_BATCHES = 2000;

interface Entry {
  batch: Batch;
  barrier: boolean;
  bytes: number;
  resolve(): void;
  reject(error: JournalError): void;
}

/** Groups appends into commits. One commit runs at a time; what arrives meanwhile is the next group. */
export class CommitQueue {
  readonly #ports: QueuePorts;
  readonly #commitListeners: ((batches: readonly Batch[]) => void)[] = [];
  readonly #conditionListeners: ((condition: JournalCondition, message: string) => void)[] = [];
  #waiting: Entry[] = [];
  #running: Entry[] = [];
  #cancelTimer: (() => void) | undefined;
  #idle: (() => void)[] = [];
  #failure = '';
  condition: JournalCondition = 'open';
  commits = 0;
  queuedBytes = 0;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  append(batch: Batch, { barrier }: AppendOptions): Promise<void> {
    if (this.condition === 'failed') return Promise.reject(this.#error());
    const bytes = sizeOf(batch);
    this.queuedBytes += bytes;
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ batch, barrier, bytes, resolve, reject });
    });
    if (!barrier) {
      // Whoever does not wait hears of a failure through the condition.
      done.catch(() => {});
    }
    this.#pump();
    return done;
  }

  onCommit(listener: (batches: readonly Batch[]) => void): void {
    this.#commitListeners.push(listener);
  }

  onCondition(listener: (condition: JournalCondition, message: string) => void): void {
    this.#conditionListeners.push(listener);
  }

  /** Commits what waits, barrier or not, and resolves when nothing runs any more. */
  drain(): Promise<void> {
    if (this.#waiting.length > 0 && this.#running.length === 0 && this.condition === 'open') this.#start();
    if (this.#running.length === 0 || this.condition !== 'open') return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    if (this.#running.length > 0 || this.condition !== 'open' || this.#waiting.length === 0) return;
    if (this.#waiting.some((entry) => entry.barrier)) this.#start();
    else this.#cancelTimer ??= this.#ports.timer(QUEUE_TIMES.lingerMs, () => this.#start());
  }

  #start(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#running.length > 0 || this.condition !== 'open') return;
    let bytes = 0;
    let count = 0;
    while (count < Math.min(this.#waiting.length, GROUP_BATCHES) && (count === 0 || bytes < GROUP_BYTES)) {
      bytes += this.#waiting[count]?.bytes ?? 0;
      count += 1;
    }
    this.#running = this.#waiting.splice(0, count);
    if (this.#running.length > 0) this.#commit();
  }

  #commit(): void {
    const batches = this.#running.map((entry) => entry.batch);
    this.#ports.commit(batches).then((result) => {
      if (result.type === 'committed') this.#committed(batches);
      else if (result.type === 'full') this.#full(result.message);
      else this.#failed(result.message);
    });
  }

  #committed(batches: Batch[]): void {
    this.commits += 1;
    const done = this.#running;
    this.#running = [];
    for (const entry of done) this.queuedBytes -= entry.bytes;
    if (this.condition === 'full') this.#change('open', 'The journal can be written again.');
    for (const listener of this.#commitListeners) listener(batches);
    for (const entry of done) entry.resolve();
    this.#pump();
    if (this.#running.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Nothing was written: the same group is tried again, so the order stands and nothing is lost. */
  #full(message: string): void {
    if (this.condition === 'open') this.#change('full', `The disk is full: ${message}`);
    this.#ports.timer(QUEUE_TIMES.retryMs, () => this.#commit());
  }

  /** After a failed sync nobody knows what is on disk, so nothing is tried again. */
  #failed(message: string): void {
    this.#failure = message;
    this.#change('failed', `The journal cannot be written: ${message}`);
    const error = this.#error();
    for (const entry of [...this.#running, ...this.#waiting]) entry.reject(error);
    this.#running = [];
    this.#waiting = [];
    this.queuedBytes = 0;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #error(): JournalError {
    return new JournalError('failed', `The journal cannot be written: ${this.#failure}`);
  }

  #change(condition: JournalCondition, message: string): void {
    this.condition = condition;
    for (const listener of this.#conditionListeners) listener(condition, message);
  }
}

function sizeOf({ records = [], answers = [] }: Batch): number {
  let bytes = 128;
  for (const record of records) bytes += record.payload.length + 96;
  for (const { answer } of answers) bytes += answer.body.length;
  return bytes;
}
