// One question to a chat model: the configured one, and the models of the fallback chain in turn when it fails. Every
// attempt is reserved, called and settled on its own.
import type { Host } from '../../host.ts';
import { type ChatAnswer, meteredChat } from '../../providers/metered.ts';
import { describeFault, type FaultKind, isTransient, ProviderFault } from '../../providers/provider-fault.ts';
import type { Purse } from '../../providers/purse.ts';
import { worstCaseTokens } from '../chunks/measure.ts';
import { currentModel, type FoundModel, findModel, type NoModel } from './find-model.ts';

/** What is asked. */
export interface ChatQuestion {
  system: string;
  prompt: string;
  maxOutputTokens: number;
  /** Asked instead of the configured model; the chain follows it all the same. */
  model?: string;
}

/** On whose account, and for how long. */
export interface ChatTerms {
  purse: Purse;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** A request that went to another model. Source: AGENT_OPERATOR v1, One-time safety disclosures. */
export interface ChatHop {
  from: string;
  to: string;
  reason: FaultKind | 'refused' | 'no_key';
}

/** An answer, the model that gave it and what it cost, hops included. */
export interface ChatReply extends ChatAnswer {
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
  /** US dollars of all attempts; null where one of them has no price. */
  usd: number | null;
  hops: ChatHop[];
}

/** Why no answer came. Source: facts/engine F.1, failure classes. */
export interface NoReply {
  failed: 'no_llm' | 'model_unusable' | 'timeout' | 'rate_limited' | 'network' | 'provider_error' | 'refused';
  /** Our own words; nothing that a provider wrote. */
  why: string;
  none?: NoModel;
  isTransient: boolean;
  hops: ChatHop[];
}

/** True for an answer. */
export const isReply = (reply: ChatReply | NoReply): reply is ChatReply => !('failed' in reply);

const FAILED: Partial<Record<FaultKind, NoReply['failed']>> = {
  timeout: 'timeout',
  rate_limited: 'rate_limited',
  network: 'network',
  auth: 'model_unusable',
  not_found: 'model_unusable',
};

/** The models that are asked in turn; the first is the configured one. */
async function chainOf(host: Host, model?: string): Promise<{ first: FoundModel | NoModel; rest: string[] }> {
  const chain = (await host.setting('chat_fallback_chain')).value;
  const rest = typeof chain === 'string' ? chain.split(',').map((one) => one.trim()) : [];
  const first = model === undefined ? await currentModel(host, 'chat') : await findModel(host, model, 'chat');
  return { first, rest: rest.filter((one) => one !== '') };
}

interface Tried {
  usd: number | null;
  hops: ChatHop[];
}

interface Failed {
  ref: string;
  reason: ChatHop['reason'];
  reply: Omit<NoReply, 'hops'>;
}

async function ask(
  { model }: FoundModel,
  question: ChatQuestion,
  terms: ChatTerms,
  tried: Tried,
): Promise<ChatReply | Failed> {
  try {
    const request = {
      ...question,
      maxInputTokens: worstCaseTokens(question.system) + worstCaseTokens(question.prompt),
    };
    const { value, use, usd } = await meteredChat(model, request, { ...terms, purpose: 'chat' });
    tried.usd = tried.usd === null || usd === null ? null : tried.usd + usd;
    if (value.finish === 'refused') {
      const why = `${model.ref} would not answer`;
      return { ref: model.ref, reason: 'refused', reply: { failed: 'refused', why, isTransient: false } };
    }
    return {
      ...value,
      model: model.ref,
      inputTokens: use.inputTokens ?? null,
      outputTokens: use.outputTokens ?? null,
      usd: tried.usd,
      hops: tried.hops,
    };
  } catch (error) {
    if (!(error instanceof ProviderFault) || error.kind === 'cancelled') throw error;
    const failed = FAILED[error.kind] ?? 'provider_error';
    const reply = { failed, why: describeFault(error), isTransient: isTransient(error.kind) };
    return { ref: model.ref, reason: error.kind, reply };
  }
}

const unusable = (none: NoModel): Failed => {
  const ref = 'ref' in none ? none.ref : 'none';
  const isMissing = none.none === 'not_configured' || none.none === 'off';
  const why = isMissing ? 'no chat model is configured' : `${ref} cannot be used (${none.none})`;
  return {
    ref,
    reason: 'no_key',
    reply: { failed: isMissing ? 'no_llm' : 'model_unusable', why, none, isTransient: false },
  };
};

/** The models that may be asked, in their order: those of the chain that can be called. */
export async function chatModels(host: Host, model?: string): Promise<FoundModel[]> {
  const { first, rest } = await chainOf(host, model);
  const others = await Promise.all(rest.map((ref) => findModel(host, ref, 'chat')));
  return [first, ...others].filter((one): one is FoundModel => !('none' in one));
}

/** Why nobody can be asked: neither the model nor any of the chain can be called. Undefined where one can. */
export async function missingChat(host: Host, model?: string): Promise<NoModel | undefined> {
  const { first, rest } = await chainOf(host, model);
  if (!('none' in first)) return undefined;
  if (first.none === 'not_configured' || first.none === 'off') return first;
  const others = await Promise.all(rest.map((ref) => findModel(host, ref, 'chat')));
  return others.some((one) => !('none' in one)) ? undefined : first;
}

/**
 * Asks a chat model. A provider's fault, and a refusal where `chat_fallback_on_refusal` is on, leads to the next model
 * of the chain; a refusal of the purse does not, for the next call would meet the same cap. Cancelling throws.
 */
export async function askChat(host: Host, question: ChatQuestion, terms: ChatTerms): Promise<ChatReply | NoReply> {
  const { first, rest } = await chainOf(host, question.model);
  const hopsOnRefusal = (await host.setting('chat_fallback_on_refusal')).value !== false;
  const tried: Tried = { usd: 0, hops: [] };
  const isOff = 'none' in first && (first.none === 'not_configured' || first.none === 'off');
  let last = 'none' in first ? unusable(first) : await ask(first, question, terms, tried);
  if (isOff) return { ...(last as Failed).reply, hops: [] };
  for (const ref of rest) {
    if (!('reply' in last)) return last;
    if (last.reason === 'refused' && !hopsOnRefusal) break;
    const next = await findModel(host, ref, 'chat');
    if ('none' in next || ref === last.ref) continue;
    tried.hops.push({ from: last.ref, to: ref, reason: last.reason });
    last = await ask(next, question, terms, tried);
  }
  return 'reply' in last ? { ...last.reply, hops: tried.hops } : last;
}
