// Ending one fact: the row is kept and marked over, its text is withdrawn in the same transaction. A fact of a page's
// fence is struck out in the page's text, which is its home.
import type { Context } from '../../context.ts';
import type { Tx } from '../../store/store.ts';
import { commitPage } from '../pages/commit.ts';
import { requireLive } from '../pages/decide-write.ts';
import type { Committed } from '../pages/page-write.ts';
import type { Slug } from '../pages/slug.ts';
import { type Admitted, submitWrite } from '../writes/submit.ts';
import { commitFact, type FactChange } from './commit-fact.ts';
import { fingerprintOf, PROTOCOL_VERSION } from './fact.ts';
import { endFact, type FactRecord, factForUpdate, type LockedFact, readFact, withdraw } from './facts.sql.ts';
import { strikeFact } from './page-facts.ts';
import { refuseUnknown } from './remembered.ts';
import { type SimilarActive, similarActive } from './similar-facts.ts';

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
  similar_active: SimilarActive;
}

/** Forgets a fact that the caller may see; the same request again gives the same answer. Raises `not_found`. */
export async function forgetFact(ctx: Context, id: number, input: ForgetInput): Promise<Forgotten> {
  const { reason, semantic_review = true, request_id } = input;
  const asked = { id: String(id), reason: reason ?? null, ...(request_id !== undefined && { request_id }) };
  const ask: Ask = { id, ...(reason !== undefined && { reason }) };
  const fact = await readFact(ctx.brain.store, ctx.scope, id);
  const at = { operation: 'forget', slug: fact?.entity_slug ?? '', input: asked };
  const isInPage = fact?.page_id != null && fact.expired_at === null;
  const committed = await submitWrite(ctx, at, (admitted, signal) =>
    isInPage ? strike(ctx, admitted, { fact, ask, signal }) : end(ctx, admitted, { ask, at, signal }),
  );
  const { protocol_version, expired, reason: given, id: own } = committed.outcome as unknown as Forgotten;
  return {
    protocol_version,
    id: own,
    expired,
    reason: given,
    similar_active: await similarActive(ctx, id, semantic_review),
  };
}

interface Ask {
  id: number;
  reason?: string;
}

const outcomeOf = (id: number, expired: boolean, reason: string | null | undefined) => ({
  protocol_version: PROTOCOL_VERSION,
  id: String(id),
  expired,
  reason: reason ?? null,
});

/** Strikes a row of a page's fence; its facts are derived anew in the same commit. */
function strike(
  ctx: Context,
  admitted: Admitted,
  on: { fact: FactRecord; ask: Ask; signal: AbortSignal },
): Promise<Committed> {
  const { fact, ask, signal } = on;
  const slug = fact.entity_slug as Slug;
  const asker = { isOwner: ctx.caller.owner, source: ctx.target.source, slug };
  const identity = { sourceId: fact.source_id, fingerprint: fingerprintOf(fact.fact), entitySlug: slug };
  const by = { factId: fact.id, principal: admitted.writer.principal, at: admitted.at, ...reasonOf(ask) };
  return commitPage(
    ctx.brain.store,
    {
      ...admitted,
      operation: 'forget',
      slug,
      decide: (page) => {
        const text = strikeFact(requireLive(page, asker).text, fact.row_num!, ask.reason);
        if (text === undefined) return { kind: 'none', reply: outcomeOf(fact.id, false, fact.expired_reason) };
        return { kind: 'put', text, reply: outcomeOf(fact.id, true, ask.reason) };
      },
    },
    { signal, besides: () => [withdraw(identity, by)] },
  );
}

const reasonOf = ({ reason }: Ask) => (reason === undefined ? {} : { reason });

/** Ends a free fact. */
function end(
  ctx: Context,
  admitted: Admitted,
  on: { ask: Ask; at: { operation: string; slug: string }; signal: AbortSignal },
): Promise<Committed> {
  const write = { ...admitted, ...on.at, scope: ctx.scope };
  const judgement = { decide: (tx: Tx) => decide(tx, ctx, admitted, on.ask) };
  return commitFact(ctx.brain.store, write, judgement, { signal: on.signal });
}

async function decide(tx: Tx, ctx: Context, admitted: Admitted, ask: Ask): Promise<FactChange> {
  const [row] = await tx.query<LockedFact>(factForUpdate(ctx.scope, ask.id));
  if (!row || row.source_id !== ctx.target.source) return refuseUnknown(ask.id);
  const isOver = row.expired_at !== null;
  const outcome = outcomeOf(row.id, !isOver, isOver ? row.expired_reason : ask.reason);
  const identity = { sourceId: row.source_id, fingerprint: row.fingerprint, entitySlug: row.entity_slug };
  const { at, writer } = admitted;
  // A fact that was over by itself is withdrawn too: who forgets it wants it gone for good.
  const by = { factId: row.id, principal: writer.principal, at, ...reasonOf(ask) };
  const withdrawal = row.is_withdrawn ? [] : [withdraw(identity, by)];
  return { statements: [...(isOver ? [] : [endFact(row.id, at, reasonOf(ask))]), ...withdrawal], outcome };
}
