// embedding_provider: whether the provider of vectors answers; it is called only by name, and with the user's consent.
import { type CheckResult, defineCheck } from '../../../check.ts';
import { currentModel } from '../../models/find-model.ts';
import { EMBEDDING_PROVIDER, probeEmbedding, probeFix } from '../provider-probe.ts';

export default defineCheck({
  name: EMBEDDING_PROVIDER,
  category: 'brain',
  summary: 'Whether the embedding provider answers; --probe sends it one word, and asks first where that is paid.',
  requirement: 'AGENT_OPERATOR v1, Looking never spends; facts/contract K.2',
  needsBrain: true,
  run: async ({ brain, host, signal, isProbeAgreed }): Promise<CheckResult> => {
    const found = await currentModel(host, 'embedding');
    // What is missing is told by the check of embeddings.
    if ('none' in found) return { status: 'ok', message: 'no embedding model can be called' };
    const { ref } = found.model;
    if (isProbeAgreed) return probeEmbedding({ store: brain.store, host, signal }, ref);
    return {
      status: 'ok',
      message: `configured, not probed: ${ref}`,
      details: { model: ref, local: found.model.isFree },
      fix: found.model.isFree ? { ...probeFix(ref), consent: [], argvTail: [] } : probeFix(ref),
    };
  },
});
