// Google: Gemini chat models and Gemini embeddings.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'google',
  summary: 'Google: Gemini chat models and gemini-embedding.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'chat'],
  dialect: 'google',
  keySetting: 'google_api_key',
  keyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
  baseUrlSetting: 'google_base_url',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  defaults: { embedding: 'gemini-embedding-001', chat: 'gemini-2.5-flash' },
  embedding: {
    models: { 'gemini-embedding-001': { dimensions: 3072, sizes: [768, 1536], maxTokens: 2048 } },
    maxTexts: 100,
    maxRequestTokens: 20_000,
    cutsLongTexts: true,
  },
});
