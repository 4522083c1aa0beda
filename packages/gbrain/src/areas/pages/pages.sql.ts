// Reads of pages. Every one goes through `visible`, which asks for a ReadScope; no other file reads these tables for a
// caller. What a text hides inside itself is not this file's affair.
import type { ReadScope } from '../../context.ts';
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { ListOrder } from './list-order.ts';

/** A page as a reader gets it. `text` is null unless it was asked for. */
export interface PageRow {
  id: number;
  source_id: string;
  slug: string;
  text: string | null;
  revision: string;
  title: string;
  type: string;
  frontmatter: Record<string, unknown>;
  tags: string[];
  visibility: 'world' | 'private';
  effective_date: Date | null;
  effective_date_source: string | null;
  size_bytes: number;
  trust_tier: string;
  content_origin: string | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

const pageColumns = (withText: boolean): Sql =>
  raw(`p.id, p.source_id, p.slug, ${withText ? 'p.text' : 'null as text'}, p.revision, p.title, p.type, p.frontmatter,
    p.tags, p.visibility, p.effective_date, p.effective_date_source, p.size_bytes,
    p.trust_tier, p.content_origin, p.created_at, p.updated_at, p.deleted_at`);

/** The page of a slug, or the one to which a moved alias leads; the slug itself wins. */
export async function readPage(
  db: Queryable,
  scope: ReadScope,
  slug: string,
  options: { deleted?: boolean; text?: boolean } = {},
): Promise<PageRow | undefined> {
  const from = sql`select ${pageColumns(options.text ?? false)} from ${visible(scope, options)} p`;
  const first = raw('order by p.source_id limit 1');
  const [row] = await db.query<PageRow>(sql`${from} where p.slug = ${slug} ${first}`);
  if (row) return row;
  const [moved] = await db.query<PageRow>(sql`${from} where p.id in (
    select a.page_id from page_aliases a
    where a.source_id = any (${[...scope.sources]}::text[]) and a.alias = ${slug} and a.kind = 'moved') ${first}`);
  return moved;
}

/** The sources of the scope that hold a page of this slug, in order. */
export async function sourcesOfSlug(
  db: Queryable,
  scope: ReadScope,
  slug: string,
  options: { deleted?: boolean } = {},
): Promise<string[]> {
  const rows = await db.query<{ source_id: string }>(
    sql`select p.source_id from ${visible(scope, options)} p where p.slug = ${slug} order by p.source_id`,
  );
  return rows.map((row) => row.source_id);
}

/** A page that a name may mean. */
export interface NamedPage {
  source_id: string;
  slug: string;
  title: string;
}

/** Tiers of `findNamed`, best first. */
export type NameTier = 'alias' | 'folded_slug' | 'basename' | 'title';

/** Pages that a name means, by the first tier that finds any; at most `limit`, in slug order. */
export async function findNamed(
  db: Queryable,
  scope: ReadScope,
  name: { folded: string; lookup: string; title: string },
  limit: number,
): Promise<{ tier: NameTier; pages: NamedPage[] } | undefined> {
  const tiers: [NameTier, Sql][] = [
    [
      'alias',
      sql`p.id in (select a.page_id from page_aliases a where a.source_id = any (${[...scope.sources]}::text[])
        and a.alias = ${name.lookup} and a.kind = 'declared')`,
    ],
    ['folded_slug', sql`p.folded_slug = ${name.folded}`],
    ['basename', sql`p.folded_name = ${name.folded}`],
    ['title', sql`left(p.title, 200) = left(${name.title}, 200) and p.title = ${name.title}`],
  ];
  const found = await db.batch(
    tiers.map(
      ([, where]) => sql`select p.source_id, p.slug, p.title from ${visible(scope)} p where ${where}
        order by p.slug, p.source_id limit ${limit}`,
    ),
  );
  const at = found.findIndex((rows) => rows.length > 0);
  return at === -1 ? undefined : { tier: tiers[at]![0], pages: found[at] as unknown as NamedPage[] };
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Slugs that hold a text in its folded form: equal, then same last segment, then beginning so, then anywhere. */
export async function findSlugs(db: Queryable, scope: ReadScope, folded: string, limit: number): Promise<string[]> {
  const like = escapeLike(folded);
  const rows = await db.query<{ slug: string }>(sql`
    select p.slug from ${visible(scope)} p
    where p.folded_slug like ${`%${like}%`}
    order by (p.folded_slug = ${folded}) desc, (p.folded_name = ${folded}) desc,
      (p.folded_slug like ${`${like}%`}) desc, (p.folded_name like ${`${like}%`}) desc,
      length(p.slug), p.slug, p.source_id
    limit ${limit}`);
  return rows.map(({ slug }) => slug);
}

/** Slugs that share a beginning with any of the words; candidates for a guess at a mistyped slug. */
export async function slugCandidates(
  db: Queryable,
  scope: ReadScope,
  starts: readonly string[],
  limit: number,
): Promise<string[]> {
  const tests = starts.map((start) => sql`p.folded_name like ${`${escapeLike(start)}%`}`);
  if (tests.length === 0) return [];
  const rows = await db.query<{ slug: string }>(
    sql`select p.slug from ${visible(scope)} p where ${join(tests, ' or ')} order by p.slug limit ${limit}`,
  );
  return rows.map(({ slug }) => slug);
}

/** One line of a list. `sort_key` is what its order compares. */
export interface ListRow {
  slug: string;
  source_id: string;
  type: string;
  title: string;
  updated_at: Date;
  deleted_at: Date | null;
  sort_key: unknown;
}

/** What a list is narrowed to, and where it goes on. */
export interface ListFilter {
  type?: string;
  tag?: string;
  deleted?: boolean;
  updatedAfter?: Date;
  /** Rows strictly after this one in the list's order. */
  after?: { key: string | Date; slug: string; sourceId?: string };
  offset?: number;
  limit: number;
}

const ORDER_KEYS: Record<ListOrder['by'], Sql> = {
  updated: raw('p.updated_at'),
  created: raw('p.created_at'),
  title: raw('left(p.title, 200)'),
  slug: raw('p.slug'),
};

const CURSOR_TYPES: Record<ListOrder['by'], Sql> = {
  updated: raw('::timestamptz(3)'),
  created: raw('::timestamptz(3)'),
  title: raw('::text collate "C"'),
  slug: raw('::text collate "C"'),
};

/**
 * Pages in one of four orders, each source read in index order and the sources merged. Ties are broken by slug, then
 * source, in the direction of the order, so a cursor is exact whatever is written meanwhile.
 */
export async function readList(
  db: Queryable,
  scope: ReadScope,
  order: ListOrder,
  filter: ListFilter,
): Promise<ListRow[]> {
  const key = ORDER_KEYS[order.by];
  const way = raw(order.descending ? 'desc' : 'asc');
  const where: Sql[] = [sql`p.source_id = s.id`];
  if (filter.type !== undefined) where.push(sql`p.type = ${filter.type}`);
  if (filter.tag !== undefined) where.push(sql`p.tags && ${[filter.tag, filter.tag.toLowerCase()]}::text[]`);
  if (filter.updatedAfter) where.push(sql`p.updated_at > ${filter.updatedAfter}`);
  if (filter.after) {
    const { key: at, slug, sourceId } = filter.after;
    const than = raw(order.descending ? '<' : '>');
    const cast = CURSOR_TYPES[order.by];
    where.push(
      sourceId === undefined
        ? sql`(${key}, p.slug) ${than} (${at}${cast}, ${slug})`
        : sql`(${key}, p.slug, p.source_id) ${than} (${at}${cast}, ${slug}, ${sourceId})`,
    );
  }
  const fetched = filter.limit + (filter.offset ?? 0);
  return db.query<ListRow>(sql`
    select f.slug, f.source_id, f.type, f.title, f.updated_at, f.deleted_at, f.sort_key
    from unnest(${[...scope.sources]}::text[]) s (id) cross join lateral (
      select p.slug, p.source_id, p.type, p.title, p.updated_at, p.deleted_at, ${key} as sort_key
      from ${visible(scope, filter.deleted ? { deleted: true } : {})} p
      where ${join(where, ' and ')}
      order by ${key} ${way}, p.slug ${way} limit ${fetched}) f
    order by f.sort_key ${way}, f.slug ${way}, f.source_id ${way}
    limit ${filter.limit} offset ${filter.offset ?? 0}`);
}

/** An earlier state of a page. */
export interface VersionRow {
  id: number;
  revision: string;
  title: string;
  type: string;
  deleted: boolean;
  text: string;
  writer_principal: string | null;
  writer_session: string | null;
  writer_sequence: number | null;
  created_at: Date;
}

/** Earlier states of a page that the scope may see, newest first; a state that was private only for the owner. */
export async function readVersions(
  db: Queryable,
  scope: ReadScope,
  pageId: number,
  by: { versionId?: number; before?: number; limit: number },
): Promise<VersionRow[]> {
  const only = by.versionId === undefined ? raw('') : sql` and w.id = ${by.versionId}`;
  const before = by.before === undefined ? raw('') : sql` and w.id < ${by.before}`;
  // The word is read as the page's own derivation reads it: anything but world, public or nothing hides the page.
  const world =
    scope.visibility === 'all'
      ? raw('')
      : raw(` and lower(trim(coalesce(w.frontmatter ->> 'visibility', ''))) in ('', 'world', 'public')`);
  return db.query<VersionRow>(sql`
    select w.id, w.revision, w.title, w.type, w.deleted, w.text, w.writer_principal, w.writer_session,
      w.writer_sequence, w.created_at
    from page_versions w join ${visible(scope, { deleted: true })} p on p.id = w.page_id
    where p.id = ${pageId}${only}${before}${world}
    order by w.id desc limit ${by.limit}`);
}

/** A page whose rows are to be derived again. */
export interface UnderivedRow {
  id: number;
  source_id: string;
  slug: string;
}

// Every commit of a page writes what it says about others, so a page without that row has lost rows.
const UNDERIVED = (all: boolean): Sql =>
  all ? raw('true') : raw('not exists (select 1 from page_links l where l.page_id = p.id)');

/** Live pages that lack the rows which every commit writes with them, or all, in the order of their ids. */
export const readUnderived = (
  db: Queryable,
  { all, afterId, limit }: { all: boolean; afterId: number; limit: number },
): Promise<UnderivedRow[]> =>
  db.query<UnderivedRow>(sql`select p.id, p.source_id, p.slug from live_pages p
    where p.id > ${afterId} and ${UNDERIVED(all)} order by p.id limit ${limit}`);

/** How many `readUnderived` gives in all. */
export async function countUnderived(db: Queryable, all = false): Promise<number> {
  const [row] = await db.query<{ n: number }>(sql`
    select count(*)::int as n from live_pages p where ${UNDERIVED(all)}`);
  return row!.n;
}
