// Arguments and shapes that the link operations share.
import type { Z } from '../../operation.ts';
import { field } from '../../schema.ts';

/** Type of an edge: kebab or snake case, at most 64 characters. */
export const linkTypeArg = (z: Z) =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/)
    .describe('Type of the edge, e.g. works_at');

/** Most rows of a listing. */
export const linkLimitArg = (z: Z) =>
  field(z.number().int().min(1).max(1000).describe('Most edges'), { clamp: true }).default(200);

/** One edge on the wire. Source: design/decisions 19d. */
export const linkShape = (z: Z) =>
  z.object({
    from_slug: z.string(),
    from_source_id: z.string(),
    to_slug: z.string(),
    to_source_id: z.string(),
    link_type: z.string(),
    link_source: z.string(),
    context: z.string(),
    origin_slug: z.string().nullable(),
  });

/** Edges as aligned lines. */
export function linkLines(
  rows: readonly { from_slug: string; to_slug: string; link_type: string }[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const width = Math.min(48, Math.max(...rows.map(({ from_slug }) => from_slug.length)));
  const kind = Math.max(...rows.map(({ link_type }) => link_type.length));
  return rows.map((row) => `${row.from_slug.padEnd(width)}  ${row.link_type.padEnd(kind)}  ${row.to_slug}`).join('\n');
}
