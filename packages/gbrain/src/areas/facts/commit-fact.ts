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
import { type FactGate, factGate, openWrite } from './facts.sql.ts';

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

/** Where a write stands before it is decided: its gate, or what an earlier request of its id came to. */
interface Admission {
  gate: FactGate;
  rows: Record<string, unknown>[][];
  earlier?: Committed | Raised;
}

/** Reads the gate of a write with what its decision needs. Raises what bars every write. */
async function admit(tx: Tx, write: FactWrite, reads: readonly Sql[]): Promise<Admission> {
  const [, gates, receipts, ...rows] = await tx.batch([
    openWrite,
    factGate(write.sourceId),
    earlierReceipt(write.writer.principal, write.request),
    ...reads,
  ]);
  const gate = gates?.[0] as FactGate | undefined;
  const found = receipts?.[0] as StoredReceipt | undefined;
  if (found) return { gate: gate!, rows, earlier: replay(found, write) };
  if (!gate || gate.min_writer_version > WRITER_VERSION) {
    raise('migrations_pending', { reason: 'writer_too_old', path: 'this brain' });
  }
  if (!gate.is_source) raise('unknown_source', { source: write.sourceId });
  return { gate, rows };
}

const committedAs = (write: FactWrite, outcome: Record<string, unknown>): Committed => ({
  requestId: write.request.requestId,
  ...(write.request.clientRequestId !== undefined && { clientRequestId: write.request.clientRequestId }),
  pageId: 0,
  sourceId: write.sourceId,
  slug: write.slug,
  revision: '',
  outcome,
  createdAt: write.at,
  isReplay: false,
});

async function runOnce(tx: Tx, write: FactWrite, { reads = [], decide }: FactJudgement): Promise<Committed | Raised> {
  const { gate, rows, earlier } = await admit(tx, write, reads);
  if (earlier) return earlier;
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
  return committedAs(write, outcome);
}

/** What became of one fact of a group: what its write answers, or its own refusal. */
export type FactEnd = { outcome: Record<string, unknown> } | { refused: Raised };

/** Facts that are written together or not at all. */
export interface FactGroup {
  judgements: readonly FactJudgement[];
  /** Undefined where somebody else has written the group meanwhile: what that came to. */
  claim(tx: Tx): Promise<Record<string, unknown> | undefined>;
  /** What else goes into the transaction, and what the write answers. */
  conclude(ends: readonly FactEnd[]): FactChange;
}

/**
 * Runs the writes of several facts in one transaction with one receipt. A fact that is refused costs only itself; a
 * fault costs all of them.
 */
export async function commitFacts(
  store: Store,
  write: FactWrite,
  group: FactGroup,
  options: { signal?: AbortSignal } = {},
): Promise<Committed> {
  const result = await racing(() => store.tx((tx) => runGroup(tx, write, group), options));
  if (result instanceof Raised) throw result;
  return result;
}

async function runGroup(tx: Tx, write: FactWrite, group: FactGroup): Promise<Committed | Raised> {
  const { earlier } = await admit(tx, write, []);
  if (earlier) return earlier;
  const known = await group.claim(tx);
  if (known) return committedAs(write, known);
  const ends: FactEnd[] = [];
  for (const { reads = [], decide } of group.judgements) {
    // What the facts before it have changed goes out first, so each is decided on with the others in place.
    const [gates, ...rows] = await tx.batch([factGate(write.sourceId), ...reads]);
    try {
      const { statements, outcome } = await decide(tx, { newId: (gates![0] as unknown as FactGate).new_id, rows });
      await tx.queue(statements);
      ends.push({ outcome });
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      ends.push({ refused: error });
    }
  }
  const { statements, outcome } = group.conclude(ends);
  await tx.queue([...statements, committedReceipt(write, { slug: write.slug, outcome })]);
  return committedAs(write, outcome);
}

function replay(receipt: StoredReceipt, write: FactWrite): Committed | Raised {
  const { requestId, argumentsHash } = write.request;
  if (receipt.arguments_hash !== argumentsHash) raise('idempotency_conflict', { requestId, state: receipt.state });
  if (receipt.state === 'cancelled') raise('cancelled', { operation: write.operation, requestId });
  return receipt.error ? new Raised(receipt.error.code, receipt.error.data) : committedOf(receipt);
}
