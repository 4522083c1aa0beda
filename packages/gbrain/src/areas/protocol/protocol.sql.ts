// Counts of what the memory verbs have written: receipts by verb and state, facts by whether they hold.
import type { ReadScope } from '../../context.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';

/** Receipts of one verb in one state. */
export interface WriteCount {
  operation: string;
  state: string;
  n: number;
}

/** Receipts of the verbs since a time, of every principal. */
export const countWrites = (db: Queryable, since: Date): Promise<WriteCount[]> =>
  db.query<WriteCount>(sql`
    select operation, state, count(*)::int as n from write_requests
    where operation in ('remember', 'forget') and created_at >= ${since} group by operation, state order by 1, 2`);

/** Facts of the scope's sources. */
export interface FactCounts {
  active: number;
  expired: number;
  written: number;
  withdrawn: number;
}

/** How many facts hold, hold no longer, were written since a time, and were withdrawn. */
export async function countFacts(db: Queryable, scope: ReadScope, at: { since: Date; now: Date }): Promise<FactCounts> {
  const sources = [...scope.sources];
  const [row] = await db.query<FactCounts>(sql`
    select
      count(*) filter (where expired_at is null and (valid_until is null or valid_until > ${at.now}))::int as active,
      count(*) filter (where expired_at is not null or valid_until <= ${at.now})::int as expired,
      count(*) filter (where created_at >= ${at.since})::int as written,
      (select count(*)::int from fact_withdrawals w where w.source_id = any (${sources}::text[])) as withdrawn
    from facts where source_id = any (${sources}::text[])`);
  return row!;
}

/** Agent sessions that have a place in the stream of changes. */
export async function countSessions(db: Queryable, scope: ReadScope): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    sql`select count(*)::int as n from session_context_state where source_id = any (${[...scope.sources]}::text[])`,
  );
  return row!.n;
}
