// Events: the public view of journal records, their pages, and the frames that only live streams carry.
import { z } from 'zod';
import { Cursor, EnvironmentRef, Sequence, TimeMs } from './ids.ts';
import { Json } from './json.ts';
import { Usage } from './message.ts';

/** Who caused a record that is not the kernel's own. */
export const Origin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('agentloop'), sequence: Sequence }),
  z.strictObject({ kind: z.literal('tool'), sequence: Sequence }),
  z.strictObject({ kind: z.literal('environment'), environment: EnvironmentRef }),
]);
export type Origin = z.infer<typeof Origin>;

/** One journal record as readers see it; `event_type` and `data` are the record's kind and payload. */
export const Event = z.strictObject({
  sequence: Sequence,
  recorded_at_ms: TimeMs,
  event_type: z.string().min(1).max(128),
  data: Json,
  origin: Origin.optional(),
});
export type Event = z.infer<typeof Event>;

/** Up to 1,000 events and about 8 MiB, and at least one while there are any. At the end `next_cursor` stands still. */
export const EventPage = z.strictObject({ events: z.array(Event).max(1000), next_cursor: Cursor });
export type EventPage = z.infer<typeof EventPage>;

const call = { model_call_sequence: Sequence };

/**
 * Payloads of frames that are streamed while a model call runs: never journaled, without an id, lost to whoever was
 * not connected. Source: sessions facts B.6.
 */
export const LIVE_EVENTS = {
  model_request: z.strictObject({ ...call, input_bytes: z.int().min(0), media_inputs: z.int().min(0) }),
  model_usage: z.strictObject({ ...call, usage: Usage }),
  model_output: z.strictObject({ ...call, output_bytes: z.int().min(0) }),
  assistant_delta: z.strictObject({ ...call, index: z.int().min(0), text: z.string() }),
  refusal_delta: z.strictObject({ ...call, index: z.int().min(0), text: z.string() }),
  tool_call_delta: z.union([
    z.strictObject({ ...call, index: z.int().min(0), id: z.string(), name: z.string() }),
    z.strictObject({ ...call, index: z.int().min(0), partial_json: z.string() }),
  ]),
} as const;

/** Name of a live frame. */
export type LiveEventType = keyof typeof LIVE_EVENTS;

/** A live frame as the server publishes it. */
export type LiveEvent = { [K in LiveEventType]: { type: K; data: z.infer<(typeof LIVE_EVENTS)[K]> } }[LiveEventType];
