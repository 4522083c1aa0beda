// A record as it is stored: exact text, place in its session's hash chain, and its public view. Touches no disk.
import { hash } from 'node:crypto';
import type { Event, Origin } from '@gbrain/brain-protocol/event';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { SessionRecord } from '../session/state.ts';

/** A record as stored. `payload` and `origin` are JSON text, kept to the byte; the chain covers exactly that text. */
export interface StoredRecord {
  sequence: number;
  recordedAtMs: number;
  kind: string;
  payload: string;
  origin: string | null;
}

/** Chain value before the first record of a session. */
export function chainStart(sessionId: string): Uint8Array {
  return digest(`brain-journal/1\n${sessionId}`);
}

/** Chain value after `record`: SHA-256 over the value before it and every stored field, each with its length. */
export function chainNext(before: Uint8Array, record: StoredRecord): Uint8Array {
  const { sequence, recordedAtMs, kind, payload, origin } = record;
  const fields = [String(sequence), String(recordedAtMs), kind, payload, origin ?? ''];
  const head = `${Buffer.from(before).toString('hex')}\n${fields.map((field) => field.length).join(',')}\n`;
  return digest(head + fields.join('\n'));
}

function digest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

/** A folded record as stored text. */
export function toStored(record: SessionRecord): StoredRecord {
  return {
    sequence: record.sequence,
    recordedAtMs: record.recordedAtMs,
    kind: record.kind,
    payload: JSON.stringify(record.payload),
    origin: record.origin ? JSON.stringify(record.origin) : null,
  };
}

/** A stored record as the fold takes it. Throws a SyntaxError when the text was damaged. */
export function fromStored(stored: StoredRecord): SessionRecord {
  return {
    sequence: stored.sequence,
    recordedAtMs: stored.recordedAtMs,
    kind: stored.kind,
    payload: JSON.parse(stored.payload) as JsonValue,
    ...(stored.origin !== null && { origin: JSON.parse(stored.origin) as Origin }),
  };
}

/** The public event of a record as JSON text, without parsing what it carries. */
export function toEventText(stored: StoredRecord): string {
  const { sequence, recordedAtMs, kind, payload, origin } = stored;
  const head = `{"sequence":${sequence},"recorded_at_ms":${recordedAtMs},"event_type":${JSON.stringify(kind)}`;
  return origin === null ? `${head},"data":${payload}}` : `${head},"data":${payload},"origin":${origin}}`;
}

/** The public event of a record. */
export function toEvent(stored: StoredRecord): Event {
  return JSON.parse(toEventText(stored)) as Event;
}
