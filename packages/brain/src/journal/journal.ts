// The journal port: what Brain needs of durable storage. Two implementations: SQLite, and memory for the simulator.
import type { SessionStatus } from '@gbrain/brain-protocol/session';
import type { StoredRecord } from './record.ts';

/** What is listed of a session without reading its records. */
export interface SessionRow {
  sessionId: string;
  status: SessionStatus;
  lastSequence: number;
  /** False when a restart has something to repair. */
  atRest: boolean;
  agentloop: string;
}

/** An idempotency claim. `answered` null: the work began and its answer is not known. */
export interface RequestRow {
  scope: string;
  key: string;
  bodyHash: string;
  answer: StoredAnswer | null;
  createdAtMs: number;
}

/** An answer as it is replayed, to the byte. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A registered host; only the digest of its token is kept. */
export interface HostRow {
  hostId: string;
  tokenHash: string;
  createdAtMs: number;
}

/** One write that is atomic: all of it is durable, or none. Parts that are absent change nothing. */
export interface Batch {
  sessionId?: string;
  /** Dense and in order; they follow the session's last record. */
  records?: StoredRecord[];
  /** The row after the records. Given whenever records are. */
  row?: SessionRow;
  /** Removes the session, its records and sealed values. */
  deleteSession?: string;
  claims?: { scope: string; key: string; bodyHash: string; createdAtMs: number }[];
  answers?: { scope: string; key: string; answer: StoredAnswer }[];
  /** Claims that were given up before anything happened. */
  dropClaims?: { scope: string; key: string }[];
  sealed?: { sessionId: string; name: string; value: Uint8Array }[];
  hosts?: HostRow[];
  dropHosts?: string[];
  /** Forgets answers and claims older than this. */
  expireRequestsBeforeMs?: number;
}

/** Whether somebody waits for the write. `false` lets it ride on the next barrier, or on a short timer. */
export interface AppendOptions {
  barrier: boolean;
}

/** Why appends are refused: `full` heals by itself when there is space, `failed` needs a restart. */
export type JournalCondition = 'open' | 'full' | 'failed';

/** Rejects waiters and appends once the journal cannot be written. */
export class JournalError extends Error {
  readonly code = 'journal_unavailable';
  readonly condition: JournalCondition;

  constructor(condition: JournalCondition, message: string) {
    super(message);
    this.name = 'JournalError';
    this.condition = condition;
  }
}

/** Durable storage of records, claims, hosts and sealed values, and their reads. Reads see durable data only. */
export interface Journal {
  /**
   * Queues a batch behind all earlier ones and resolves when it is durable. Rejects with a JournalError when it will
   * never be; then nothing of it, and of any later batch, was written.
   */
  append(batch: Batch, options: AppendOptions): Promise<void>;
  /** Called after each commit with its batches, in order, before their promises resolve. */
  onCommit(listener: (batches: readonly Batch[]) => void): void;
  /** Called when the condition changes. */
  onCondition(listener: (condition: JournalCondition, message: string) => void): void;
  readonly condition: JournalCondition;
  /** Commits so far, each one sync of the log. */
  readonly commits: number;
  /** Bytes that wait to be written. */
  readonly queuedBytes: number;

  readRecords(sessionId: string, after: number, limit: number, maxBytes: number): StoredRecord[];
  readSession(sessionId: string): SessionRow | undefined;
  listSessions(after: string, limit: number): SessionRow[];
  listNotAtRest(): string[];
  readRequest(scope: string, key: string): RequestRow | undefined;
  readSealed(sessionId: string): { name: string; value: Uint8Array }[];
  listHosts(): HostRow[];
  /** Writes what is queued, then lets go of the storage. */
  close(): Promise<void>;
}
