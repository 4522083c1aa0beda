// Statements by which the index of facts follows the rows. No caller reads through these: what they give is ranked,
// and the rows of an answer are read through the caller's own view.
import {
  advance,
  type FeedCursor,
  type FeedPart,
  type FeedPlace,
  type InSnapshot,
  inSnapshot,
  unread,
} from '../../store/feed.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';

/** A fact as the index takes it. */
export interface FactFeedRow extends FeedPlace {
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
 * The transaction that wrote a fact last. It binds no value, so it is planned once: this is asked with every question.
 */
export async function readFactNews(db: Queryable): Promise<{ newest: number | null; snapshot: string }> {
  const [row] = await db.query<{ newest: number | null; snapshot: string }>(sql`
    select pg_current_snapshot()::text as snapshot,
      (select f.xid from facts f order by f.xid desc, f.id desc limit 1) as newest`);
  return row!;
}

/** Facts that a reader has not read, in the order of their transactions. A fact that is written again is read again. */
export async function readFactFeed(db: Queryable, after: FeedCursor, limit: number): Promise<FeedPart<FactFeedRow>> {
  const read = await db.query<InSnapshot<FactFeedRow>>(
    inSnapshot(sql`
      select f.xid, f.id as position, f.id, f.source_id, f.terms, f.kind, f.confidence, f.valid_from, f.valid_until,
        f.expired_at, f.superseded_by is not null as is_replaced, f.created_at,
        f.visibility = 'private' or coalesce(p.visibility = 'private', false) as is_private,
        p.deleted_at is not null as is_gone
      from facts f left join pages p on p.id = f.page_id
      where ${unread(after, 'f.xid', 'f.id')} order by f.xid, f.id limit ${limit}`),
  );
  return advance(after, read, limit);
}
