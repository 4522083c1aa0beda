// Voyage: embeddings with roles for query and document, and rerankers.
import { defineProvider } from '../../provider.ts';

const SIZES = [256, 512, 1024, 2048];
const model = { dimensions: 1024, sizes: SIZES, maxTokens: 32_000 };

export default defineProvider({
  name: 'voyage',
  summary: 'Voyage: embedding models and rerankers.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'rerank'],
  dialect: 'voyage',
  keySetting: 'voyage_api_key',
  keyEnv: 'VOYAGE_API_KEY',
  baseUrlSetting: 'voyage_base_url',
  baseUrl: 'https://api.voyageai.com/v1',
  defaults: { embedding: 'voyage-4', rerank: 'rerank-2.5' },
  embedding: {
    models: {
      'voyage-4': model,
      'voyage-4-large': model,
      'voyage-4-lite': model,
      'voyage-3-large': model,
      'voyage-3.5': model,
      'voyage-3.5-lite': model,
      'voyage-code-3': model,
    },
    maxTexts: 1000,
    maxRequestTokens: 80_000,
    cutsLongTexts: true,
  },
});
