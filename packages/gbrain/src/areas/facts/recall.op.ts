// recall: what is remembered: facts of an entity, a time or a question, and the pages that answer it.

import type { Context } from '../../context.ts';
import { defineOperation, type HumanView } from '../../operation.ts';
import { plainLine } from '../../render/text-width.ts';
import { field } from '../../schema.ts';
import { resolveEntity } from '../entities/resolve-entity.ts';
import { parseSlug, slugFromTitle } from '../pages/slug.ts';
import { missingOf, tellDegraded } from '../search/answer.ts';
import { RETURN_UNITS } from '../search/evidence.ts';
import { markedExcerpt } from '../search/human-rows.ts';
import { isSetupOnly, isWordsOnly } from '../search/vector-arm.ts';
import { PROTOCOL_VERSION } from './fact.ts';
import { type FactView, factShape } from './fact-view.ts';
import { factViews } from './fact-views.ts';
import { countActive } from './facts.sql.ts';
import { findFacts } from './find-facts.ts';
import { parseSince } from './moments.ts';
import { countUnembedded, questionVector } from './near-facts.ts';
import { BUDGET_POLICIES, budgetKeys, packArms, tokensOf } from './pack.ts';
import { PREMISE_CHANGED, toldBy } from './pack-text.ts';
import { pageTokens, type RecalledPages, type RecallPage, recallPageShape, recallPages } from './recall-pages.ts';
import { keepTold, toldFact } from './recent-recalls.ts';

const LIMIT = 50;
const LIMIT_MAX = 100;

interface RecallInput {
  entity?: string | undefined;
  query?: string | undefined;
  question?: string | undefined;
  since?: string | undefined;
  session_id?: string | undefined;
  grep?: string | undefined;
  include_expired?: boolean | undefined;
  supersessions?: boolean | undefined;
  as_of?: string | undefined;
}

/** A name that means several pages; none is chosen. */
interface Ambiguous {
  name: string;
  candidates: { slug: string; title: string }[];
}

/** Slugs under which facts of a name stand: the page that it means, else the slugs that the name itself would be. */
async function slugsOf(ctx: Context, name: string): Promise<{ slugs: string[]; ambiguous?: Ambiguous }> {
  const found = await resolveEntity(ctx.brain.store, ctx.scope, name);
  if (found.kind === 'page') return { slugs: [found.page.slug] };
  const parsed = parseSlug(name);
  const slugs = [...(parsed.ok ? [parsed.slug as string] : []), slugFromTitle(name) as string];
  if (found.kind === 'none') return { slugs };
  const candidates = found.pages.map(({ slug, title }) => ({ slug, title }));
  return { slugs, ambiguous: { name, candidates } };
}

async function factsOf(ctx: Context, input: RecallInput, limit: number) {
  const now = ctx.now();
  const since = input.since === undefined ? undefined : parseSince(input.since, now);
  if (since && !since.ok) {
    const { since: _, ...corrected } = input;
    ctx.fail('invalid_params', {
      tool: 'recall',
      param: 'since',
      problem: 'shape',
      expected: since.expected,
      corrected,
    });
  }
  const asOf = input.as_of === undefined ? undefined : parseSince(input.as_of, now);
  if (asOf && !asOf.ok) {
    const { as_of: _, ...corrected } = input;
    ctx.fail('invalid_params', {
      tool: 'recall',
      param: 'as_of',
      problem: 'shape',
      expected: asOf.expected,
      corrected,
    });
  }
  const question = input.question ?? input.query;
  const named = input.entity === undefined ? undefined : await slugsOf(ctx, input.entity);
  const rows = await findFacts(ctx.brain.store, ctx.scope, {
    ...(question !== undefined && { query: question, vector: await questionVector(ctx, question) }),
    ...(named && { entity: named.slugs }),
    ...(since && { since: since.at }),
    ...(input.session_id !== undefined && { sessionId: input.session_id }),
    ...(input.grep !== undefined && { grep: input.grep }),
    ...(input.include_expired && { expired: true }),
    ...(input.supersessions && { superseded: true }),
    ...(asOf && { asOf: asOf.at }),
    now,
    limit,
  });
  return { facts: await factViews(ctx, rows), ambiguous: named?.ambiguous };
}

