// Notices of a search. Source: facts/contract C.3, H; AGENT_OPERATOR v1, transcript 3.
import { defineNotices } from '../../notices.ts';

export default defineNotices({
  empty_retrieval: {
    kind: 'info',
    perCall: true,
    summary: 'A search found nothing.',
    why: (d) =>
      d.hasTerms === false
        ? '0 results: the query holds nothing to look for.'
        : '0 results. No page matched; the search ran by keywords only because embeddings are not set up.',
    userMessage: 'I found no notes on that. Your brain searches by keywords only right now.',
    fix: () => ({
      call: { op: 'run_doctor', input: {} },
      only: 'cli',
      why: 'It says what this search could not use.',
    }),
    example: { hasTerms: true },
  },
  degraded_recall: {
    kind: 'degraded',
    perCall: true,
    summary: 'A search ran without one of its arms.',
    why: 'The search ran by keywords and structure only: no embedding provider is set up. Pages worded otherwise may be missed.',
    example: { configOnly: true },
  },
  index_rebuilt: {
    kind: 'info',
    summary: 'The search index was built from the pages again, because its file could not be used.',
    why: (d) =>
      `The file of the search index could not be used (${String(d.reason)}), so the index was built from the pages ` +
      'again. Nothing is missing from this search.',
    example: { reason: 'damaged' },
  },
  weak_retrieval: {
    kind: 'info',
    perCall: true,
    summary: 'Nothing in the brain seems to answer the query; the rows are the nearest there is.',
    why: 'The match is weak: the rows are the nearest pages, and the brain may hold no answer.',
    example: {},
  },
});
