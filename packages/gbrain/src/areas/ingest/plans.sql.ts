// Plans that were shown to somebody who has to agree, so that what changed since can be told. No page content.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** Slug -> revision of what a plan touches. */
export type PlanRecords = Readonly<Record<string, string>>;

/** Plans of one operation and source that are remembered. */
const KEPT = 20;

/** Keeps a plan that is shown, and forgets the oldest ones. */
export const keepShownPlan = (plan: {
  hash: string;
  operation: string;
  sourceId: string;
  records: PlanRecords;
  at: Date;
}): Sql[] => [
  sql`insert into shown_plans (plan_hash, operation, source_id, records, shown_at)
    values (${plan.hash}, ${plan.operation}, ${plan.sourceId}, ${JSON.stringify(plan.records)}::jsonb, ${plan.at})
    on conflict (plan_hash) do update set shown_at = excluded.shown_at`,
  sql`delete from shown_plans where operation = ${plan.operation} and source_id = ${plan.sourceId}
    and plan_hash not in (select plan_hash from shown_plans
      where operation = ${plan.operation} and source_id = ${plan.sourceId} order by shown_at desc limit ${KEPT})`,
];

/** A plan that was shown; undefined for one that never was, or is long forgotten. */
export async function readShownPlan(db: Queryable, hash: string): Promise<PlanRecords | undefined> {
  const [row] = await db.query<{ records: PlanRecords }>(
    sql`select records from shown_plans where plan_hash = ${hash}`,
  );
  return row?.records;
}

/** Live pages of a source, private ones included. */
export async function countSourcePages(db: Queryable, sourceId: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    sql`select count(*) as n from pages where source_id = ${sourceId} and deleted_at is null`,
  );
  return row?.n ?? 0;
}

/** Incarnation of a source: another one is another source under the same name. */
export async function readSourceIncarnation(db: Queryable, sourceId: string): Promise<string> {
  const [row] = await db.query<{ incarnation: string }>(sql`select incarnation from sources where id = ${sourceId}`);
  return row?.incarnation ?? '';
}
