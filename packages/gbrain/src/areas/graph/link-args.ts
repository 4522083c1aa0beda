// Arguments and shapes that the link operations share.
import type { HumanView, Z } from '../../operation.ts';
import { tableLines } from '../../render/table.ts';
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

interface ShownLink {
  from_slug: string;
  to_slug: string;
  link_type: string;
  context: string;
}

/**
 * Edges as aligned lines. A person who asked for one end reads the other, the type and the words around the link; a
 * program gets both ends and the type.
 */
export function linkLines(rows: readonly ShownLink[], asked: 'from' | 'to', view: HumanView): string {
  if (rows.length === 0) return 'No edges.';
  if (!Number.isFinite(view.columns)) {
    return tableLines(
      rows.map(({ from_slug, link_type, to_slug }) => [from_slug, link_type, to_slug]),
      view,
    ).join('\n');
  }
  return tableLines(
    rows.map((row) => [
      { text: row.link_type, style: view.cyan },
      asked === 'from' ? row.to_slug : row.from_slug,
      { text: row.context, style: view.dim },
    ]),
    view,
  ).join('\n');
}
