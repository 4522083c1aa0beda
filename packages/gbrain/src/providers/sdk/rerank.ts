// One request of a reranker through the library, without its retries.
import { type RerankingModel, rerank } from 'ai';
import type { RerankRequest } from '../metered.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { TokenUse } from '../purse.ts';
import type { ResolvedModel } from '../resolved-model.ts';
import { countOf, guarded } from './library-fault.ts';
import { accessOf } from './open-chat.ts';
import { plainReranker } from './voyage.ts';

async function openReranker(model: ResolvedModel): Promise<RerankingModel> {
  if (model.dialect === 'voyage' || model.dialect === 'llama_server') return plainReranker(model);
  if (model.dialect === 'cohere') {
    const { createCohere } = await import('@ai-sdk/cohere');
    return createCohere(accessOf(model)).reranking(model.model);
  }
  throw new Error('this family has no rerankers');
}

/** A score for each document, by its place. Ends with `ProviderFault`. */
export function sendRerank(
  model: ResolvedModel,
  asked: RerankRequest,
  signal: AbortSignal,
): Promise<{ value: number[]; use: TokenUse }> {
  return guarded(model.ref, async () => {
    const { ranking, response } = await rerank({
      model: await openReranker(model),
      query: asked.query,
      documents: [...asked.documents],
      topN: asked.documents.length,
      maxRetries: 0,
      abortSignal: signal,
    });
    const usage = (response.body as { usage?: { total_tokens?: number } } | undefined)?.usage;
    const tokens = countOf(usage?.total_tokens);
    const use = tokens === undefined ? {} : { inputTokens: tokens };
    // Each document once, and no other place: which of two scores were meant is not for us to say.
    const scores = new Array<number>(asked.documents.length).fill(Number.NaN);
    for (const { originalIndex, score } of ranking) scores[originalIndex] = score;
    const isWhole = ranking.length === asked.documents.length && scores.length === ranking.length;
    if (!isWhole || !scores.every(Number.isFinite)) {
      throw new ProviderFault('invalid_response', model.ref, { billed: 'yes', use });
    }
    return { value: scores, use };
  });
}
