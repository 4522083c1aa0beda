// Several page writes in one transaction: together in a few round trips, and one by one when one of them is bad.
// A bad page costs that page; the others of its group are committed.
import { Raised } from '../../failure.ts';
import type { DerivedPart } from '../../part.ts';
import { type Sql, type Store, StoreError, type Tx } from '../../store/store.ts';
import { tellCommit } from './after-commit.ts';
import { catchUpMarks } from './catch-up.ts';
import { type CurrentRow, readGroupStatements, type WriteGateRow } from './commit.sql.ts';
import {
  type CommitOptions,
  partsOf,
  passGate,
  racing,
  runWrite,
  settleParts,
  storedPage,
  type WriteResult,
} from './commit.ts';
import type { Committed, PageWrite } from './page-write.ts';
import { type Settled, settle, statementsOf } from './settle.ts';

/** How one page of a group ended: the group goes on when a page is refused. */
export type GroupOutcome = { ok: true; committed: Committed } | { ok: false; error: Raised | StoreError };

/** How a group is committed. */
export interface GroupOptions extends CommitOptions {
  /**
   * Rows of another area that stand or fall with the pages of the group, such as the records of their files. It is
   * handed the outcomes in the order of the writes, and may be asked again when the transaction is repeated.
   */
  alongside?(outcomes: readonly GroupOutcome[]): readonly Sql[];
  /**
   * Many groups follow each other: parts may leave the rows of other pages until `catchUpParts`, which must follow. The
   * outbox says that it is due from the first group on, so it is not lost when the process is.
   */
  isBulk?: boolean;
}

/** Faults that end a group as a whole, because nothing after them can be written either. */
const FATAL: ReadonlySet<string> = new Set([
  'serialization',
  'timeout',
  'aborted',
  'disk_full',
  'read_only',
  'unreachable',
  'damaged',
  'closed',
  'outcome_unknown',
]);

/** True when the fault is one page's own and its neighbours can still be written. */
const isOwn = (error: unknown): error is StoreError => error instanceof StoreError && !FATAL.has(error.fault);

/** Commits several page writes in one transaction, each as if in a savepoint; outcomes in the order of the writes. */
export async function commitGroup(
  store: Store,
  writes: readonly PageWrite[],
  options: GroupOptions = {},
): Promise<GroupOutcome[]> {
  if (writes.length === 0) return [];
  const parts = partsOf(options);
  const outcomes = await store.tx(
    async (tx) => {
      const how = { parts, isBulk: options.isBulk ?? false };
      const ended = (await together(tx, writes, how)) ?? (await oneByOne(tx, writes, how));
      const marks = how.isBulk ? catchUpMarks(parts, writes[0]!.at) : [];
      const statements = [...marks, ...(options.alongside?.(ended) ?? [])];
      await tx.queue(statements);
      return ended;
    },
    options.signal ? { signal: options.signal } : {},
  );
  tellCommit(store);
  return outcomes;
}

/** What a group derives, and how. */
interface How {
  parts: readonly DerivedPart[];
  isBulk: boolean;
}

async function oneByOne(tx: Tx, writes: readonly PageWrite[], { parts, isBulk }: How): Promise<GroupOutcome[]> {
  const outcomes: GroupOutcome[] = [];
  const settled: Settled[] = [];
  for (const write of writes) {
    const result = await ownResult(() => racing(() => tx.savepoint(() => runWrite(tx, write, parts))));
    outcomes.push(
      result.kind === 'committed' ? { ok: true, committed: result.committed } : { ok: false, error: result.error },
    );
    if (result.kind === 'committed' && result.settled) settled.push(result.settled);
  }
  await settleParts(tx, settled, isBulk);
  return outcomes;
}

async function ownResult(
  run: () => Promise<WriteResult>,
): Promise<WriteResult | { kind: 'failed'; error: Raised | StoreError }> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Raised || isOwn(error)) return { kind: 'failed', error };
    throw error;
  }
}

const keyOf = (sourceId: string, slug: string): string => `${sourceId}\n${slug}`;

/**
 * Writes of different pages in one savepoint and a few round trips. Undefined when two of them concern one page, when
 * one has a receipt to look for or a moved alias to follow, and when the database refused one: then each page has to
 * find out for itself.
 */
async function together(tx: Tx, writes: readonly PageWrite[], how: How): Promise<GroupOutcome[] | undefined> {
  const keys = writes.flatMap(({ sourceId, slug, movesFrom }) =>
    [...new Set([slug, movesFrom ?? slug])].map((name) => keyOf(sourceId, name)),
  );
  if (new Set(keys).size < keys.length || writes.some(({ request }) => request)) return undefined;
  try {
    return await tx.savepoint(async () => {
      const known = await readGroup(tx, writes);
      return known && putTogether(tx, writes, { ...how, known });
    });
  } catch (error) {
    if (isOwn(error)) return undefined;
    throw error;
  }
}

/** What a write is decided on. */
interface Known {
  gate: WriteGateRow;
  page?: CurrentRow;
}

async function readGroup(tx: Tx, writes: readonly PageWrite[]): Promise<Known[] | undefined> {
  const gates = new Map<string, WriteGateRow>();
  const pages = new Map<string, CurrentRow>();
  for (const sourceId of new Set(writes.map((write) => write.sourceId))) {
    const slugs = writes.filter((write) => write.sourceId === sourceId).map((write) => write.movesFrom ?? write.slug);
    const [gateRows = [], pageRows = []] = await tx.batch(readGroupStatements(sourceId, slugs));
    for (const row of gateRows) gates.set(keyOf(sourceId, String(row.slug)), row as unknown as WriteGateRow);
    for (const row of pageRows) pages.set(keyOf(sourceId, String(row.slug)), row as unknown as CurrentRow);
  }
  const known = writes.map((write): Known => {
    const key = keyOf(write.sourceId, write.movesFrom ?? write.slug);
    const page = pages.get(key);
    return { gate: gates.get(key)!, ...(page && { page }) };
  });
  const isFollowing = known.some(({ gate, page }, i) => !page && gate.moved_to !== null && !writes[i]!.isExact);
  return isFollowing ? undefined : known;
}

async function putTogether(
  tx: Tx,
  writes: readonly PageWrite[],
  at: How & { known: readonly Known[] },
): Promise<GroupOutcome[]> {
  const settled: Settled[] = [];
  const outcomes = writes.map((write, i): GroupOutcome => {
    const { gate, page } = at.known[i]!;
    try {
      passGate(gate, write);
      const one = settle(write, page && storedPage(page), page?.id ?? gate.new_id, at.parts);
      settled.push(one);
      return { ok: true, committed: one.committed };
    } catch (error) {
      if (error instanceof Raised) return { ok: false, error };
      throw error;
    }
  });
  const statements = statementsOf(settled);
  await tx.queue(statements);
  await settleParts(tx, settled, at.isBulk);
  return outcomes;
}
