// context_pack: what an agent should know of some entities before it begins: cards, open threads, facts, one text.
import type { Context, ReadScope } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { keepEntities, wakeOf } from '../facts/delta-session.ts';
import { PROTOCOL_VERSION } from '../facts/fact.ts';
import { type FactView, factShape } from '../facts/fact-view.ts';
import { factViews } from '../facts/fact-views.ts';
import { factsOfEntity } from '../facts/find-facts.ts';
import { parseSince } from '../facts/moments.ts';
import { packPrefix, tokensOf } from '../facts/pack.ts';
import { bullet, factBullet, packText, toldBy } from '../facts/pack-text.ts';
import { keepTold, toldFact } from '../facts/recent-recalls.ts';
import { type Card, cardOf } from './card.ts';
import { resolveEntity } from './resolve-entity.ts';

const ENTITIES_MAX = 8;

/** A card inside a pack. */
const packedCard = (card: Card) => ({
  ...card.entity,
  summary: card.summary,
  open_threads: card.open_threads,
  edges: card.edges,
  backlink_count: card.backlink_count,
  ...card.marks,
});

type PackedCard = ReturnType<typeof packedCard>;

/** Names of a comma list, each once. */
export function namesOf(list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

/** The owner sees private rows only when it asks for them; everybody else never does. */
export const packScope = (ctx: Context, includePrivate: boolean | undefined): ReadScope => ({
  ...ctx.scope,
  visibility: ctx.caller.owner && includePrivate ? 'all' : 'world',
});

async function gather(ctx: Context, scope: ReadScope, names: readonly string[], since: Date | undefined) {
  const cards: PackedCard[] = [];
  const facts: FactView[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const found = await resolveEntity(ctx.brain.store, scope, name);
    const card = found.kind === 'page' ? await cardOf(ctx, scope, found.page) : undefined;
    if (!card) {
      missing.push(name);
      continue;
    }
    if (cards.some(({ slug }) => slug === card.entity.slug)) continue;
    cards.push(packedCard(card));
    const held = await factsOfEntity(ctx.brain.store, scope, card.entity.slug, ctx.now());
    const recent = held.facts.filter((fact) => since === undefined || fact.created_at >= since);
    facts.push(...(await factViews(ctx, recent, scope)));
  }
  return { cards, facts, missing };
}

const cardLine = (card: PackedCard): string =>
  bullet(`${card.title} (${card.slug}, ${card.type})`, card.summary, toldBy(card));

export default defineOperation({
  name: 'context_pack',
  title: 'Context pack',
  summary: 'What to know of up to 8 entities: cards, open threads and facts, within a budget.',
  requirement: 'facts/contract G.6, facts/engine E.3',
  scope: 'read',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    entities: z
      .string()
      .describe('Names or slugs with commas between, at most 8; a session may leave out those of its last pack')
      .optional(),
    budget_tokens: z.number().describe('Tokens that the pack may take').optional(),
    since: z.string().describe('Only facts told since: ISO time or "3 days ago"').optional(),
    session_id: z.string().min(1).max(200).describe('Keeps the entities for this session').optional(),
    include_private: z.boolean().describe('Also private rows; for the owner at a terminal').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      entities: z.array(z.string()),
      cards: z.array(z.looseObject({ slug: z.string(), title: z.string(), type: z.string(), summary: z.string() })),
      open_threads: z.array(z.looseObject({ kind: z.string(), text: z.string(), date: z.string() })),
      facts: z.array(factShape(z)),
      text: z.string(),
      degraded_reason: z.string().optional(),
    }),
  errors: ['unknown_source', 'unavailable'],
  cli: {
    command: 'context-pack',
    group: 'Memory',
    positionals: ['entities'],
    joinRest: true,
    human: ({ text }) => text || 'Nothing is known of these.',
  },
  examples: [{ title: 'Before a meeting', input: { entities: 'Alice Example, companies/acme', budget_tokens: 1500 } }],
  run: async (ctx, input) => {
    const wake = input.session_id === undefined ? undefined : await wakeOf(ctx, 'context_pack', input.session_id);
    const names = input.entities === undefined ? [...(wake?.standing ?? [])] : namesOf(input.entities);
    const refuse = (param: string, expected: string) =>
      ctx.fail('invalid_params', { tool: 'context_pack', param, problem: 'shape', expected });
    if (names.length === 0 || names.length > ENTITIES_MAX) refuse('entities', `1 to ${ENTITIES_MAX} names`);
    const since = input.since === undefined ? undefined : parseSince(input.since, ctx.now());
    if (since && !since.ok) return refuse('since', since.expected);
    const scope = packScope(ctx, input.include_private);
    const { cards, facts, missing } = await gather(ctx, scope, names, since?.at);
    if (wake && cards.length > 0) {
      await keepEntities(
        ctx,
        wake,
        cards.map(({ slug }) => slug),
      );
    }
    const threads = cards.flatMap((card) => card.open_threads.map((thread) => ({ ...thread, entity_slug: card.slug })));
    const packed = packPrefix(
      [
        cards.map((card) => tokensOf(cardLine(card))),
        threads.map(({ text }) => tokensOf(text)),
        facts.map(({ fact }) => tokensOf(fact)),
      ],
      input.budget_tokens,
    );
    const [c = 0, t = 0, f = 0] = packed.kept;
    const shown = { cards: cards.slice(0, c), open_threads: threads.slice(0, t), facts: facts.slice(0, f) };
    keepTold(ctx, [...shown.facts.map(toldFact), ...shown.cards.map(({ slug, summary }) => ({ slug, text: summary }))]);
    return {
      entities: cards.map(({ slug }) => slug),
      ...shown,
      text: packText([
        { heading: 'Who and what', lines: shown.cards.map(cardLine) },
        { heading: 'Open', lines: shown.open_threads.map((one) => bullet(one.date, one.entity_slug, one.text)) },
        { heading: 'Facts', lines: shown.facts.map(factBullet) },
      ]),
      ...(missing.length > 0 && { degraded_reason: 'entities_not_found', not_found: missing }),
      ...packed.keys,
      protocol_version: PROTOCOL_VERSION,
    };
  },
});
