// Where a delta goes on, one place for each arm. The text of it is opaque to clients. Pure.

/** Places of both arms: the last row that was delivered and may not change any more. */
export interface DeltaCursor {
  pages: { at: Date; slug: string };
  facts: { at: Date; id: number };
}

/** Both arms begin after this moment. */
export const cursorAt = (at: Date, slug = ''): DeltaCursor => ({ pages: { at, slug }, facts: { at, id: 0 } });

/** The cursor as a client keeps it. */
export const writeCursor = ({ pages, facts }: DeltaCursor): string =>
  Buffer.from(
    JSON.stringify({ v: 1, p: [pages.at.toISOString(), pages.slug], f: [facts.at.toISOString(), facts.id] }),
  ).toString('base64url');

const dateOf = (value: unknown): Date | undefined => {
  const at = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
};

/** A cursor from a client's text; undefined for anything that is none. */
export function parseCursor(text: string): DeltaCursor | undefined {
  if (text.length > 2_000) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const { v, p, f } = (value ?? {}) as { v?: unknown; p?: unknown[]; f?: unknown[] };
  if (v !== 1 || !Array.isArray(p) || !Array.isArray(f)) return undefined;
  const [pagesAt, factsAt] = [dateOf(p[0]), dateOf(f[0])];
  const isWhole = typeof p[1] === 'string' && !p[1].includes('\0') && Number.isSafeInteger(f[1]);
  if (!pagesAt || !factsAt || !isWhole) return undefined;
  return { pages: { at: pagesAt, slug: p[1] as string }, facts: { at: factsAt, id: f[1] as number } };
}
