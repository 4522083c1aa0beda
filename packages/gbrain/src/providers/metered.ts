// The one door to model providers: every call is reserved before it is sent and settled after. Nobody else may import
// what stands in sdk/. It retries nothing: whoever decides to try again reserves again.
import { passPoint } from '../fault-points.ts';
import { ProviderFault } from './provider-fault.ts';
import type { PlannedCall, Purpose, Purse, TokenUse } from './purse.ts';
import type { ResolvedModel } from './resolved-model.ts';
import type { EmbedRole } from './roles.ts';

/** Who pays for a call, how long it may take and who may end it. */
export interface CallTerms {
  readonly purse: Purse;
  readonly purpose: Purpose;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What was asked for, with what it cost. */
export interface Paid<T> {
  readonly value: T;
  readonly use: TokenUse;
  /** US dollars; 0 for a local model, null for one without a price. */
  readonly usd: number | null;
}

interface Sent<T> {
  value: T;
  use: TokenUse;
}

/** A call as it goes through the door. */
interface Metered<T> {
  model: ResolvedModel;
  most: Pick<PlannedCall, 'maxInputTokens' | 'maxOutputTokens'>;
  send(signal: AbortSignal): Promise<Sent<T>>;
}

async function bounded<T>(call: Metered<T>, terms: CallTerms): Promise<Sent<T>> {
  const clock = AbortSignal.timeout(terms.timeoutMs);
  const signal = terms.signal ? AbortSignal.any([clock, terms.signal]) : clock;
  try {
    return await call.send(signal);
  } catch (error) {
    const { ref } = call.model;
    if (terms.signal?.aborted) throw new ProviderFault('cancelled', ref, { billed: 'unknown', cause: error });
    if (clock.aborted) throw new ProviderFault('timeout', ref, { billed: 'unknown', cause: error });
    throw error;
  }
}

async function metered<T>(call: Metered<T>, terms: CallTerms): Promise<Paid<T>> {
  if (terms.signal?.aborted) throw new ProviderFault('cancelled', call.model.ref, { billed: 'no' });
  if (call.model.isFree) return { ...(await bounded(call, terms)), usd: 0 };
  const { purse, purpose } = terms;
  const reservation = await purse.reserve({ purpose, model: call.model.ref, ...call.most });
  await passPoint('model_call_reserved');
  let sent: Sent<T>;
  try {
    sent = await bounded(call, terms);
  } catch (error) {
    const fault = error instanceof ProviderFault ? error : undefined;
    const billed = fault?.billed ?? 'unknown';
    await purse.settle(reservation, { outcome: fault?.kind ?? 'internal', billed, ...fault?.use });
    throw error;
  }
  await passPoint('model_call_answered');
  const { usd } = await purse.settle(reservation, { outcome: 'ok', ...sent.use });
  return { ...sent, usd };
}

/** What a text model is asked. */
export interface ChatRequest {
  readonly system: string;
  readonly prompt: string;
  /** The most tokens that the answer may have; a cap of what it can cost. */
  readonly maxOutputTokens: number;
  /** The most tokens that system and prompt can be; it is what is reserved. */
  readonly maxInputTokens: number;
}

/** What a text model answered. */
export interface ChatAnswer {
  readonly text: string;
  /** `length`: the cap of the answer cut it. `refused`: the model or its filter would not answer. */
  readonly finish: 'stop' | 'length' | 'refused';
}

/** One answer of one model, paid for. Ends with an answer, a `ProviderFault`, or a refusal of the purse. */
export const meteredChat = (model: ResolvedModel, request: ChatRequest, terms: CallTerms): Promise<Paid<ChatAnswer>> =>
  metered(
    {
      model,
      most: { maxInputTokens: request.maxInputTokens, maxOutputTokens: request.maxOutputTokens },
      send: async (signal) => (await import('./sdk/chat.ts')).sendChat(model, request, signal),
    },
    terms,
  );

/** Texts to embed. */
export interface EmbedRequest {
  readonly texts: readonly string[];
  readonly role: EmbedRole;
  /** Size to ask for, where the model gives several; its own otherwise. */
  readonly dimensions?: number;
  /** The most tokens that all texts together can be; it is what is reserved. */
  readonly maxInputTokens: number;
}

/** What came for each text, unchecked; undefined where nothing came. */
export type RawVectors = readonly unknown[];

/** Vectors of texts in one request, paid for. */
export const meteredEmbed = (
  model: ResolvedModel,
  request: EmbedRequest,
  terms: CallTerms,
): Promise<Paid<RawVectors>> =>
  metered(
    {
      model,
      most: { maxInputTokens: request.maxInputTokens, maxOutputTokens: 0 },
      send: async (signal) => (await import('./sdk/embed.ts')).sendEmbed(model, request, signal),
    },
    terms,
  );

/** Documents to rank by a query. */
export interface RerankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** The most tokens that are counted: the query goes with every document. */
  readonly maxInputTokens: number;
}

/** A score for each document in its place, paid for. */
export const meteredRerank = (
  model: ResolvedModel,
  request: RerankRequest,
  terms: CallTerms,
): Promise<Paid<number[]>> =>
  metered(
    {
      model,
      most: { maxInputTokens: request.maxInputTokens, maxOutputTokens: 0 },
      send: async (signal) => (await import('./sdk/rerank.ts')).sendRerank(model, request, signal),
    },
    terms,
  );
