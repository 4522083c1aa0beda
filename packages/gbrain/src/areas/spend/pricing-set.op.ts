// pricing set: registers what a model costs, so that a cap in dollars holds for it.
import { defineOperation } from '../../operation.ts';
import { putPrice } from './spend.sql.ts';

/** Dearer than any model there is; a price above it is a slip of the unit. */
const USD_MAX = 10_000;

export default defineOperation({
  name: 'pricing_set',
  title: 'Register a price',
  summary: 'Registers what a model costs, in US dollars for a million tokens.',
  requirement: 'AGENT_OPERATOR v1, Caps; facts/contract D.7',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    model: z.string().describe('The model, as provider:model'),
    input: z.number().min(0).max(USD_MAX).describe('US dollars for a million input tokens').optional(),
    output: z.number().min(0).max(USD_MAX).describe('US dollars for a million output tokens').optional(),
    rate: z.number().min(0).max(USD_MAX).describe('One rate for a million tokens: embedding, reranker').optional(),
    per_call: z.number().min(0).max(100).describe('US dollars for one call, beside the tokens').optional(),
  }),
  output: (z) => z.object({ model: z.string(), input_usd: z.number(), output_usd: z.number(), call_usd: z.number() }),
  errors: [],
  cli: {
    command: 'pricing set',
    group: 'Setup',
    positionals: ['model'],
    plainPositionals: true,
    human: ({ model, input_usd, output_usd, call_usd }) => {
      const call = call_usd > 0 ? `, ${call_usd} a call` : '';
      return `${model}: in ${input_usd}, out ${output_usd} US dollars a million tokens${call}`;
    },
  },
  examples: [
    { title: 'A chat model', input: { model: 'compatible:my-model', input: 0.5, output: 1.5 } },
    { title: 'An embedding model', input: { model: 'compatible:my-embedder', rate: 0.02 } },
  ],
  run: async (ctx, { model, input, output, rate, per_call }) => {
    if (!/^[a-z][a-z0-9_-]*:\S{1,200}$/.test(model)) {
      return ctx.fail('invalid_params', {
        param: 'model',
        problem: 'shape',
        given: model.slice(0, 60),
        expected: 'provider:model, such as openai:gpt-5-mini',
      });
    }
    const tokens = rate ?? input;
    const isHalf = (input === undefined) !== (output === undefined);
    const isTwice = rate !== undefined && input !== undefined;
    // A price that leaves a side out would count that side as free, and a cap would not hold.
    if (isHalf || isTwice || (tokens === undefined && per_call === undefined)) {
      return ctx.fail('invalid_params', {
        tool: 'pricing_set',
        param: 'rate',
        problem: 'missing',
        expected: 'a rate, or input and output',
        message: 'A price needs --rate, or --input and --output together; --per-call may be alone or beside them.',
        corrected: { model, rate: 0.02 },
        fix: {
          call: { op: 'pricing_list', input: { model } },
          why: 'It shows the price that holds now; look the right one up on the page of the provider.',
        },
      });
    }
    const micros = (usd: number) => Math.round(usd * 1_000_000);
    const row = {
      model,
      input_micros: micros(tokens ?? 0),
      output_micros: micros(output ?? 0),
      call_micros: micros(per_call ?? 0),
    };
    await ctx.brain.store.query(putPrice(row, ctx.now()));
    return { model, input_usd: tokens ?? 0, output_usd: output ?? 0, call_usd: per_call ?? 0 };
  },
});
