// synthesize: an answer with citations. It needs a chat model; without one it says so and what to do instead.
import { defineOperation } from '../../operation.ts';
import { PROTOCOL_VERSION } from '../facts/fact.ts';
import { questionArgs, requireQuestion, synthesisLines, synthesisShape } from './answer-args.ts';
import { synthesize } from './compose.ts';

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
  deadlineMs: 110_000,
  input: (z) => questionArgs(z),
  output: (z) => z.looseObject({ ...synthesisShape(z), protocol_version: z.literal(1) }),
  errors: ['unavailable', 'unknown_source'],
  notices: ['chat_fallback_hop', 'spend_unpriced'],
  cli: {
    command: 'synthesize',
    group: 'Memory',
    positionals: ['question'],
    joinRest: true,
    human: synthesisLines,
  },
  examples: [{ title: 'A question', input: { question: 'What was agreed with Acme on the pilot?' } }],
  run: async (ctx, input) => ({
    ...(await synthesize(ctx, requireQuestion(ctx, 'synthesize', input))),
    protocol_version: PROTOCOL_VERSION,
  }),
});
