// One resident session: its folded state, and the only way to add records to it. It starts no effect itself.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { SessionSummary } from '@gbrain/brain-protocol/session';
import type { Clock } from '../clock.ts';
import type { Batch, Journal, SessionRow } from '../journal/journal.ts';
import { fromStored, type StoredRecord } from '../journal/record.ts';
import { isSettled } from './command.ts';
import { applyRecord } from './fold.ts';
import { Refusal } from './refusal.ts';
import { createScrubber, type Scrubber } from './scrub.ts';
import { type Draft, emptyState, type SessionState } from './state.ts';

/** What was appended, and when it is on disk. */
export interface Appended {
  records: StoredRecord[];
  /** Sequence of the last record of the session after this append. */
  lastSequence: number;
  durable: Promise<void>;
}

/** What else goes into a commit. */
export type BatchExtra = Omit<Batch, 'records' | 'row' | 'sessionId'>;

/** How an append is written. `extra` goes into the same commit; a function sees the state after the records. */
export interface AppendChoice {
  barrier: boolean;
  extra?: BatchExtra | (() => BatchExtra | undefined);
}

/** Kinds whose payloads make up what an activation is told; the sum of their sizes bounds the size of a `run`. */
const CONTEXT_KINDS = new Set(['session_creation_ended', 'transcript_delta', 'kv_set', 'turn_started']);

/** A session in memory. Its state runs ahead of the disk; readers outside see durable records only. */
export class LiveSession {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly #journal: Journal;
  readonly #clock: Clock;
  #retired = false;
  #waiting: { holds: (state: SessionState) => boolean; resolve: () => void }[] = [];
  #secrets: ReadonlyMap<string, string> = new Map();
  #scrubber: Scrubber = createScrubber([]);
  /** Appended and not yet durable, in order. */
  #pending: StoredRecord[] = [];
  /** Bytes of those. */
  pendingBytes = 0;
  /** Bytes that an activation is told at most, events apart; it never shrinks. */
  contextBytes = 0;

