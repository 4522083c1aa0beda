// chat_llm: whether answers can be written by a model.
import { defineCheck } from '../../../check.ts';
import { providerReadiness } from '../provider-readiness.ts';

export default defineCheck({
  name: 'chat_llm',
  category: 'brain',
  summary: 'Whether a chat model is at hand; reading and writing memory needs none.',
  requirement: 'facts/contract K.2',
  capability: 'chat_llm',
  isHttpVisible: true,
  needsBrain: false,
  run: ({ host }) =>
    providerReadiness(host, {
      touchpoint: 'chat',
      without: 'memory is read and written without one',
      offReason: 'not_configured',
    }),
});
