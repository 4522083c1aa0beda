// search_diagnose: why a page was or was not found: its rank with all stages, and without each of them.

import { STAGES } from '../../index/ranking/stages.ts';
import { defineOperation } from '../../operation.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { requireQuery } from './require-query.ts';
import { readEdges } from './search.sql.ts';
import { queryArg } from './search-args.ts';

const RANKS_MAX = 100;

/** Stages without which there is no ranking at all. */
const NEEDED = new Set(['lexical', 'select', 'verdict']);

export default defineOperation({
  name: 'search_diagnose',
  title: 'Why was it found',
  summary: 'Shows where a page ranks for a query, and what each stage of the ranking does to it.',
  requirement: 'facts/engine C.13',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ query: queryArg(z), target: z.string().describe('Slug of the page') }),
  output: (z) =>
    z.object({
      target: z.string(),
      rank: z.number().nullable(),
      score: z.number().nullable(),
      evidence: z.string().nullable(),
      confidence: z.string(),
      terms: z.array(z.object({ text: z.string(), kind: z.string(), pages: z.number() })),
      marks: z.array(z.object({ stage: z.string(), note: z.string() })),
      without: z.array(z.object({ stage: z.string(), rank: z.number().nullable() })),
      verdict: z.string(),
    }),
  errors: ['page_not_found', 'unknown_source'],
  cli: {
    command: 'search diagnose',
    group: 'Search',
    positionals: ['query', 'target'],
    human: (out) =>
      [
        out.verdict,
        `terms  ${out.terms.map(({ text, pages }) => `${text} (${pages} pages)`).join(', ')}`,
        ...out.marks.map(({ stage, note }) => `${stage}  ${note}`),
        ...out.without.map(({ stage, rank }) => `without ${stage}: ${rank ?? 'not found'}`),
      ].join('\n'),
  },
  examples: [{ title: 'Why not this page', input: { query: 'renewal terms', target: 'companies/acme-example' } }],
  run: async (ctx, input) => {
    requireQuery(ctx, 'search_diagnose', input);
    const page = await findPage(ctx, input.target, requireSlug(ctx, 'search_diagnose', input, 'target'));
    const index = await (await ctx.brain.index()).current();
    const scope = { sources: ctx.scope.sources, seesPrivate: ctx.scope.visibility === 'all' };
    const search = (without: readonly string[]) =>
      index.search(input.query, scope, {
        limit: RANKS_MAX,
        today: ctx.now().toISOString().slice(0, 10),
        edges: (pageIds, types, direction) => readEdges(ctx.brain.store, ctx.scope, { pageIds, types, direction }),
        without,
      });
    const rankIn = (pages: readonly { pageId: number }[]): number | null => {
      const at = pages.findIndex(({ pageId }) => pageId === page.id);
      return at === -1 ? null : at + 1;
    };
    const reply = await search([]);
    const rank = rankIn(reply.pages);
    const row = rank === null ? undefined : reply.pages[rank - 1];
    const without = [];
    for (const { name } of STAGES.filter((stage) => !NEEDED.has(stage.name))) {
      without.push({ stage: name, rank: rankIn((await search([name])).pages) });
    }
    const place = rank === null ? `is not among the first ${RANKS_MAX}` : `is number ${rank}`;
    return {
      target: page.slug,
      rank,
      score: row?.score ?? null,
      evidence: row?.evidence ?? null,
      confidence: reply.confidence,
      terms: reply.terms.map(({ text, kind, pages }) => ({ text, kind, pages })),
      marks: row ? row.marks.map(({ stage, note }) => ({ stage, note })) : [],
      without,
      verdict: `${page.slug} ${place} (confidence ${reply.confidence}).`,
    };
  },
});
