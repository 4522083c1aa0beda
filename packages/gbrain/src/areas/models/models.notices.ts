// Notices of models. Source: AGENT_OPERATOR v1, One-time safety disclosures.
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

export default defineNotices({
  chat_fallback_hop: {
    kind: 'safety',
    summary: 'A request went to another chat model than the configured one, for the first time in this process.',
    why: (d) =>
      `${text(d, 'from')} did not answer (${text(d, 'reason')}), so the request went to ${text(d, 'to')}, the next ` +
      'model of chat_fallback_chain.',
    userMessage: (d) => `${text(d, 'from')} did not answer, so ${text(d, 'to')} got your request instead.`,
    fix: () => ({
      call: { op: 'run_doctor', input: { only: ['chat_fallback_chain'] } },
      why: 'It shows the models of the chain and whether a refusal leads on to the next one.',
    }),
    example: { from: 'anthropic:claude-sonnet-4-6', to: 'openai:gpt-5-mini', reason: 'overloaded' },
  },
});
