// assemble_evidence: the text around hits of a search, as much of each page as a budget allows.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { trustMarks, trustShape } from '../pages/trust-marks.ts';
import { type EvidenceRow, readEvidence } from './evidence.sql.ts';

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** Chunks in order as one text; the part that repeats the end of the chunk before is left out. */
function joined(rows: readonly EvidenceRow[]): string {
  return rows
    .map((row, i) => {
      const isNext = i > 0 && rows[i - 1]!.chunk_index + 1 === row.chunk_index;
      return isNext ? row.text.slice(row.overlap_chars) : `${i > 0 ? '\n…\n' : ''}${row.text}`;
    })
    .join('');
}

/** Cuts to a number of tokens at a line where one is near, else at a code point. */
function fit(text: string, tokens: number): { text: string; truncated: boolean } {
  const chars = tokens * 4;
  if (text.length <= chars) return { text, truncated: false };
  const line = text.lastIndexOf('\n', chars);
  const end = line > chars * 0.7 ? line : chars;
  const isInside = /[\uDC00-\uDFFF]/.test(text[end] ?? '');
  return { text: text.slice(0, isInside ? end - 1 : end), truncated: true };
}

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
    return_unit: z.enum(['chunk', 'window', 'page']).describe('How much of each page').default('page'),
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
          delivered: z.object({
            unit: z.string(),
            chunk_ids: z.array(z.number()),
            tokens: z.number(),
            truncated: z.boolean(),
          }),
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
    const reach = return_unit === 'page' ? 1_000_000 : return_unit === 'window' ? return_window : 0;
    const rows = await readEvidence(ctx.brain.store, ctx.scope, hits, reach);
    const results = [];
    const unresolved: number[] = [];
    let used = 0;
    for (const [i, hit] of hits.entries()) {
      const own = rows.filter((row) => row.hit === i);
      const left = token_budget - used;
      if (own.length === 0) unresolved.push(i);
      if (own.length === 0 || left <= 0) continue;
      const { text, truncated } = fit(joined(own), left);
      used += tokensOf(text);
      const { title } = own[0]!;
      const marks = trustMarks(own[0]!, `${title}\n${text}`);
      const delivered = {
        unit: return_unit,
        chunk_ids: own.map((row) => row.chunk_index),
        tokens: tokensOf(text),
        truncated,
      };
      results.push({ source_id: hit.source_id, slug: hit.slug, title, chunk_text: text, ...marks, delivered });
    }
    return { results, delivery: { budget: token_budget, used }, unresolved };
  },
});
