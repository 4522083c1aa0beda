// delta: what has changed since a moment, a cursor, or this session's last wake. At least once: what was not delivered
// is delivered later, and a change that could still be committed below the cursor is never passed.
import type { Context, ReadScope } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { cursorAt, type DeltaCursor, parseCursor, writeCursor } from '../facts/delta-cursor.ts';
import { keepWake, type Wake, wakeOf } from '../facts/delta-session.ts';
import { PROTOCOL_VERSION } from '../facts/fact.ts';
import { factShape } from '../facts/fact-view.ts';
import { factViews } from '../facts/fact-views.ts';
import { type FactRecord, factsAfter } from '../facts/find-facts.ts';
import { parseSince } from '../facts/moments.ts';
import { packPrefix, tokensOf } from '../facts/pack.ts';
import { bullet, factBullet, packText } from '../facts/pack-text.ts';
import { keepTold, toldFact } from '../facts/recent-recalls.ts';
import { queueOf } from '../writes/queue.ts';
import { namesOf, packScope } from './context-pack.op.ts';
import { type ChangedPage, readChangedPages } from './entities.sql.ts';
import { resolveEntity } from './resolve-entity.ts';

const PAGES = 50;
const FACTS = 50;
/** A change this recent may have an older one still on its way. Source: facts/engine E.3. */
const SETTLE_MS = 2_000;

interface DeltaInput {
  since?: string | undefined;
  since_slug?: string | undefined;
  cursor?: string | undefined;
  session_id?: string | undefined;
}

/** Where the call begins: its cursor, else its moment, else the session's last wake. */
async function startOf(ctx: Context, input: DeltaInput): Promise<{ start?: DeltaCursor; wake?: Wake }> {
  const refuse = (param: string, expected: string): never =>
    ctx.fail('invalid_params', { tool: 'delta', param, problem: 'shape', expected });
  const wake = input.session_id === undefined ? undefined : await wakeOf(ctx, 'delta', input.session_id);
  const withWake = wake ? { wake } : {};
  if (input.cursor !== undefined) {
    const start = parseCursor(input.cursor) ?? refuse('cursor', 'next_cursor.cursor of an earlier delta');
    return { start, ...withWake };
  }
  if (input.since !== undefined) {
    const since = parseSince(input.since, ctx.now());
    if (!since.ok) return refuse('since', since.expected);
    return { start: cursorAt(since.at, input.since_slug ?? ''), ...withWake };
  }
  if (!wake) return refuse('since', 'a time, unless `session_id` or `cursor` is given');
  return { ...(wake.cursor && { start: wake.cursor }), wake };
}

/** No arm passes this moment: two seconds ago, and never beyond a write that is still under way. */
function settledUntil(ctx: Context, now: Date): Date {
  const { oldestAt } = queueOf(ctx.brain.store).figures();
  const settled = now.getTime() - SETTLE_MS;
  return new Date(oldestAt ? Math.min(settled, oldestAt.getTime() - 1) : settled);
}

async function slugsOf(ctx: Context, scope: ReadScope, list: string | undefined): Promise<string[] | undefined> {
  if (list === undefined) return undefined;
  const found = await Promise.all(namesOf(list).map((name) => resolveEntity(ctx.brain.store, scope, name)));
  return found.flatMap((one) => (one.kind === 'page' ? [one.page.slug] : []));
}

/** The cursor behind what was delivered; it stays where what was delivered may still change. */
function advance(start: DeltaCursor, last: { page?: DeltaCursor['pages']; fact?: DeltaCursor['facts'] }, until: Date) {
  const stop = <Place extends { at: Date }>(place: Place | undefined, old: Place, end: Place): Place =>
    place === undefined ? old : place.at <= until ? place : old.at > until ? old : end;
  return {
    pages: stop(last.page, start.pages, { at: until, slug: '\uffff' }),
    facts: stop(last.fact, start.facts, { at: until, id: Number.MAX_SAFE_INTEGER }),
  };
}

interface Changes {
  pages: ChangedPage[];
  facts: FactRecord[];
  hasMore: boolean;
  keys: { budget_tokens?: number; budget_used?: number; dropped_count?: number };
}

const NOTHING: Changes = { pages: [], facts: [], hasMore: false, keys: {} };
/** A budget that holds any single change. */
const TOKENS_ENOUGH = 4_000;

interface ChangesAsked {
  entities?: string | undefined;
  budget_tokens?: number | undefined;
  include_private?: boolean | undefined;
}

