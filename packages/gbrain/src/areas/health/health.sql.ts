// Statements that count what a brain holds. Figures only: no text of a page leaves here, and private rows are counted
// for the owner alone.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql, Store } from '../../store/store.ts';

/** Whose figures: the owner's count private pages too. */
export type Sight = 'all' | 'world';

const pages = (sight: Sight): Sql =>
  sql`(select v.* from live_pages v ${raw(sight === 'all' ? '' : `where v.visibility = 'world'`)})`;

/** Edges between pages in sight, whose origin is in sight too. */
const edges = (sight: Sight): Sql => sql`links l
  join ${pages(sight)} f on f.id = l.from_page_id
  join ${pages(sight)} t on t.id = l.to_page_id
  left join ${pages(sight)} o on o.id = l.origin_page_id`;

const SEEN = raw('(l.origin_page_id is null or o.id is not null)');

/** How much there is of everything. */
export interface Counts {
  page_count: number;
  deleted_count: number;
  chunk_count: number;
  link_count: number;
  tag_count: number;
  timeline_entry_count: number;
  bytes: number;
  last_write: string | null;
  pages_by_type: Record<string, number>;
  pages_by_source: Record<string, number>;
}

const n = (rows: Record<string, unknown>[] | undefined): number => Number(rows?.[0]?.n ?? 0);

const tally = (rows: Record<string, unknown>[] | undefined): Record<string, number> =>
  Object.fromEntries((rows ?? []).map(({ key, n: count }) => [String(key), Number(count)]));

/** Counts of a brain, in one round trip. */
export async function readCounts(db: Queryable, sight: Sight): Promise<Counts> {
  const own = raw(sight === 'all' ? '' : `and p.visibility = 'world'`);
  const [whole, deleted, chunks, links, tags, entries, types, sources] = await db.batch([
    sql`select count(*)::int as n, coalesce(sum(p.size_bytes), 0)::bigint as bytes, max(p.updated_at) as last
      from ${pages(sight)} p`,
    sql`select count(*)::int as n from pages p where p.deleted_at is not null ${own}`,
    sql`select count(*)::int as n from page_chunks c join ${pages(sight)} p on p.id = c.page_id`,
    sql`select count(*)::int as n from ${edges(sight)} where ${SEEN}`,
    sql`select count(distinct tag)::int as n from ${pages(sight)} p, unnest(p.tags) as tag`,
    sql`select count(*)::int as n from timeline_entries e join ${pages(sight)} p on p.id = e.page_id`,
    sql`select p.type as key, count(*)::int as n from ${pages(sight)} p group by p.type order by n desc, p.type`,
    sql`select p.source_id as key, count(*)::int as n from ${pages(sight)} p group by p.source_id order by p.source_id`,
  ]);
  const last = whole?.[0]?.last;
  return {
    page_count: n(whole),
    deleted_count: n(deleted),
    chunk_count: n(chunks),
    link_count: n(links),
    tag_count: n(tags),
    timeline_entry_count: n(entries),
    bytes: Number(whole?.[0]?.bytes ?? 0),
    last_write: last instanceof Date ? last.toISOString() : null,
    pages_by_type: tally(types),
    pages_by_source: tally(sources),
  };
}

/** What the brain's score is made of. */
export interface Connectedness {
  pages: number;
  /** Pages that no edge touches. */
  isolated: number;
  /** Pages that no edge leads to. */
  orphans: number;
  edges: number;
  /** References to pages that do not exist, or that several pages could be. */
  open: number;
  /** People and companies, those that an edge leads to, and those with a dated entry. */
  entities: number;
  entitiesLinked: number;
  entitiesDated: number;
}

