// LM Studio: models on the user's machine, through its OpenAI-like interface.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'lm-studio',
  summary: 'LM Studio on this machine: chat and embedding models that bill nothing.',
  requirement: 'facts/engine K; AGENT_OPERATOR v1, Looking never spends',
  touchpoints: ['embedding', 'chat'],
  dialect: 'openai_compatible',
  keySetting: 'lm_studio_api_key',
  keyEnv: 'LM_API_TOKEN',
  keyIsOptional: true,
  baseUrlSetting: 'lm_studio_base_url',
  baseUrl: 'http://127.0.0.1:1234/v1',
  isLocal: true,
  embedding: { models: {}, maxTexts: 64, maxRequestTokens: 32_000, cutsLongTexts: false },
});
