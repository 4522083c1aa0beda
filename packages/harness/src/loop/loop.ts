// The model-and-tools loop: ask the model, run the tools it wants, ask again, answer. Brain's default registration.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Message, ModelResult, ToolUseBlock } from '@gbrain/brain-protocol/message';
import type { ToolReturn } from '@gbrain/brain-protocol/tool';
import { CallError } from '../call-error.ts';
import type { RunContext } from '../context.ts';
import type { HarnessOptions } from '../harness.ts';
import { CONFIGURATION_SCHEMA, type LoopConfiguration, readConfiguration } from './configuration.ts';
import { selectMessages, toContextBudget } from './context-window.ts';
import { planCalls, toErrorResult, toResultMessage } from './tool-calls.ts';
import { toUserMessage } from './user-message.ts';

/** Most calls of one batch. Source: Harness protocol page, `dispatch`. */
const BATCH_MAX = 128;

/** The loop as a harness. It keeps nothing outside the journal, so its state version never changes. */
export const loopHarness: HarnessOptions = {
  name: 'brain-loop',
  version: '1',
  stateVersion: 1,
  configurationSchema: CONFIGURATION_SCHEMA,
  run: (context) => runTurn(context, readConfiguration(context.configuration)),
};

/** Why a turn ended without an answer of the model's own. */
interface Stop {
  reason: 'model_call_limit' | 'model_error';
  message: string;
  code?: string;
  retryable?: boolean;
}

async function runTurn(context: RunContext, configuration: LoopConfiguration): Promise<JsonValue | undefined> {
  const messages: Message[] = [...context.transcript, toUserMessage(context.input, context.pendingEvents)];
  for (let calls = 0; calls < configuration.maxModelCalls; calls += 1) {
    const answer = await ask(context, messages, configuration);
    if ('stop' in answer) return stop(context, messages, answer.stop);
    messages.push(answer.message);
    const uses = answer.message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
    if (uses.length === 0) return finish(context, messages, answer);
    if (answer.stop_reason === 'max_tokens') {
      // What the limit cut may be half a call: nothing of it runs.
      const cut = uses.map(({ id }) => toErrorResult(id, 'Not run: the answer reached its output limit.'));
      messages.push({ role: 'user', content: cut });
    } else {
      messages.push(await callTools(context, messages, uses, configuration));
    }
  }
  const message = `Stopped after ${configuration.maxModelCalls} model calls. Send a message to go on.`;
  return stop(context, messages, { reason: 'model_call_limit', message });
}

/** One model call. The transcript is saved in front of it, and rides on the same barrier. */
async function ask(
  context: RunContext,
  messages: readonly Message[],
  { maxOutputTokens, maxContextTokens, options, modelErrors }: LoopConfiguration,
): Promise<ModelResult | { stop: Stop }> {
  const budget = toContextBudget(context.modelInfo, { maxContextTokens, maxOutputTokens });
  const saved = context.setTranscript(messages);
  try {
    const result = await context.model({
      messages: selectMessages(messages, budget),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
      ...(options && { options }),
    });
    await saved;
    return result;
  } catch (error) {
    const known = error instanceof CallError && !error.fatal && !error.ambiguous && error.code !== 'ambiguous';
    if (!known || modelErrors === 'fail_turn') throw error;
    const { code, message, retryable } = error;
    return { stop: { reason: 'model_error', message, code, retryable } };
  }
}

async function callTools(
  context: RunContext,
  messages: readonly Message[],
  uses: readonly ToolUseBlock[],
  { placements, maxToolResultUnits }: LoopConfiguration,
): Promise<Message> {
  const planned = planCalls(uses, context.tools, placements);
  const saved = context.setTranscript(messages);
  const returns: ToolReturn[] = [];
  for (let start = 0; start < planned.batch.length; start += BATCH_MAX) {
    returns.push(...(await context.dispatch(planned.batch.slice(start, start + BATCH_MAX))));
  }
  await saved;
  return toResultMessage(returns, planned, maxToolResultUnits);
}

async function finish(context: RunContext, messages: Message[], answer: ModelResult): Promise<JsonValue> {
  const saved = context.setTranscript(messages);
  await Promise.all([
    saved,
    context.emit('output_emitted', { type: 'assistant_message', message: answer.message as unknown as JsonValue }),
  ]);
  return { stop_reason: answer.stop_reason };
}

/** Ends the turn in good order: the session stays usable, and the reason is in the journal, not in the conversation. */
async function stop(context: RunContext, messages: Message[], why: Stop): Promise<JsonValue> {
  const record = { ...why } as unknown as JsonValue;
  if (why.reason === 'model_call_limit') {
    messages.push({ role: 'assistant', content: [{ type: 'text', text: why.message }] });
  }
  const saved = context.setTranscript(messages);
  await Promise.all([saved, context.emit('loop_stopped', record)]);
  return { stopped: record };
}
