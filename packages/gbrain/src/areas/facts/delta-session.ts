// The session of an agent: where its delta goes on, how often in a row it did not get everything, and the entities that
// it works with.
import type { Context } from '../../context.ts';
import { StoreError } from '../../store/store.ts';
import { type DeltaCursor, parseCursor } from './delta-cursor.ts';
import { keepSession, keepStanding, readSession, type SessionKey, type SessionState } from './session-state.sql.ts';

/** Idle days after which a session begins anew. Source: facts/contract G.6. */
const IDLE_DAYS = 7;

/** A session as it wakes. */
export interface Wake {
  key: SessionKey;
  /** Absent at the first wake. */
  cursor?: DeltaCursor;
  incompleteWakes: number;
  /** The entities of its last pack. */
  standing: readonly string[];
  isExpired: boolean;
}

/** The session of this client; the same id of another client is another session. */
export async function wakeOf(ctx: Context, tool: string, sessionId: string): Promise<Wake> {
  if (sessionId === 'local' || sessionId.includes('\0')) {
    ctx.fail('invalid_params', {
      tool,
      param: 'session_id',
      problem: 'shape',
      expected: 'an id of your own; local is reserved',
    });
  }
  const key = { sourceId: ctx.target.source, clientId: ctx.caller.principal, sessionId };
  const state = await readState(ctx, key);
  const isExpired = state !== undefined && ctx.now().getTime() - state.last_wake_at.getTime() > IDLE_DAYS * 86_400_000;
  const live = isExpired ? undefined : state;
  const cursor = live?.cursor ? parseCursor(live.cursor.text) : undefined;
  return {
    key,
    ...(cursor && { cursor }),
    incompleteWakes: live?.incomplete_wakes ?? 0,
    standing: live?.standing_entities ?? [],
    isExpired,
  };
}

/** Without its state a session would skip or repeat what it cannot tell apart, so the call is refused. */
async function readState(ctx: Context, key: SessionKey): Promise<SessionState | undefined> {
  try {
    return await readSession(ctx.brain.store, key);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!(error instanceof StoreError)) throw error;
    return ctx.fail('unavailable', {
      reason: 'session_state',
      what: 'The state of this session',
      advice: 'Ask again in 30 seconds; if it stays so, tell the user.',
    });
  }
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

/** Keeps the entities that the session works with. */
export const keepEntities = (ctx: Context, wake: Wake, entities: readonly string[]): Promise<void> =>
  keepStanding(ctx.brain.store, wake.key, entities, ctx.now());
