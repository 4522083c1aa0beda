// Who listens to which session: durable events in order, and live ones, each encoded once for all who hear it. It reads
// no journal and writes no socket.
import type { LiveEvent } from '@gbrain/brain-protocol/event';
import { encodeSseEvent } from '@gbrain/wire/sse';
import type { Batch, Journal } from '../journal/journal.ts';
import { type StoredRecord, toEventText } from '../journal/record.ts';

/** What a listener hears. */
export interface Listener {
  /** A durable record, and the frame of its event. */
  onEvent(record: StoredRecord, frame: string): void;
  /** The frame of an event that is never journaled. */
  onLive?(frame: string): void;
  /** The session is gone. */
  onDeleted?(): void;
}

/** The hub of all sessions. */
export class Hub {
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(journal: Journal) {
    journal.onCommit((batches) => {
      for (const batch of batches) this.#publish(batch);
    });
  }

  /** Listens from now on; gives what stops it. */
  listen(sessionId: string, listener: Listener): () => void {
    const set = this.#listeners.get(sessionId) ?? new Set();
    set.add(listener);
    this.#listeners.set(sessionId, set);
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(sessionId) === set) this.#listeners.delete(sessionId);
    };
  }

  /** True when somebody hears live frames of the session. */
  hasListeners(sessionId: string): boolean {
    return this.#listeners.has(sessionId);
  }

  /** An event that is never journaled. */
  publishLive(sessionId: string, { type, data }: LiveEvent): void {
    const set = this.#listeners.get(sessionId);
    if (!set) return;
    const frame = encodeSseEvent({ event: type, data: JSON.stringify(data) });
    for (const listener of set) listener.onLive?.(frame);
  }

  #publish(batch: Batch): void {
    if (batch.deleteSession) {
      for (const listener of this.#listeners.get(batch.deleteSession) ?? []) listener.onDeleted?.();
    }
    const set = batch.sessionId && batch.records ? this.#listeners.get(batch.sessionId) : undefined;
    if (!set) return;
    for (const record of batch.records ?? []) {
      const frame = encodeRecord(record);
      for (const listener of set) listener.onEvent(record, frame);
    }
  }
}

/** A record as a frame of an event stream. */
export function encodeRecord(record: StoredRecord): string {
  const { sequence, kind } = record;
  return encodeSseEvent({ id: String(sequence), event: kind, data: toEventText(record) });
}
