// Opens the chat model of a dialect; each provider's package is loaded when it is first needed.
import type { LanguageModel } from 'ai';
import type { ResolvedModel } from '../resolved-model.ts';

// The library writes its warnings with console.warn and its hints with console.info; stdout here is data.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** Settings that every provider's package takes: key and address. */
export const accessOf = ({ apiKey, baseUrl }: ResolvedModel): { apiKey: string; baseURL?: string } => ({
  // Without one the packages would look in the environment themselves.
  apiKey: apiKey ?? 'none',
  ...(baseUrl && { baseURL: baseUrl }),
});

/** What a family without a package of its own is opened with. */
export const compatibleOf = (model: ResolvedModel) => ({
  name: model.provider,
  baseURL: model.baseUrl ?? '',
  ...(model.apiKey && { apiKey: model.apiKey }),
});

/** The chat model; throws for a dialect that has none. */
export async function openChat(model: ResolvedModel): Promise<LanguageModel> {
  const access = accessOf(model);
  switch (model.dialect) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(access)(model.model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(access)(model.model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model.model);
    case 'mistral':
      return (await import('@ai-sdk/mistral')).createMistral(access)(model.model);
    case 'cohere':
      return (await import('@ai-sdk/cohere')).createCohere(access)(model.model);
    case 'openai_compatible':
    case 'llama_server':
      return (await import('@ai-sdk/openai-compatible'))
        .createOpenAICompatible(compatibleOf(model))
        .chatModel(model.model);
    case 'voyage':
      throw new Error('this family has no chat models');
  }
}
