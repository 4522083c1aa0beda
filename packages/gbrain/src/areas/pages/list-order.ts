// Orders of a list and the opaque cursor that goes on in one. Pure.

/** An order by name; every one breaks ties by slug and source in its own direction. */
export interface ListOrder {
  by: 'updated' | 'created' | 'title' | 'slug';
  descending: boolean;
}

/** Orders that are advertised. Source: design/decisions 8a. */
export const LISTED_ORDERS = ['updated', 'created', 'title'] as const;

const ORDERS: Readonly<Record<string, ListOrder>> = {
  updated: { by: 'updated', descending: true },
  created: { by: 'created', descending: true },
  title: { by: 'title', descending: false },
  updated_desc: { by: 'updated', descending: true },
  updated_asc: { by: 'updated', descending: false },
  created_desc: { by: 'created', descending: true },
  slug: { by: 'slug', descending: false },
};

/** The order of a name, advertised or an older spelling; undefined for any other. */
export const listOrder = (name: string): ListOrder | undefined =>
  Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;

/** The last row that was delivered. */
export interface ListCursor {
  key: string | Date;
  slug: string;
  sourceId: string;
}

const nameOf = (order: ListOrder): string => `${order.by}:${order.descending ? 'desc' : 'asc'}`;

/** A cursor as text: base64url of JSON; holds nothing that the row itself does not show. */
export function writeCursor(order: ListOrder, at: ListCursor): string {
  const key = at.key instanceof Date ? at.key.toISOString() : at.key;
  return Buffer.from(JSON.stringify([nameOf(order), key, at.slug, at.sourceId])).toString('base64url');
}

/** The place that a cursor names; undefined when it is not one of this order. */
export function parseCursor(order: ListOrder, text: string): ListCursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || value.length !== 4 || !value.every((part) => typeof part === 'string'))
      return undefined;
    const [name, key, slug, sourceId] = value as [string, string, string, string];
    if (name !== nameOf(order)) return undefined;
    if (order.by === 'title' || order.by === 'slug') return { key, slug, sourceId };
    const date = new Date(key);
    return Number.isNaN(date.getTime()) ? undefined : { key: date, slug, sourceId };
  } catch {
    return undefined;
  }
}