/** What is over is no news when it is told again. */
const isStanding = (fact: FactView): boolean => fact.expired_at === null && fact.superseded_by === null;

function factLine(fact: FactView): string {
  const about = fact.entity_slug === null ? '' : `${fact.entity_slug}: `;
  const over =
    fact.superseded_by === null ? (fact.expired_at === null ? '' : ' (over)') : ` (see ${fact.superseded_by})`;
  const notes = [
    over,
    fact.premise_changed ? ` (${PREMISE_CHANGED})` : '',
    toldBy(fact) ? ` ${toldBy(fact)}` : '',
  ].join('');
  return plainLine(`${fact.fact_id}  ${about}${fact.fact}${notes}  [${fact.provenance}]`);
}

const spoken = (text: string | undefined): string | undefined => (text?.trim() ? text : undefined);

/** The verb's own words for what was compared by words alone. Source: facts/contract G.6. */
interface WordsAlone {
  search_degraded?: string;
  facts_degraded?: string;
}

/** Says what the search of the pages lacked, and of the facts. */
async function tellSearched(ctx: Context, { pages, searched }: RecalledPages, facts: number): Promise<WordsAlone> {
  const { degraded, reply } = searched;
  if (facts + pages.length === 0) {
    ctx.notice('empty_retrieval', { hasTerms: reply.hasTerms, ...missingOf(degraded) });
  } else tellDegraded(ctx, degraded);
  if (!isWordsOnly(degraded)) {
    const waiting = await countUnembedded(ctx);
    if (waiting === 0) return {};
    ctx.notice('facts_unembedded', { waiting, source: ctx.target.source });
    return { facts_degraded: 'facts_unembedded' };
  }
  if (!isSetupOnly(degraded)) return { facts_degraded: 'keyword_only' };
  const isOff = (await ctx.host.setting('embedding_model')).value === 'off';
  const search_degraded = isOff ? 'keyword_only_embedding_disabled' : 'keyword_only_no_embedding_provider';
  return { search_degraded, facts_degraded: search_degraded };
}

const pageLines = (page: RecallPage, query: string, view: HumanView): string => {
  const by = toldBy(page);
  const head = view.bold(plainLine(page.slug)) + (by ? `  ${view.dim(plainLine(by))}` : '');
  return `${head}\n    ${markedExcerpt(page.chunk, query, view)}`;
};

