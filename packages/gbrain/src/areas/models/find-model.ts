// Which model a brain uses for a job: the configured one, else that of the first family with a key. It calls nothing.
import type { Host } from '../../host.ts';
import type { Provider, Touchpoint } from '../../provider.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { Registered } from '../../registry.ts';

/** Why there is no model. */
export type NoModel =
  | { none: 'not_configured' }
  /** Off by choice. */
  | { none: 'off' }
  | { none: 'key_missing'; ref: string; provider: Provider }
  | { none: 'address_missing'; ref: string; provider: Provider }
  /** No such family, or one without models of this kind. */
  | { none: 'unknown_model'; ref: string; families: readonly string[] };

/** A model that can be called, with the facts of its family. */
export interface FoundModel {
  model: ResolvedModel;
  provider: Provider;
}

/** The setting that names the model of a job. */
export const MODEL_SETTING: Readonly<Record<Touchpoint, string>> = {
  embedding: 'embedding_model',
  chat: 'chat_model',
  rerank: 'rerank_model',
};

/** Families in the order in which one with a key is taken unasked. Source: facts/engine K (Tiers), J. */
const ORDER: Readonly<Record<Touchpoint, readonly string[]>> = {
  embedding: ['voyage', 'openai', 'google', 'mistral', 'cohere'],
  chat: ['anthropic', 'openai', 'google', 'mistral', 'cohere'],
  rerank: ['voyage', 'cohere'],
};

/** Every provider family. */
export async function allProviders(): Promise<readonly Provider[]> {
  const { providers }: { providers: readonly Registered<Provider>[] } = await import('../../generated/providers.ts');
  return providers.map(({ value }) => value);
}

async function textSetting(host: Host, key: string | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { value } = await host.setting(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The key of a family; undefined where none is set. */
export const keyOf = (host: Host, provider: Provider): Promise<string | undefined> =>
  textSetting(host, provider.keySetting);

/** The model that a reference names, for a job. */
export async function findModel(host: Host, ref: string, touchpoint: Touchpoint): Promise<FoundModel | NoModel> {
  const [name = '', ...rest] = ref.split(':');
  const model = rest.join(':');
  const families = (await allProviders()).filter(({ touchpoints }) => touchpoints.includes(touchpoint));
  const provider = families.find((one) => one.name === name);
  if (!provider || model === '') {
    return { none: 'unknown_model', ref, families: families.map((one) => one.name) };
  }
  const apiKey = await keyOf(host, provider);
  if (provider.keySetting && !provider.keyIsOptional && apiKey === undefined) {
    return { none: 'key_missing', ref, provider };
  }
  const baseUrl = (await textSetting(host, provider.baseUrlSetting)) ?? provider.baseUrl;
  if (baseUrl === undefined) return { none: 'address_missing', ref, provider };
  return {
    provider,
    model: {
      ref,
      provider: provider.name,
      model,
      dialect: provider.dialect,
      baseUrl: baseUrl.replace(/\/+$/, ''),
      ...(apiKey !== undefined && { apiKey }),
      isFree: provider.isLocal === true,
    },
  };
}

/** The reference that is used for a job; undefined where nothing is configured and no family has a key. */
async function refOf(host: Host, touchpoint: Touchpoint): Promise<string | 'off' | undefined> {
  const configured = await textSetting(host, MODEL_SETTING[touchpoint]);
  if (configured !== undefined) return configured;
  const families = await allProviders();
  for (const name of ORDER[touchpoint]) {
    const provider = families.find((one) => one.name === name);
    const model = provider?.defaults?.[touchpoint];
    if (provider && model && (await keyOf(host, provider)) !== undefined) return `${name}:${model}`;
  }
  return undefined;
}

/** The model of a job. Source: AGENT_OPERATOR v1, What is paid (embeddings are on when a key is present). */
export async function currentModel(host: Host, touchpoint: Touchpoint): Promise<FoundModel | NoModel> {
  const ref = await refOf(host, touchpoint);
  if (ref === undefined) return { none: 'not_configured' };
  return ref === 'off' ? { none: 'off' } : findModel(host, ref, touchpoint);
}
