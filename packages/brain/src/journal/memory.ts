// The journal in memory, for the simulator and unit tests: same queue, same order, and commits that a script may fail.
import type { Batch, HostRow, Journal, RequestRow, SessionRow } from './journal.ts';
import { CommitQueue, type CommitResult, type QueuePorts } from './queue.ts';
import { QueuedJournal } from './queued-journal.ts';
import type { StoredRecord } from './record.ts';

/** What survives a simulated power loss: everything that was committed. */
export class MemoryStore {
  readonly records = new Map<string, StoredRecord[]>();
  readonly sessions = new Map<string, SessionRow>();
  readonly requests = new Map<string, RequestRow>();
  readonly hosts = new Map<string, HostRow>();
  readonly sealed = new Map<string, { name: string; value: Uint8Array }[]>();

  /** Takes a whole group, as one transaction would. Throws on a gap in a session's sequence. */
  apply(batches: readonly Batch[]): void {
    for (const batch of batches) this.#applyOne(batch);
  }

  #applyOne(batch: Batch): void {
    for (const { sessionId, name, value } of batch.sealed ?? []) {
      this.sealed.set(sessionId, [...(this.sealed.get(sessionId) ?? []), { name, value }]);
    }
    if (batch.row && batch.records) {
      const list = this.records.get(batch.row.sessionId) ?? [];
      for (const record of batch.records) {
        if (record.sequence !== list.length + 1) throw new Error(`gap before record ${record.sequence}`);
        list.push(record);
      }
      this.records.set(batch.row.sessionId, list);
      this.sessions.set(batch.row.sessionId, { ...batch.row, lastSequence: list.length });
    }
    if (batch.deleteSession) {
      for (const map of [this.records, this.sessions, this.sealed]) map.delete(batch.deleteSession);
    }
    for (const claim of batch.claims ?? []) this.requests.set(requestKey(claim), { ...claim, answer: null });
    for (const { scope, key, answer } of batch.answers ?? []) {
      const row = this.requests.get(requestKey({ scope, key }));
      if (row) row.answer = answer;
    }
    for (const claim of batch.dropClaims ?? []) this.requests.delete(requestKey(claim));
    for (const host of batch.hosts ?? []) this.hosts.set(host.hostId, host);
    for (const hostId of batch.dropHosts ?? []) this.hosts.delete(hostId);
    const limit = batch.expireRequestsBeforeMs ?? 0;
    for (const [key, row] of this.requests) if (row.createdAtMs < limit) this.requests.delete(key);
  }
}

function requestKey({ scope, key }: { scope: string; key: string }): string {
  return `${scope}\n${key}`;
}

/** What the simulator decides: how each commit ends (before it is applied), and when timers fire. */
export interface MemoryPorts {
  decideCommit?(batches: readonly Batch[]): Promise<CommitResult>;
  timer: QueuePorts['timer'];
}

/** A journal over a store. Several, one after another, stand for restarts of a server on the same data. */
export class MemoryJournal extends QueuedJournal implements Journal {
  readonly #store: MemoryStore;

  constructor(store: MemoryStore, ports: MemoryPorts) {
    const commit = async (batches: Batch[]): Promise<CommitResult> => {
      const result: CommitResult = (await ports.decideCommit?.(batches)) ?? { type: 'committed' };
      if (result.type === 'committed') store.apply(batches);
      return result;
    };
    super(new CommitQueue({ commit, timer: ports.timer }));
    this.#store = store;
  }

  readRecords(sessionId: string, after: number, limit: number, maxBytes: number): StoredRecord[] {
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (const record of (this.#store.records.get(sessionId) ?? []).slice(after, after + limit)) {
      bytes += record.payload.length;
      if (page.length > 0 && bytes > maxBytes) break;
      page.push(record);
    }
    return page;
  }

  readSession(sessionId: string): SessionRow | undefined {
    return this.#store.sessions.get(sessionId);
  }

  listSessions(after: string, limit: number): SessionRow[] {
    const rows = [...this.#store.sessions.values()].filter((row) => row.sessionId > after);
    return rows.sort((left, right) => (left.sessionId < right.sessionId ? -1 : 1)).slice(0, limit);
  }

  listNotAtRest(): string[] {
    return [...this.#store.sessions.values()]
      .filter((row) => !row.atRest)
      .map((row) => row.sessionId)
      .sort();
  }

  readRequest(scope: string, key: string): RequestRow | undefined {
    return this.#store.requests.get(requestKey({ scope, key }));
  }

  readSealed(sessionId: string): { name: string; value: Uint8Array }[] {
    return this.#store.sealed.get(sessionId) ?? [];
  }

  listHosts(): HostRow[] {
    return [...this.#store.hosts.values()];
  }

  async close(): Promise<void> {
    await this.queue.drain();
  }
}
