// Sessions of OpenCode's own database (`opencode.db`), read beside a running app and never written.
import type { DatabaseSync } from 'node:sqlite';
import { type Conversation, type Entry, objectOf } from './conversation.ts';
import { opencodeConversation } from './opencode.ts';

const parsed = (value: unknown): Entry => {
  try {
    return objectOf(JSON.parse(String(value)));
  } catch {
    // A row that is no JSON holds nothing that was said.
    return {};
  }
};

function messagesOf(db: DatabaseSync, sessionId: string) {
  const parts = new Map<string, Entry[]>();
  for (const row of db.prepare('select message_id, data from part where session_id = ? order by id').all(sessionId)) {
    const id = String(row.message_id);
    parts.set(id, [...(parts.get(id) ?? []), parsed(row.data)]);
  }
  return db
    .prepare('select id, data from message where session_id = ? order by time_created, id')
    .all(sessionId)
    .map((row) => ({ info: parsed(row.data), parts: parts.get(String(row.id)) ?? [] }));
}

/** The sessions of a database, one at a time. Throws what SQLite says of a file without them. */
export async function* readOpencodeDatabase(file: string): AsyncGenerator<Conversation> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const sessions = db.prepare('select id, title, directory, time_created from session order by id').all();
    for (const { id, title, directory, time_created } of sessions) {
      const session = { id, title, directory, time: { created: time_created } };
      yield opencodeConversation(session, messagesOf(db, String(id)));
    }
  } finally {
    db.close();
  }
}
