// How an operation's write is admitted, waited for and answered: request id, queue, wait, pending, cancel.
// What the write does is the caller's function; it is handed everything that admission has fixed.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { passPoint } from '../../fault-points.ts';
import { StoreError } from '../../store/store.ts';
import type { Committed, RequestKey, Writer } from '../pages/page-write.ts';
import { queueOf, TakenOut, type Ticket } from './queue.ts';
import { openReceipt, type Receipt } from './receipt.ts';
import { committedOf } from './receipts.ts';
import { argumentsHash, parseRequestId } from './request-id.ts';
import { readReceipt } from './writes.sql.ts';

/** What admission fixes: a replay or a later turn in the queue finds it unchanged. */
export interface Admitted {
  request: RequestKey;
  writer: Writer;
  sourceId: string;
  newRevision: string;
  at: Date;
}

/** Longest and default time that a caller waits for its write, in milliseconds. Source: facts/contract J.3. */
export const WAIT_MAX_MS = 30_000;
const AGENT_WAIT_MS = 5_000;

/** Deadline of an operation that writes: beyond every wait, because a write that runs is never cut off by its reply. */
export const WRITE_DEADLINE_MS = 600_000;

/** Codes that a write through `submitWrite` may end with. */
export const WRITE_ERRORS = [
  'idempotency_conflict',
  'queue_capacity',
  'write_pending',
  'write_outcome_unknown',
  'owner_unavailable',
  'unknown_source',
  'migrations_pending',
] as const;

/** Who writes over this connection. */
function writerOf(ctx: Context): Writer {
  const { caller } = ctx;
  return {
    principal: caller.principal,
    trustTier: caller.owner ? 'owner' : 'agent_written',
    ...(caller.session && { session: caller.session }),
  };
}

function requestOf(ctx: Context, operation: string, input: Record<string, unknown>): RequestKey {
  const given = input.request_id === undefined ? ctx.newId() : String(input.request_id);
  const id = parseRequestId(given);
  if (!id) ctx.fail('invalid_params', badRequestId(operation));
  return { ...id, argumentsHash: argumentsHash(operation, ctx.target.source, input) };
}

/** Data of the refusal of a request id. */
export const badRequestId = (operation: string) => ({
  tool: operation,
  param: 'request_id',
  problem: 'shape',
  expected: '1 to 128 printable ASCII characters without a space',
});

function waitOf(ctx: Context, input: Record<string, unknown>): number {
  if (typeof input.wait_ms === 'number') return input.wait_ms;
  return ctx.waitMs ?? (ctx.caller.transport === 'cli' ? WAIT_MAX_MS : AGENT_WAIT_MS);
}

/**
 * Runs one write through the queue and answers with what it committed. Raises `write_pending` when the wait runs out
 * first (the write goes on), `cancelled` when it was taken out, `write_outcome_unknown` when the link to the database
 * was lost at the commit and no receipt is found.
 */
export async function submitWrite(
  ctx: Context,
  at: { operation: string; slug: string; input: Record<string, unknown> },
  run: (admitted: Admitted, signal: AbortSignal) => Promise<Committed>,
): Promise<Committed> {
  const request = requestOf(ctx, at.operation, at.input);
  const waitMs = waitOf(ctx, at.input);
  const writer = writerOf(ctx);
  const admitted: Admitted = {
    request,
    writer,
    sourceId: ctx.target.source,
    newRevision: ctx.newId(),
    at: ctx.now(),
  };
  await passPoint('write_admitted');
  const queue = queueOf(ctx.brain.store);
  const isJoined = queue.find(writer.principal, request.requestId) !== undefined;
  const write = { ...request, principal: writer.principal, operation: at.operation, slug: at.slug };
  const ticket = queue.submit({ ...write, sourceId: admitted.sourceId, at: admitted.at }, (signal) =>
    run(admitted, signal),
  );
  try {
    return await settled(ctx, ticket, { waitMs, isJoined });
  } catch (error) {
    return explain(ctx, error, { request, operation: at.operation });
  }
}

const STILL_OPEN = Symbol('still open');

async function settled(
  ctx: Context,
  ticket: Ticket<Committed>,
  how: { waitMs: number; isJoined: boolean },
): Promise<Committed> {
  const { promise: left, resolve: leave } = Promise.withResolvers<typeof STILL_OPEN>();
  const timer = setTimeout(() => leave(STILL_OPEN), how.waitMs);
  const stop = () => {
    // Somebody else waits for a joined write, so only this caller goes.
    if (how.isJoined) leave(STILL_OPEN);
    else if (!ticket.cancel()) ticket.interrupt(ctx.signal.reason);
  };
  if (ctx.signal.aborted) stop();
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    const first = await Promise.race([ticket.done, left]);
    if (first !== STILL_OPEN) return first;
  } finally {
    clearTimeout(timer);
    ctx.signal.removeEventListener('abort', stop);
  }
  const receipt: Receipt = openReceipt(ticket, ctx.now());
  return raise('write_pending', {
    operation: ticket.write.operation,
    requestId: ticket.write.requestId,
    writeRequest: receipt,
    writeError: 'write_pending',
  });
}

/** Faults of a transaction that was ended before its commit; nothing of it stands. */
const STOPPED: ReadonlySet<string> = new Set(['aborted', 'timeout']);
/** Bound of one transaction in the store, for the message. */
const WRITE_LIMIT_MS = 60_000;

function stopCode(ctx: Context, error: unknown): 'timeout' | 'cancelled' {
  const isLate = error instanceof StoreError && error.fault === 'timeout';
  return isLate || (ctx.signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'cancelled';
}

async function explain(
  ctx: Context,
  error: unknown,
  at: { request: RequestKey; operation: string },
): Promise<Committed> {
  const { requestId } = at.request;
  const isStopped = error instanceof TakenOut || (error instanceof StoreError && STOPPED.has(error.fault));
  if (isStopped)
    return raise(stopCode(ctx, error), { operation: at.operation, requestId, limitMs: WRITE_LIMIT_MS }, error);
  if (error instanceof StoreError && error.fault === 'outcome_unknown') {
    const row = await readReceipt(ctx.brain.store, ctx.caller.principal, requestId).catch(() => undefined);
    if (row?.state === 'committed') return committedOf(row);
    return raise('write_outcome_unknown', { operation: at.operation, requestId }, error);
  }
  throw error;
}

/** Keys of a receipt in front of a write's reply. */
export function writeReply(committed: Committed): Receipt & Record<string, unknown> {
  const at = committed.createdAt.toISOString();
  return {
    request_id: committed.requestId ?? '',
    ...(committed.clientRequestId !== undefined && { client_request_id: committed.clientRequestId }),
    state: 'committed',
    retry_after_ms: null,
    revision: committed.revision,
    persistence: { mode: 'database' },
    created_at: at,
    updated_at: at,
    source_id: committed.sourceId,
    ...committed.outcome,
  };
}