  constructor(sessionId: string, journal: Journal, clock: Clock) {
    this.sessionId = sessionId;
    this.state = emptyState(sessionId);
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Folds what is on disk. Called once, before anything is appended. */
  load(): void {
    const page = 1000;
    for (;;) {
      const records = this.#journal.readRecords(this.sessionId, this.state.lastSequence, page, 64 * 1024 * 1024);
      if (records.length === 0) return;
      for (const record of records) {
        applyRecord(this.state, fromStored(record));
        if (CONTEXT_KINDS.has(record.kind)) this.contextBytes += record.payload.length;
      }
    }
  }

  /** Sets the session's sealed values by name (`model`, `environment:<name>`); they are scrubbed from then on. */
  setSecrets(secrets: ReadonlyMap<string, string>): void {
    this.#secrets = secrets;
    this.#scrubber = createScrubber(secrets.values());
  }

  /** A sealed value; undefined when there is none of that name. */
  findSecret(name: string): string | undefined {
    return this.#secrets.get(name);
  }

  /** Names of the sealed values. */
  get secretNames(): Iterable<string> {
    return this.#secrets.keys();
  }

  /** The sealed values themselves, to be scrubbed elsewhere too. */
  get secretValues(): Iterable<string> {
    return this.#secrets.values();
  }

  get scrubber(): Scrubber {
    return this.#scrubber;
  }

  /** Adds records and folds them at once. No drafts with `extra` writes the extra alone; neither is nothing at all. */
  append(drafts: readonly Draft[], choice: AppendChoice): Appended {
    if (this.#retired) throw new Refusal('conflict', 'The session was let go of meanwhile; ask again.');
    if (this.#journal.condition === 'failed') throw new Refusal('internal', 'The journal cannot be written.');
    const records = drafts.map((draft) => this.#place(draft));
    const { lastSequence } = this.state;
    const extra = typeof choice.extra === 'function' ? choice.extra() : choice.extra;
    if (records.length === 0 && !extra) return { records, lastSequence, durable: Promise.resolve() };
    const batch: Batch = {
      sessionId: this.sessionId,
      ...extra,
      ...(records.length > 0 && { records, row: this.toRow() }),
    };
    const bytes = records.reduce((sum, record) => sum + record.payload.length, 0);
    this.pendingBytes += bytes;
    this.#pending.push(...records);
    const durable = this.#journal.append(batch, { barrier: choice.barrier }).then(
      () => this.#settle(records.length, bytes),
      (error: unknown) => {
        throw new Refusal('internal', (error as Error).message);
      },
    );
    durable.catch(() => {});
    this.#wakeWaiting();
    return { records, lastSequence, durable };
  }

  /** Takes no more records: the session is deleted, or another copy of it will be loaded. */
  retire(): void {
    this.#retired = true;
  }

  /** Resolves when the state fulfils `holds`, now or after some append. */
  until(holds: (state: SessionState) => boolean): Promise<void> {
    if (holds(this.state)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ holds, resolve }));
  }

  /** `append` with a barrier, awaited. */
  async commit(drafts: readonly Draft[], extra?: AppendChoice['extra']): Promise<StoredRecord[]> {
    const { records, durable } = this.append(drafts, { barrier: true, ...(extra && { extra }) });
    await durable;
    return records;
  }

  /** Records by sequence, durable or not; those that do not exist are left out. */
  readRecords(sequences: readonly number[]): StoredRecord[] {
    return sequences.flatMap((sequence) => {
      const first = this.#pending[0];
      if (first && sequence >= first.sequence) return this.#pending[sequence - first.sequence] ?? [];
      return this.#journal.readRecords(this.sessionId, sequence - 1, 1, Number.MAX_SAFE_INTEGER);
    });
  }

  /** Appended records after a cursor, durable or not: a loop sees its own writes at once. */
  readPage(after: number, limit: number, maxBytes: number): StoredRecord[] {
    const page = this.#journal.readRecords(this.sessionId, after, limit, maxBytes);
    const last = page.at(-1)?.sequence ?? after;
    const rest = this.#pending.filter((record) => record.sequence > last).slice(0, limit - page.length);
    return rest[0] && rest[0].sequence !== last + 1 ? page : [...page, ...rest];
  }

  /** The session as the API shows it. */
  toSummary(): SessionSummary {
    const { sessionId, status, lastSequence } = this.state;
    return { session_id: sessionId, status, last_sequence: lastSequence };
  }

  /** The session's row beside its records. */
  toRow(): SessionRow {
    const { sessionId, status, lastSequence, configuration } = this.state;
    const agentloop = configuration?.agentloop.name ?? '';
    return { sessionId, status, lastSequence, atRest: isSettled(this.state), agentloop };
  }

  #place(draft: Draft): StoredRecord {
    const text = JSON.stringify(draft.payload);
    const payload = this.#scrubber.scrubJson(text);
    const record = {
      ...draft,
      payload: payload === text ? draft.payload : (JSON.parse(payload) as JsonValue),
      sequence: this.state.lastSequence + 1,
      recordedAtMs: Math.max(this.#clock.nowMs(), this.state.lastRecordedAtMs),
    };
    applyRecord(this.state, record);
    const { sequence, recordedAtMs, kind } = record;
    if (CONTEXT_KINDS.has(kind)) this.contextBytes += payload.length;
    return { sequence, recordedAtMs, kind, payload, origin: draft.origin ? JSON.stringify(draft.origin) : null };
  }

  #wakeWaiting(): void {
    if (this.#waiting.length === 0) return;
    const met = this.#waiting.filter(({ holds }) => holds(this.state));
    this.#waiting = this.#waiting.filter((one) => !met.includes(one));
    for (const { resolve } of met) resolve();
  }

  #settle(count: number, bytes: number): void {
    this.#pending.splice(0, count);
    this.pendingBytes -= bytes;
  }
}
