// The admission queue alone: order, width, capacity, joining, taking out, draining.
import { Raised } from 'gbrain/failure';
import { expect, test } from 'vitest';
import { type AdmittedWrite, TakenOut, WriteQueue } from './queue.ts';

const write = (requestId: string, argumentsHash = 'h'): AdmittedWrite => ({
  requestId,
  principal: 'p',
  operation: 'put_page',
  sourceId: 'default',
  slug: 'a',
  argumentsHash,
  at: new Date(0),
});

/** Work that ends when it is told to, in a queue of the given width. */
function bench(width: number) {
  const queue = new WriteQueue(width);
  const started: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  const add = (id: string, hash?: string) =>
    queue.submit(write(id, hash), () => {
      started.push(id);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(id, resolve);
      return promise;
    });
  return { queue, started, add, end: (id: string) => ends.get(id)?.(id) };
}

test('runs in order, as many side by side as it is wide', async () => {
  const { add, started, end, queue } = bench(2);
  const tickets = ['1', '2', '3', '4'].map((id) => add(id));
  expect(started).toEqual(['1', '2']);
  expect(tickets.map(({ state }) => state)).toEqual(['running', 'running', 'queued', 'queued']);
  end('2');
  expect(await tickets[1]!.done).toBe('2');
  await new Promise(setImmediate);
  expect(started).toEqual(['1', '2', '3']);
  for (const id of ['1', '3']) end(id);
  await tickets[2]!.done;
  await new Promise(setImmediate);
  end('4');
  await queue.drain();
  expect(tickets.map(({ state }) => state)).toEqual(['over', 'over', 'over', 'over']);
});

test('joins the same request and refuses its id for another', async () => {
  const { add, started, end } = bench(1);
  const first = add('1');
  expect(add('1')).toBe(first);
  expect(() => add('1', 'other')).toThrow(Raised);
  end('1');
  await first.done;
  add('1', 'other');
  await new Promise(setImmediate);
  expect(started).toEqual(['1', '1']);
});

test('takes out what waits, never what runs', async () => {
  const { add, started, end, queue } = bench(1);
  const first = add('1');
  const second = add('2');
  expect(first.cancel()).toBe(false);
  expect(second.cancel()).toBe(true);
  expect(second.cancel()).toBe(false);
  await expect(second.done).rejects.toBeInstanceOf(TakenOut);
  end('1');
  await queue.drain();
  expect(started).toEqual(['1']);
});

test('remembers the failure of a write that nobody waited for, until it is sent again', async () => {
  const queue = new WriteQueue(1);
  const error = new Error('disk');
  const ticket = queue.submit(write('1'), () => Promise.reject(error));
  await queue.drain();
  await expect(ticket.done).rejects.toBe(error);
  expect(queue.failure('p', '1')?.error).toBe(error);
  expect(queue.failure('q', '1')).toBeUndefined();
  await queue.submit(write('1'), async () => 'ok').done;
  expect(queue.failure('p', '1')).toBeUndefined();
});

test('refuses more than it can hold', () => {
  const { add } = bench(1);
  for (let n = 0; n <= 1000; n++) add(String(n));
  expect(() => add('one more')).toThrow(expect.objectContaining({ code: 'queue_capacity' }));
});
