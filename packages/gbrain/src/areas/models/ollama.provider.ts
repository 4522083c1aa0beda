// Ollama: models on the user's machine, through its OpenAI-like interface.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'ollama',
  summary: 'Ollama on this machine: chat and embedding models that bill nothing.',
  requirement: 'facts/engine K; AGENT_OPERATOR v1, Looking never spends',
  touchpoints: ['embedding', 'chat'],
  dialect: 'openai_compatible',
  keySetting: 'ollama_api_key',
  keyEnv: 'OLLAMA_API_KEY',
  keyIsOptional: true,
  baseUrlSetting: 'ollama_base_url',
  baseUrl: 'http://127.0.0.1:11434/v1',
  isLocal: true,
  embedding: {
    models: {
      'nomic-embed-text': { dimensions: 768, maxTokens: 2048 },
      'mxbai-embed-large': { dimensions: 1024, maxTokens: 512 },
      'all-minilm': { dimensions: 384, maxTokens: 512 },
      'bge-m3': { dimensions: 1024, maxTokens: 8192 },
      embeddinggemma: { dimensions: 768, maxTokens: 2048 },
    },
    maxTexts: 64,
    maxRequestTokens: 32_000,
    cutsLongTexts: true,
  },
});
