// The one commit path of pages: text, derived rows, version, aliases, feed, outbox and receipt in one transaction.
// Command line, MCP and import all end here. It knows no transport, and no area but pages and receipts.

import { Raised, raise } from '../../failure.ts';
import { passPoint } from '../../fault-points.ts';
import { parts as registeredParts } from '../../generated/parts.ts';
import type { DerivedPart } from '../../part.ts';
import { type Sql, type Store, StoreError, type Tx } from '../../store/store.ts';
import { committedOf, earlierReceipt, refusedReceipt, type StoredReceipt } from '../writes/receipts.ts';
import { tellCommit } from './after-commit.ts';
import { type CurrentRow, type GateRow, movedPage, readStatements, type WriteGateRow } from './commit.sql.ts';
import type { Committed, PageWrite, StoredPage } from './page-write.ts';
import { type Settled, settle, statementsOf, writtenParts } from './settle.ts';
import type { Slug } from './slug.ts';

/** Version of the rows that this program writes; a brain may ask for a newer one. Source: facts/user-faults P47. */
export const WRITER_VERSION = 1;

/** Times that a write is begun anew because another one made the same page or receipt first. */
const RACES_MAX = 3;

/** How a commit is bounded, and the parts that it derives: the registered ones unless a test brings its own. */
export interface CommitOptions {
  signal?: AbortSignal;
  parts?: readonly DerivedPart[];
  /** Rows of other areas that go into the transaction of a write that takes effect now. */
  besides?(): readonly Sql[];
}

/** The parts that a commit derives. */
export const partsOf = (options: CommitOptions): readonly DerivedPart[] =>
  options.parts ?? registeredParts.map(({ value }) => value);

/** How one write ended inside its transaction. */
export type WriteResult =
  | { kind: 'committed'; committed: Committed; settled?: Settled }
  | { kind: 'refused'; error: Raised };

/**
 * Commits one page write. Gives the stored outcome for a request that was committed before. Raises the refusal of
 * `decide`, `idempotency_conflict`, `unknown_source`, `owner_unavailable` (source of files), `migrations_pending`
 * (this program is too old), the page's own faults, and StoreError.
 */
export async function commitPage(store: Store, write: PageWrite, options: CommitOptions = {}): Promise<Committed> {
  const parts = partsOf(options);
  const bounds = options.signal ? { signal: options.signal } : {};
  const once = async (tx: Tx): Promise<WriteResult> => {
    const result = await runWrite(tx, write, parts);
    if (result.kind === 'committed' && result.settled) await settleParts(tx, [result.settled]);
    const also = result.kind === 'committed' && result.settled ? (options.besides?.() ?? []) : [];
    await tx.queue(also);
    await passPoint('commit_written');
    return result;
  };
  const result = await racing(() => store.tx(once, bounds));
  await passPoint('commit_done');
  if (result.kind === 'refused') throw result.error;
  tellCommit(store);
  return result.committed;
}

/** Lets each part settle what depends on other pages, once for all pages of a transaction. */
export async function settleParts(tx: Tx, all: readonly Settled[], isBulk = false): Promise<void> {
  for (const { part, pages } of writtenParts(all)) await part.settle?.(tx, pages, { isBulk });
}

/** Two writers may make the same page or send the same request at once: the second one looks again and finds it. */
export async function racing<T>(run: () => Promise<T>): Promise<T> {
  for (let race = 1; ; race++) {
    try {
      return await run();
    } catch (error) {
      const isRace = error instanceof StoreError && error.fault === 'unique_violation';
      if (!isRace || race === RACES_MAX) throw error;
    }
  }
}

/** Runs one write in an open transaction. A refusal of its decision is an outcome; everything else is thrown. */
export async function runWrite(tx: Tx, write: PageWrite, parts: readonly DerivedPart[]): Promise<WriteResult> {
  const earlier = write.request ? [earlierReceipt(write.writer.principal, write.request)] : [];
  const name = { sourceId: write.sourceId, slug: write.movesFrom ?? write.slug };
  const [gates, current, receipts] = await tx.batch([...readStatements(name), ...earlier]);
  const found = receipts?.[0] as StoredReceipt | undefined;
  if (found) return replay(found, write);
  const gate = gates?.[0] as WriteGateRow | undefined;
  passGate(gate, write);
  const movedTo = write.isExact ? null : gate.moved_to;
  const row = current?.[0] ?? (movedTo === null ? undefined : (await tx.query(movedPage(movedTo)))[0]);
  const page = row && storedPage(row as unknown as CurrentRow);
  let settled: Settled;
  try {
    settled = settle(write, page, page?.id ?? gate.new_id, parts);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    if (write.request) await tx.queue([refusedReceipt(write, page, error)]);
    return { kind: 'refused', error };
  }
  const statements = statementsOf([settled]);
  await passPoint('commit_decided');
  await tx.queue(statements);
  return { kind: 'committed', committed: settled.committed, settled };
}

function replay(receipt: StoredReceipt, write: PageWrite): WriteResult {
  const requestId = write.request!.requestId;
  if (receipt.arguments_hash !== write.request!.argumentsHash) {
    raise('idempotency_conflict', { requestId, state: receipt.state });
  }
  if (receipt.state === 'cancelled') raise('cancelled', { operation: write.operation, requestId });
  if (receipt.error) return { kind: 'refused', error: new Raised(receipt.error.code, receipt.error.data) };
  return { kind: 'committed', committed: committedOf(receipt) };
}

/** Raises why this write may not be made at all: this program is too old, or the source takes no writes. */
export function passGate<Row extends GateRow>(gate: Row | undefined, write: PageWrite): asserts gate is Row {
  if (!gate || gate.min_writer_version > WRITER_VERSION) {
    raise('migrations_pending', { reason: 'writer_too_old', path: 'this brain' });
  }
  const source = write.sourceId;
  if (gate.truth === null || gate.is_archived) raise('unknown_source', { source });
  if (gate.truth === 'files' && !write.isFromFiles) {
    raise('owner_unavailable', { detail: 'unbound_source', source, slug: write.slug });
  }
}

/** A row of the first batch as a write's decision sees it. */
export const storedPage = (row: CurrentRow): StoredPage => ({
  id: row.id,
  slug: row.slug as Slug,
  text: row.text,
  revision: row.revision,
  title: row.title,
  isPrivate: row.is_private,
  isDeleted: row.is_deleted,
  hasAliases: row.has_aliases,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
