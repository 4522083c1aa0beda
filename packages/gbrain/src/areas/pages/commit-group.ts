// Several page writes in one transaction: together in a few round trips, and one by one when one of them is bad.
// A bad page costs that page; the others of its group are committed.
import { Raised } from '../../failure.ts';
import type { DerivedPart } from '../../part.ts';
import { type Store, StoreError, type Tx } from '../../store/store.ts';
import { tellCommit } from './after-commit.ts';
import { type CurrentRow, type GateRow, readGroupStatements } from './commit.sql.ts';
import { type CommitOptions, partsOf, passGate, racing, runWrite, storedPage, type WriteResult } from './commit.ts';
import type { Committed, PageWrite } from './page-write.ts';
import { type Settled, settle, statementsOf } from './settle.ts';

/** How one page of a group ended: the group goes on when a page is refused. */
export type GroupOutcome = { ok: true; committed: Committed } | { ok: false; error: Raised | StoreError };

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
  options: CommitOptions = {},
): Promise<GroupOutcome[]> {
  if (writes.length === 0) return [];
  const parts = partsOf(options);
  const outcomes = await store.tx(
    async (tx) => (await together(tx, writes, parts)) ?? (await oneByOne(tx, writes, parts)),
    options.signal ? { signal: options.signal } : {},
  );
  tellCommit(store);
  return outcomes;
}

async function oneByOne(tx: Tx, writes: readonly PageWrite[], parts: readonly DerivedPart[]): Promise<GroupOutcome[]> {
  const outcomes: GroupOutcome[] = [];
  for (const write of writes) {
    outcomes.push(await groupOutcome(() => racing(() => tx.savepoint(() => runWrite(tx, write, parts)))));
  }
  return outcomes;
}

async function groupOutcome(run: () => Promise<WriteResult>): Promise<GroupOutcome> {
  try {
    const result = await run();
    return result.kind === 'refused' ? { ok: false, error: result.error } : { ok: true, committed: result.committed };
  } catch (error) {
    if (error instanceof Raised || isOwn(error)) return { ok: false, error };
    throw error;
  }
}

/**
 * Writes of different pages under their own names in one savepoint and two round trips. Undefined when the group is
 * not of that kind, or when the database refused one of them: then each page has to find out for itself.
 */
async function together(
  tx: Tx,
  writes: readonly PageWrite[],
  parts: readonly DerivedPart[],
): Promise<GroupOutcome[] | undefined> {
  const keys = writes.flatMap(({ sourceId, slug, movesFrom }) =>
    [...new Set([slug, ...(movesFrom ? [movesFrom] : [])])].map((name) => `${sourceId}\n${name}`),
  );
  if (new Set(keys).size < keys.length || writes.some(({ isExact, request }) => !isExact || request)) return undefined;
  try {
    return await tx.savepoint(() => putTogether(tx, writes, parts));
  } catch (error) {
    if (isOwn(error)) return undefined;
    throw error;
  }
}

async function putTogether(
  tx: Tx,
  writes: readonly PageWrite[],
  parts: readonly DerivedPart[],
): Promise<GroupOutcome[]> {
  const names = writes.map(({ sourceId, slug, movesFrom }) => ({ sourceId, slug: movesFrom ?? slug }));
  const [gates = [], current = [], ids = []] = await tx.batch(readGroupStatements(names, writes.length));
  const gateOf = new Map(gates.map((row) => [row.source_id, row as unknown as GateRow]));
  const pageOf = new Map(
    current.map((row) => [`${row.source_id}\n${row.slug}`, storedPage(row as unknown as CurrentRow)]),
  );
  const settled: Settled[] = [];
  const outcomes = writes.map((write, i): GroupOutcome => {
    try {
      passGate(gateOf.get(write.sourceId), write);
      const page = pageOf.get(`${names[i]!.sourceId}\n${names[i]!.slug}`);
      const one = settle(write, page, page?.id ?? Number(ids[i]!.id), parts);
      settled.push(one);
      return { ok: true, committed: one.committed };
    } catch (error) {
      if (error instanceof Raised) return { ok: false, error };
      throw error;
    }
  });
  await tx.batch(statementsOf(settled));
  return outcomes;
}
