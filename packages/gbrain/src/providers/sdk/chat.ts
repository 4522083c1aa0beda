// One request of a chat model through the library, without its retries.
import { generateText } from 'ai';
import type { ChatAnswer, ChatRequest } from '../metered.ts';
import type { TokenUse } from '../purse.ts';
import type { ResolvedModel } from '../resolved-model.ts';
import { countOf, guarded } from './library-fault.ts';
import { openChat } from './open-chat.ts';

/** Sends one request and gives its answer. Ends with `ProviderFault` otherwise. */
export function sendChat(
  model: ResolvedModel,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<{ value: ChatAnswer; use: TokenUse }> {
  return guarded(model.ref, async () => {
    const { text, finishReason, usage } = await generateText({
      model: await openChat(model),
      maxRetries: 0,
      instructions: request.system,
      prompt: request.prompt,
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: signal,
    });
    const finish = finishReason === 'content-filter' ? 'refused' : finishReason === 'length' ? 'length' : 'stop';
    const inputTokens = countOf(usage.inputTokens);
    const outputTokens = countOf(usage.outputTokens);
    return {
      value: { text, finish },
      use: { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) },
    };
  });
}
