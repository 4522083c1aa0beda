// Notices of a search. Source: facts/contract C.3, H; AGENT_OPERATOR v1, transcript 3.
import type { FixSpec } from '../../fix.ts';
import { defineNotices, type NoticeData } from '../../notices.ts';

const stagesOf = (data: NoticeData): readonly string[] | undefined =>
  Array.isArray(data.stages) ? data.stages.map(String) : undefined;

/** Why a query had no vector. Source: facts/engine C.11, the reasons of degraded stages. */
const WITHOUT_VECTOR: Record<string, string> = {
  no_provider: 'embeddings are not set up',
  no_key: 'the key of the embedding provider is not set',
  no_vectors: 'no page has been embedded yet',
  budget: 'the cap of spending for embeddings did not reach, or their price is not known',
  provider_error: 'the embedding provider failed or could not be reached',
};

const SAID: Record<string, string> = {
  embed_timeout: 'the search ran by keywords and structure only: the embedding provider did not answer in time.',
  vector_arm_failed: 'the search ran by keywords and structure only: the vector arm failed.',
  rerank_failed: 'the reranker failed, so rows stand in the order of the search.',
  budget_truncated: 'the first row was cut to the token budget.',
  budget_dropped_all: 'the first row is larger than the token budget, so every row was left out.',
};

const FAULTS: ReadonlySet<string> = new Set(['embed_timeout', 'vector_arm_failed', 'rerank_failed']);

/** What a reader must know of the stages that did not run; a search that names none ran without vectors. */
const saidOf = (data: NoticeData): string => {
  const stages = stagesOf(data) ?? ['embed_unavailable'];
  const said = (stage: string): string =>
    stage === 'embed_unavailable'
      ? `the search ran by keywords and structure only because ${WITHOUT_VECTOR[String(data.reason ?? 'no_provider')]}.`
      : (SAID[stage] ?? `${stage}.`);
  return stages.length === 0 ? 'every arm ran.' : stages.map(said).join(' ');
};

/** What helps against a missing vector arm; nothing where the brain was set up without one. */
function helpOf(data: NoticeData): FixSpec | undefined {
  const stages = stagesOf(data) ?? [];
  if (data.reason === 'no_vectors') {
    const call = { op: 'embed', input: { stale: true, dry_run: true } };
    return { call, only: 'cli', why: 'It shows what waits for a vector and what that may cost; it calls nobody.' };
  }
  if (data.reason === 'budget') {
    return { call: { op: 'get_usage', input: {} }, only: 'cli', why: 'It shows what was spent, and on which models.' };
  }
  const isFaulty = data.reason === 'provider_error' || stages.some((stage) => FAULTS.has(stage));
  return isFaulty ? { call: { op: 'run_doctor', input: {} }, only: 'cli', why: 'It says what is wrong.' } : undefined;
}

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
    fix: helpOf,
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
