// extract_facts: takes what is worth remembering out of one turn of a conversation, with one call of a chat model.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { FACT_VISIBILITIES, PROVENANCE_CHARS_MAX } from '../facts/fact.ts';
import { factsById } from '../facts/find-facts.ts';
import { parseMoment } from '../facts/moments.ts';
import { type ChatNeed, refuseNoChat } from '../models/refuse-chat.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { shownText } from '../secrets/shown-text.ts';
import { openDayPurse } from '../spend/purse.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import {
  type Extraction,
  extractTurn,
  isExtraction,
  TURN_CHARS_MAX,
  type Turn,
  type TurnFailed,
} from './extract-turn.ts';

/** Most names of a call. Source: facts/engine E.2. */
const HINTS_MAX = 5;

const NEED: ChatNeed = {
  what: 'Taking facts out of a text',
  advice: 'Nothing was saved. What the turn states can be saved now with remember, which needs no model.',
  why: 'The turn is as it was: the same call takes its facts as soon as there is a model.',
  result: 'facts are taken out of turns',
  userMessage: 'Taking facts out of conversations needs a chat model. Would you like to set the key of a provider?',
};

interface Input {
  turn_text: string;
  session_id?: string | undefined;
  entity_hints?: string[] | undefined;
  is_dream_generated?: boolean | undefined;
  valid_from?: string | undefined;
  source_slug?: string | undefined;
  visibility?: (typeof FACT_VISIBILITIES)[number] | undefined;
}

const refuse = (ctx: Context<'invalid_params'>, param: string, expected: string): never =>
  ctx.fail('invalid_params', { tool: 'extract_facts', param, problem: 'shape', expected });

/** The page that a turn stands in; undefined where none was named. */
async function homeOf(ctx: Context, { source_slug: slug }: Input) {
  if (slug === undefined) return undefined;
  return findPage(ctx, slug, requireSlug(ctx, 'extract_facts', { slug }));
}

const isDream = (frontmatter: Record<string, unknown> | undefined): boolean =>
  frontmatter?.dream_generated === true || frontmatter?.dream_generated === 'true';

async function turnOf(ctx: Context, input: Input, home: Awaited<ReturnType<typeof homeOf>>): Promise<Turn> {
  const hints = (input.entity_hints ?? []).map((hint) => hint.trim()).filter((hint) => hint !== '');
  if (hints.length > HINTS_MAX) refuse(ctx, 'entity_hints', `at most ${HINTS_MAX} names`);
  const said = input.valid_from === undefined ? undefined : parseMoment(input.valid_from.trim());
  if (input.valid_from !== undefined && !(said && said <= ctx.now())) {
    refuse(ctx, 'valid_from', 'an ISO day or timestamp that is not in the future');
  }
  const places = [
    ...(home ? [`page ${home.slug}`] : []),
    ...(input.session_id === undefined ? [] : [`session ${input.session_id}`]),
  ];
  const where = places.length > 0 ? places.join(', ') : 'a conversation';
  return {
    text: input.turn_text,
    provenance: `extracted from ${where}`.slice(0, PROVENANCE_CHARS_MAX).toWellFormed(),
    // What a private page says stays private, whatever is asked for.
    visibility: home?.visibility === 'private' ? 'private' : (input.visibility ?? 'world'),
    hints,
    ...(input.session_id !== undefined && { session: input.session_id }),
    ...(said && { saidAt: said.toISOString() }),
  };
}

function refuseFailed(ctx: Context<'unavailable'>, { failed, why }: TurnFailed, input: Input): never {
  return ctx.fail('unavailable', {
    reason: failed,
    message: `No facts could be taken out of the turn: ${why}.`,
    advice: 'Send the turn again later, or save what it states with remember.',
    why: 'Nothing was saved, and the turn is not marked as extracted.',
    fix: { call: { op: 'extract_facts', input: { ...input } }, why: 'The same turn again; nothing is saved twice.' },
  });
}

/** What became of the facts, with the words of those that the caller may read. */
async function shownFacts(ctx: Context, { facts }: Extraction) {
  const ids = facts.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
  const rows = ids.length === 0 ? [] : await factsById(ctx.brain.store, ctx.scope, ids, ctx.now());
  const text = new Map(rows.map((row) => [String(row.id), shownText(ctx.scope, row.fact)]));
  return facts.map((one) => {
    const fact = one.id === undefined ? undefined : text.get(one.id);
    return { ...one, ...(fact !== undefined && { fact }) };
  });
}

const countOf = (facts: Extraction['facts'], status: string): number =>
  facts.filter((one) => one.status === status).length;

