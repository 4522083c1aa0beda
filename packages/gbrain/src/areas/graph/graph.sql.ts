// Statements of references and edges. Derived edges are replaced page by page; edges made by hand are left alone.
import type { ReadScope } from '../../context.ts';
import type { PageKey } from '../../part.ts';
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql, Tx } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { PageLinks } from './page-links.ts';
import type { PageRef } from './resolve.ts';

/** What a page says of others, and the keys by which others may call it. */
export interface KeptLinks {
  page: PageKey;
  rows: { links: PageLinks; keys: readonly string[] };
}

/** Keeps what pages say of others and what they may be called. */
export function keepLinks(pages: readonly KeptLinks[]): Sql[] {
  const ids = pages.map(({ page }) => page.id);
  const links = JSON.stringify(pages.map(({ page, rows }) => ({ page_id: page.id, links: rows.links })));
  const keys = pages.flatMap(({ page, rows }) => rows.keys.map((key) => ({ id: page.id, key })));
  const isOld = pages.some(({ page }) => !page.isNew);
  return [
    sql`insert into page_links (page_id, links)
      select page_id, links from jsonb_to_recordset(${links}::text::jsonb) as r (page_id bigint, links jsonb)
      on conflict (page_id) do update set links = excluded.links`,
    ...(isOld
      ? [
          sql`delete from page_keys where page_id = any (${ids}::bigint[])`,
          // What the earlier references came to says nothing of these: the page is not settled.
          sql`delete from page_waits where page_id = any (${ids}::bigint[])`,
        ]
      : []),
    sql`insert into page_keys (key, page_id)
      select * from unnest(${keys.map(({ key }) => key)}::text[], ${keys.map(({ id }) => id)}::bigint[])
      on conflict do nothing`,
  ];
}

/** Keys up to which the planner takes the index for the whole array. */
const KEYS_AT_ONCE = 32;

/** Links of live pages that wait for one of these keys. */
export async function linksWaitingFor(
  db: Queryable,
  keys: readonly string[],
  limit: number,
): Promise<{ pageId: number; links: PageLinks }[]> {
  if (keys.length === 0) return [];
  const asked = [...keys];
  // For a long array the index of the keys is not used; there it is asked key by key.
  const waiting =
    keys.length <= KEYS_AT_ONCE
      ? sql`select w.page_id from page_waits w where w.open_keys && ${asked}::text[]`
      : sql`select distinct w.page_id from unnest(${asked}::text[]) k (key)
          join page_waits w on w.open_keys @> array[k.key]`;
  // Each step by itself, whatever the planner believes of tables that nobody has analysed yet: few pages wait.
  const rows = await db.query<{ page_id: number; links: PageLinks }>(sql`
    with waiting as materialized (${waiting})
    select w.page_id, l.links from waiting w cross join lateral (
      select l.links from page_links l join live_pages p on p.id = l.page_id where l.page_id = w.page_id offset 0) l
    order by w.page_id limit ${limit}`);
  return rows.map(({ page_id, links }) => ({ pageId: page_id, links }));
}

/**
 * Links of live pages that are not settled, or wait for a key that a page has by now; in the order of their pages,
 * after one of them. Page by page, so that no call looks at pages beyond those that it gives.
 */
export async function unsettledLinks(
  db: Queryable,
  after: number,
  limit: number,
): Promise<{ pageId: number; links: PageLinks }[]> {
  const rows = await db.query<{ page_id: number; links: PageLinks }>(sql`
    select l.page_id, l.links from page_links l
      cross join lateral (select p.id from live_pages p where p.id = l.page_id offset 0) p
      left join lateral (select w.page_id, w.open_keys from page_waits w where w.page_id = l.page_id offset 0) w on true
    where l.page_id > ${after} and (w.page_id is null
      or exists (select 1 from unnest(w.open_keys) k (key) join page_keys t on t.key = k.key))
    order by l.page_id limit ${limit}`);
  return rows.map(({ page_id, links }) => ({ pageId: page_id, links }));
}

/** A live page with those of its keys that were asked for; moved slugs lead to it too. */
export interface KeyedPage extends PageRef {
  id: number;
  keys: string[];
}

