// Ending one fact: the row is kept and marked over, its text is withdrawn in the same transaction.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import type { Tx } from '../../store/store.ts';
import { type Admitted, submitWrite } from '../writes/submit.ts';
import { commitFact, type FactChange } from './commit-fact.ts';
import { PROTOCOL_VERSION } from './fact.ts';
import { endFact, factForUpdate, type LockedFact, withdraw } from './facts.sql.ts';

/** How a fact is to be forgotten. */
export interface ForgetInput {
  reason?: string | undefined;
  semantic_review?: boolean | undefined;
  request_id?: string | undefined;
}

/** What forgetting did. */
export interface Forgotten {
  protocol_version: 1;
  id: string;
  expired: boolean;
  reason: string | null;
  similar_active: {
    state: 'not_checked_no_embedding';
    candidates: never[];
    semantic_review: 'unavailable' | 'opted_out';
    next: string;
  };
}

/** Forgets a fact that the caller may see; the same request again gives the same answer. Raises `not_found`. */
export async function forgetFact(ctx: Context, id: number, input: ForgetInput): Promise<Forgotten> {
  const { reason, semantic_review = true, request_id } = input;
  const asked = { id: String(id), reason: reason ?? null, ...(request_id !== undefined && { request_id }) };
  const at = { operation: 'forget', slug: '', input: asked };
  const committed = await submitWrite(ctx, at, (admitted, signal) =>
    commitFact(
      ctx.brain.store,
      { ...admitted, ...at, scope: ctx.scope },
      (tx) => decide(tx, ctx, admitted, { id, ...(reason !== undefined && { reason }) }),
      { signal },
    ),
  );
  return {
    ...(committed.outcome as unknown as Omit<Forgotten, 'similar_active'>),
    similar_active: {
      state: 'not_checked_no_embedding',
      candidates: [],
      semantic_review: semantic_review ? 'unavailable' : 'opted_out',
      next: 'Facts that say the same in other words are not looked for; recall the entity to see what is left.',
    },
  };
}

async function decide(
  tx: Tx,
  ctx: Context,
  admitted: Admitted,
  asked: { id: number; reason?: string },
): Promise<FactChange> {
  const [row] = await tx.query<LockedFact>(factForUpdate(ctx.scope, asked.id));
  if (!row || row.source_id !== ctx.target.source) raise('not_found', { what: 'fact', id: String(asked.id) });
  const isOver = row.expired_at !== null;
  const outcome = {
    protocol_version: PROTOCOL_VERSION,
    id: String(row.id),
    expired: !isOver,
    reason: (isOver ? row.expired_reason : asked.reason) ?? null,
  };
  const identity = { sourceId: row.source_id, fingerprint: row.fingerprint, entitySlug: row.entity_slug };
  const { at, writer } = admitted;
  const by = { factId: row.id, principal: writer.principal, at, ...(asked.reason !== undefined && asked) };
  // A fact that was over by itself is withdrawn too: who forgets it wants it gone for good.
  const statements = row.is_withdrawn ? [] : [withdraw(identity, by)];
  if (isOver) return { statements, outcome };
  return { statements: [endFact(row.id, at, asked.reason === undefined ? {} : asked), ...statements], outcome };
}
