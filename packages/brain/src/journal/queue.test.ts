// The queue of commits over a scripted disk and a clock of its own: order, groups, a full disk, a failed sync.
import { describe, expect, it } from 'vitest';
import type { Batch } from './journal.ts';
import { CommitQueue, type CommitResult, QUEUE_TIMES } from './queue.ts';

class Disk {
  readonly groups: string[][] = [];
  readonly timers: { ms: number; then: () => void; gone: boolean }[] = [];
  readonly #open: ((result: CommitResult) => void)[] = [];
  readonly queue = new CommitQueue({
    commit: (batches) => {
      this.groups.push(batches.map((batch) => batch.sessionId ?? ''));
      return new Promise((resolve) => this.#open.push(resolve));
    },
    timer: (ms, then) => {
      const timer = { ms, then, gone: false };
      this.timers.push(timer);
      return () => {
        timer.gone = true;
      };
    },
  });

  add(name: string, barrier = true): Promise<void> {
    return this.queue.append({ sessionId: name } satisfies Batch, { barrier });
  }

  async end(result: CommitResult = { type: 'committed' }): Promise<void> {
    this.#open.shift()?.(result);
    await new Promise((resolve) => setImmediate(resolve));
  }

  fire(ms: number): void {
    for (const timer of this.timers.splice(0)) if (timer.ms === ms && !timer.gone) timer.then();
  }
}

describe('commit queue', () => {
  it('commits one group at a time, and what came meanwhile as the next', async () => {
    const disk = new Disk();
    const done: string[] = [];
    for (const name of ['a', 'b', 'c']) void disk.add(name).then(() => done.push(name));
    expect(disk.groups).toEqual([['a']]);
    await disk.end();
    expect(done).toEqual(['a']);
    expect(disk.groups).toEqual([['a'], ['b', 'c']]);
    await disk.end();
    expect(done).toEqual(['a', 'b', 'c']);
    expect(disk.queue.commits).toBe(2);
    expect(disk.queue.queuedBytes).toBe(0);
  });

  it('lets a write without a barrier wait for one, or for its timer', async () => {
    const disk = new Disk();
    void disk.add('a', false);
    expect(disk.groups).toEqual([]);
    void disk.add('b');
    expect(disk.groups).toEqual([['a', 'b']]);
    await disk.end();
    void disk.add('c', false);
    disk.fire(QUEUE_TIMES.lingerMs);
    expect(disk.groups.at(-1)).toEqual(['c']);
  });

  it('tries a group again when the disk was full, and lets nothing pass it', async () => {
    const disk = new Disk();
    const done: string[] = [];
    void disk.add('a').then(() => done.push('a'));
    await disk.end({ type: 'full', message: 'no space' });
    expect(disk.queue.condition).toBe('full');
    void disk.add('b').then(() => done.push('b'));
    disk.fire(QUEUE_TIMES.retryMs);
    await disk.end({ type: 'full', message: 'no space' });
    disk.fire(QUEUE_TIMES.retryMs);
    await disk.end();
    expect(disk.queue.condition).toBe('open');
    await disk.end();
    expect(disk.groups).toEqual([['a'], ['a'], ['a'], ['b']]);
    expect(done).toEqual(['a', 'b']);
  });

  it('refuses everything after a failed sync', async () => {
    const disk = new Disk();
    const outcomes = [disk.add('a'), disk.add('b')].map((one) =>
      one.catch((error: { condition: string }) => error.condition),
    );
    await disk.end({ type: 'failed', message: 'I/O error' });
    expect(await Promise.all(outcomes)).toEqual(['failed', 'failed']);
    await expect(disk.add('c')).rejects.toMatchObject({ condition: 'failed' });
    expect(disk.groups).toEqual([['a']]);
  });
});