/** Figures of the graph, in one round trip. */
export async function readConnectedness(db: Queryable, sight: Sight): Promise<Connectedness> {
  const [whole, open, entities, edgeRows] = await db.batch([
    // Joins of distinct pages and no subquery a page: that is looked up in every edge, whatever the planner knows.
    sql`with seen as materialized (select l.from_page_id, l.to_page_id from ${edges(sight)} where ${SEEN})
      select count(*)::int as pages,
        count(*) filter (where i.id is null)::int as orphans,
        count(*) filter (where i.id is null and o.id is null)::int as isolated
      from ${pages(sight)} p
        left join (select distinct to_page_id as id from seen) i on i.id = p.id
        left join (select distinct from_page_id as id from seen) o on o.id = p.id`,
    sql`select coalesce(sum(jsonb_array_length(l.open)), 0)::int as n
      from page_waits l join ${pages(sight)} p on p.id = l.page_id`,
    sql`select count(*)::int as all, count(i.id)::int as linked, count(d.id)::int as dated
      from ${pages(sight)} p
        left join (select distinct l.to_page_id as id from ${edges(sight)} where ${SEEN}) i on i.id = p.id
        left join (select distinct e.page_id as id from timeline_entries e) d on d.id = p.id
      where p.type in ('person', 'people', 'company', 'companies', 'organization')`,
    sql`select count(*)::int as n from ${edges(sight)} where ${SEEN}`,
  ]);
  return {
    pages: Number(whole?.[0]?.pages ?? 0),
    isolated: Number(whole?.[0]?.isolated ?? 0),
    orphans: Number(whole?.[0]?.orphans ?? 0),
    edges: n(edgeRows),
    open: n(open),
    entities: Number(entities?.[0]?.all ?? 0),
    entitiesLinked: Number(entities?.[0]?.linked ?? 0),
    entitiesDated: Number(entities?.[0]?.dated ?? 0),
  };
}

/** Pages with the most edges, most first. */
export async function readMostConnected(
  db: Queryable,
  sight: Sight,
  limit: number,
): Promise<{ slug: string; link_count: number }[]> {
  return db.query(sql`
    select p.slug, count(*)::int as link_count
    from (select l.from_page_id as id from ${edges(sight)} where ${SEEN}
      union all select l.to_page_id from ${edges(sight)} where ${SEEN}) e
    join ${pages(sight)} p on p.id = e.id
    group by p.id, p.slug order by link_count desc, p.slug limit ${limit}`);
}

/** Work that was promised and is not done. */
export interface Backlog {
  /** Effects whose time has come, and how many of them failed at least once. */
  dueEffects: number;
  failedEffects: number;
  oldestEffectAt: Date | null;
  /** Receipts that are stored as not over. */
  openReceipts: number;
}

/** The backlog of a brain. */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  const [effects, receipts] = await db.batch([
    sql`select count(*)::int as n, count(*) filter (where last_error is not null)::int as failed,
      min(created_at) as oldest from outbox where not_before <= now()`,
    sql`select count(*)::int as n from write_requests where state in ('queued', 'running', 'recovering')`,
  ]);
  const oldest = effects?.[0]?.oldest;
  return {
    dueEffects: n(effects),
    failedEffects: Number(effects?.[0]?.failed ?? 0),
    oldestEffectAt: oldest instanceof Date ? oldest : null,
    openReceipts: n(receipts),
  };
}

/** Sources that are not archived. */
export async function readSources(db: Queryable): Promise<{ id: string; truth: string; local_path: string | null }[]> {
  return db.query(sql`select id, truth, local_path from sources where archived_at is null order by id`);
}

/** Answers at once when the database does. */
export async function ping(db: Queryable): Promise<void> {
  await db.query(sql`select 1 as one`);
}

/** The engine and, on a server, the connections to the brain's database. */
export async function readConnections(store: Store): Promise<Record<string, unknown>> {
  const { engine, serverMajor, concurrent } = store.facts;
  if (!concurrent) return { engine, server_major: serverMajor, connections: 1 };
  const rows = await store.query<{ state: string | null; n: number }>(sql`
    select state, count(*)::int as n from pg_stat_activity where datname = current_database() group by state`);
  const states = Object.fromEntries(rows.map(({ state, n: count }) => [state ?? 'other', count]));
  return { engine, server_major: serverMajor, connections: rows.reduce((sum, { n: count }) => sum + count, 0), states };
}

/** Sources with their pages and the time of their last run. */
export async function readFreshness(
  db: Queryable,
): Promise<{ id: string; pages: number; last_import_at: Date | null }[]> {
  return db.query(sql`select s.id, s.last_import_at,
      (select count(*) from pages p where p.source_id = s.id and p.deleted_at is null) as pages
    from sources s where s.archived_at is null order by s.id`);
}

/** Files of the content directories that are not as their pages say, by reason. */
export async function readHolds(db: Queryable): Promise<Record<string, number>> {
  return tally(
    await db.query(sql`select coalesce(reason, state) as key, count(*)::int as n from content_files
      where state <> 'written' group by 1 order by 1`),
  );
}