/** What changed after a cursor, as much as fits. */
async function changesAfter(ctx: Context, start: DeltaCursor, asked: ChangesAsked, now: Date): Promise<Changes> {
  const { store } = ctx.brain;
  const scope = packScope(ctx, asked.include_private);
  const slugs = await slugsOf(ctx, scope, asked.entities);
  const only = slugs && { slugs, entities: slugs };
  const [pageRows, factRows] = await Promise.all([
    readChangedPages(store, scope, { after: start.pages, until: now, limit: PAGES + 1, ...only }),
    factsAfter(store, scope, { after: start.facts, until: now, limit: FACTS + 1, ...only }),
  ]);
  const costs = [
    pageRows.slice(0, PAGES).map(({ title, slug }) => tokensOf(title + slug)),
    factRows.slice(0, FACTS).map(({ fact }) => tokensOf(fact)),
  ];
  const packed = packPrefix(costs, asked.budget_tokens);
  const [pages = 0, facts = 0] = packed.kept;
  return {
    pages: pageRows.slice(0, pages),
    facts: factRows.slice(0, facts),
    hasMore: pageRows.length > pages || factRows.length > facts,
    keys: packed.keys,
  };
}

export default defineOperation({
  name: 'delta',
  title: 'Delta',
  summary: 'Pages and facts that changed since a time, a cursor, or the last wake of a session.',
  requirement: 'facts/contract G.6, facts/engine E.3, design/decisions 19d',
  scope: 'read',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    since: z.string().describe('ISO time or words such as "3 days ago"').optional(),
    since_slug: z.string().describe('Slug of the last page seen at that time').optional(),
    cursor: z.string().describe('next_cursor.cursor of an earlier delta').optional(),
    session_id: z.string().min(1).max(200).describe('Goes on from the last wake of this session').optional(),
    entities: z.string().describe('Only these, with commas between').optional(),
    budget_tokens: z.number().describe('Tokens that the delta may take').optional(),
    include_private: z.boolean().describe('Also private rows; for the owner at a terminal').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      since: z.string(),
      pages: z.array(z.object({ slug: z.string(), source_id: z.string(), title: z.string(), updated_at: z.string() })),
      facts: z.array(factShape(z)),
      threads: z.array(z.looseObject({ kind: z.string(), text: z.string() })),
      text: z.string(),
      has_more: z.boolean(),
      next_cursor: z.object({ since: z.string(), slug: z.string(), cursor: z.string() }),
      degraded_reason: z.string().optional(),
    }),
  errors: ['unknown_source', 'unavailable'],
  notices: ['delta_incomplete'],
  cli: {
    command: 'delta',
    group: 'Memory',
    positionals: ['since'],
    joinRest: true,
    human: ({ text }) => text || 'Nothing has changed.',
  },
  examples: [
    { title: 'Since yesterday', input: { since: 'yesterday' } },
    { title: 'Where this session left off', input: { session_id: 'work-1' } },
  ],
  run: async (ctx, input) => {
    const now = ctx.now();
    const until = settledUntil(ctx, now);
    const { start, wake } = await startOf(ctx, input);
    const from = start ?? cursorAt(until);
    const found = start ? await changesAfter(ctx, start, input, now) : NOTHING;
    const { pages, facts, scope } = { scope: packScope(ctx, input.include_private), ...found };
    const [lastPage, lastFact] = [pages.at(-1), facts.at(-1)];
    const next = advance(
      from,
      {
        ...(lastPage && { page: { at: lastPage.updated_at, slug: lastPage.slug } }),
        ...(lastFact && { fact: { at: lastFact.created_at, id: lastFact.id } }),
      },
      until,
    );
    const cursor = writeCursor(next);
    const wakes = wake ? await keepWake(ctx, wake, { cursor, isIncomplete: found.hasMore, now }) : 1;
    if (found.hasMore) {
      const isTooSmall = pages.length + facts.length === 0;
      const { since: _, since_slug: __, cursor: ___, ...same } = input;
      // A session knows where it goes on; anybody else has to say so.
      const next = { ...same, ...(!wake && { cursor }), ...(isTooSmall && { budget_tokens: TOKENS_ENOUGH }) };
      ctx.notice('delta_incomplete', { wakes, isTooSmall, next });
    }
    const shownPages = pages.map((row) => ({ ...row, updated_at: row.updated_at.toISOString() }));
    const shownFacts = await factViews(ctx, facts, scope);
    keepTold(ctx, shownFacts.map(toldFact));
    const commitments = shownFacts.filter(({ kind }) => kind === 'commitment');
    return {
      since: from.pages.at.toISOString(),
      pages: shownPages,
      facts: shownFacts,
      threads: commitments.map(({ kind, fact, fact_id, trust_tier, injection_suspected }) => ({
        kind,
        text: fact,
        fact_id,
        trust_tier,
        ...(injection_suspected && { injection_suspected }),
      })),
      text: packText([
        { heading: 'Pages', lines: shownPages.map((one) => bullet(one.updated_at, one.slug, one.title)) },
        { heading: 'Facts', lines: shownFacts.map(factBullet) },
      ]),
      has_more: found.hasMore,
      next_cursor: { since: next.pages.at.toISOString(), slug: next.pages.slug, cursor },
      ...(wake?.isExpired && { degraded_reason: 'session_expired' }),
      ...found.keys,
      protocol_version: PROTOCOL_VERSION,
    };
  },
});
