// entity: who or what a name means, as a card; a miss is an answer with what is called nearly so.
import type { Context } from '../../context.ts';
import { defineOperation, type Z } from '../../operation.ts';
import { PROTOCOL_VERSION } from '../facts/fact.ts';
import { keepTold, toldFact } from '../facts/recent-recalls.ts';
import { runSearch } from '../search/run-search.ts';
import { shownText } from '../secrets/shown-text.ts';
import { type Card, cardOf, leadOf } from './card.ts';
import { type EntityPage, type Namesakes, readCard } from './entities.sql.ts';
import { identityOf, SIBLINGS_MAX, siblingsOf } from './identity.ts';
import { type ResolvedEntity, resolveEntity } from './resolve-entity.ts';

const NAMES_MAX = 50;
const SUGGESTIONS = 5;

interface Suggestion {
  slug: string;
  title: string;
  create_safety: string;
}

const asSuggestion = ({ slug, title }: EntityPage): Suggestion => ({ slug, title, create_safety: 'exists' });

/** What a name may have meant: pages that share it, else pages that a search for it finds. */
async function suggestionsFor(ctx: Context, name: string, several: readonly EntityPage[]): Promise<Suggestion[]> {
  if (several.length > 0) return several.slice(0, SUGGESTIONS).map(asSuggestion);
  const { rows } = await runSearch(ctx, { query: name.slice(0, 500), limit: SUGGESTIONS, rerank: false });
  return rows.map(({ slug, title, create_safety }) => ({ slug, title, create_safety }));
}

/** Nothing that links to or from the entity is left to be worked out: references are settled in their own commit. */
const COVERAGE = { state: 'complete', pending_pages: 0, last_pass_at: null };

function cardOnWire(ctx: Context, { marks, namesakes: _, ...card }: Card) {
  keepTold(ctx, [...card.recent_facts.map(toldFact), { slug: card.entity.slug, text: card.summary }]);
  return { ...card, ...marks, coverage: COVERAGE };
}

/** Pages that share a name with one that was found; says so when they are more than a card shows. */
function namesakesOf(ctx: Context, found: Found, namesakes: Namesakes) {
  const siblings = siblingsOf(found.page, namesakes, found.siblings);
  if (siblings.length > SIBLINGS_MAX) {
    const { slug } = found.page;
    ctx.notice('identity_siblings_capped', { slug, total: siblings.length, shown: SIBLINGS_MAX });
  }
  return siblings;
}

type Found = Extract<ResolvedEntity, { kind: 'page' }>;

async function oneEntity(ctx: Context, name: string) {
  const { store } = ctx.brain;
  const found = await resolveEntity(store, ctx.scope, name);
  const card = found.kind === 'page' ? await cardOf(ctx, ctx.scope, found.page) : undefined;
  if (card && found.kind === 'page') {
    const { page, by } = found;
    const siblings = namesakesOf(ctx, found, card.namesakes);
    const identity = await identityOf(store, ctx.scope, { name, page, by, siblings });
    return { found: true, card: { ...cardOnWire(ctx, card), ...identity } };
  }
  const suggestions = await suggestionsFor(ctx, name, found.kind === 'several' ? found.pages : []);
  return { found: false, ...(suggestions.length > 0 && { suggestions }), coverage: COVERAGE };
}

async function manyEntities(ctx: Context, names: readonly string[]) {
  const { store } = ctx.brain;
  const results: ({ name: string; found: boolean } & Record<string, unknown>)[] = [];
  for (const name of names) {
    const found = await resolveEntity(store, ctx.scope, name);
    const page = found.kind === 'page' ? found.page : undefined;
    const rows = page && (await readCard(store, ctx.scope, page, { edges: 1, entries: 1 }));
    if (!page || !rows) {
      const suggestions = await suggestionsFor(ctx, name, found.kind === 'several' ? found.pages : []);
      results.push({ name, found: false, ...(suggestions.length > 0 && { suggestions }) });
      continue;
    }
    const { slug, title, type } = page;
    const lead = shownText(ctx.scope, leadOf(rows.page.lead ?? ''));
    const siblings = namesakesOf(ctx, found as Found, rows.namesakes).slice(0, SIBLINGS_MAX);
    const shared = siblings.length > 0 && { siblings };
    results.push({ name, found: true, slug, title, type, aka: rows.page.aliases, lead, ...shared });
  }
  const found = results.filter((one) => one.found).length;
  return { results, found, missing: results.length - found };
}

