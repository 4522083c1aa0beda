// embeddings: whether search has a vector arm.
import { defineCheck } from '../../../check.ts';
import { providerReadiness } from '../provider-readiness.ts';

export default defineCheck({
  name: 'embeddings',
  category: 'brain',
  summary: 'Whether search has a vector arm; without one it finds by words.',
  requirement: 'facts/contract K.2; AGENT_OPERATOR v1, Looking never spends',
  capability: 'embeddings',
  isHttpVisible: true,
  needsBrain: false,
  run: ({ host }) =>
    providerReadiness(host, {
      touchpoint: 'embedding',
      without: 'search finds by words',
      offReason: 'embedding_disabled',
    }),
});
