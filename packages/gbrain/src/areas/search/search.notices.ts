// Notices of a search. Source: facts/contract C.3, H; AGENT_OPERATOR v1, transcript 3.
import { defineNotices, type NoticeData } from '../../notices.ts';

const stagesOf = (data: NoticeData): readonly string[] | undefined =>
  Array.isArray(data.stages) ? data.stages.map(String) : undefined;

const SAID: Record<string, string> = {
  embed_unavailable: 'the search ran by keywords and structure only because embeddings are not set up.',
  embed_timeout: 'the search ran by keywords and structure only: the embedding provider did not answer in time.',
  vector_arm_failed: 'the search ran by keywords and structure only: the vector arm failed.',
  rerank_failed: 'the reranker failed, so rows stand in the order of the search.',
  budget_truncated: 'the first row was cut to the token budget.',
  budget_dropped_all: 'the first row is larger than the token budget, so every row was left out.',
};

/** What a reader must know of the stages that did not run; a search that names none ran without vectors. */
const saidOf = (data: NoticeData): string => {
  const stages = stagesOf(data) ?? ['embed_unavailable'];
  return stages.length === 0 ? 'every arm ran.' : stages.map((stage) => SAID[stage] ?? `${stage}.`).join(' ');
};

export default defineNotices({
  empty_retrieval: {
    kind: 'info',
    perCall: true,
    summary: 'A search found nothing.',
    why: (d) => `0 results. No page matched; ${saidOf(d)}`,
    userMessage: (d) =>
      stagesOf(d)?.length === 0
        ? 'I found no notes on that.'
        : 'I found no notes on that. Your brain searches by keywords only right now.',
    fix: () => ({
      call: { op: 'run_doctor', input: {} },
      only: 'cli',
      why: 'It says what this search could not use.',
    }),
    example: { stages: ['embed_unavailable'] },
  },
  degraded_recall: {
    kind: 'degraded',
    perCall: true,
    summary: 'A search ran without one of its arms.',
    why: (d) => {
      const said = saidOf(d);
      const isWhole = stagesOf(d)?.every((stage) => stage === 'rerank_failed') ?? false;
      return `${said[0]!.toUpperCase()}${said.slice(1)}${isWhole ? '' : ' Pages worded otherwise may be missed.'}`;
    },
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
