// search_diagnose: why a page was or was not found: its rank with all stages, and without each of them.

import { STAGES } from '../../index/ranking/stages.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { openRanking, type Ranking } from './open-ranking.ts';
import { requireQuery } from './require-query.ts';
import { queryArg } from './search-args.ts';

const RANKS_MAX = 100;

/** Stages without which there is no ranking at all. */
const NEEDED = new Set(['lexical', 'select', 'verdict']);

/** Stages that put pages in by their name, and those that rank by the words alone. */
const BY_NAME = ['identity', 'mentions'];
const BY_WORDS = new Set([...NEEDED, 'typos', 'passage']);

const optional = STAGES.map(({ name }) => name).filter((name) => !NEEDED.has(name));

/** Place of a page in a ranking; null when it is not among the first. */
function placeOf(pages: readonly { pageId: number }[], pageId: number): number | null {
  const at = pages.findIndex((page) => page.pageId === pageId);
  return at === -1 ? null : at + 1;
}

/** Where each layer of the ranking alone puts a page. */
async function layersOf({ rank, arm, isVisible }: Ranking, pageId: number) {
  const placed = async (without: readonly string[]): Promise<number | null> =>
    placeOf((await rank({ limit: RANKS_MAX, without })).pages, pageId);
  const words = await placed(optional.filter((name) => !BY_WORDS.has(name)));
  const withNear = await placed(optional.filter((name) => !BY_WORDS.has(name) && name !== 'meaning'));
  const withNames = await placed(optional.filter((name) => !BY_WORDS.has(name) && !BY_NAME.includes(name)));
  const { vectors } = arm;
  const nearest = vectors?.index.nearestOf(vectors.query, [pageId]).get(pageId);
  const ordered = vectors ? pagesOf(vectors.index.search(vectors.query, RANKS_MAX, isVisible).hits) : [];
  return {
    words,
    near_words: withNear,
    names: withNames,
    vectors: vectors
      ? { rank: placeOf(ordered, pageId), cosine: nearest ? Number(nearest.cosine.toPrecision(4)) : null }
      : null,
  };
}

/** Pages of chunks in the order of their nearest chunk. */
const pagesOf = (hits: readonly { pageId: number }[]): { pageId: number }[] =>
  [...new Set(hits.map(({ pageId }) => pageId))].map((pageId) => ({ pageId }));

interface Layers {
  words: number | null;
  near_words: number | null;
  names: number | null;
  vectors: { rank: number | null; cosine: number | null } | null;
}

const layerWords = ({ words, near_words, names, vectors }: Layers): string => {
  const said = (rank: number | null): string => (rank === null ? 'not found' : `number ${rank}`);
  const near =
    vectors && `vectors ${said(vectors.rank)}${vectors.cosine === null ? '' : ` (cosine ${vectors.cosine})`}`;
  return [`words ${said(words)}`, `near words ${said(near_words)}`, `names ${said(names)}`, near ?? 'no vectors'].join(
    ', ',
  );
};

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
      layers: z.object({
        words: z.number().nullable(),
        near_words: z.number().nullable(),
        names: z.number().nullable(),
        vectors: z.object({ rank: z.number().nullable(), cosine: z.number().nullable() }).nullable(),
      }),
      degraded: z.array(z.object({ stage: z.string(), reason: z.string().optional() })),
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
        `terms  ${out.terms.map(({ text, pages }) => `${text} (${counted(pages, 'page')})`).join(', ')}`,
        `alone  ${layerWords(out.layers)}`,
        ...out.degraded.map(({ stage, reason }) => `did not run  ${stage}${reason ? ` (${reason})` : ''}`),
        ...out.marks.map(({ stage, note }) => `${stage}  ${note}`),
        ...out.without.map(({ stage, rank }) => `without ${stage}: ${rank ?? 'not found'}`),
      ].join('\n'),
  },
  examples: [{ title: 'Why not this page', input: { query: 'renewal terms', target: 'companies/acme-example' } }],
  run: async (ctx, input) => {
    requireQuery(ctx, 'search_diagnose', input);
    const page = await findPage(ctx, input.target, requireSlug(ctx, 'search_diagnose', input, 'target'));
    const ranking = await openRanking(ctx, input.query);
    const reply = await ranking.rank({ limit: RANKS_MAX, explain: true });
    const rank = placeOf(reply.pages, page.id);
    const row = rank === null ? undefined : reply.pages[rank - 1];
    const without = [];
    for (const stage of optional) {
      const { pages } = await ranking.rank({ limit: RANKS_MAX, without: [stage] });
      without.push({ stage, rank: placeOf(pages, page.id) });
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
      layers: await layersOf(ranking, page.id),
      degraded: ranking.arm.degraded.map((one) => ({ ...one })),
      verdict: `${page.slug} ${place} (confidence ${reply.confidence}).`,
    };
  },
});