async function replyOf(ctx: Context, done: Extraction) {
  const { status, reason, facts, dropped, isCut, reply } = done;
  return {
    status,
    ...(reason && { reason }),
    source_id: ctx.target.source,
    inserted: countOf(facts, 'inserted'),
    duplicate: countOf(facts, 'duplicate'),
    superseded: countOf(facts, 'superseded'),
    refused: countOf(facts, 'refused'),
    facts: await shownFacts(ctx, done),
    dropped: dropped as Record<string, number>,
    cost: {
      model: reply?.model ?? null,
      input_tokens: reply?.inputTokens ?? null,
      output_tokens: reply?.outputTokens ?? null,
      usd_estimate: reply?.usd ?? null,
    },
    ...(isCut && { warnings: [`TURN_CUT: only the first ${TURN_CHARS_MAX} characters were read`] }),
  };
}

const NOTHING: Extraction = { status: 'skipped', facts: [], dropped: {}, isCut: false };

export default defineOperation({
  name: 'extract_facts',
  title: 'Extract facts',
  summary: 'Takes what is worth remembering out of one turn of a conversation; needs a chat model.',
  requirement: 'facts/contract G.12, facts/engine E.2',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    turn_text: z.string().min(1).max(1_000_000).describe('What was said; the first 8,000 characters are read'),
    session_id: z.string().min(1).max(256).describe('Session that it was said in').optional(),
    entity_hints: z.array(z.string().max(512)).describe('Names that it may be about, at most 5').optional(),
    is_dream_generated: z.boolean().describe('A model wrote it by itself: nothing is taken from it').optional(),
    valid_from: z.string().describe('When it was said (default now): ISO day or time').optional(),
    source_slug: z.string().describe('Page that it stands in').optional(),
    visibility: z.enum(FACT_VISIBILITIES).describe('Who may read the facts (default world)').optional(),
  }),
  output: (z) =>
    z.looseObject({
      status: z.enum(['extracted', 'known', 'skipped']),
      reason: z.enum(['extraction_disabled', 'transient_chatter', 'dream_generated']).optional(),
      source_id: z.string(),
      inserted: z.number(),
      duplicate: z.number(),
      superseded: z.number(),
      refused: z.number(),
      facts: z.array(
        z.object({
          status: z.enum(['inserted', 'duplicate', 'superseded', 'refused']),
          id: z.string().optional(),
          fact: z.string().optional(),
          entity_slug: z.string().nullable().optional(),
          superseded_fact_id: z.string().optional(),
          reason: z.string().optional(),
        }),
      ),
      dropped: z.record(z.string(), z.number()),
      cost: z.object({
        model: z.string().nullable(),
        input_tokens: z.number().nullable(),
        output_tokens: z.number().nullable(),
        usd_estimate: z.number().nullable(),
      }),
      warnings: z.array(z.string()).optional(),
    }),
  errors: [
    ...WRITE_ERRORS,
    'unavailable',
    'page_not_found',
    'ambiguous_slug',
    'no_pricing',
    'derived_cap_exhausted',
    'cost_cap_exceeded',
  ],
  notices: ['chat_fallback_hop', 'spend_unpriced'],
  cli: {
    command: 'extract-facts',
    group: 'Memory',
    positionals: ['turn_text'],
    joinRest: true,
    stdin: 'turn_text',
    human: ({ status, reason, facts, dropped }) => {
      if (status === 'skipped') return `Nothing was read: ${reason}.`;
      const left = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      const head = status === 'known' ? 'Extracted before' : `Found ${counted(facts.length, 'fact')}`;
      return [
        `${head}${left > 0 ? `, ${left} left out` : ''}.`,
        ...facts.map(({ status: end, id, fact, reason: why }) =>
          end === 'refused' ? `refused     ${why}` : `${end.padEnd(10)}  fact ${id}${fact ? `: ${fact}` : ''}`,
        ),
      ].join('\n');
    },
  },
  examples: [
    {
      title: 'A turn',
      input: { turn_text: 'From now on I take my coffee without milk', session_id: 'kitchen-1' },
    },
    { title: 'About somebody', input: { turn_text: 'She moved to Lisbon in May', entity_hints: ['Alice Example'] } },
  ],
  run: async (ctx, input) => {
    const home = await homeOf(ctx, input);
    const turn = await turnOf(ctx, input, home);
    if (input.is_dream_generated || isDream(home?.frontmatter)) {
      return { ...(await replyOf(ctx, NOTHING)), reason: 'dream_generated' as const };
    }
    const { store } = ctx.brain;
    const done = await extractTurn(ctx, turn, () =>
      openDayPurse({ store, host: ctx.host }, 'extract_facts', (model) => ctx.notice('spend_unpriced', { model })),
    );
    if (isExtraction(done)) return replyOf(ctx, done);
    return done.none ? refuseNoChat(ctx, done.none, NEED) : refuseFailed(ctx, done, input);
  },
});
