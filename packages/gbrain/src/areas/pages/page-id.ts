// The id of a page on the wire: opaque to clients, source and slug to us. Pure. Source: facts/contract H.

const PREFIX = 'gbrain-page:v1:';

/** Id of a page, as results carry it. */
export const writePageId = (source: string, slug: string): string =>
  PREFIX + Buffer.from(JSON.stringify([source, slug])).toString('base64url');

/** Source and slug of an id; undefined for any other text, which is then taken for a slug. */
export function parsePageId(id: string): { source: string; slug: string } | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8'));
    if (!Array.isArray(value) || value.length !== 2) return undefined;
    const [source, slug] = value as unknown[];
    return typeof source === 'string' && typeof slug === 'string' ? { source, slug } : undefined;
  } catch {
    return undefined;
  }
}
