// The wakes of an agent session: where its delta goes on, and how often in a row it did not get everything.
import type { Context } from '../../context.ts';
import { type DeltaCursor, parseCursor } from './delta-cursor.ts';
import { keepSession, readSession, type SessionKey } from './session-state.sql.ts';

/** Idle days after which a session begins anew. Source: facts/contract G.6. */
const IDLE_DAYS = 7;

/** A session as it wakes. */
export interface Wake {
  key: SessionKey;
  /** Absent at the first wake. */
  cursor?: DeltaCursor;
  incompleteWakes: number;
  isExpired: boolean;
}

/** The session of this client; the same id of another client is another session. */
export async function wakeOf(ctx: Context, sessionId: string): Promise<Wake> {
  if (sessionId === 'local' || sessionId.includes('\0')) {
    ctx.fail('invalid_params', {
      tool: 'delta',
      param: 'session_id',
      problem: 'shape',
      expected: 'an id of your own; local is reserved',
    });
  }
  const key = { sourceId: ctx.target.source, clientId: ctx.caller.principal, sessionId };
  const state = await readSession(ctx.brain.store, key);
  const isExpired = state !== undefined && ctx.now().getTime() - state.last_wake_at.getTime() > IDLE_DAYS * 86_400_000;
  const cursor = state && !isExpired ? parseCursor(state.cursor.text) : undefined;
  return { key, ...(cursor && { cursor }), incompleteWakes: isExpired ? 0 : (state?.incomplete_wakes ?? 0), isExpired };
}

/** Keeps where the session goes on; gives how many of its wakes in a row were incomplete. */
export async function keepWake(
  ctx: Context,
  wake: Wake,
  end: { cursor: string; isIncomplete: boolean; now: Date },
): Promise<number> {
  const incompleteWakes = end.isIncomplete ? wake.incompleteWakes + 1 : 0;
  await keepSession(ctx.brain.store, wake.key, { cursor: end.cursor, incompleteWakes, at: end.now });
  return incompleteWakes;
}
