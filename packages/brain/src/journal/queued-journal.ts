// The half of a journal that stands on its queue, the same whatever the queue commits to.
import type { AppendOptions, Batch, Journal, JournalCondition } from './journal.ts';
import type { CommitQueue } from './queue.ts';

/** The members of a journal that its queue answers; their promises stand in `Journal`. */
type FromQueue = Pick<Journal, 'append' | 'onCommit' | 'onCondition' | 'condition' | 'commits' | 'queuedBytes'>;

/** What every journal answers from its queue. A journal adds its reads and its end. */
export abstract class QueuedJournal implements FromQueue {
  protected readonly queue: CommitQueue;

  constructor(queue: CommitQueue) {
    this.queue = queue;
  }

  get condition(): JournalCondition {
    return this.queue.condition;
  }

  get commits(): number {
    return this.queue.commits;
  }

  get queuedBytes(): number {
    return this.queue.queuedBytes;
  }

  append(batch: Batch, options: AppendOptions): Promise<void> {
    return this.queue.append(batch, options);
  }

  onCommit(listener: (batches: readonly Batch[]) => void): void {
    this.queue.onCommit(listener);
  }

  onCondition(listener: (condition: JournalCondition, message: string) => void): void {
    this.queue.onCondition(listener);
  }
}