/** Live pages that have one of these keys, in one round trip. */
export async function findPages(db: Queryable, keys: readonly string[]): Promise<KeyedPage[]> {
  if (keys.length === 0) return [];
  const asked = [...keys];
  const moved = asked.filter((key) => key.includes('\nmoved\n'));
  const [named = [], aliased = []] = await db.batch([
    sql`select p.id, p.source_id as source, p.slug, p.type, f.keys
      from (select k.page_id, array_agg(k.key) as keys from page_keys k
        where k.key = any (${asked}::text[]) group by k.page_id) f
        join live_pages p on p.id = f.page_id`,
    sql`select p.id, p.source_id as source, p.slug, p.type, array_agg(a.source_id || E'\nmoved\n' || a.alias) as keys
      from page_aliases a join live_pages p on p.id = a.page_id
      where a.kind = 'moved' and a.source_id || E'\nmoved\n' || a.alias = any (${moved}::text[])
      group by p.id, p.source_id, p.slug, p.type`,
  ]);
  return [...named, ...aliased] as unknown as KeyedPage[];
}

/** An edge as it is stored. */
export interface EdgeRow {
  from_page_id: number;
  to_page_id: number;
  link_type: string;
  link_source: string;
  context: string;
  reason: string;
  origin_page_id: number;
  origin_field: string | null;
}

/** What one page's links came to. */
export interface SettledRow {
  pageId: number;
  openKeys: string[];
  open: unknown[];
  edges: EdgeRow[];
}

const EDGE_COLUMNS = raw(
  'from_page_id, to_page_id, link_type, link_source, context, reason, origin_page_id, origin_field',
);

/** Replaces the derived edges of pages and what they wait for; the statements are queued. */
export async function writeSettled(db: Tx, rows: readonly SettledRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ pageId }) => pageId);
  const open = JSON.stringify(
    rows.map(({ pageId, openKeys, open }) => ({ page_id: pageId, open_keys: openKeys, open })),
  );
  const edges = JSON.stringify(rows.flatMap((row) => row.edges));
  await db.queue([
    sql`delete from links where origin_page_id = any (${ids}::bigint[])`,
    sql`insert into links (${EDGE_COLUMNS}) select ${EDGE_COLUMNS} from jsonb_to_recordset(${edges}::text::jsonb) as r (
        from_page_id bigint, to_page_id bigint, link_type text, link_source text, context text, reason text,
        origin_page_id bigint, origin_field text)
      on conflict do nothing`,
    sql`insert into page_waits (page_id, open_keys, open)
      select * from jsonb_to_recordset(${open}::text::jsonb) as r (page_id bigint, open_keys text[], open jsonb)
      on conflict (page_id) do update set open_keys = excluded.open_keys, open = excluded.open
      where page_waits.open_keys <> excluded.open_keys or page_waits.open <> excluded.open`,
  ]);
}

/** An edge as a reader gets it. Source: design/decisions 19d. */
export interface LinkRow {
  from_slug: string;
  from_source_id: string;
  to_slug: string;
  to_source_id: string;
  link_type: string;
  link_source: string;
  context: string;
  origin_slug: string | null;
}

/** Edges whose ends and origin the scope may see. */
function seenLinks(scope: ReadScope): Sql {
  return sql`links l
    join ${visible(scope)} f on f.id = l.from_page_id
    join ${visible(scope)} t on t.id = l.to_page_id
    left join ${visible(scope)} o on o.id = l.origin_page_id`;
}

const SEEN = raw('(l.origin_page_id is null or o.id is not null)');
const LINK = raw(`f.slug as from_slug, f.source_id as from_source_id, t.slug as to_slug, t.source_id as to_source_id,
  l.link_type, l.link_source, l.context, o.slug as origin_slug`);

/** Which edges of a page are wanted. */
export interface LinkFilter {
  slug: string;
  direction: 'in' | 'out';
  linkType?: string;
  limit: number;
}

/** Edges into or out of a page. */
export function readLinks(db: Queryable, scope: ReadScope, filter: LinkFilter): Promise<LinkRow[]> {
  const end = filter.direction === 'out' ? raw('f.slug') : raw('t.slug');
  const type = filter.linkType === undefined ? raw('') : sql`and l.link_type = ${filter.linkType}`;
  return db.query<LinkRow>(sql`
    select ${LINK} from ${seenLinks(scope)} where ${end} = ${filter.slug} and ${SEEN} ${type}
    order by l.link_type, f.slug, t.slug, l.id limit ${filter.limit}`);
}

/** A page that a traversal reached, with the edge that led there. */
export interface StepRow extends LinkRow {
  page_id: number;
  from_page_id: number;
  to_page_id: number;
}

