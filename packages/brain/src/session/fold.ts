// Applies one record to a session's state: the only place that changes it. No I/O, no clock, no decisions.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Message } from '@gbrain/brain-protocol/message';
import { isKernelKind, type KernelKind, LAST_ACTIVATION, type PayloadOf } from '@gbrain/brain-protocol/record';
import { foldEnvironmentRecord } from './fold-environment.ts';
import { emptyState, type OpenTool, type SessionRecord, type SessionState } from './state.ts';

/** Applies `record` to `state` in place. Records come in order, without a gap; anything else is a broken invariant. */
export function applyRecord(state: SessionState, record: SessionRecord): void {
  if (record.sequence !== state.lastSequence + 1) {
    throw new Error(`${state.sessionId}: record ${record.sequence} follows ${state.lastSequence}`);
  }
  state.lastSequence = record.sequence;
  state.lastRecordedAtMs = Math.max(state.lastRecordedAtMs, record.recordedAtMs);
  if (!isKernelKind(record.kind)) foldExtension(state, record);
  else if (record.kind.startsWith('environment_')) foldEnvironmentRecord(state, record);
  else FOLDS[record.kind]?.(state, record.payload as never, record);
}

/** The state after all records, in order, from the first. */
export function foldRecords(sessionId: string, records: Iterable<SessionRecord>): SessionState {
  const state = emptyState(sessionId);
  for (const record of records) applyRecord(state, record);
  return state;
}

type Fold<K extends KernelKind> = (state: SessionState, payload: PayloadOf<K>, record: SessionRecord) => void;

const FOLDS: { [K in KernelKind]?: Fold<K> } = {
  session_creation_started(state, { configuration }) {
    state.status = 'creating';
    state.configuration = configuration;
    for (const declaration of configuration.environments) {
      if (declaration.template) continue;
      state.environments.set(declaration.name, {
        reference: { name: declaration.name, sequence: 1 },
        declaration,
        state: 'declared',
        configuration: declaration.configuration ?? null,
      });
    }
  },
  session_creation_ended(state, { configuration }) {
    state.status = 'idle';
    state.configuration = configuration;
    for (const instance of state.environments.values()) {
      const { driver, lifecycle } = instance.declaration;
      if (driver === 'host' && lifecycle !== 'manual') instance.state = 'ready';
    }
  },
  session_creation_failed: (state) => {
    state.status = 'failed';
  },
  transcript_delta(state, { keep, append }, record) {
    state.transcript.length = keep;
    state.transcript.push(...append);
    state.transcriptSequence = record.sequence;
  },
  turn_started(state, payload, record) {
    state.status = 'running';
    state.turn = { sequence: record.sequence, modelCalls: 0 };
    if (!('input' in payload)) return;
    state.turn.input = payload.input;
    state.automaticPaused = false;
  },
  turn_cancel_requested(state, { reason }) {
    if (state.turn) state.turn.cancel ??= reason;
  },
  activation_started(state, _, record) {
    if (state.turn) state.turn.activation = { sequence: record.sequence, emittedBytes: 0 };
  },
  turn_ended(state, payload) {
    state.eventsThrough = Math.max(state.eventsThrough, payload.events_through);
    state.observations = state.observations.filter((sequence) => sequence > state.eventsThrough);
    state.kv.set(LAST_ACTIVATION, state.eventsThrough);
    closeTurn(state);
  },
  turn_failed(state, { code }) {
    if (code === 'interrupted') state.automaticPaused = true;
    closeTurn(state);
  },
  kv_set: (state, { key, value }) => {
    state.kv.set(key, value);
  },
  kv_delete: (state, { key }) => {
    state.kv.delete(key);
  },
  model_call_started: foldModelCall,
  model_call_ended: (state, { sequence }) => close(state, sequence),
  model_call_failed: (state, { sequence }) => close(state, sequence),
  tool_call_started(state, payload, record) {
    state.open.set(record.sequence, {
      type: 'tool',
      sequence: record.sequence,
      callId: payload.invocation.call_id,
      tool: payload.tool,
      environment: { name: payload.environment, sequence: payload.environment_sequence },
      activation: state.turn?.activation?.sequence ?? 0,
      returned: false,
      observed: 0,
      ...(payload.deadline_ms !== undefined && { deadlineAtMs: payload.deadline_ms }),
    });
  },
  tool_result_emitted(state, { sequence }, record) {
    const tool = state.open.get(sequence) as OpenTool | undefined;
    if (!tool) return;
    tool.observed += 1;
    if (tool.returned) state.observations.push(record.sequence);
  },
  tool_call_returned(state, { sequence }) {
    const tool = state.open.get(sequence) as OpenTool | undefined;
    if (tool) tool.returned = true;
  },
  tool_call_ended: (state, { sequence }, record) => closeTool(state, sequence, record),
  tool_call_failed: (state, { sequence }, record) => closeTool(state, sequence, record),
  tool_cancel_started(state, { target_sequence }, record) {
    const { sequence } = record;
    state.open.set(sequence, { type: 'tool_cancel', sequence, target: target_sequence });
  },
  tool_cancel_ended: (state, { sequence }) => close(state, sequence),
  tool_cancel_failed: (state, { sequence }) => close(state, sequence),
  output_emitted: (state, payload, record) => countEmitted(state, payload, record),
  session_end_started: (state) => {
    state.status = 'ending';
  },
  session_end_failed: (state) => {
    state.status = 'failed';
  },
  session_ended: (state) => {
    state.status = 'ended';
  },
  session_suspended: (state) => {
    state.suspended = true;
  },
  session_resumed: (state) => {
    state.suspended = false;
  },
};

