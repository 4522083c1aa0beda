// OpenAI: chat and embeddings; also another address that speaks its interface in full.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'openai',
  summary: 'OpenAI: chat models and text-embedding-3.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'chat'],
  dialect: 'openai',
  keySetting: 'openai_api_key',
  keyEnv: 'OPENAI_API_KEY',
  baseUrlSetting: 'openai_base_url',
  baseUrl: 'https://api.openai.com/v1',
  defaults: { embedding: 'text-embedding-3-small', chat: 'gpt-5-mini' },
  embedding: {
    models: {
      'text-embedding-3-small': { dimensions: 1536, sizes: [256, 512, 768, 1024], maxTokens: 8191 },
      'text-embedding-3-large': { dimensions: 3072, sizes: [256, 512, 1024, 1536], maxTokens: 8191 },
      'text-embedding-ada-002': { dimensions: 1536, maxTokens: 8191 },
    },
    maxTexts: 2048,
    maxRequestTokens: 200_000,
    cutsLongTexts: false,
  },
});
