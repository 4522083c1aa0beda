// Events of a session as typed values, and the iterator that resumes by its cursor: each record once, in order.
import type { Event, LiveEvent, Origin } from '@gbrain/brain-protocol/event';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { KernelKind, PayloadOf } from '@gbrain/brain-protocol/record';
import type { SessionSummary } from '@gbrain/brain-protocol/session';
import { BrainError } from './errors.ts';
import type { Transport } from './transport.ts';

interface Recorded<T extends string, D> {
  readonly live: false;
  /** Dense from 1 in its session. */
  readonly sequence: number;
  readonly recordedAt: Date;
  readonly type: T;
  readonly data: D;
  readonly origin?: Origin;
}

/** A record that the kernel wrote, its data typed by `type`. */
export type KernelEvent = { [K in KernelKind]: Recorded<K, PayloadOf<K>> }[KernelKind];

/** A record of any kind; narrow it with `isEvent`. Extensions of loops and tools carry any JSON. */
export type SessionEvent = Recorded<string, JsonValue>;

/** A frame that is streamed and never recorded, such as a piece of an answer. Who was not connected misses it. */
export type LiveFrame = {
  [K in LiveEvent['type']]: { readonly live: true; readonly type: K; readonly data: LiveDataOf<K> };
}[LiveEvent['type']];
type LiveDataOf<K extends LiveEvent['type']> = Extract<LiveEvent, { type: K }>['data'];

/** True when the event is of that kind of the kernel's; its data is typed then. */
export function isEvent<K extends KernelKind>(
  event: SessionEvent | LiveFrame,
  type: K,
): event is Extract<KernelEvent, { type: K }> {
  return !event.live && event.type === type;
}

/** An event of the API as the client gives it. */
export function toSessionEvent({ sequence, recorded_at_ms, event_type, data, origin }: Event): SessionEvent {
  return {
    live: false,
    sequence,
    recordedAt: new Date(recorded_at_ms),
    type: event_type,
    data,
    ...(origin && { origin }),
  };
}

/** Records after which a session says nothing more. */
const LAST_TYPES = new Set(['session_ended', 'session_creation_failed', 'session_end_failed']);

/** Pauses before a stream that brought nothing is opened again. */
const PAUSE_MS = { first: 20, last: 2000 } as const;

/**
 * Records and live frames of a session, from `after` on, until the session is over or the signal aborts (then it ends
 * without an error). It reconnects whenever the connection ends. Throws a BrainError when the session is not there.
 */
export async function* streamSession(
  transport: Transport,
  sessionId: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<SessionEvent | LiveFrame> {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  let cursor = after;
  let pause: number = PAUSE_MS.first;
  while (!signal?.aborted) {
    try {
      const before = cursor;
      for await (const { event, data, hasId } of transport.stream(`${path}/events?after=${cursor}`, { signal })) {
        // What had arrived already is not given to a reader that has gone.
        if (signal?.aborted) return;
        pause = PAUSE_MS.first;
        const frame = toFrame(event, data, hasId);
        if (!frame.live) {
          if (frame.sequence <= cursor) continue;
          refuseGap(cursor, frame.sequence);
          cursor = frame.sequence;
        }
        yield frame;
        if (!frame.live && LAST_TYPES.has(frame.type)) return;
      }
      if (before === cursor && (await isOver(transport, path, cursor, signal))) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof BrainError) || !isPassing(error)) throw error;
    }
    await transport.pause(pause, signal).catch((reason: unknown) => {
      if (!signal?.aborted) throw reason;
    });
    pause = Math.min(pause * 2, PAUSE_MS.last);
  }
}

/** The server may be on its way back. */
function isPassing({ code, status }: BrainError): boolean {
  return code === 'connection_failed' || status === 502 || status === 503 || status === 504;
}

function toFrame(type: string, data: string, isRecorded: boolean): SessionEvent | LiveFrame {
  const parsed = JSON.parse(data) as unknown;
  if (!isRecorded) return { live: true, type, data: parsed } as LiveFrame;
  return toSessionEvent(parsed as Event);
}

function refuseGap(cursor: number, sequence: number): void {
  if (sequence === cursor + 1) return;
  throw new BrainError('invalid_answer', `The stream went from record ${cursor} to ${sequence}.`);
}

async function isOver(transport: Transport, path: string, cursor: number, signal: AbortSignal | undefined) {
  const summary = await transport.request<SessionSummary>('GET', path, { signal });
  return (summary.status === 'ended' || summary.status === 'failed') && summary.last_sequence <= cursor;
}
