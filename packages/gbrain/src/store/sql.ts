// SQL as a tagged template: text with $n places and bound values. Used only by *.sql.ts files and this folder.
import type { Queryable, Sql } from './store.ts';

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'text' in value && 'params' in value;

/**
 * Builds a statement; every interpolated value is bound, an interpolated Sql is spliced in with its values.
 *
 * @example sql`select slug from pages where source_id = ${source} and ${visible}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let text = strings[0] ?? '';
  const params: unknown[] = [];
  values.forEach((value, i) => {
    if (isSql(value)) {
      const shift = params.length;
      text += shift === 0 ? value.text : value.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + shift}`);
      for (const inner of value.params) params.push(inner);
    } else {
      params.push(value);
      text += `$${params.length}`;
    }
    text += strings[i + 1] ?? '';
  });
  return { text, params };
}

/** Fixed text that holds no value: identifiers and keywords that the code itself names. */
export const raw = (text: string): Sql => ({ text, params: [] });

/** Joins parts with a separator; gives `empty` when there are none. Linear in the parts. */
export function join(parts: readonly Sql[], separator: string, empty = raw('true')): Sql {
  if (parts.length === 0) return empty;
  const params: unknown[] = [];
  const texts = parts.map((part) => {
    const shift = params.length;
    for (const value of part.params) params.push(value);
    return shift === 0 ? part.text : part.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + shift}`);
  });
  return { text: texts.join(separator), params };
}

/**
 * A text column that has one of some values. A single value is compared by itself: for an array of unknown length the
 * server plans anew with every call, and planning is the larger half of a short read.
 */
export const isOneOf = (column: string, values: readonly string[]): Sql =>
  values.length === 1 ? sql`${raw(column)} = ${values[0]}::text` : sql`${raw(column)} = any (${[...values]}::text[])`;

/**
 * For the rest of a transaction, a statement whose text is kept is planned once, for any values, instead of anew for
 * each of its first five uses. For statements that find their rows by keys, where values change nothing about the plan.
 */
export const planOnce: Sql = sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * Rows of one statement that is planned once (`planOnce`). The server plans anew, with every call, a statement whose
 * values change what it guesses, such as the end of a feed; for a few rows that takes longer than to find them.
 */
export async function queryPlanned<Row>(db: Queryable, statement: Sql): Promise<Row[]> {
  const [, rows] = await db.batch([planOnce, statement]);
  return rows as Row[];
}
