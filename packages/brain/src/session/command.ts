// Decisions about sessions and turns: state and a wish in, records out. No I/O, no clock, nothing is changed here.
import type { Origin } from '@gbrain/brain-protocol/event';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Message } from '@gbrain/brain-protocol/message';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import {
  ACTIVATION_MARKER,
  isKernelKind,
  type KernelKind,
  type PayloadOf,
  RESERVED_KV_PREFIX,
} from '@gbrain/brain-protocol/record';
import type { SessionConfiguration, UserInput } from '@gbrain/brain-protocol/session';
import { Refusal } from './refusal.ts';
import { sameJson } from './same-json.ts';
import { type Draft, findMarker, isAtRest, type SessionState } from './state.ts';

/** A draft of a kernel kind, its payload checked by the compiler. */
export function draft<K extends KernelKind>(kind: K, payload: PayloadOf<K>, origin?: Origin): Draft {
  return { kind, payload: payload as JsonValue, ...(origin && { origin }) };
}

/** The first records of a session. Automatic HTTP environments are set up before `decideCreated`. */
export function decideCreate(configuration: SessionConfiguration, transcript: Message[]): Draft[] {
  const started = draft('session_creation_started', { configuration });
  return transcript.length === 0 ? [started] : [started, draft('transcript_delta', { keep: 0, append: transcript })];
}

/** Ends a creation. */
export function decideCreated(state: SessionState): Draft[] {
  if (state.status !== 'creating' || !state.configuration) throw new Error(`${state.sessionId} is not being created`);
  return [draft('session_creation_ended', { configuration: state.configuration })];
}

/** What starts a turn: the user's words, or events when there is no input. Refuses a session that cannot take one. */
export function decideTurn(state: SessionState, input: UserInput | undefined): Draft[] {
  refuseUnlessIdle(state);
  const started = draft('turn_started', input ? { input } : { trigger: 'events' });
  return state.suspended ? [draft('session_resumed', {}), started] : [started];
}

/** Throws the refusal that a new turn would meet; gives nothing when the session is free. */
export function refuseUnlessIdle(state: SessionState): void {
  if (state.status === 'creating' || state.status === 'running') {
    throw new Refusal('conflict', `The session is ${state.status}.`, { details: { reason: 'session_busy' } });
  }
  if (state.status !== 'idle')
    throw new Refusal('invalid_request', `The session is ${state.status} and takes no turn.`);
  const marker = findMarker(state);
  if (!marker) return;
  throw new Refusal('conflict', 'An activation of this session did not finish. Create a new session to go on.', {
    details: { reason: 'harness_activation_unresolved', sequence: marker.sequence },
  });
}

/** True when events wait that may start a turn by themselves. */
export function wantsEventTurn(state: SessionState): boolean {
  return state.status === 'idle' && !state.automaticPaused && state.observations.length > 0 && !findMarker(state);
}

/** True when a restart need not look at the session: nothing to repair, and nothing that would start by itself. */
export function isSettled(state: SessionState): boolean {
  return isAtRest(state) && !wantsEventTurn(state);
}

/** Enters native execution: the activation and its marker, in one commit. */
export function decideActivation(state: SessionState): Draft[] {
  if (!state.turn || state.turn.activation || !state.configuration) {
    throw new Error(`${state.sessionId}: no turn waits for an activation`);
  }
  const sequence = state.lastSequence + 1;
  return [
    draft('activation_started', { since: state.eventsThrough }),
    draft('kv_set', { key: ACTIVATION_MARKER, value: { sequence, agentloop: state.configuration.agentloop.name } }),
  ];
}

/** Records a wish to stop the turn. Nothing when there is no turn or it is already asked. */
export function decideCancel(state: SessionState, reason: 'cancelled' | 'timeout' | 'ending'): Draft[] {
  if (!state.turn || state.turn.cancel) return [];
  return [draft('turn_cancel_requested', { sequence: state.turn.sequence, reason })];
}

/** How a run came back. */
export type RunOutcome = { ok: true; result?: JsonValue } | { ok: false; failure: Failure };

