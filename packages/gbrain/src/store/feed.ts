// Feeds: rows in the order of the transactions that wrote them, for readers that go on where they stopped.
//
// A reader keeps the snapshot of the server in which it read. Every row that this snapshot shows has been read, and
// every other row that is there now has not, however old its transaction is. So a write is read as soon as it has
// committed: a transaction that still runs, of whatever database of the server, holds nobody up, and its own rows are
// read when it ends. (A cursor that waits for all older transactions, `xid < pg_snapshot_xmin(...)`, makes one idle
// session of another program, or the server's own autovacuum, hide every later write from a search.)
import { raw, sql } from './sql.ts';
import type { Sql, Store } from './store.ts';

/** A row's place in its feed: the transaction that wrote it, and its number. */
export interface FeedPlace {
  readonly xid: number;
  readonly position: number;
}

/** How far a reader has come. */
export interface FeedCursor {
  /** The snapshot whose rows have all been read, as Postgres prints one. */
  readonly seen: string;
  /** While a round takes several reads: the snapshot that it began with. What came after it is for the next round. */
  readonly reading?: string;
  /** The row that was read last; position 0 before the first. */
  readonly last: FeedPlace;
}

/** A reader that has read nothing. */
export const FEED_START: FeedCursor = { seen: '1:1:', last: { xid: 0, position: 0 } };

/** Rows of the table that a reader has not read yet, as a condition. `xid` and `position` are its columns. */
export function unread({ seen, reading, last }: FeedCursor, xid = 'xid', position = 'position'): Sql {
  const from = reading === undefined ? { xid: Number.parseInt(seen, 10), position: 0 } : last;
  const place = raw(`(${xid}, ${position})`);
  return sql`${place} > (${String(from.xid)}::xid8, ${from.position}::bigint)
    and not pg_visible_in_snapshot(${raw(xid)}, ${seen}::pg_snapshot)`;
}

/** Rows of a select with the snapshot in which they were read; one row that holds nothing else where there are none. */
export const inSnapshot = (rows: Sql): Sql => sql`
  select now.snapshot, r.* from (select pg_current_snapshot()::text as snapshot) now left join (${rows}) r on true
  order by r.xid, r.position`;

/** A row of `inSnapshot`. */
export type InSnapshot<Row> = { snapshot: string } & (Row | { [Key in keyof Row]: null });

/** What one read gave. */
export interface FeedPart<Row> {
  readonly rows: Row[];
  /** Where the reader stands now. */
  readonly cursor: FeedCursor;
  /** False when everything that was committed when the round began has been read. */
  readonly hasMore: boolean;
  /**
   * Whether a row is of a transaction that this server has not had yet: a dump of another server was read into it. Such
   * rows would be read again with every round, so `readPart` takes them over.
   */
  readonly isForeign: boolean;
}

/**
 * Moves a cursor past the rows of a read. `limit` is the number of places that it asked for; a place may have several
 * rows.
 */
export function advance<Row extends FeedPlace>(
  cursor: FeedCursor,
  read: readonly InSnapshot<Row>[],
  limit: number,
): FeedPart<Row> {
  const rows = read.filter((row): row is { snapshot: string } & Row => row.xid !== null);
  const end = rows.at(-1);
  const last = end ? { xid: end.xid, position: end.position } : cursor.last;
  const began = cursor.reading ?? read[0]!.snapshot;
  const hasMore = new Set(rows.map(({ position }) => position)).size >= limit;
  const nextOfServer = Number(read[0]!.snapshot.split(':')[1]);
  return {
    rows,
    cursor: hasMore ? { seen: cursor.seen, reading: began, last } : { seen: began, last },
    hasMore,
    isForeign: last.xid >= nextOfServer,
  };
}

/** A cursor as text. */
export const cursorText = ({ seen, reading = '', last }: FeedCursor): string =>
  `${last.xid}:${last.position}/${seen}/${reading}`;

/** The cursor that a text stands for; undefined for any other text. */
export function parseCursor(text: string): FeedCursor | undefined {
  const match = /^(\d+):(\d+)\/(\d+:\d+:[\d,]*)\/(\d+:\d+:[\d,]*)?$/.exec(text);
  if (!match) return undefined;
  const [, xid, position, seen, reading] = match;
  return { seen: seen!, ...(reading && { reading }), last: { xid: Number(xid), position: Number(position) } };
}

/** Tables that are feeds. */
const FEEDS = ['changes', 'facts', 'chunk_vectors'] as const;

/** Gives the rows of a dump to the transaction that runs this, in their order. */
const adopted: readonly Sql[] = FEEDS.map(
  (table) => sql`
    update ${raw(table)} set xid = pg_current_xact_id()
    where xid >= pg_snapshot_xmax(pg_current_snapshot()) and xid <> pg_current_xact_id()`,
);

/** Does one read of a feed. Rows of a dump of another server are first taken into the feeds of this one. */
export async function readPart<Row>(store: Store, read: () => Promise<FeedPart<Row>>): Promise<FeedPart<Row>> {
  const part = await read();
  if (!part.isForeign) return part;
  await store.tx((tx) => tx.batch(adopted));
  return read();
}
