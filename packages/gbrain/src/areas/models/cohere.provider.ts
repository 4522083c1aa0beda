// Cohere: embeddings with roles for query and document, rerankers, chat.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'cohere',
  summary: 'Cohere: embedding models, rerankers and chat models.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'chat', 'rerank'],
  dialect: 'cohere',
  keySetting: 'cohere_api_key',
  keyEnv: 'COHERE_API_KEY',
  baseUrlSetting: 'cohere_base_url',
  baseUrl: 'https://api.cohere.com/v2',
  defaults: { embedding: 'embed-v4.0', rerank: 'rerank-v3.5', chat: 'command-a-03-2025' },
  embedding: {
    models: {
      'embed-v4.0': { dimensions: 1536, sizes: [256, 512, 1024], maxTokens: 128_000 },
      'embed-english-v3.0': { dimensions: 1024, maxTokens: 512 },
      'embed-multilingual-v3.0': { dimensions: 1024, maxTokens: 512 },
    },
    maxTexts: 96,
    maxRequestTokens: 60_000,
    cutsLongTexts: true,
  },
});
