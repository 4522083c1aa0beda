// chat_fallback_chain: which chat models get a request when the first one fails.
import { defineCheck } from '../../../check.ts';
import { findModel } from '../../models/find-model.ts';

export default defineCheck({
  name: 'chat_fallback_chain',
  category: 'brain',
  summary: 'Chat models that get a request when the first one fails, and whether each can be called.',
  requirement: 'AGENT_OPERATOR v1, One-time safety disclosures',
  needsBrain: false,
  run: async ({ host }) => {
    const chain = (await host.setting('chat_fallback_chain')).value;
    const refs = typeof chain === 'string' ? chain.split(',').flatMap((one) => one.trim() || []) : [];
    if (refs.length === 0) return { status: 'ok', message: 'no other chat model is ever asked' };
    const found = await Promise.all(refs.map((ref) => findModel(host, ref, 'chat')));
    const unusable = refs.filter((_, i) => 'none' in found[i]!);
    const onRefusal = (await host.setting('chat_fallback_on_refusal')).value !== false;
    const details = { chain: refs, unusable, on_refusal: onRefusal };
    const message = `on a failure${onRefusal ? ' or a refusal' : ''}: ${refs.join(', then ')}`;
    if (unusable.length === 0) return { status: 'ok', message, details };
    return {
      status: 'warn',
      message: `${message}; cannot be called: ${unusable.join(', ')}`,
      details,
      fix: {
        call: { op: 'providers_list', input: {} },
        why: 'It shows which providers there are and which of them have a key.',
      },
    };
  },
});