function foldModelCall(state: SessionState, payload: PayloadOf<'model_call_started'>, record: SessionRecord): void {
  const { sequence } = record;
  state.open.set(sequence, {
    type: 'model',
    sequence,
    ...(payload.tool_sequence !== undefined && { toolSequence: payload.tool_sequence }),
  });
  if (state.turn) state.turn.modelCalls += 1;
  const { through_sequence, delta } = payload.context;
  const memory: ModelMemory = state.model ?? { sequence: 0, messages: [] };
  const base = findBase(state, through_sequence);
  const system = payload.system === undefined ? memory.system : { sequence, value: payload.system };
  const tools = payload.tools === undefined ? memory.tools : { sequence, text: JSON.stringify(payload.tools) };
  state.model = {
    sequence,
    messages: [...base.slice(0, delta.keep), ...delta.append],
    ...(system && { system }),
    ...(tools && { tools }),
  };
}

type ModelMemory = NonNullable<SessionState['model']>;

/** The messages that a model call's context builds on. Its author only ever names one of these two. */
function findBase(state: SessionState, through: number): Message[] {
  if (through === 0) return [];
  if (through === state.transcriptSequence) return state.transcript;
  if (state.model && through === state.model.sequence) return state.model.messages;
  throw new Error(`${state.sessionId}: a model call builds on record ${through}, which holds no current messages`);
}

function close(state: SessionState, sequence: number): void {
  state.open.delete(sequence);
}

function closeTool(state: SessionState, sequence: number, record: SessionRecord): void {
  const tool = state.open.get(sequence) as OpenTool | undefined;
  if (tool?.returned) state.observations.push(record.sequence);
  state.open.delete(sequence);
}

function closeTurn(state: SessionState): void {
  delete state.turn;
  if (state.status === 'running') state.status = 'idle';
}

function foldExtension(state: SessionState, record: SessionRecord): void {
  countEmitted(state, record.payload, record);
  const { origin } = record;
  if (origin?.kind === 'environment') state.observations.push(record.sequence);
  if (origin?.kind !== 'tool') return;
  const tool = state.open.get(origin.sequence);
  if (tool?.type === 'tool' && tool.returned) state.observations.push(record.sequence);
}

/** What a loop and its tools emit shares one budget per activation. */
function countEmitted(state: SessionState, payload: JsonValue, record: SessionRecord): void {
  const activation = state.turn?.activation;
  if (!activation || record.origin?.kind === 'environment') return;
  activation.emittedBytes += Buffer.byteLength(JSON.stringify(payload) ?? 'null');
}
