// Reads of journal.db and sealed.db by their own read-only connections; they see durable data and block no commit.
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SessionStatus } from '@gbrain/brain-protocol/session';
import type { DataPaths } from './data-dir.ts';
import type { HostRow, RequestRow, SessionRow } from './journal.ts';
import type { StoredRecord } from './record.ts';
import { READ } from './schema.sql.ts';

type Row = Record<string, unknown>;

/** The reading end of a journal; every method is synchronous and short. */
export class JournalReader {
  readonly #journal: DatabaseSync;
  readonly #sealed: DatabaseSync;
  readonly #read: Record<Exclude<keyof typeof READ, 'sealed'>, StatementSync>;
  readonly #readSealed: StatementSync;

  constructor(paths: DataPaths) {
    this.#journal = new DatabaseSync(paths.journal, { readOnly: true, timeout: 5000 });
    this.#sealed = new DatabaseSync(join(paths.sealed, 'sealed.db'), { readOnly: true, timeout: 5000 });
    const { sealed, ...rest } = READ;
    const prepared = Object.entries(rest).map(([name, sql]) => [name, this.#journal.prepare(sql)]);
    this.#read = Object.fromEntries(prepared);
    this.#readSealed = this.#sealed.prepare(sealed);
  }

  /** Records after `after`, in order: at most `limit`, and about `maxBytes`, but one at least when there is one. */
  readRecords(sessionId: string, after: number, limit: number, maxBytes: number): StoredRecord[] {
    const session = this.#read.session.get(sessionId) as Row | undefined;
    if (!session) return [];
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (const row of this.#read.records.iterate(session.no as number, after, limit) as IterableIterator<Row>) {
      const record = toRecord(row);
      bytes += record.payload.length;
      if (records.length > 0 && bytes > maxBytes) break;
      records.push(record);
    }
    return records;
  }

  readSession(sessionId: string): SessionRow | undefined {
    const row = this.#read.session.get(sessionId) as Row | undefined;
    return row && toSessionRow(row);
  }

  listSessions(after: string, limit: number): SessionRow[] {
    return (this.#read.sessions.all(after, limit) as Row[]).map(toSessionRow);
  }

  listNotAtRest(): string[] {
    return (this.#read.unrest.all() as Row[]).map((row) => row.session_id as string);
  }

  readRequest(scope: string, key: string): RequestRow | undefined {
    const row = this.#read.request.get(scope, key) as Row | undefined;
    if (!row) return undefined;
    const answer =
      row.status === null
        ? null
        : {
            status: row.status as number,
            headers: JSON.parse(row.headers as string) as Record<string, string>,
            body: row.body as string,
          };
    const createdAtMs = row.created_at_ms as number;
    return { scope, key, bodyHash: row.body_hash as string, answer, createdAtMs };
  }

  readSealed(sessionId: string): { name: string; value: Uint8Array }[] {
    const rows = this.#readSealed.all(sessionId) as Row[];
    return rows.map((row) => ({ name: row.name as string, value: row.value as Uint8Array }));
  }

  listHosts(): HostRow[] {
    return (this.#read.hosts.all() as Row[]).map((row) => ({
      hostId: row.host_id as string,
      tokenHash: row.token_hash as string,
      createdAtMs: row.created_at_ms as number,
    }));
  }

  close(): void {
    this.#journal.close();
    this.#sealed.close();
  }
}

function toRecord(row: Row): StoredRecord {
  return {
    sequence: row.sequence as number,
    recordedAtMs: row.recorded_at_ms as number,
    kind: row.kind as string,
    payload: row.payload as string,
    origin: row.origin as string | null,
  };
}

function toSessionRow(row: Row): SessionRow {
  return {
    sessionId: row.session_id as string,
    status: row.status as SessionStatus,
    lastSequence: row.last_sequence as number,
    atRest: row.at_rest === 1,
    agentloop: row.agentloop as string,
  };
}
