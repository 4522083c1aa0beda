// Decisions about model calls: budget, and the difference that stands for the exact request. No provider is known here.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult, StopReason, Usage } from '@gbrain/brain-protocol/message';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import type { PayloadOf } from '@gbrain/brain-protocol/record';
import { commonPrefix, draft } from './command.ts';
import { Refusal } from './refusal.ts';
import type { Draft, SessionState } from './state.ts';

/** The intent of one model call. `toolSequence` names the running tool on whose behalf it is made. */
export function decideModelStart(
  state: SessionState,
  request: ModelRequest,
  limits: { maxModelCalls: number },
  toolSequence?: number,
): Draft[] {
  const used = state.turn?.modelCalls ?? 0;
  if (limits.maxModelCalls > 0 && used >= limits.maxModelCalls) {
    throw new Refusal('model_call_limit', `The turn has made its ${limits.maxModelCalls} model calls.`);
  }
  refuseRepeatedTools(request);
  const { response_format, max_output_tokens, options } = request;
  const payload: PayloadOf<'model_call_started'> = {
    messages: request.messages.length,
    context: decideContext(state, request),
    ...referToSystem(state, request),
    ...referToTools(state, request),
    ...(response_format !== undefined && { response_format }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(options !== undefined && { options: options as JsonValue }),
    ...(toolSequence !== undefined && { tool_sequence: toolSequence }),
  };
  return [draft('model_call_started', payload)];
}

/** The outcome of a call that finished. */
export function decideModelEnd(state: SessionState, sequence: number, result: ModelResult): Draft[] {
  assertOpen(state, sequence);
  return [draft('model_call_ended', { sequence, result })];
}

/** What is known of an answer that was not used. */
export interface PartialAnswer {
  stop_reason?: StopReason;
  usage: Usage;
  usage_complete: boolean;
}

/** The outcome of a call that failed, or that nobody knows the outcome of. */
export function decideModelFail(
  state: SessionState,
  sequence: number,
  failed: Failure,
  response?: PartialAnswer,
): Draft[] {
  assertOpen(state, sequence);
  return [draft('model_call_failed', { ...failed, sequence, ...(response && { response }) })];
}

/** Whichever known list shares more with the request: the transcript, or the last call's own messages. */
function decideContext(state: SessionState, { messages }: ModelRequest): PayloadOf<'model_call_started'>['context'] {
  const saved = commonPrefix(state.transcript, messages);
  const last = state.model ? commonPrefix(state.model.messages, messages) : 0;
  if (state.model && last > saved) {
    return { through_sequence: state.model.sequence, delta: { keep: last, append: messages.slice(last) } };
  }
  return { through_sequence: state.transcriptSequence, delta: { keep: saved, append: messages.slice(saved) } };
}

function referToSystem(state: SessionState, { system }: ModelRequest): { system?: string; system_from?: number } {
  if (system === undefined || system === state.configuration?.system) return {};
  const known = state.model?.system;
  return known?.value === system ? { system_from: known.sequence } : { system };
}

function referToTools(state: SessionState, { tools }: ModelRequest): { tools?: JsonValue[]; tools_from?: number } {
  if (tools === undefined) return {};
  const known = state.model?.tools;
  return known?.text === JSON.stringify(tools) ? { tools_from: known.sequence } : { tools: tools as JsonValue[] };
}

function refuseRepeatedTools({ tools = [] }: ModelRequest): void {
  const names = new Set(tools.map((tool) => tool.name));
  if (names.size < tools.length) throw new Refusal('invalid_request', 'Two tools of the request have the same name.');
}

function assertOpen(state: SessionState, sequence: number): void {
  if (state.open.get(sequence)?.type !== 'model') {
    throw new Error(`${state.sessionId}: no model call ${sequence} is open`);
  }
}
