// From the tool calls of a model's answer to a batch for Brain, and from what came back to a message. Pure.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Block, Message, ToolUseBlock } from '@gbrain/brain-protocol/message';
import type { Outcome } from '@gbrain/brain-protocol/outcome';
import type { ToolInvocation, ToolResult, ToolReturn, ToolView } from '@gbrain/brain-protocol/tool';
import { RunFailure } from '../call-error.ts';

/** A batch, and the calls that never leave because they name no tool. */
export interface PlannedCalls {
  batch: ToolInvocation[];
  /** The model's id of each invocation, by `call_id`. */
  useIds: Map<string, string>;
  refused: Block[];
}

/** Plans the calls of one answer. Throws a RunFailure when a tool has several environments and none was chosen. */
export function planCalls(
  uses: readonly ToolUseBlock[],
  tools: readonly ToolView[],
  placements: Record<string, string>,
): PlannedCalls {
  const batch: ToolInvocation[] = [];
  const useIds = new Map<string, string>();
  const refused: Block[] = [];
  for (const { id, name, input } of uses) {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) {
      refused.push(toErrorResult(id, `There is no tool ${name}.`));
      continue;
    }
    // A model may repeat an id; Brain's batch may not.
    const callId = useIds.has(id) ? `${id.slice(0, 240)}#${batch.length}` : id;
    useIds.set(callId, id);
    batch.push({ call_id: callId, name, ...place(tool, placements[name]), input });
  }
  return { batch, useIds, refused };
}

/** A tool result that says what went wrong, for a call that was not made. */
export function toErrorResult(toolUseId: string, message: string): Block {
  return { type: 'tool_result', tool_use_id: toolUseId, content: { error: message }, is_error: true };
}

function place(tool: ToolView, chosen: string | undefined) {
  const environment = chosen ?? (tool.environments.length === 1 ? tool.environments[0] : undefined);
  if (environment === undefined) {
    throw new RunFailure(
      'placement_required',
      `Set placements.${tool.name}: it has ${tool.environments.length} places.`,
    );
  }
  const reference = tool.environment_refs?.find((candidate) => candidate.name === environment);
  return { environment, ...(reference && { environment_sequence: reference.sequence }) };
}

/** The message that carries what the calls gave back, refused ones included. */
export function toResultMessage(returns: readonly ToolReturn[], planned: PlannedCalls, maxUnits: number): Message {
  const made = returns.map((returned): Block => {
    const toolUseId = planned.useIds.get(returned.call_id) ?? returned.call_id;
    return toResultBlock(toolUseId, returned, maxUnits);
  });
  return { role: 'user', content: [...made, ...planned.refused] };
}

function toResultBlock(toolUseId: string, { events, finished }: ToolReturn, maxUnits: number): Block {
  const results: ToolResult[] = [];
  let outcome: Outcome | undefined;
  for (const { event_type, data } of events) {
    if (event_type === 'tool_result_emitted') results.push((data as unknown as { result: ToolResult }).result);
    if (event_type === 'tool_call_ended') outcome = (data as unknown as { outcome: Outcome }).outcome;
  }
  const last = results.at(-1);
  const failed = outcome !== undefined && outcome.status !== 'ok';
  const isError = failed || (last?.is_error ?? false);
  const content = toContent(results, outcome, finished);
  const media = last?.content?.filter((block) => block.type !== 'text');
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: shorten(content, maxUnits),
    is_error: isError,
    ...(media && media.length > 0 && { media }),
  };
}

/** What the tool said last, in words for the model when it gave some; else how the call ended. */
function toContent(results: ToolResult[], outcome: Outcome | undefined, finished: boolean): JsonValue {
  const last = results.at(-1);
  if (outcome && outcome.status !== 'ok' && !last) return outcome as JsonValue;
  if (!last) return finished ? null : { status: 'running', message: 'The tool goes on; what it finds is told later.' };
  const words = last.content?.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
  return words.length > 0 ? words.join('\n') : last.output;
}

function shorten(content: JsonValue, maxUnits: number): JsonValue {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (text.length <= maxUnits) return content;
  return `${text.slice(0, maxUnits)}\n[${text.length - maxUnits} more characters are not shown]`;
}
