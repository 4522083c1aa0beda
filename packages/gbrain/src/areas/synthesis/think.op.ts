// think: an answer with citations, about an entity where one is named, by a model of choice.
import { defineOperation } from '../../operation.ts';
import { WRITE_ERRORS } from '../writes/submit.ts';
import { questionArgs, requireQuestion, synthesisLines, synthesisShape } from './answer-args.ts';
import { synthesize } from './compose.ts';
import { requireWriter, saveAnswer } from './save-answer.ts';

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
    save: z.boolean().describe('Keep the answer as a page under synthesis/').optional(),
  }),
  output: (z) => z.looseObject({ ...synthesisShape(z), saved_slug: z.string().optional() }),
  errors: ['unavailable', 'unknown_source', 'permission_denied', ...WRITE_ERRORS],
  notices: ['chat_fallback_hop', 'spend_unpriced'],
  cli: {
    command: 'think',
    group: 'Memory',
    positionals: ['question'],
    joinRest: true,
    human: (reply) =>
      [synthesisLines(reply), ...(reply.saved_slug ? ['', `Saved as ${reply.saved_slug}`] : [])].join('\n'),
  },
  examples: [
    { title: 'A question', input: { question: 'Which promises are open?' } },
    { title: 'About somebody', input: { question: 'What is she waiting for?', anchor: 'people/alice-example' } },
  ],
  run: async (ctx, input) => {
    const asked = requireQuestion(ctx, 'think', input);
    if (input.save) requireWriter(ctx);
    const found = await synthesize(ctx, {
      ...asked,
      ...(input.anchor !== undefined && { anchor: input.anchor }),
      ...(input.model !== undefined && { model: input.model }),
    });
    return { ...found, ...(input.save && (await saveAnswer(ctx, asked.question, found))) };
  },
});