/** Edges of a set of pages in a direction: one step of a traversal. */
export function readSteps(
  db: Queryable,
  scope: ReadScope,
  at: { pageIds: readonly number[]; direction: 'in' | 'out' | 'both'; linkType?: string; limit: number },
): Promise<StepRow[]> {
  const ids = [...at.pageIds];
  const out = sql`l.from_page_id = any (${ids}::bigint[])`;
  const into = sql`l.to_page_id = any (${ids}::bigint[])`;
  const where = at.direction === 'out' ? out : at.direction === 'in' ? into : sql`(${out} or ${into})`;
  const type = at.linkType === undefined ? raw('') : sql`and l.link_type = ${at.linkType}`;
  return db.query<StepRow>(sql`
    select ${LINK}, l.from_page_id, l.to_page_id, f.id as page_id from ${seenLinks(scope)}
    where ${where} and ${SEEN} ${type}
    order by l.link_type, f.slug, t.slug, l.id limit ${at.limit}`);
}

/** Adds an edge made by hand; false when it is there already. */
export async function insertManual(
  db: Queryable,
  edge: { fromId: number; toId: number; linkType: string; linkSource: string; context: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into links (from_page_id, to_page_id, link_type, link_source, context)
    values (${edge.fromId}, ${edge.toId}, ${edge.linkType}, ${edge.linkSource}, ${edge.context})
    on conflict do nothing returning id`);
  return rows.length > 0;
}

/** Removes edges made by hand between two pages; the number removed. */
export async function deleteManual(
  db: Queryable,
  edge: { fromId: number; toId: number; linkType?: string; linkSource?: string },
): Promise<number> {
  const type = edge.linkType === undefined ? raw('') : sql`and link_type = ${edge.linkType}`;
  const source = edge.linkSource === undefined ? raw('') : sql`and link_source = ${edge.linkSource}`;
  const rows = await db.query(sql`
    delete from links where from_page_id = ${edge.fromId} and to_page_id = ${edge.toId} and origin_page_id is null
      ${type} ${source} returning id`);
  return rows.length;
}

/** How many visible edges each kind of source made. */
export function countSources(db: Queryable, scope: ReadScope): Promise<{ link_source: string; count: number }[]> {
  return db.query(sql`
    select l.link_source, count(*)::int as count from ${seenLinks(scope)} where ${SEEN}
    group by l.link_source order by count desc, l.link_source`);
}

/** Pages that no visible edge leads to, by slug. */
export function readOrphans(
  db: Queryable,
  scope: ReadScope,
  limit: number,
): Promise<{ slug: string; source_id: string; title: string; type: string }[]> {
  return db.query(sql`
    select p.slug, p.source_id, p.title, p.type from ${visible(scope)} p
      left join (select distinct l.to_page_id as id from ${seenLinks(scope)} where ${SEEN}) i on i.id = p.id
    where i.id is null order by p.slug limit ${limit}`);
}

/** An edge made by hand, as an export keeps it. */
export interface ManualLink {
  from_slug: string;
  to_slug: string;
  link_type: string;
  link_source: string;
  context: string;
  created_at: string;
}

/** Edges made by hand between pages of a source, in the order in which they were made. */
export const readManualLinks = (
  db: Queryable,
  sourceId: string,
  after: number,
): Promise<(ManualLink & { id: number })[]> =>
  db.query(sql`
    select l.id, f.slug as from_slug, t.slug as to_slug, l.link_type, l.link_source, l.context,
      to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from links l join pages f on f.id = l.from_page_id join pages t on t.id = l.to_page_id
    where l.origin_page_id is null and f.source_id = ${sourceId} and t.source_id = ${sourceId} and l.id > ${after}
    order by l.id limit 500`);

/** Puts edges made by hand back between pages that are there. */
export const restoreManualLinks = (sourceId: string, rows: readonly ManualLink[]): Sql => sql`
  insert into links (from_page_id, to_page_id, link_type, link_source, context, created_at)
  select f.id, t.id, r.link_type, r.link_source, r.context, r.created_at
  from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (from_slug text, to_slug text, link_type text,
    link_source text, context text, created_at timestamptz(3))
    join pages f on f.source_id = ${sourceId} and f.slug = r.from_slug
    join pages t on t.source_id = ${sourceId} and t.slug = r.to_slug
  on conflict do nothing`;