export default defineOperation({
  name: 'recall',
  title: 'Recall',
  summary: 'What is remembered: facts of an entity, a time or a question, and pages that answer a query.',
  requirement: 'facts/contract G.6',
  scope: 'read',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    query: z.string().describe('Words or a question; also searches pages').optional(),
    question: field(z.string().describe('The question as it was asked, for the facts; pages are found by query'), {
      fullOnly: true,
    }).optional(),
    return_unit: field(z.enum(RETURN_UNITS).describe('How much of each page (default chunk)'), {
      fullOnly: true,
    }).optional(),
    return_window: field(z.number().int().min(1).max(3).describe('Chunks on each side of a window'), {
      fullOnly: true,
      clamp: true,
    }).optional(),
    entity: z.string().describe('Name or slug that the facts are about').optional(),
    since: z.string().describe('ISO time, or words such as "3 days ago"').optional(),
    session_id: z.string().describe('Facts that this agent session wrote').optional(),
    grep: z.string().describe('Text that a fact must hold').optional(),
    limit: field(z.number().min(1).max(LIMIT_MAX).describe('Per-arm max (default 50, cap 100)'), {
      clamp: true,
      example: 10,
    }).optional(),
    budget_tokens: z.number().describe('Tokens that facts and pages may take together').optional(),
    budget_policy: z.enum(BUDGET_POLICIES).describe('Which arm is packed first (default facts_first)').optional(),
    as_of: field(z.string().describe('What held at this ISO time or "3 days ago"'), { fullOnly: true }).optional(),
    include_expired: z.boolean().describe('Also facts that no longer hold').optional(),
    supersessions: z.boolean().describe('Only facts that another one replaced').optional(),
    include_pending: z.boolean().describe('Also count facts not yet consolidated').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      facts: z.array(factShape(z)),
      total: z.number(),
      results: z.array(recallPageShape(z)).optional(),
      search_degraded: z.string().optional(),
      facts_degraded: z.string().optional(),
      budget_tokens: z.number().optional(),
      budget_used: z.number().optional(),
      dropped_count: z.number().optional(),
      budget_packing: z.looseObject({ policy: z.string(), applied: z.boolean(), reason: z.string() }).optional(),
      pending_consolidation_count: z.number().optional(),
      ambiguous_entity: z.looseObject({ name: z.string() }).optional(),
      delivery: z.object({ budget: z.number(), used: z.number() }).optional(),
    }),
  errors: ['unknown_source'],
  notices: ['empty_retrieval', 'degraded_recall', 'facts_unembedded', 'param_clamped'],
  cli: {
    command: 'recall',
    group: 'Memory',
    isCommon: true,
    positionals: ['query'],
    joinRest: true,
    short: { limit: 'n' },
    isMiss: ({ facts, results = [] }) => facts.length === 0 && results.length === 0,
    human: ({ facts, results = [] }, view, input) => {
      if (facts.length === 0 && results.length === 0) return 'Nothing is remembered of that.';
      const parts = [facts.map((fact) => factLine(fact as FactView)).join('\n')];
      if (results.length > 0)
        parts.push(results.map((page) => pageLines(page as RecallPage, String(input.query ?? ''), view)).join('\n'));
      return parts.filter((part) => part !== '').join('\n\n');
    },
  },
  examples: [
    { title: 'A question', input: { query: 'what does Alice drink', limit: 10 } },
    { title: 'About somebody', input: { entity: 'people/alice-example', budget_tokens: 800 } },
  ],
  run: async (ctx, input) => {
    const limit = Math.floor(input.limit ?? LIMIT);
    const [query, question] = [spoken(input.query) ?? spoken(input.question), spoken(input.question)];
    const { return_unit: unit, return_window: window } = input;
    const found = query === undefined ? undefined : await recallPages(ctx, { query, limit, unit, window });
    const { facts, ambiguous } = await factsOf(ctx, { ...input, query, question }, limit);
    const results = found?.pages;
    const costs = { facts: facts.map((one) => tokensOf(one.fact)), results: (results ?? []).map(pageTokens) };
    const policy = input.budget_policy ?? 'facts_first';
    const packing = packArms(costs, input.budget_tokens, { policy, hasQuery: query !== undefined });
    const kept = facts.slice(0, packing.facts.kept);
    const pending = input.include_pending ? await countActive(ctx.brain.store, ctx.scope, ctx.now()) : undefined;
    const wordsAlone = found && (await tellSearched(ctx, found, facts.length));
    const shownPages = (results ?? []).slice(0, packing.results.kept);
    keepTold(ctx, [
      ...kept.filter(isStanding).map(toldFact),
      ...shownPages.map(({ slug, chunk }) => ({ slug, text: chunk })),
    ]);
    return {
      facts: kept,
      total: kept.length,
      ...(results && { results: shownPages }),
      ...wordsAlone,
      ...(found?.delivery && { delivery: found.delivery }),
      ...budgetKeys(input.budget_tokens, packing),
      ...(input.budget_policy && { budget_packing: { ...packing } }),
      ...(pending && { pending_consolidation_count: pending.pending }),
      ...(ambiguous && { ambiguous_entity: { ...ambiguous } }),
      protocol_version: PROTOCOL_VERSION,
    };
  },
});
