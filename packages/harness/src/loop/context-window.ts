// Which messages a model call carries when the conversation has outgrown the window. Pure; estimates leave it never.
import type { RunModel } from '@gbrain/brain-protocol/harness';
import type { Message } from '@gbrain/brain-protocol/message';

/** UTF-16 units of JSON that one token stands for, low enough to err on the safe side for most texts. */
const UNITS_PER_TOKEN = 3;

/** Part of the window that instructions, tools and the answer are left, when the model's limits do not say. */
const RESERVED_SHARE = 0.3;

/** Tokens that messages may take; undefined when nothing is known of the model. */
export function toContextBudget(
  model: Pick<RunModel, 'context_window_tokens' | 'max_output_tokens'>,
  own: { maxContextTokens: number | undefined; maxOutputTokens: number | undefined },
): number | undefined {
  if (own.maxContextTokens !== undefined) return own.maxContextTokens;
  const window = model.context_window_tokens;
  if (window === undefined) return undefined;
  const output = own.maxOutputTokens ?? model.max_output_tokens ?? 0;
  return Math.max(1, Math.min(window - output, Math.floor(window * (1 - RESERVED_SHARE))));
}

/**
 * The newest messages within the budget. The list is cut only before a message in which a user speaks, so that no tool
 * result is parted from its call, and the last such message always stays with all that follows it.
 */
export function selectMessages(messages: readonly Message[], budgetTokens: number | undefined): Message[] {
  if (budgetTokens === undefined) return [...messages];
  let units = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as Message;
    units += JSON.stringify(message).length;
    if (!beginsTurn(message)) continue;
    if (units > budgetTokens * UNITS_PER_TOKEN && start < messages.length) break;
    start = index;
  }
  return messages.slice(start === messages.length ? 0 : start);
}

function beginsTurn({ role, content }: Message): boolean {
  return role === 'user' && !content.some((block) => block.type === 'tool_result');
}
