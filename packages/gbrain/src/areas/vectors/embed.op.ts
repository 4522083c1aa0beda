// embed: gives pages the vectors that they wait for, under a cap, and swaps in a new profile when it is complete.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { NO_PURSE, type Purse } from '../../providers/purse.ts';
import { counted } from '../../row-text.ts';
import { aboutUsd, showUsd } from '../spend/prices.ts';
import { openRunPurse } from '../spend/purse.ts';
import { embedConsent } from './embed-consent.ts';
import { wakeEmbedding } from './embed-on-write.ts';
import { type EmbedInput, type EmbedPlan, failStop, planEmbed } from './embed-plan.ts';
import { type EmbedEnd, embedWaiting } from './embed-run.ts';
import { addRun, readLastRun } from './embedding-runs.sql.ts';
import { countWaitingFacts } from './fact-vectors.sql.ts';
import { ensureProfile, keepFault, type ProfileRow } from './profiles.sql.ts';
import { swapWhenComplete } from './queued-runs.ts';
import { countWaiting, dropRefusals } from './vectors.sql.ts';

const shownPlan = ({ embedder, waiting, refused, estUsd, profile, replaces, noun }: EmbedPlan) => ({
  of: noun,
  model: embedder.model.ref,
  dimensions: embedder.dimensions,
  profile: profile?.state ?? ('new' as const),
  ...(replaces && { searched_meanwhile: replaces.model }),
  waiting: { texts: waiting.texts, chunks: waiting.chunks, pages: waiting.pages },
  refused_before: refused,
  est_usd: estUsd,
});

/** A run in the background as it is shown. */
interface ShownRun {
  /** `open`, `complete`, or the word for why it ended early. */
  state: string;
  embedded: number;
  asked_at: string;
}

function backgroundLine({ state, embedded, asked_at }: ShownRun): string {
  const end = state === 'open' ? 'so far' : state === 'complete' ? 'complete' : `ended early (${state})`;
  return `${counted(embedded, 'text')} embedded, ${end}; asked for ${asked_at.slice(0, 16).replace('T', ' ')}`;
}

/** What a run needs before its first call. */
interface Prepared {
  profile: ProfileRow;
  purse: Purse;
  /** Group of the ledger that it is paid from. */
  groupId: string | null;
}

async function prepare(ctx: Context<string>, input: EmbedInput, plan: EmbedPlan): Promise<Prepared> {
  const { store } = ctx.brain;
  const { embedder, estUsd } = plan;
  const { model, dimensions, signature } = { ...embedder, model: embedder.model.ref };
  const at = ctx.now();
  const profile = await store.tx((tx) => ensureProfile(tx, { model, dimensions, signature, since: at, at }));
  if (input.all) await store.query(dropRefusals(profile.id));
  if (embedder.model.isFree) return { profile, purse: NO_PURSE, groupId: null };
  const { dry_run: _, ...resume } = input;
  const purse = await openRunPurse(ctx, {
    operation: 'embed',
    estUsd,
    resume: { op: 'embed', input: resume },
    onUnpriced: (ref) => ctx.notice('spend_unpriced', { model: ref }),
  });
  return { profile, purse, groupId: purse.facts.groupId };
}

async function run(ctx: Context<string>, input: EmbedInput, plan: EmbedPlan, prepared: Prepared): Promise<EmbedEnd> {
  const { store } = ctx.brain;
  const { profile, purse } = prepared;
  const end = await embedWaiting({
    store,
    host: ctx.host,
    profile,
    embedder: plan.embedder,
    purse,
    selection: plan.selection,
    of: input.facts ? 'facts' : 'pages',
    signal: ctx.signal,
    ...(input.limit !== undefined && { maxTexts: input.limit }),
    isPatient: true,
    onProgress: (done) => ctx.progress({ what: 'embedding', done, total: plan.waiting.texts }),
  });
  const { stopped } = end;
  await store.query(
    keepFault(profile.id, stopped ? { fault: stopped.outcome, at: ctx.now(), notBefore: ctx.now() } : null),
  );
  return end;
}

/** Stores a run that nobody waits for. */
async function queue(ctx: Context<string>, input: EmbedInput, { profile, groupId }: Prepared): Promise<void> {
  const { background: _, dry_run: __, ...kept } = input;
  const { signature } = profile;
  await addRun(ctx.brain.store, { signature, input: kept, groupId, at: ctx.now() });
  wakeEmbedding(ctx.brain.store);
}

/** The last run in the background, for whoever looks. */
async function shownRun(ctx: Context): Promise<{ background?: ShownRun }> {
  const last = await readLastRun(ctx.brain.store);
  if (!last) return {};
  const { embedded, outcome, asked_at } = last;
  const state = outcome === null ? 'open' : outcome;
  return { background: { state, embedded, asked_at: asked_at.toISOString() } };
}

