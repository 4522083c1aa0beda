// A model that can be called: where it is, in which dialect, with which key. Plain data that never leaves the process.

/** How a provider family is spoken to. */
export type Dialect =
  | 'openai'
  | 'openai_compatible'
  | 'anthropic'
  | 'google'
  | 'mistral'
  | 'cohere'
  | 'voyage'
  | 'llama_server';

/** A model with everything that a call of it needs. */
export interface ResolvedModel {
  /** `provider:model`, the name in the ledger, the price table and every reply. */
  readonly ref: string;
  readonly provider: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** A program on this machine that bills nothing; its calls need no price, no cap and no consent. */
  readonly isFree: boolean;
}
