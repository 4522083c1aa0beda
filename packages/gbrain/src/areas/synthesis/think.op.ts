// think: an answer with citations, about an entity where one is named, by a model of choice.
import { defineOperation } from '../../operation.ts';
import { questionArgs, requireQuestion, synthesisLines, synthesisShape } from './answer-args.ts';
import { synthesize } from './compose.ts';

export default defineOperation({
  name: 'think',
  title: 'Think',
  summary: 'An answer with citations and gaps, from what is stored; may turn on one entity. Needs a chat model.',
  requirement: 'facts/engine F.1, facts/contract G.12',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  deadlineMs: 110_000,
  input: (z) => ({
    ...questionArgs(z),
    anchor: z.string().describe('Name or slug of the entity that the question turns on').optional(),
    model: z.string().describe('Chat model to ask, as provider:model').optional(),
  }),
  output: (z) => z.looseObject(synthesisShape(z)),
  errors: ['unavailable', 'unknown_source'],
  notices: ['chat_fallback_hop', 'spend_unpriced'],
  cli: {
    command: 'think',
    group: 'Memory',
    positionals: ['question'],
    joinRest: true,
    human: synthesisLines,
  },
  examples: [
    { title: 'A question', input: { question: 'Which promises are open?' } },
    { title: 'About somebody', input: { question: 'What is she waiting for?', anchor: 'people/alice-example' } },
  ],
  run: (ctx, input) =>
    synthesize(ctx, {
      ...requireQuestion(ctx, 'think', input),
      ...(input.anchor !== undefined && { anchor: input.anchor }),
      ...(input.model !== undefined && { model: input.model }),
    }),
});