export default defineOperation({
  name: 'embed',
  title: 'Embed pages',
  summary: 'Gives pages the vectors that they wait for; asks first where that costs something.',
  requirement: 'AGENT_OPERATOR v1, What is paid, and what is not; facts/user-faults P36-P38',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  deadlineMs: 6 * 3_600_000,
  consent: embedConsent,
  input: (z) => ({
    slug: z.string().describe('Only this page').optional(),
    stale: z.boolean().describe('What has no vector yet; the default').optional(),
    all: z
      .boolean()
      .describe('Also texts that the provider refused before; vectors that are there are kept')
      .optional(),
    catch_up: z.boolean().describe('The same as --stale').optional(),
    source_id: z.string().describe('Only pages of this source').optional(),
    limit: z.number().int().min(1).max(10_000_000).describe('At most this many texts').optional(),
    facts: z.boolean().describe('Facts instead of pages').optional(),
    slugs: z.array(z.string()).describe('Only these pages').optional(),
    background: z
      .boolean()
      .describe('Return at once; the server that has the brain open embeds, and a later one goes on')
      .optional(),
    dry_run: z.boolean().describe('Show what waits and what it may cost; calls nobody').optional(),
  }),
  output: (z) =>
    z.looseObject({
      status: z.enum(['complete', 'partial', 'queued', 'dry_run']),
      of: z.enum(['page', 'fact']),
      model: z.string(),
      dimensions: z.number(),
      profile: z.enum(['new', 'live', 'building']),
      searched_meanwhile: z.string().optional(),
      waiting: z.object({ texts: z.number(), chunks: z.number(), pages: z.number() }),
      refused_before: z.number(),
      est_usd: z.number().nullable(),
      embedded: z.number().optional(),
      refused: z.record(z.string(), z.number()).optional(),
      usd: z.number().nullable().optional(),
      swapped: z.boolean().optional(),
      background: z.object({ state: z.string(), embedded: z.number(), asked_at: z.string() }).optional(),
    }),
  errors: [
    'embedding_unconfigured',
    'embedding_configuration',
    'embedding_auth_failed',
    'embedding_unavailable',
    'embedding_failed',
    'no_pricing',
    'derived_cap_exhausted',
    'cost_cap_exceeded',
  ],
  notices: ['spend_unpriced'],
  cli: {
    command: 'embed',
    group: 'Search',
    positionals: ['slug'],
    human: (r, view) => {
      const left = `${counted(r.waiting.texts, 'text')} of ${counted(r.waiting.pages, r.of)}`;
      if (r.status === 'dry_run') {
        const cost = r.est_usd === null ? 'the model has no known price' : aboutUsd(r.est_usd);
        const last = r.background ? `\nIn the background: ${backgroundLine(r.background)}` : '';
        return `Waiting for ${view.bold(r.model)}: ${left} (${r.dimensions} numbers each); ${cost}${last}`;
      }
      if (r.status === 'queued')
        return `${left} to embed with ${view.bold(r.model)} in the background, while a server has the brain open`;
      const refused = Object.entries(r.refused ?? {}).map(([why, count]) => `, ${count} refused (${why})`);
      const cost = r.usd === null || r.usd === undefined ? 'cost not known' : showUsd(r.usd);
      const swap = r.swapped ? `\n${r.model} is what search uses now` : '';
      const rest = r.waiting.texts > 0 ? `; left: ${left}` : '';
      return `${counted(r.embedded ?? 0, 'text')} embedded with ${r.model}${refused.join('')}, ${cost}${rest}${swap}`;
    },
  },
  examples: [
    { title: 'What waits and what it may cost', input: { stale: true, dry_run: true } },
    { title: 'Embed what waits', input: { stale: true } },
    { title: 'What facts wait, and what it may cost', input: { stale: true, facts: true, dry_run: true } },
    { title: 'Embed what waits while a server runs', input: { stale: true, background: true } },
    { title: 'One page', input: { slug: 'people/alice-example' } },
  ],
  run: async (ctx, input) => {
    const plan = await planEmbed(ctx, input);
    if (input.dry_run) return { status: 'dry_run' as const, ...shownPlan(plan), ...(await shownRun(ctx)) };
    const prepared = await prepare(ctx, input, plan);
    const { profile } = prepared;
    if (input.background && plan.waiting.texts > 0) {
      await queue(ctx, input, prepared);
      return { status: 'queued' as const, ...shownPlan({ ...plan, profile }) };
    }
    const end = await run(ctx, input, plan, prepared);
    const swapped = await swapWhenComplete(ctx.brain.store, profile, ctx.now());
    if (end.stopped) return failStop(ctx, end.stopped, end.embedded);
    const count = input.facts ? countWaitingFacts : countWaiting;
    const waiting = await count(ctx.brain.store, profile.id, plan.selection);
    return {
      status: waiting.texts === 0 ? ('complete' as const) : ('partial' as const),
      ...shownPlan({ ...plan, waiting, profile: { ...profile, ...(swapped && { state: 'live' as const }) } }),
      embedded: end.embedded,
      refused: end.refused as Record<string, number>,
      usd: end.isUnpriced ? null : end.usd,
      swapped,
    };
  },
});
