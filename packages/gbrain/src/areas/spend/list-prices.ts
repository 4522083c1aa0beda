// List prices of models, as their providers publish them. A registered price wins; a model that is not here has none,
// which is never the same as nothing. It reads nothing.
import type { PriceRow } from './spend.sql.ts';

/**
 * The month in which the prices of chat models below were last compared with a public list of prices. Those of
 * embeddings and rerankers are as their providers named them when each was added; a newer one is registered with
 * `pricing set`.
 */
export const PRICES_AS_OF = '2026-11';

const perMillion = (input: number, output = 0, call = 0): Omit<PriceRow, 'model'> => ({
  input_micros: Math.round(input * 1_000_000),
  output_micros: Math.round(output * 1_000_000),
  call_micros: Math.round(call * 1_000_000),
});

/**
 * US dollars for a million tokens, in and out; a third number is for one call. Where the price has steps by length,
 * that of a prompt below 200,000 tokens: no call of ours is longer.
 */
const LIST: Readonly<Record<string, Omit<PriceRow, 'model'>>> = {
  'anthropic:claude-haiku-4-5': perMillion(1, 5),
  'anthropic:claude-sonnet-4-5': perMillion(3, 15),
  'anthropic:claude-sonnet-4-6': perMillion(3, 15),
  'anthropic:claude-opus-4-1': perMillion(15, 75),
  'anthropic:claude-opus-4-5': perMillion(5, 25),
  'anthropic:claude-opus-4-6': perMillion(5, 25),
  'anthropic:claude-opus-4-7': perMillion(5, 25),
  'anthropic:claude-opus-4-8': perMillion(5, 25),
  'anthropic:claude-opus-5': perMillion(5, 25),
  'anthropic:claude-opus-5-5': perMillion(4, 20),
  'anthropic:claude-sonnet-5': perMillion(2, 10),
  'anthropic:claude-sonnet-5-5': perMillion(2, 10),
  'cohere:embed-english-v3.0': perMillion(0.1),
  'cohere:embed-multilingual-v3.0': perMillion(0.1),
  'cohere:embed-v4.0': perMillion(0.12),
  'cohere:command-a-03-2025': perMillion(2.5, 10),
  'cohere:command-r-08-2024': perMillion(0.15, 0.6),
  'cohere:rerank-v3.5': perMillion(0, 0, 0.002),
  'cohere:rerank-v4.0-fast': perMillion(0, 0, 0.002),
  'google:gemini-2.5-flash': perMillion(0.3, 2.5),
  'google:gemini-2.5-flash-lite': perMillion(0.1, 0.4),
  'google:gemini-2.5-pro': perMillion(1.25, 10),
  'google:gemini-3-flash-preview': perMillion(0.5, 3),
  'google:gemini-3-pro-preview': perMillion(2, 12),
  'google:gemini-3.1-flash-lite-preview': perMillion(0.25, 1.5),
  'google:gemini-3.1-pro-preview': perMillion(2, 12),
  'google:gemini-3.5-flash': perMillion(1.5, 9),
  'google:gemini-3.5-flash-lite': perMillion(0.3, 2.5),
  'google:gemini-3.6-flash': perMillion(1.5, 7.5),
  'google:gemini-embedding-001': perMillion(0.15),
  'mistral:mistral-embed': perMillion(0.1),
  'mistral:codestral-embed': perMillion(0.15),
  'mistral:mistral-large-latest': perMillion(2, 6),
  'mistral:mistral-medium-latest': perMillion(0.4, 2),
  'mistral:mistral-small-latest': perMillion(0.1, 0.3),
  'openai:gpt-4.1': perMillion(2, 8),
  'openai:gpt-4.1-mini': perMillion(0.4, 1.6),
  'openai:gpt-4.1-nano': perMillion(0.1, 0.4),
  'openai:gpt-4o': perMillion(2.5, 10),
  'openai:gpt-4o-mini': perMillion(0.15, 0.6),
  'openai:gpt-5': perMillion(1.25, 10),
  'openai:gpt-5-mini': perMillion(0.25, 2),
  'openai:gpt-5-nano': perMillion(0.05, 0.4),
  'openai:gpt-5.1': perMillion(1.25, 10),
  'openai:gpt-5.2': perMillion(1.75, 14),
  'openai:gpt-5.4': perMillion(2.5, 15),
  'openai:gpt-5.4-mini': perMillion(0.75, 4.5),
  'openai:gpt-5.4-nano': perMillion(0.2, 1.25),
  'openai:gpt-5.5': perMillion(5, 30),
  'openai:text-embedding-3-large': perMillion(0.13),
  'openai:text-embedding-3-small': perMillion(0.02),
  'openai:text-embedding-ada-002': perMillion(0.1),
  'voyage:voyage-3-large': perMillion(0.18),
  'voyage:voyage-3.5': perMillion(0.06),
  'voyage:voyage-3.5-lite': perMillion(0.02),
  'voyage:voyage-4': perMillion(0.06),
  'voyage:voyage-4-large': perMillion(0.12),
  'voyage:voyage-4-lite': perMillion(0.02),
  'voyage:voyage-code-3': perMillion(0.18),
  'voyage:rerank-2.5': perMillion(0.05),
  'voyage:rerank-2.5-lite': perMillion(0.02),
};

/** List prices, by model. */
export const LIST_PRICES: readonly PriceRow[] = Object.entries(LIST).map(([model, price]) => ({ model, ...price }));

/** The list price of a model; undefined where none is known. A dated name has the price of its plain one. */
export function listPrice(model: string): PriceRow | undefined {
  const plain = Object.hasOwn(LIST, model) ? model : model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return Object.hasOwn(LIST, plain) ? { model, ...LIST[plain]! } : undefined;
}
