// The kind of file that declares a model provider family: `areas/<area>/<name>.provider.ts`. Facts only;
// it calls nothing.
import type { Dialect } from './providers/resolved-model.ts';

/** What a family has models for. */
export type Touchpoint = 'embedding' | 'chat' | 'rerank';

/** What is known of an embedding model. */
export interface EmbeddingModelFacts {
  /** Size of its vectors unless another is asked for. */
  dimensions: number;
  /** Other sizes that it gives when asked. */
  sizes?: readonly number[];
  /** The most tokens of one text. */
  maxTokens: number;
}

/** How a family takes texts to embed. */
export interface EmbeddingFacts {
  /** Models that are known; a model that is not here needs `embedding_dimensions`, or a local program that tells. */
  models: Readonly<Record<string, EmbeddingModelFacts>>;
  /** The most texts of one request. */
  maxTexts: number;
  /** The most estimated tokens of one request. */
  maxRequestTokens: number;
  /** It cuts a text that is too long by itself, where others refuse the request. */
  cutsLongTexts: boolean;
}

/** What a provider family offers and how it is told that it is configured. */
export interface Provider {
  /** First half of `provider:model`. */
  name: string;
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  touchpoints: readonly Touchpoint[];
  dialect: Dialect;
  /** Setting and environment variable that hold its key; absent for local programs that need none. */
  keySetting?: string;
  keyEnv?: string;
  /** It works without a key, with one where it is set. */
  keyIsOptional?: boolean;
  /** Setting that holds another address of it. */
  baseUrlSetting: string;
  /** Where it is unless the setting says otherwise; absent where only the user knows. */
  baseUrl?: string;
  /** A program on the user's machine that bills nothing. It is never chosen unasked. */
  isLocal?: boolean;
  /** Model of each kind that is used when the family has a key and nothing is configured. */
  defaults?: Partial<Record<Touchpoint, string>>;
  embedding?: EmbeddingFacts;
}

/** Declares a provider family; the default export of its file. */
export const defineProvider = (provider: Provider): Provider => provider;
