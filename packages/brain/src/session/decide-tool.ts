// Decisions about tool calls: which are admitted, and what each report of a running tool records. Knows no driver.
import type { ToolOutput, ToolUpdate } from '@gbrain/brain-protocol/host';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Outcome } from '@gbrain/brain-protocol/outcome';
import type { Tool, ToolInvocation, ToolResult } from '@gbrain/brain-protocol/tool';
import { draft } from './command.ts';
import { Refusal } from './refusal.ts';
import type { Draft, OpenTool, SessionState } from './state.ts';

/** Says why a value does not fit a JSON Schema; undefined when it does. Pure. */
export type CheckSchema = (schema: unknown, value: unknown) => string | undefined;

/** One call of a batch, decided. `refused` is the outcome of a call that never leaves. */
export interface AdmittedCall {
  invocation: ToolInvocation;
  tool: Tool;
  environment: { name: string; sequence: number };
  implementation: string;
  sequence: number;
  refused?: Outcome;
}

/** A batch as records, all of one commit, and what to send once they are durable. */
export interface DispatchDecision {
  drafts: Draft[];
  calls: AdmittedCall[];
}

/** Admits a batch of calls. A malformed batch is refused whole; bad input is the outcome of its call alone. */
export function decideDispatch(
  state: SessionState,
  batch: readonly ToolInvocation[],
  check: CheckSchema,
  deadlineAtMs: number | undefined,
): DispatchDecision {
  const ids = new Set(batch.map((invocation) => invocation.call_id));
  if (ids.size < batch.length) throw new Refusal('invalid_request', 'A call_id is used twice in one batch.');
  const found = batch.map((invocation) => resolve(state, invocation));
  const drafts: Draft[] = [];
  const calls: AdmittedCall[] = [];
  for (const call of found) {
    const sequence = state.lastSequence + drafts.length + 1;
    const refused = refuseCall(state, call, check);
    const { name: environment, sequence: environment_sequence } = call.environment;
    const bounded = deadlineAtMs !== undefined && { deadline_ms: deadlineAtMs };
    const { invocation } = call;
    drafts.push(
      draft('tool_call_started', { tool: call.tool.name, environment, environment_sequence, invocation, ...bounded }),
    );
    if (refused) drafts.push(draft('tool_call_ended', { sequence, outcome: refused }));
    calls.push({ ...call, sequence, ...(refused && { refused }) });
  }
  return { drafts, calls };
}

type ResolvedCall = Omit<AdmittedCall, 'sequence' | 'refused'>;

function resolve(state: SessionState, invocation: ToolInvocation): ResolvedCall {
  const { name, environment } = invocation;
  const tool = state.configuration?.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Refusal('invalid_request', `The session has no tool ${name}.`);
  const instance = state.environments.get(environment);
  const place = instance?.template ?? environment;
  const placement = Object.hasOwn(tool.placements, place) ? tool.placements[place] : undefined;
  if (!instance || !placement)
    throw new Refusal('invalid_request', `The tool ${name} has no placement ${environment}.`);
  const { sequence } = instance.reference;
  const asked = invocation.environment_sequence;
  if (asked === undefined ? sequence !== 1 : asked !== sequence) {
    throw new Refusal('invalid_request', `The current incarnation of ${environment} is ${sequence}; name it.`, {
      details: { reason: 'stale_environment', environment, sequence },
    });
  }
  return {
    invocation,
    tool,
    environment: { name: environment, sequence },
    implementation: placement.implementation ?? name,
  };
}

function refuseCall(state: SessionState, call: ResolvedCall, check: CheckSchema): Outcome | undefined {
  const instance = state.environments.get(call.environment.name);
  if (instance?.state !== 'ready') {
    const message = `The environment ${call.environment.name} is ${instance?.state ?? 'gone'}.`;
    return outcomeError('environment_not_ready', message);
  }
  const fault = check(call.tool.input_schema, call.invocation.input);
  return fault === undefined ? undefined : outcomeError('invalid_input', fault);
}

/** An outcome of status `error`. */
export function outcomeError(code: string, message: string, details?: JsonValue): Outcome {
  return {
    status: 'error',
    error: { code, message: message.slice(0, 4096), ...(details !== undefined && { details }) },
  };
}

/** Finds an open call; a call that has ended, or never was, is a conflict: a late report changes nothing. */
export function findOpenTool(state: SessionState, sequence: number): OpenTool {
  const effect = state.open.get(sequence);
  if (effect?.type !== 'tool') {
    throw new Refusal('conflict', `The tool call ${sequence} has ended.`, { details: { reason: 'tool_call_ended' } });
  }
  return effect;
}

/** What one report of a running tool records. */
export function decideToolUpdate(
  state: SessionState,
  sequence: number,
  update: ToolUpdate,
  check: CheckSchema,
): Draft[] {
  const open = findOpenTool(state, sequence);
  const schema = state.configuration?.tools.find((tool) => tool.name === open.tool)?.output_schema;
  const fault = (output: ToolOutput) => (output.status === 'ok' && schema ? check(schema, output.value) : undefined);
  if (update.type === 'result') {
    const why = fault(update.outcome);
    if (why !== undefined) throw new Refusal('invalid_request', why, { details: { reason: 'invalid_output' } });
    return [observe(open, update.outcome)];
  }
  if (update.type === 'returned') {
    if (open.returned) throw new Refusal('invalid_request', `The tool call ${sequence} has already returned.`);
    const why = update.outcome && fault(update.outcome);
    if (why !== undefined) throw new Refusal('invalid_request', why, { details: { reason: 'invalid_output' } });
    const observed = update.outcome ? [observe(open, update.outcome)] : [];
    return [...observed, draft('tool_call_returned', { sequence })];
  }
  const { outcome } = update;
  if (!outcome) return [draft('tool_call_ended', { sequence, outcome: { status: 'ok', value: null } })];
  const why = fault(outcome);
  if (why !== undefined) {
    return [draft('tool_call_ended', { sequence, outcome: outcomeError('invalid_output', why) })];
  }
  const shown = outcome.status === 'ok' || outcome.content !== undefined ? [observe(open, outcome)] : [];
  return [...shown, draft('tool_call_ended', { sequence, outcome: withoutValue(outcome) })];
}

/** Ends a call from Brain's side: deadline, cancel, or an outcome that nobody knows. Nothing when it has ended. */
export function decideToolEnd(state: SessionState, sequence: number, outcome: Outcome): Draft[] {
  if (state.open.get(sequence)?.type !== 'tool') return [];
  return [draft('tool_call_ended', { sequence, outcome })];
}

function observe(open: OpenTool, output: ToolOutput): Draft {
  const result: ToolResult = {
    call_id: open.callId,
    output: output.status === 'ok' ? output.value : describe(output),
    is_error: output.status !== 'ok',
    ...(output.content && { content: output.content }),
  };
  return draft('tool_result_emitted', { sequence: open.sequence, result }, { kind: 'tool', sequence: open.sequence });
}

/** An outcome that is not ok, as the output of an observation. */
function describe(output: Exclude<ToolOutput, { status: 'ok' }>): JsonValue {
  if (output.status === 'error') return output.error as JsonValue;
  return { code: output.status, message: output.status === 'unknown' ? output.message : output.status };
}

/** The data of a result stands in its observation; the ending says only how it ended. */
function withoutValue({ content: _, ...outcome }: ToolOutput): Outcome {
  return outcome.status === 'ok' ? { status: 'ok', value: null } : outcome;
}
