// Voyage's embeddings and reranker, and the reranker of llama-server, for which the library has no package. They are
// models of the library's own shape, so they stop, fail and report like all others.
import type { EmbeddingModelV4, RerankingModelV4 } from '@ai-sdk/provider';
import { createJsonErrorResponseHandler, createJsonResponseHandler, postJsonToApi } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import type { ResolvedModel } from '../resolved-model.ts';
import type { EmbedRole } from '../roles.ts';

const failedResponseHandler = createJsonErrorResponseHandler({
  errorSchema: z.looseObject({ detail: z.string().optional() }),
  // The provider's own text goes nowhere.
  errorToMessage: () => 'refused',
});

const headersOf = ({ apiKey }: ResolvedModel): Record<string, string> =>
  apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };

/** What was counted; a server that says less is still believed in its answer. */
const usageSchema = z.object({ total_tokens: z.number().optional() }).nullish();

const embeddingSchema = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()), index: z.number().optional() })),
  usage: usageSchema,
});

/** Voyage's embedding model for one role and, when given, a size. */
export function voyageEmbedding(model: ResolvedModel, role: EmbedRole, dimensions?: number): EmbeddingModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'voyage',
    modelId: model.model,
    maxEmbeddingsPerCall: 1000,
    supportsParallelCalls: false,
    doEmbed: async ({ values, abortSignal, headers }) => {
      const { value, rawValue, responseHeaders } = await postJsonToApi({
        url: `${model.baseUrl}/embeddings`,
        headers: { ...headersOf(model), ...headers },
        body: {
          model: model.model,
          input: values,
          input_type: role,
          ...(dimensions !== undefined && { output_dimension: dimensions }),
        },
        failedResponseHandler,
        successfulResponseHandler: createJsonResponseHandler(embeddingSchema),
        ...(abortSignal && { abortSignal }),
      });
      return {
        embeddings: value.data.map(({ embedding }) => embedding),
        ...(value.usage?.total_tokens !== undefined && { usage: { tokens: value.usage.total_tokens } }),
        warnings: [],
        response: { ...(responseHeaders && { headers: responseHeaders }), body: rawValue },
      };
    },
  };
}

const ranked = z.array(z.object({ index: z.number().int().min(0), relevance_score: z.number() }));
const rerankSchema = z.object({ data: ranked.optional(), results: ranked.optional(), usage: usageSchema });

/** A reranker that takes `{ model, query, documents }` at `/rerank`: Voyage's, and that of llama-server. */
export function plainReranker(model: ResolvedModel): RerankingModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.model,
    doRerank: async ({ query, documents, topN, abortSignal, headers }) => {
      const top = model.dialect === 'voyage' ? { top_k: topN } : { top_n: topN };
      const { value, rawValue, responseHeaders } = await postJsonToApi({
        url: `${model.baseUrl}/rerank`,
        headers: { ...headersOf(model), ...headers },
        body: { model: model.model, query, documents: documents.values, ...(topN !== undefined && top) },
        failedResponseHandler,
        successfulResponseHandler: createJsonResponseHandler(rerankSchema),
        ...(abortSignal && { abortSignal }),
      });
      return {
        ranking: (value.data ?? value.results ?? []).map((one) => ({
          index: one.index,
          relevanceScore: one.relevance_score,
        })),
        warnings: [],
        response: { ...(responseHeaders && { headers: responseHeaders }), body: rawValue },
      };
    },
  };
}
