// Settings of embedding. Which model is used stands with the models. Source: facts/engine C.8, J.
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  'embedding.on_write': {
    type: 'boolean',
    default: true,
    summary: 'Whether pages get their vectors soon after they are written, and facts as they are told, unasked.',
    requirement: 'AGENT_OPERATOR v1, What is paid, and what is not',
  },
  'embedding.query_timeout_ms': {
    type: 'number',
    min: 100,
    max: 60_000,
    default: 6_000,
    env: 'GBRAIN_QUERY_EMBED_TIMEOUT_MS',
    summary: 'How long a search waits for the vector of its query, in milliseconds.',
    requirement: 'facts/engine C.8',
  },
  'search.reranker.enabled': {
    type: 'boolean',
    summary: 'Whether results are ranked again by a reranker; without it search.mode decides.',
    requirement: 'facts/engine C.7',
  },
});