/** Ends a turn whose activation is closed. The marker goes only when the run succeeded and nobody cancelled it. */
export function decideSettle(state: SessionState, outcome: RunOutcome, eventsThrough: number): Draft[] {
  const { turn } = state;
  if (!turn) throw new Error(`${state.sessionId}: no turn to settle`);
  const failure = turn.cancel ? cancelFailure(turn.cancel) : outcome.ok ? undefined : outcome.failure;
  if (failure) {
    const failed = draft('turn_failed', failure);
    return turn.activation ? [draft('activation_failed', failure), failed] : [failed];
  }
  if (!turn.activation) throw new Error(`${state.sessionId}: a turn without an activation cannot succeed`);
  const result = outcome.ok ? outcome.result : undefined;
  return [
    draft('kv_delete', { key: ACTIVATION_MARKER }),
    draft('activation_ended', {}),
    draft('turn_ended', { ...(result !== undefined && { result }), events_through: eventsThrough }),
  ];
}

/** The failure of a turn that was stopped. */
export function cancelFailure(reason: 'cancelled' | 'timeout' | 'ending'): Failure {
  if (reason === 'timeout') return failure('timeout', 'The turn ran into its deadline.');
  return failure('cancelled', reason === 'ending' ? 'The session was ended.' : 'The turn was cancelled.');
}

/** A failure; neither retryable nor ambiguous unless said. */
export function failure(code: string, message: string, facts: Partial<Failure> = {}): Failure {
  return { code, message: message.slice(0, 4096) || code, retryable: false, ambiguous: false, ...facts };
}

/** An event of a loop, a tool or an environment. `limitBytes` bounds what one activation and its tools emit. */
export function decideEmit(
  state: SessionState,
  event: { event_type: string; data: JsonValue },
  origin: Origin,
  limitBytes: number,
): Draft[] {
  const { event_type: kind, data } = event;
  const allowed = !isKernelKind(kind) || (kind === 'output_emitted' && origin.kind === 'agentloop');
  if (!allowed) throw new Refusal('invalid_request', `The event type ${kind} is the kernel's own.`);
  const used = state.turn?.activation?.emittedBytes ?? 0;
  if (limitBytes > 0 && used + Buffer.byteLength(JSON.stringify(data)) > limitBytes) {
    throw new Refusal('emit_limit', `The activation may emit ${limitBytes} bytes and has emitted ${used}.`);
  }
  return [{ kind, payload: data, origin }];
}

/** The change from the saved transcript to `messages`; nothing when they are equal. */
export function decideTranscript(state: SessionState, messages: Message[]): Draft[] {
  const keep = commonPrefix(state.transcript, messages);
  if (keep === messages.length && keep === state.transcript.length) return [];
  return [draft('transcript_delta', { keep, append: messages.slice(keep) })];
}

/** Number of messages that two lists have in common from the start. */
export function commonPrefix(left: readonly Message[], right: readonly Message[]): number {
  const most = Math.min(left.length, right.length);
  let index = 0;
  while (index < most && sameJson(left[index], right[index])) index += 1;
  return index;
}

/** Sets a key of the loop; nothing when the value is the same. */
export function decideKvPut(state: SessionState, key: string, value: JsonValue): Draft[] {
  refuseReserved(key);
  return state.kv.has(key) && sameJson(state.kv.get(key), value) ? [] : [draft('kv_set', { key, value })];
}

/** Removes a key of the loop; nothing when it is absent. */
export function decideKvDelete(state: SessionState, key: string): Draft[] {
  refuseReserved(key);
  return state.kv.has(key) ? [draft('kv_delete', { key })] : [];
}

function refuseReserved(key: string): void {
  if (key.startsWith(RESERVED_KV_PREFIX)) throw new Refusal('invalid_request', `The key ${key} is Brain's own.`);
}

/** Begins the end of a session; a running turn is stopped by it. Nothing when the end has begun or is reached. */
export function decideEnd(state: SessionState): Draft[] {
  if (state.status === 'ended' || state.status === 'ending') return [];
  if (state.status !== 'idle' && state.status !== 'running') {
    throw new Refusal('invalid_request', `The session is ${state.status} and cannot be ended.`);
  }
  return [draft('session_end_started', {}), ...decideCancel(state, 'ending')];
}

/** Throws unless the session may be deleted. */
export function refuseUnlessDeletable(state: SessionState): void {
  if (state.open.size > 0) {
    throw new Refusal('conflict', 'Something of the session is still on its way.', {
      details: { reason: 'session_busy' },
    });
  }
  if (state.status === 'ended' || state.status === 'failed') return;
  throw new Refusal('invalid_request', `The session is ${state.status}. End it before you delete it.`);
}
