// The state of one session as a fold of its journal records. No I/O, no clock, no randomness.
import type { EnvironmentObservation, EnvironmentState, PublicEnvironment } from '@gbrain/brain-protocol/environment';
import type { Origin } from '@gbrain/brain-protocol/event';
import type { EnvironmentRef } from '@gbrain/brain-protocol/ids';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Message } from '@gbrain/brain-protocol/message';
import { ACTIVATION_MARKER, type ActivationMarker } from '@gbrain/brain-protocol/record';
import type { SessionConfiguration, SessionStatus, UserInput } from '@gbrain/brain-protocol/session';

/** A record before it has a place in its session. */
export interface Draft {
  kind: string;
  payload: JsonValue;
  origin?: Origin;
}

/** A record in its session's order, as the fold takes it. */
export interface SessionRecord extends Draft {
  sequence: number;
  recordedAtMs: number;
}

/** An effect that was started and has no terminal record yet. */
export type OpenEffect =
  | { type: 'model'; sequence: number; toolSequence?: number }
  | OpenTool
  | { type: 'tool_cancel'; sequence: number; target: number }
  | { type: 'environment'; sequence: number; operation: EnvironmentOperationName; environment: EnvironmentRef };

/** A tool call that has not ended. `returned`: the caller went on, the call did not. */
export interface OpenTool {
  type: 'tool';
  sequence: number;
  callId: string;
  tool: string;
  environment: EnvironmentRef;
  activation: number;
  returned: boolean;
  observed: number;
  deadlineAtMs?: number;
}

/** The environment operations that have records of their own. */
export type EnvironmentOperationName = 'setup' | 'call' | 'detach' | 'teardown';

/** One incarnation of an environment. */
export interface EnvironmentInstance {
  reference: EnvironmentRef;
  declaration: PublicEnvironment;
  /** Name of the template it was made from. */
  template?: string;
  state: EnvironmentState;
  configuration: JsonValue;
  /** What its setup gave; sent with every later operation. */
  binding?: JsonValue;
  pending?: { operation: EnvironmentOperationName; sequence: number };
  availability?: 'available' | 'unavailable' | 'unknown';
  observedAtMs?: number;
  observation?: EnvironmentObservation;
}

/** The turn that runs, or waits for a worker while it has no activation. */
export interface Turn {
  sequence: number;
  input?: UserInput;
  cancel?: 'cancelled' | 'timeout' | 'ending';
  modelCalls: number;
  activation?: { sequence: number; emittedBytes: number };
}

/** The last model call's context and the last explicit values, so that the next call is stored as a difference. */
export interface ModelMemory {
  sequence: number;
  messages: Message[];
  system?: { sequence: number; value: string };
  tools?: { sequence: number; text: string };
}

/** Everything that decisions about one session need. Changed only by `applyRecord`. */
export interface SessionState {
  sessionId: string;
  status: SessionStatus;
  lastSequence: number;
  lastRecordedAtMs: number;
  configuration?: SessionConfiguration;
  transcript: Message[];
  /** Record that last changed the transcript; 0 before the first. */
  transcriptSequence: number;
  kv: Map<string, JsonValue>;
  environments: Map<string, EnvironmentInstance>;
  turn?: Turn;
  open: Map<number, OpenEffect>;
  /** Watermark: the last event that a finished activation has seen. */
  eventsThrough: number;
  /** Sequences after the watermark that happened outside the loop and that the next activation is told. */
  observations: number[];
  /** After an interruption nothing starts by itself until the user speaks. */
  automaticPaused: boolean;
  suspended: boolean;
  model?: ModelMemory;
}

/** The state before the first record. */
export function emptyState(sessionId: string): SessionState {
  return {
    sessionId,
    status: 'creating',
    lastSequence: 0,
    lastRecordedAtMs: 0,
    transcript: [],
    transcriptSequence: 0,
    kv: new Map(),
    environments: new Map(),
    open: new Map(),
    eventsThrough: 0,
    observations: [],
    automaticPaused: false,
    suspended: false,
  };
}

/** The marker of an unresolved native execution; undefined when none stands. */
export function findMarker(state: SessionState): ActivationMarker | undefined {
  return state.kv.get(ACTIVATION_MARKER) as ActivationMarker | undefined;
}

/** True when a restart has nothing to repair: no turn, no open effect, no half-made or half-ended session. */
export function isAtRest(state: SessionState): boolean {
  return state.open.size === 0 && (state.status === 'idle' || state.status === 'ended' || state.status === 'failed');
}

/** The tool calls that have not ended, oldest first. */
export function openTools(state: SessionState): OpenTool[] {
  return [...state.open.values()].filter((effect) => effect.type === 'tool');
}
