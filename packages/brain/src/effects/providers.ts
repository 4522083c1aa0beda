// The model providers that sessions may name: built in, overridden by settings, or from a file. No call is made here.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Dialect as DialectName,
  type ModelInfo,
  type ModelsView,
  ProvidersFile,
} from '@gbrain/brain-protocol/session';
import { SettingError, type Settings } from '../settings.ts';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import type { Dialect } from './dialects/dialect.ts';
import { openaiResponses } from './dialects/openai-responses.ts';

/** One provider. `baseUrl` has no slash at its end. */
export interface Provider {
  id: string;
  dialect: DialectName;
  baseUrl: string;
  models: ModelInfo[];
}

/** Each dialect's implementation. */
export const DIALECTS: Record<DialectName, Dialect> = {
  openai_responses: openaiResponses,
  anthropic_messages: anthropicMessages,
};

/** The providers by name. */
export class Providers {
  readonly #providers: Map<string, Provider>;

  constructor(providers: readonly Provider[]) {
    this.#providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  /** A provider; undefined when there is none of that name. */
  find(id: string): Provider | undefined {
    return this.#providers.get(id);
  }

  /** What is known of a model; names are not checked against a catalogue, so unknown is normal. */
  findModel(providerId: string, name: string): ModelInfo | undefined {
    return this.find(providerId)?.models.find((model) => model.id === name);
  }

  /** The public list, or one provider of it. The digest changes when the list does. */
  toView(only?: string): ModelsView {
    const all = [...this.#providers.values()].map(({ id, dialect, models }) => ({
      id,
      dialect,
      media_inputs: DIALECTS[dialect].mediaInputs,
      models,
    }));
    const snapshot_digest = `sha256:${createHash('sha256').update(JSON.stringify(all)).digest('hex')}`;
    return { snapshot_digest, providers: all.filter(({ id }) => only === undefined || id === only) };
  }
}

/** Built-in providers with their overrides, then those of the file; a name in both is the file's. */
export function readProviders(settings: Settings): Providers {
  const builtIn: Provider[] = [
    provider('openai', 'openai_responses', settings.openaiBaseUrl ?? 'https://api.openai.com/v1'),
    provider('anthropic', 'anthropic_messages', settings.anthropicBaseUrl ?? 'https://api.anthropic.com/v1'),
    provider('vercel-ai-gateway', 'openai_responses', settings.modelBaseUrl ?? 'https://ai-gateway.vercel.sh/v1'),
  ];
  return new Providers([...builtIn, ...readFile(settings.providersFile)]);
}

function provider(id: string, dialect: DialectName, url: string, models: ModelInfo[] = []): Provider {
  return { id, dialect, baseUrl: url.replace(/\/+$/, ''), models };
}

function readFile(path: string | undefined): Provider[] {
  if (path === undefined) return [];
  let parsed: ProvidersFile;
  try {
    parsed = ProvidersFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new SettingError(`BRAIN_PROVIDERS_FILE cannot be used: ${(error as Error).message}`);
  }
  return parsed.providers.map(({ name, dialect, base_url, models }) => provider(name, dialect, base_url, models));
}
