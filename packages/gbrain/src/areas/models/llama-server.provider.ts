// llama-server (llama.cpp): one model a server on the user's machine, for embeddings, reranks or chat.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'llama-server',
  summary: 'llama-server on this machine: embedding, reranker and chat models that bill nothing.',
  requirement: 'facts/engine K; AGENT_OPERATOR v1, Looking never spends',
  touchpoints: ['embedding', 'chat', 'rerank'],
  dialect: 'llama_server',
  keySetting: 'llama_server_api_key',
  keyEnv: 'LLAMA_API_KEY',
  keyIsOptional: true,
  baseUrlSetting: 'llama_server_base_url',
  baseUrl: 'http://127.0.0.1:8080/v1',
  isLocal: true,
  embedding: { models: {}, maxTexts: 32, maxRequestTokens: 16_000, cutsLongTexts: false },
});
