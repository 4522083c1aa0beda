// Statements of where the delta of a session goes on: by source, client and session.
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';

/** Whose place it is. */
export interface SessionKey {
  sourceId: string;
  clientId: string;
  sessionId: string;
}

/** What is kept of a session; the cursor is the text that a client would keep, null before its first delta. */
export interface SessionState {
  cursor: { text: string } | null;
  /** The entities of its last pack. */
  standing_entities: string[];
  incomplete_wakes: number;
  last_wake_at: Date;
}

/** The state of a session, if it has woken before. */
export async function readSession(db: Queryable, key: SessionKey): Promise<SessionState | undefined> {
  const [row] = await db.query<SessionState>(sql`select cursor, standing_entities, incomplete_wakes, last_wake_at
    from session_context_state where source_id = ${key.sourceId} and client_id = ${key.clientId}
      and session_id = ${key.sessionId}`);
  return row;
}

/** Keeps where a session stands. */
export async function keepSession(
  db: Queryable,
  key: SessionKey,
  state: { cursor: string; incompleteWakes: number; at: Date },
): Promise<void> {
  const cursor = JSON.stringify({ text: state.cursor });
  await db.query(sql`insert into session_context_state (source_id, client_id, session_id, cursor, incomplete_wakes,
      last_wake_at)
    values (${key.sourceId}, ${key.clientId}, ${key.sessionId}, ${cursor}::text::jsonb, ${state.incompleteWakes},
      ${state.at})
    on conflict (source_id, client_id, session_id) do update set cursor = excluded.cursor,
      incomplete_wakes = excluded.incomplete_wakes, last_wake_at = excluded.last_wake_at`);
}

/** Keeps which entities a session works with. */
export async function keepStanding(
  db: Queryable,
  key: SessionKey,
  entities: readonly string[],
  at: Date,
): Promise<void> {
  await db.query(sql`insert into session_context_state (source_id, client_id, session_id, standing_entities,
      last_wake_at)
    values (${key.sourceId}, ${key.clientId}, ${key.sessionId}, ${[...entities]}::text[], ${at})
    on conflict (source_id, client_id, session_id) do update set standing_entities = excluded.standing_entities,
      last_wake_at = excluded.last_wake_at`);
}
