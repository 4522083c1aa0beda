// Statements that find pages by what they are called. Every read goes through what the caller may see.
import type { ReadScope } from '../../context.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

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
  const sources = [...scope.sources];
  const rows = await db.batch([
    sql`select a.alias as name, p.id, p.source_id, p.slug, p.title, p.type
      from page_aliases a join ${visible(scope)} p on p.id = a.page_id
      where a.source_id = any (${sources}::text[]) and a.kind = 'declared'
        and a.alias = any (${[...names.lookups]}::text[])
      order by p.slug limit 200`,
    sql`select p.slug as name, p.id, p.source_id, p.slug, p.title, p.type from ${visible(scope)} p
      where p.slug = any (${[...names.slugs]}::text[]) order by p.slug limit 200`,
    sql`select a.alias as name, p.id, p.source_id, p.slug, p.title, p.type
      from page_aliases a join ${visible(scope)} p on p.id = a.page_id
      where a.source_id = any (${sources}::text[]) and a.kind = 'moved' and a.alias = any (${[...names.slugs]}::text[])
      order by p.slug limit 200`,
    sql`select p.title as name, p.id, p.source_id, p.slug, p.title, p.type
      from unnest(${[...names.titles]}::text[]) w (title)
      join ${visible(scope)} p on left(p.title, 200) = left(w.title, 200) and p.title = w.title
      order by p.slug limit 200`,
    sql`select p.folded_name as name, p.id, p.source_id, p.slug, p.title, p.type from ${visible(scope)} p
      where p.folded_name = any (${[...names.tails]}::text[]) order by p.slug limit 200`,
  ]);
  return rows as unknown as NamedEntity[][];
}