const outputShape = (z: Z) =>
  z.looseObject({
    protocol_version: z.literal(1),
    found: z.union([z.boolean(), z.number()]),
    latency_ms: z.number(),
    missing: z.number().optional(),
    card: z.looseObject({ entity: z.object({ slug: z.string(), title: z.string(), type: z.string() }) }).optional(),
    results: z.array(z.looseObject({ name: z.string(), found: z.boolean() })).optional(),
    suggestions: z.array(z.object({ slug: z.string(), title: z.string(), create_safety: z.string() })).optional(),
    coverage: z.looseObject({ state: z.string() }).optional(),
  });

export default defineOperation({
  name: 'entity',
  title: 'Entity',
  summary: 'The card of a person, company or thing by name, alias or slug.',
  requirement: 'facts/contract G.6, facts/engine E.3',
  scope: 'read',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    name: z.string().max(1000).describe('Name, alias or slug').optional(),
    names: z.array(z.string().max(1000)).max(NAMES_MAX).describe('1 to 50 names instead of one').optional(),
  }),
  output: outputShape,
  errors: ['unknown_source'],
  notices: ['identity_siblings_capped'],
  cli: {
    command: 'entity',
    group: 'Memory',
    positionals: ['name'],
    joinRest: true,
    // A count of names that were found, or whether the one was.
    isMiss: ({ found }) => Number(found) === 0,
    human: (reply, view) => humanEntity(reply as Record<string, unknown>, view.bold),
  },
  examples: [
    { title: 'By name', input: { name: 'Alice Example' } },
    { title: 'Several', input: { names: ['Acme', 'people/bob-example'] } },
  ],
  run: async (ctx, { name, names }) => {
    const start = performance.now();
    const isOne = (name?.trim() ?? '') !== '';
    if (isOne === (names !== undefined && names.length > 0)) {
      ctx.fail('invalid_params', {
        tool: 'entity',
        param: 'name',
        problem: isOne ? 'shape' : 'missing',
        expected: 'given alone: either name or names',
      });
    }
    const reply = isOne ? await oneEntity(ctx, name!) : await manyEntities(ctx, names!);
    return {
      ...reply,
      latency_ms: Math.round((performance.now() - start) * 10) / 10,
      protocol_version: PROTOCOL_VERSION,
    };
  },
});

interface ShownCard {
  entity: { slug: string; title: string };
  summary: string;
  open_threads: { text: string; date: string }[];
  edges: { type: string; direction: string; slug: string }[];
  recent_facts: { fact: string }[];
}

function humanEntity(reply: Record<string, unknown>, bold: (text: string) => string): string {
  const results = reply.results as { name: string; found: boolean; slug?: string; lead?: string }[] | undefined;
  if (results)
    return results.map((one) => `${one.name}: ${one.found ? `${one.slug}  ${one.lead}` : 'not found'}`).join('\n');
  const card = reply.card as ShownCard | undefined;
  if (!card) {
    const near = ((reply.suggestions ?? []) as Suggestion[]).map(({ slug }) => `  ${slug}`);
    return ['Nothing is called so.', ...(near.length > 0 ? ['Near:', ...near] : [])].join('\n');
  }
  const lines = [`${bold(card.entity.title)}  ${card.entity.slug}`, card.summary];
  for (const thread of card.open_threads) lines.push(`  open  ${thread.date}  ${thread.text}`);
  for (const edge of card.edges) lines.push(`  ${edge.direction === 'out' ? '->' : '<-'}  ${edge.type}  ${edge.slug}`);
  for (const fact of card.recent_facts) lines.push(`  fact  ${fact.fact}`);
  return lines.filter((line) => line !== '').join('\n');
}
