// Statements about the brain as a whole: who it is, which sources it has, how many pages. No page content.
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';

/** Identity of the open brain. */
export async function readIdentity(db: Queryable): Promise<{ brainId: string; incarnation: string }> {
  const rows = await db.query<{ brain_id: string; incarnation: string }>(sql`select brain_id, incarnation from brain`);
  return { brainId: rows[0]!.brain_id, incarnation: rows[0]!.incarnation };
}

/** Ids of the sources that are not archived. */
export async function readSourceIds(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from sources where archived_at is null order by id`);
  return rows.map(({ id }) => id);
}

/** Number of live pages of every source, private ones included: for the owner's own eyes. */
export async function countPages(db: Queryable): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`select count(*)::int as n from live_pages`);
  return rows[0]!.n;
}
