// assemble_evidence: the text around hits of a search, as much of each page as a budget allows.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { marksOf, trustShape } from '../pages/trust-marks.ts';
import { assembleEvidence, deliveredShape, RETURN_UNITS } from './evidence.ts';

export default defineOperation({
  name: 'assemble_evidence',
  title: 'Text around hits',
  summary: 'Gives the text around hits of a search, within one budget.',
  requirement: 'facts/contract G.11',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    hits: z
      .array(z.object({ source_id: z.string(), slug: z.string(), chunk_id: z.number().int() }))
      .min(1)
      .max(50)
      .describe('Hits as search gave them: source_id, slug, chunk_id'),
    return_unit: z.enum(RETURN_UNITS).describe('How much of each page').default('page'),
    return_window: field(z.number().int().min(1).max(3).describe('Chunks on each side of a window'), {
      clamp: true,
    }).default(1),
    token_budget: field(z.number().int().min(32).max(32_000).describe('Tokens of text in all'), {
      clamp: true,
    }).default(6_000),
  }),
  output: (z) =>
    z.object({
      results: z.array(
        z.object({
          source_id: z.string(),
          slug: z.string(),
          title: z.string(),
          chunk_text: z.string(),
          ...trustShape(z),
          delivered: deliveredShape(z),
        }),
      ),
      delivery: z.object({ budget: z.number(), used: z.number() }),
      unresolved: z.array(z.number()),
    }),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'evidence',
    group: 'Search',
    human: ({ results }) => results.map(({ slug, chunk_text }) => `${slug}\n${chunk_text}`).join('\n\n'),
  },
  examples: [
    {
      title: 'The page around a hit',
      input: { hits: [{ source_id: 'default', slug: 'people/alice-example', chunk_id: 0 }] },
    },
  ],
  run: async (ctx, { hits, return_unit, return_window, token_budget }) => {
    const ask = { unit: return_unit, window: return_window, budget: token_budget };
    const { results, used, unresolved } = await assembleEvidence(ctx, hits, ask);
    return {
      results: results.map((one) => {
        const { source_id, slug } = hits[one.hit]!;
        const { title, text, delivered } = one;
        return { source_id, slug, title, chunk_text: text, ...marksOf(one), delivered };
      }),
      delivery: { budget: token_budget, used },
      unresolved,
    };
  },
});
