// Anthropic: chat models.
import { defineProvider } from '../../provider.ts';

export default defineProvider({
  name: 'anthropic',
  summary: 'Anthropic: Claude chat models.',
  requirement: 'facts/engine K',
  touchpoints: ['chat'],
  dialect: 'anthropic',
  keySetting: 'anthropic_api_key',
  keyEnv: 'ANTHROPIC_API_KEY',
  baseUrlSetting: 'anthropic_base_url',
  baseUrl: 'https://api.anthropic.com/v1',
  defaults: { chat: 'claude-sonnet-4-6' },
});
