// What bulk writes leave until their end: marked in the outbox by the first group, done once, unmarked. Whoever opens a
// brain whose bulk was cut off finds the mark and does it.
import type { DerivedPart } from '../../part.ts';
import type { Sql, Store } from '../../store/store.ts';
import { dropEffects, effectRows, readEffects } from './commit.sql.ts';

/** Kind of the outbox rows that say that a part has to catch up. */
export const CATCH_UP = 'catch_up';

const keyOf = (part: DerivedPart): string => `${CATCH_UP}:${part.name}`;

/** Marks that the parts which can leave something have left something. */
export function catchUpMarks(parts: readonly DerivedPart[], at: Date): Sql[] {
  const leaving = parts.filter(({ catchUp }) => catchUp);
  if (leaving.length === 0) return [];
  return [effectRows(leaving.map((part) => ({ key: keyOf(part), kind: CATCH_UP, payload: { part: part.name }, at })))];
}

/**
 * Lets the parts do what bulk writes have left, and takes the marks away; nothing where there are none. `before` leaves
 * out what a bulk that runs now has marked.
 */
export async function catchUpLeft(
  store: Store,
  parts: readonly DerivedPart[],
  options: { signal: AbortSignal; before?: Date; onProgress?(done: number): void },
): Promise<void> {
  const left = new Set((await readEffects(store, CATCH_UP, options.before)).map(({ key }) => key));
  for (const part of parts) {
    if (!part.catchUp || !left.has(keyOf(part))) continue;
    await part.catchUp(store, options);
    await store.query(dropEffects([keyOf(part)]));
  }
}
