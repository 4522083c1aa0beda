// Any server that speaks OpenAI's interface, at an address that the user names; its calls are paid unless priced at 0.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'compatible',
  summary: 'Any other server with an OpenAI-like interface, at the address that you set.',
  requirement: 'facts/engine K',
  touchpoints: ['embedding', 'chat'],
  dialect: 'openai_compatible',
  keySetting: 'compatible_api_key',
  keyEnv: 'GBRAIN_COMPATIBLE_API_KEY',
  keyIsOptional: true,
  baseUrlSetting: 'compatible_base_url',
  embedding: { models: {}, maxTexts: 64, maxRequestTokens: 32_000, cutsLongTexts: false },
});
