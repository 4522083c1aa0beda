// Statements that find pages by what they are called. Every read goes through what the caller may see.
import type { ReadScope } from '../../context.ts';
import { isOneOf, planOnce, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { TrustOf } from '../pages/trust-marks.ts';

/** A page as a name finds it. */
export interface EntityPage {
  id: number;
  source_id: string;
  slug: string;
  title: string;
  type: string;
}

/** A page with the name that found it. */
export interface NamedEntity extends EntityPage {
  name: string;
}

/** Names in the forms in which each tier looks them up. */
export interface NameForms {
  /** Declared aliases. */
  lookups: readonly string[];
  slugs: readonly string[];
  titles: readonly string[];
  /** Last parts of slugs, without accents. */
  tails: readonly string[];
}

/** Pages of each tier, best tier first: alias, slug (its own or one that it had), title, last part of the slug. */
export async function findByNames(db: Queryable, scope: ReadScope, names: NameForms): Promise<NamedEntity[][]> {
  const called = (kind: 'declared' | 'moved', aliases: readonly string[]) => sql`
    select a.alias as name, p.id, p.source_id, p.slug, p.title, p.type
    from page_aliases a join ${visible(scope)} p on p.id = a.page_id
    where ${isOneOf('a.source_id', scope.sources)} and a.kind = ${raw(`'${kind}'`)} and ${isOneOf('a.alias', aliases)}
    order by p.slug limit 200`;
  const tiers: [forms: readonly string[], statement: Sql][] = [
    [names.lookups, called('declared', names.lookups)],
    [
      names.slugs,
      sql`select p.slug as name, p.id, p.source_id, p.slug, p.title, p.type from ${visible(scope)} p
        where ${isOneOf('p.slug', names.slugs)} order by p.slug limit 200`,
    ],
    [names.slugs, called('moved', names.slugs)],
    [
      names.titles,
      sql`select p.title as name, p.id, p.source_id, p.slug, p.title, p.type
        from unnest(${[...names.titles]}::text[]) w (title)
        join ${visible(scope)} p on left(p.title, 200) = left(w.title, 200) and p.title = w.title
        order by p.slug limit 200`,
    ],
    [
      names.tails,
      sql`select p.folded_name as name, p.id, p.source_id, p.slug, p.title, p.type from ${visible(scope)} p
        where ${isOneOf('p.folded_name', names.tails)} order by p.slug limit 200`,
    ],
  ];
  const asked = tiers.flatMap(([forms, statement], tier) => (forms.length === 0 ? [] : [{ tier, statement }]));
  const [, ...found] = await db.batch([planOnce, ...asked.map(({ statement }) => statement)]);
  const rows = new Map(asked.map(({ tier }, i) => [tier, found[i] as unknown as NamedEntity[]]));
  return tiers.map((_, tier) => rows.get(tier) ?? []);
}

/** Pages that share a name with a page; itself may be among them. */
export interface Namesakes {
  titles: readonly EntityPage[];
  aliases: readonly EntityPage[];
}

const PAGE = raw('p.id, p.source_id, p.slug, p.title, p.type');

/** Pages of the same title, and pages that share a declared alias. */
const namesakesOf = (scope: ReadScope, page: EntityPage): [titles: Sql, aliases: Sql] => [
  sql`select ${PAGE} from ${visible(scope)} p
    where left(p.title, 200) = left(${page.title}::text, 200) and p.title = ${page.title} order by p.slug limit 100`,
  sql`select distinct ${PAGE} from page_aliases own
    join page_aliases a on a.source_id = own.source_id and a.alias = own.alias and a.kind = 'declared'
    join ${visible(scope)} p on p.id = a.page_id
    where own.page_id = ${page.id} and own.kind = 'declared' order by p.slug limit 100`,
];

/** The beginnings of pages, in the order in which the pages are given. */
export async function readOpenings(
  db: Queryable,
  scope: ReadScope,
  pages: readonly { source_id: string; slug: string }[],
): Promise<{ source_id: string; slug: string; lead: string | null }[]> {
  return db.query(sql`select p.source_id, p.slug,
      (select c.text from page_chunks c where c.page_id = p.id and c.source = 'compiled_truth'
        order by c.chunk_index limit 1) as lead
    from unnest(${pages.map((one) => one.source_id)}::text[], ${pages.map((one) => one.slug)}::text[])
      with ordinality w (source_id, slug, n)
    join ${visible(scope)} p on p.source_id = w.source_id and p.slug = w.slug order by w.n`);
}

/** Edges of one type that lead to a page: from how many pages, and from which first. */
export interface ReferenceCount {
  type: string;
  total: number;
  slugs: string[];
}

/** What a card shows of a page beside its facts. */
export interface CardRows {
  page: {
    updated_at: Date;
    effective_date: Date | null;
    lead: string | null;
    aliases: string[];
    /** Slugs that it had. */
    former: string[];
  } & TrustOf;
  edges: EdgeOnCard[];
  /** There are more edges than those. */
  hasMoreEdges: boolean;
  backlinks: number;
  references: ReferenceCount[];
  entries: { date: string; summary: string }[];
  namesakes: Namesakes;
}

/** An edge as a card shows it. */
export interface EdgeOnCard {
  type: string;
  direction: 'in' | 'out';
  slug: string;
  context: string;
}

/** Pages that are named for each type of edge. */
const REFERENCES_SHOWN = 3;

/** Everything of a card that the caller may see, in one round trip. */
export async function readCard(
  db: Queryable,
  scope: ReadScope,
  on: EntityPage,
  limits: { edges: number; entries: number },
): Promise<CardRows | undefined> {
  const pageId = on.id;
  const edge = (direction: 'in' | 'out') => {
    const [near, far] = direction === 'out' ? ['from_page_id', 'to_page_id'] : ['to_page_id', 'from_page_id'];
    return sql`select l.link_type as type, ${direction}::text as direction, p.slug, l.context, l.id
      from links l join ${visible(scope)} p on p.id = l.${raw(far!)}
      left join ${visible(scope)} o on o.id = l.origin_page_id
      where l.${raw(near!)} = ${pageId} and (l.origin_page_id is null or o.id is not null)
      order by (l.link_type = 'mentions'), l.id limit ${limits.edges + 1}`;
  };
  const [, pages, out, into, count, entries, titles, aliases] = await db.batch([
    planOnce,
    sql`select p.updated_at, p.effective_date, p.trust_tier, p.content_origin,
        (select c.text from page_chunks c where c.page_id = p.id and c.source = 'compiled_truth'
          order by c.chunk_index limit 1) as lead,
        array(select a.alias from page_aliases a where a.page_id = p.id and a.kind = 'declared' order by a.alias)
          as aliases,
        array(select a.alias from page_aliases a where a.page_id = p.id and a.kind = 'moved' order by a.alias)
          as former
      from ${visible(scope)} p where p.id = ${pageId}`,
    edge('out'),
    edge('in'),
    sql`select l.link_type as type, count(distinct l.from_page_id) as total,
        (array_agg(distinct p.slug order by p.slug))[1:${raw(String(REFERENCES_SHOWN))}] as slugs
      from links l join ${visible(scope)} p on p.id = l.from_page_id
      left join ${visible(scope)} o on o.id = l.origin_page_id
      where l.to_page_id = ${pageId} and (l.origin_page_id is null or o.id is not null)
      group by grouping sets ((l.link_type), ()) order by total desc, type`,
    sql`select t.date, t.summary from timeline_entries t join ${visible(scope)} p on p.id = t.page_id
      where t.page_id = ${pageId} order by t.date desc, t.entry_index desc limit ${limits.entries}`,
    ...namesakesOf(scope, on),
  ]);
  const page = pages?.[0] as CardRows['page'] | undefined;
  if (!page) return undefined;
  // The row without a type counts the pages of all types, each once.
  const counts = (count ?? []).map((row) => ({ ...row, total: Number(row.total) })) as (Omit<ReferenceCount, 'type'> & {
    type: string | null;
  })[];
  return {
    page,
    edges: [...out!, ...into!].slice(0, limits.edges) as unknown as EdgeOnCard[],
    hasMoreEdges: out!.length + into!.length > limits.edges,
    backlinks: counts.find(({ type }) => type === null)?.total ?? 0,
    references: counts.filter((one): one is ReferenceCount => one.type !== null),
    entries: entries as unknown as CardRows['entries'],
    namesakes: { titles: titles as unknown as EntityPage[], aliases: aliases as unknown as EntityPage[] },
  };
}

/** A page that has changed. */
export interface ChangedPage {
  slug: string;
  source_id: string;
  title: string;
  updated_at: Date;
}

/** Pages written after a place, oldest first. */
export const readChangedPages = (
  db: Queryable,
  scope: ReadScope,
  by: { after: { at: Date; slug: string }; until: Date; slugs?: readonly string[]; limit: number },
): Promise<ChangedPage[]> => {
  const only = by.slugs ? sql` and ${isOneOf('p.slug', by.slugs)}` : raw('');
  return db.query<ChangedPage>(sql`
    select p.slug, p.source_id, p.title, p.updated_at from ${visible(scope)} p
    where (p.updated_at, p.slug) > (${by.after.at}::timestamptz(3), ${by.after.slug}::text collate "C")
      and p.updated_at <= ${by.until}${only}
    order by p.updated_at, p.slug limit ${by.limit}`);
};
