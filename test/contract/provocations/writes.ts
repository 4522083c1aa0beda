// Codes of writes under way: their ids, their place in the queue, their receipts; and of facts.
import { queueOf } from 'gbrain/areas/writes/queue';
import { armFaultPoint } from 'gbrain/fault-points';
import type { Provocation, Stage } from '../walk.ts';

/** The next write stops before its commit, until `goOn`. */
const holdWrites = async (): Promise<void> => armFaultPoint('commit_decided:hold');

async function goOn(): Promise<void> {
  armFaultPoint(undefined);
  // What a held process is sent; the test is that process.
  process.emit('SIGUSR2');
}

let emptyQueue: () => void = () => undefined;

/** Writes until no more may wait; all of them end when the queue is emptied. */
async function fillQueue(at: Stage): Promise<void> {
  const queue = queueOf((await at.brain()).store);
  const over = Promise.withResolvers<void>();
  emptyQueue = over.resolve;
  const write = { principal: 'walk', operation: 'put_page', sourceId: 'default', slug: 'a', argumentsHash: 'x' };
  let count = 0;
  const fill = () => {
    try {
      for (;;) queue.submit({ ...write, requestId: `waiting-${count++}`, at: new Date() }, () => over.promise);
    } catch {
      // Full.
    }
  };
  fill();
  // The first of them has its turn by now, and leaves a place.
  await new Promise(setImmediate);
  fill();
}

export const writes: readonly Provocation[] = [
  {
    code: 'idempotency_conflict',
    state: async (at) => {
      const args = { slug: `writes/${at.door}/id`, content: 'one\n', force: true };
      const pipe = await at.session();
      // A receipt belongs to who wrote: the terminal's is not the pipe's.
      if (at.door === 'mcp') await pipe.body('put_page', { ...args, request_id: 'walk-id' });
      else await at.home.document(['put', args.slug, '--content', 'one\n', '--request-id', 'walk-id']);
    },
    cli: () => ['put', 'writes/cli/id-2', '--content', 'two\n', '--request-id', 'walk-id'],
    mcp: () => ['put_page', { slug: 'writes/mcp/id-2', content: 'two\n', request_id: 'walk-id' }],
    next: 'run',
  },
  {
    code: 'not_found',
    way: 'a receipt',
    cli: () => ['write-request', 'never-sent'],
    mcp: () => ['get_write_request', { request_id: 'never-sent' }],
    next: 'run',
  },
  {
    code: 'write_pending',
    state: holdWrites,
    cli: () => ['put', 'writes/cli/pending', '--content', 'x\n', '--wait-ms', '0'],
    mcp: () => ['put_page', { slug: 'writes/mcp/pending', content: 'x\n', wait_ms: 0 }],
    next: 'run',
    clear: goOn,
  },
  {
    code: 'queue_capacity',
    state: fillQueue,
    mcp: () => ['put_page', { slug: 'writes/one-too-many', content: 'x\n', wait_ms: 0 }],
    next: 'wait',
    clear: async () => emptyQueue(),
  },
  {
    code: 'provenance_required',
    cli: () => ['remember', 'Alice prefers tea'],
    mcp: () => ['remember', { fact: 'Alice prefers tea' }],
    inputs: { provenance: 'user, in chat' },
    next: 'run',
  },
  {
    code: 'unavailable',
    cli: () => ['synthesize', 'what does Alice drink'],
    mcp: () => ['synthesize', { question: 'what does Alice drink' }],
    next: 'tell_user_to_run',
  },
  {
    code: 'unavailable',
    way: 'no model to read a turn',
    cli: () => ['extract-facts', 'The ibex lives in the Alps'],
    mcp: () => ['extract_facts', { turn_text: 'The ibex lives in the Alps' }],
    next: 'tell_user_to_run',
  },
  { code: 'embedding_unconfigured', cli: () => ['embed', '--stale'], next: 'tell_user_to_run' },
];
