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

/** What a card shows of a page beside its facts. */
export interface CardRows {
  page: { updated_at: Date; effective_date: Date | null; lead: string | null; aliases: string[] } & TrustOf;
  edges: EdgeOnCard[];
  backlinks: number;
  entries: { date: string; summary: string }[];
}

/** An edge as a card shows it. */
export interface EdgeOnCard {
  type: string;
  direction: 'in' | 'out';
  slug: string;
  context: string;
}

/** Everything of a card that the caller may see, in one round trip. */
export async function readCard(
  db: Queryable,
  scope: ReadScope,
  pageId: number,
  limits: { edges: number; entries: number },
): Promise<CardRows | undefined> {
  const edge = (direction: 'in' | 'out') => {
    const [near, far] = direction === 'out' ? ['from_page_id', 'to_page_id'] : ['to_page_id', 'from_page_id'];
    return sql`select l.link_type as type, ${direction}::text as direction, p.slug, l.context, l.id
      from links l join ${visible(scope)} p on p.id = l.${raw(far!)}
      left join ${visible(scope)} o on o.id = l.origin_page_id
      where l.${raw(near!)} = ${pageId} and (l.origin_page_id is null or o.id is not null)
      order by (l.link_type = 'mentions'), l.id limit ${limits.edges}`;
  };
  const [pages, out, into, count, entries] = await db.batch([
    sql`select p.updated_at, p.effective_date, p.trust_tier, p.content_origin,
        (select c.text from page_chunks c where c.page_id = p.id and c.source = 'compiled_truth'
          order by c.chunk_index limit 1) as lead,
        array(select a.alias from page_aliases a where a.page_id = p.id and a.kind = 'declared' order by a.alias)
          as aliases
      from ${visible(scope)} p where p.id = ${pageId}`,
    edge('out'),
    edge('in'),
    sql`select count(distinct l.from_page_id) as n from links l join ${visible(scope)} p on p.id = l.from_page_id
      left join ${visible(scope)} o on o.id = l.origin_page_id
      where l.to_page_id = ${pageId} and (l.origin_page_id is null or o.id is not null)`,
    sql`select t.date, t.summary from timeline_entries t join ${visible(scope)} p on p.id = t.page_id
      where t.page_id = ${pageId} order by t.date desc, t.entry_index desc limit ${limits.entries}`,
  ]);
  const page = pages?.[0] as CardRows['page'] | undefined;
  if (!page) return undefined;
  return {
    page,
    edges: [...out!, ...into!].slice(0, limits.edges) as unknown as EdgeOnCard[],
    backlinks: Number(count?.[0]?.n ?? 0),
    entries: entries as unknown as CardRows['entries'],
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
