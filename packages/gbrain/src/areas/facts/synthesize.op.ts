// synthesize: an answer with citations. It needs a chat model; without one it says so and what to do instead.
import { defineOperation } from '../../operation.ts';
import { PROTOCOL_VERSION } from './fact.ts';

export default defineOperation({
  name: 'synthesize',
  title: 'Synthesize',
  summary: 'An answer with citations from pages and facts; needs a chat model.',
  requirement: 'facts/contract G.6, facts/engine F.1',
  scope: 'read',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    question: z.string().describe('What to answer'),
    since: z.string().describe('Only what is dated on or after this').optional(),
    until: z.string().describe('Only what is dated on or before this').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      answer: z.string(),
      sources: z.array(z.string()),
      gaps: z.array(z.string()),
      synthesis_status: z.enum(['ok', 'extractive_fallback']),
    }),
  errors: ['unavailable', 'unknown_source'],
  cli: { command: 'synthesize', group: 'Memory', positionals: ['question'], joinRest: true, human: (r) => r.answer },
  examples: [{ title: 'A question', input: { question: 'What was agreed with Acme on the pilot?' } }],
  run: async (ctx, input) => {
    if (input.question.trim() === '') {
      ctx.fail('invalid_params', { tool: 'synthesize', param: 'question', problem: 'missing', expected: 'a question' });
    }
    return ctx.fail('unavailable', {
      reason: 'no_llm',
      message: 'synthesize needs a chat model, and none is set up for this brain.',
      advice: 'Answer from the pages and facts that recall gives, and cite them.',
      why: 'No chat provider is configured, so no answer can be written here; everything stored can still be recalled.',
      fix: {
        call: { op: 'recall', input: { query: input.question } },
        why: 'It gives the pages and facts from which you can answer yourself, with their sources.',
      },
    });
  },
});
