// SQL as a tagged template: text with $n places and bound values. Used only by *.sql.ts files and this folder.
import type { Sql } from './store.ts';

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
      text += value.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + shift}`);
      params.push(...value.params);
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

/** Joins parts with a separator; gives `empty` when there are none. */
export function join(parts: readonly Sql[], separator: string, empty = raw('true')): Sql {
  const [first, ...rest] = parts;
  if (!first) return empty;
  return rest.reduce((left, right) => sql`${left}${raw(separator)}${right}`, first);
}
