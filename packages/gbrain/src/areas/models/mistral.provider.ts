// Mistral: chat models and mistral-embed.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'mistral',
  summary: 'Mistral: chat models and mistral-embed.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'chat'],
  dialect: 'mistral',
  keySetting: 'mistral_api_key',
  keyEnv: 'MISTRAL_API_KEY',
  baseUrlSetting: 'mistral_base_url',
  baseUrl: 'https://api.mistral.ai/v1',
  defaults: { embedding: 'mistral-embed', chat: 'mistral-medium-latest' },
  embedding: {
    models: {
      'mistral-embed': { dimensions: 1024, maxTokens: 8192 },
      'codestral-embed': { dimensions: 1536, sizes: [256, 512, 1024, 3072], maxTokens: 8192 },
    },
    maxTexts: 32,
    maxRequestTokens: 12_000,
    cutsLongTexts: false,
  },
});
