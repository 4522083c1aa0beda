// Facts as a reader gets them, with what only a look at other facts tells: whether a premise has changed since.
import type { Context, ReadScope } from '../../context.ts';
import { type FactView, factView } from './fact-view.ts';
import { changedPremises, type FactRecord } from './facts.sql.ts';

/** Facts as the caller may read them; one whose premise no longer holds says which. */
export async function factViews(
  ctx: Context,
  rows: readonly FactRecord[],
  scope: ReadScope = ctx.scope,
): Promise<FactView[]> {
  const derived = rows.filter((row) => row.premises.length > 0).map((row) => row.id);
  const changed = new Map<number, string[]>();
  if (derived.length > 0) {
    for (const { id, premise } of await changedPremises(ctx.brain.store, derived, ctx.now())) {
      changed.set(id, [...(changed.get(id) ?? []), String(premise)]);
    }
  }
  return rows.map((row) => {
    const premises = changed.get(row.id);
    return { ...factView(row, scope), ...(premises && { premise_changed: premises }) };
  });
}
