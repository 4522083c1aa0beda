// Statements by which the index of facts follows the rows. No caller reads through these: what they give is ranked,
// and the rows of an answer are read through the caller's own view.
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';

/** A place in the feed of facts. */
export interface FactPlace {
  xid: string;
  id: number;
}

/** A fact as the index takes it. */
export interface FactFeedRow {
  xid: string;
  id: number;
  source_id: string;
  is_private: boolean;
  /** The page that states it was deleted. */
  is_gone: boolean;
  terms: string[];
  kind: string;
  confidence: number;
  valid_from: Date;
  valid_until: Date | null;
  expired_at: Date | null;
  is_replaced: boolean;
  created_at: Date;
}

/**
 * The transaction that wrote a fact last, and from where on transactions may still be running. It binds no value, so it
 * is planned once: this is asked with every question.
 */
export async function readFactNews(db: Queryable): Promise<{ newest: string | null; next: string }> {
  const [row] = await db.query<{ newest: string | null; next: string }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as next,
      (select f.xid::text from facts f order by f.xid desc, f.id desc limit 1) as newest`);
  return row!;
}

/** Facts written after a place, in the order of their transactions. */
export const readFactFeed = (db: Queryable, after: FactPlace, limit: number): Promise<FactFeedRow[]> =>
  db.query<FactFeedRow>(sql`
    select f.xid::text as xid, f.id, f.source_id, f.terms, f.kind, f.confidence, f.valid_from, f.valid_until,
      f.expired_at, f.superseded_by is not null as is_replaced, f.created_at,
      f.visibility = 'private' or coalesce(p.visibility = 'private', false) as is_private,
      p.deleted_at is not null as is_gone
    from facts f left join pages p on p.id = f.page_id
    where (f.xid, f.id) > (${after.xid}::xid8, ${after.id}::bigint)
    order by f.xid, f.id limit ${limit}`);
