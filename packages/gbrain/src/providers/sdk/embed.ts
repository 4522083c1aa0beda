// One request for vectors through the library, without its retries. What was paid for is kept: of an answer in which
// some vectors are missing or broken, the others are read.
import { APICallError, type EmbeddingModelV4 } from '@ai-sdk/provider';
import type { EmbedRequest, RawVectors } from '../metered.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { TokenUse } from '../purse.ts';
import type { ResolvedModel } from '../resolved-model.ts';
import { withRole } from '../roles.ts';
import { countOf, guarded } from './library-fault.ts';
import { accessOf, compatibleOf } from './open-chat.ts';
import { voyageEmbedding } from './voyage.ts';

type Options = Record<string, Record<string, string | number>>;

interface Opened {
  model: EmbeddingModelV4;
  options: Options;
}

/** The embedding model of a dialect, told of role and size as its family wants it. */
async function openEmbedding(model: ResolvedModel, { role, dimensions }: EmbedRequest): Promise<Opened> {
  const access = accessOf(model);
  const size = (key: string): Record<string, number> => (dimensions === undefined ? {} : { [key]: dimensions });
  switch (model.dialect) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return { model: createOpenAI(access).embedding(model.model), options: { openai: size('dimensions') } };
    }
    case 'google': {
      const taskType = role === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT';
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      const opened = createGoogleGenerativeAI(access).embedding(model.model);
      return { model: opened, options: { google: { taskType, ...size('outputDimensionality') } } };
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      return { model: createMistral(access).embedding(model.model), options: { mistral: size('outputDimension') } };
    }
    case 'cohere': {
      const inputType = role === 'query' ? 'search_query' : 'search_document';
      const { createCohere } = await import('@ai-sdk/cohere');
      const options = { inputType, truncate: 'END', ...size('outputDimension') };
      return { model: createCohere(access).embedding(model.model), options: { cohere: options } };
    }
    case 'voyage':
      return { model: voyageEmbedding(model, role, dimensions), options: {} };
    case 'openai_compatible':
    case 'llama_server': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const opened = createOpenAICompatible(compatibleOf(model)).embeddingModel(model.model);
      // Local programs refuse a size that they were not built for.
      return { model: opened, options: model.isFree ? {} : { openaiCompatible: size('dimensions') } };
    }
    case 'anthropic':
      throw new Error('this family has no embedding models');
  }
}

const takesRole = (dialect: ResolvedModel['dialect']): boolean =>
  dialect === 'voyage' || dialect === 'cohere' || dialect === 'google';

/** Puts the vectors of an answer's rows at their places; undefined when the rows do not tell theirs. */
function byIndex(rows: unknown, count: number): RawVectors | undefined {
  if (!Array.isArray(rows)) return undefined;
  const vectors: unknown[] = new Array(count).fill(undefined);
  for (const row of rows as { index?: unknown; embedding?: unknown }[]) {
    const { index, embedding } = row ?? {};
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return undefined;
    vectors[index] = embedding;
  }
  return vectors;
}

/** Rows of an answer in any of the families' shapes, in the order of the texts; undefined when they cannot be told. */
function rowsOf(body: unknown, count: number): RawVectors | undefined {
  const { data, embeddings } = (body ?? {}) as { data?: unknown; embeddings?: unknown };
  const indexed = byIndex(data, count);
  if (indexed) return indexed;
  const list = Array.isArray(embeddings) ? embeddings : (embeddings as { float?: unknown } | undefined)?.float;
  if (!Array.isArray(list) || list.length !== count) return undefined;
  return list.map((one: unknown) => (Array.isArray(one) ? one : (one as { values?: unknown } | null)?.values));
}

function useOf(body: unknown): TokenUse {
  const usage = (body as { usage?: { prompt_tokens?: number; total_tokens?: number } } | undefined)?.usage;
  const tokens = countOf(usage?.prompt_tokens ?? usage?.total_tokens);
  return tokens === undefined ? {} : { inputTokens: tokens };
}

/** Reads an answer that came with status 200 and that the library could not take; undefined when nothing is in it. */
function salvage(error: unknown, count: number): { value: RawVectors; use: TokenUse } | undefined {
  if (!APICallError.isInstance(error) || error.statusCode !== 200 || !error.responseBody) return undefined;
  try {
    // Some servers write NaN, which is no JSON.
    const body: unknown = JSON.parse(error.responseBody.replace(/(?<=[[,\s:])-?(?:NaN|Infinity)(?=[\s,\]}])/g, 'null'));
    const value = rowsOf(body, count);
    return value && { value, use: useOf(body) };
  } catch {
    return undefined;
  }
}

async function request(
  model: ResolvedModel,
  asked: EmbedRequest,
  signal: AbortSignal,
): Promise<{ value: RawVectors; use: TokenUse }> {
  const opened = await openEmbedding(model, asked);
  const role = (text: string) => (takesRole(model.dialect) ? text : withRole(model.model, asked.role, text));
  try {
    // Asked itself, and not through the library's embedMany: that refuses an answer in which a vector is missing.
    const { embeddings, usage, response } = await opened.model.doEmbed({
      values: asked.texts.map(role),
      abortSignal: signal,
      providerOptions: opened.options,
    });
    const tokens = countOf(usage?.tokens);
    const use = tokens === undefined ? {} : { inputTokens: tokens };
    const count = asked.texts.length;
    const placed = rowsOf(response?.body, count);
    const value = placed ?? (embeddings.length === count ? embeddings : undefined);
    if (!value) throw new ProviderFault('invalid_response', model.ref, { billed: 'yes', use });
    return { value, use };
  } catch (error) {
    const found = salvage(error, asked.texts.length);
    if (found) return found;
    throw error;
  }
}

/** Vectors of texts, in their order; a place is undefined where the provider gave none. Ends with `ProviderFault`. */
export const sendEmbed = (
  model: ResolvedModel,
  asked: EmbedRequest,
  signal: AbortSignal,
): Promise<{ value: RawVectors; use: TokenUse }> => guarded(model.ref, () => request(model, asked, signal));
