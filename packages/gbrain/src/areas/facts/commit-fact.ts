// The one commit path of free facts: gate, replay, decision, rows and receipt in one transaction.
// It knows no transport; what a text means was worked out before.
import type { ReadScope } from '../../context.ts';
import { Raised, raise } from '../../failure.ts';
import type { Sql, Store, Tx } from '../../store/store.ts';
import { racing, WRITER_VERSION } from '../pages/commit.ts';
import type { Committed, RequestKey, Writer } from '../pages/page-write.ts';
import {
  committedOf,
  committedReceipt,
  earlierReceipt,
  refusedReceipt,
  type StoredReceipt,
} from '../writes/receipts.ts';
import { type FactGate, factGate } from './facts.sql.ts';

/** One write of a fact. */
export interface FactWrite {
  operation: string;
  sourceId: string;
  /** Entity for the list of requests; empty when there is none. */
  slug: string;
  scope: ReadScope;
  request: RequestKey;
  writer: Writer;
  at: Date;
}

/** What a write puts down, and what it answers; plain JSON, kept with the receipt. */
export interface FactChange {
  statements: readonly Sql[];
  outcome: Record<string, unknown>;
}

/** What is found in the transaction before anything is decided. */
export interface FactFound {
  /** Id of the fact if it becomes a new one. */
  newId: number;
  /** Rows of each read of the judgement. */
  rows: Record<string, unknown>[][];
}

/** How a write is decided. */
export interface FactJudgement {
  /** Reads that travel with the gate, in order; what a request that was committed before needs none of is read too. */
  reads?: readonly Sql[];
  /** May read more, and may raise a registered refusal, which is kept. */
  decide(tx: Tx, found: FactFound): Promise<FactChange>;
}

/** Runs one write of a fact. Gives the stored outcome for a request that was committed before. */
export async function commitFact(
  store: Store,
  write: FactWrite,
  judgement: FactJudgement,
  options: { signal?: AbortSignal } = {},
): Promise<Committed> {
  const result = await racing(() => store.tx((tx) => runOnce(tx, write, judgement), options));
  if (result instanceof Raised) throw result;
  return result;
}

async function runOnce(tx: Tx, write: FactWrite, { reads = [], decide }: FactJudgement): Promise<Committed | Raised> {
  const [, gates, receipts, ...rows] = await tx.batch([
    ...factGate(write.sourceId),
    earlierReceipt(write.writer.principal, write.request),
    ...reads,
  ]);
  const found = receipts?.[0] as StoredReceipt | undefined;
  if (found) return replay(found, write);
  const gate = gates?.[0] as FactGate | undefined;
  if (!gate || gate.min_writer_version > WRITER_VERSION) {
    raise('migrations_pending', { reason: 'writer_too_old', path: 'this brain' });
  }
  if (!gate.is_source) raise('unknown_source', { source: write.sourceId });
  let change: FactChange;
  try {
    change = await decide(tx, { newId: gate.new_id, rows });
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    await tx.batch([refusedReceipt(write, undefined, error)]);
    return error;
  }
  const { outcome } = change;
  await tx.queue([...change.statements, committedReceipt(write, { slug: write.slug, outcome })]);
  return {
    requestId: write.request.requestId,
    ...(write.request.clientRequestId !== undefined && { clientRequestId: write.request.clientRequestId }),
    pageId: 0,
    sourceId: write.sourceId,
    slug: write.slug,
    revision: '',
    outcome,
    createdAt: write.at,
    isReplay: false,
  };
}

function replay(receipt: StoredReceipt, write: FactWrite): Committed | Raised {
  const { requestId, argumentsHash } = write.request;
  if (receipt.arguments_hash !== argumentsHash) raise('idempotency_conflict', { requestId, state: receipt.state });
  if (receipt.state === 'cancelled') raise('cancelled', { operation: write.operation, requestId });
  return receipt.error ? new Raised(receipt.error.code, receipt.error.data) : committedOf(receipt);
}
