// facts drain: takes the facts out of turns that hooks have put down, in the background of a server or when called.
// It runs under budgets of its own within the cap of all unattended calls, and only while the user wants facts saved.
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { worstCaseTokens } from '../chunks/measure.ts';
import { chatModels } from '../models/ask-chat.ts';
import { costMicros, priceOf, toUsd } from '../spend/prices.ts';
import { openDayPurse } from '../spend/purse.ts';
import { spentSince } from '../spend/spent-since.ts';
import { WRITE_ERRORS } from '../writes/submit.ts';
import { type Extraction, extractionModel, extractTurn, isExtraction, promptText, type Turn } from './extract-turn.ts';
import { countBanked, dropBanked, keepAttempt, readBanked, sweepBank, type WaitingFile } from './turn-bank.ts';

/** Turns of one run. Source: facts/engine E.2. */
const TURNS_MAX = 50;
/** A turn whose answers were of no use so often is given up. */
const ATTEMPTS_MAX = 3;
const DAY_MS = 86_400_000;
const OPERATION = 'facts_drain';

/** Why turns were left for a later run. Source: facts/engine E.2. */
const DEFERRED = [
  'no_key',
  'extraction_unavailable',
  'budget_exhausted',
  'daily_budget_exhausted',
  'job_over_budget',
  'no_pricing',
] as const;
type Deferred = (typeof DEFERRED)[number];

interface Drained {
  read: number;
  inserted: number;
  duplicate: number;
  superseded: number;
  refused: number;
  dropped: Record<string, number>;
  /** Turns that were given up. */
  given_up: number;
  deferred?: Deferred;
}

const numberOf = async (ctx: Context, key: string): Promise<number> => Number((await ctx.host.setting(key)).value);

const toTurn = ({ turn }: WaitingFile, only: 'salient' | 'all', now: Date): Turn => ({
  text: turn.text,
  provenance: `the user, to ${turn.app}, session ${turn.session}`.slice(0, 500).toWellFormed(),
  visibility: 'world',
  session: turn.session.slice(0, 256).toWellFormed(),
  only,
  ...(turn.at <= now.toISOString() && { saidAt: turn.at }),
});

/** The budgets of a run, asked before each call with the most that it can cost. */
class Budget {
  readonly #ctx: Context;
  readonly #run: number;
  readonly #day: number;
  readonly #before: number;
  spent = 0;

  private constructor(ctx: Context, at: { run: number; day: number; before: number }) {
    this.#ctx = ctx;
    this.#run = at.run;
    this.#day = at.day;
    this.#before = at.before;
  }

  static async of(ctx: Context): Promise<Budget> {
    const since = new Date(ctx.now().getTime() - DAY_MS);
    return new Budget(ctx, {
      run: await numberOf(ctx, 'facts.drain_budget_usd'),
      day: await numberOf(ctx, 'facts.drain_daily_budget_usd'),
      before: await spentSince(ctx.brain.store, OPERATION, since),
    });
  }

  /** Why the next turn is not asked about; undefined where the budgets reach. */
  async refusal(turn: Turn): Promise<Deferred | undefined> {
    const [first] = await chatModels(this.#ctx.host, await extractionModel(this.#ctx));
    const price = !first || first.model.isFree ? undefined : await priceOf(this.#ctx.brain.store, first.model.ref);
    if (!price) return undefined;
    const output = await numberOf(this.#ctx, 'facts.extraction_max_tokens');
    const most = toUsd(costMicros(price, { input: worstCaseTokens(promptText(turn)), output }));
    if (most > Math.min(this.#run, this.#day)) return 'job_over_budget';
    if (this.spent + most > this.#run) return 'budget_exhausted';
    return this.#before + this.spent + most > this.#day ? 'daily_budget_exhausted' : undefined;
  }
}

function add(into: Drained, { status, facts, dropped }: Extraction): void {
  if (status !== 'extracted') return;
  into.read += 1;
  for (const one of facts) into[one.status] += 1;
  for (const [reason, n] of Object.entries(dropped)) into.dropped[reason] = (into.dropped[reason] ?? 0) + n;
}

/** What a refusal of the purse is called here; undefined for any other fault. */
function deferredBy(error: unknown): Deferred | undefined {
  if (!(error instanceof Raised)) return undefined;
  if (error.code === 'no_pricing') return 'no_pricing';
  const isCap = error.code === 'cost_cap_exceeded' || error.code === 'derived_cap_exhausted';
  return isCap ? 'daily_budget_exhausted' : undefined;
}

/** Deals with one turn; gives why the run ends here, if it does. */
async function drainOne(
  ctx: Context<string>,
  one: WaitingFile,
  at: { turn: Turn; budget: Budget; drained: Drained },
): Promise<Deferred | undefined> {
  const { turn, budget, drained } = at;
  const refusal = await budget.refusal(turn);
  if (refusal) return refusal;
  const open = () => openDayPurse({ store: ctx.brain.store, host: ctx.host }, OPERATION);
  try {
    const done = await extractTurn(ctx, turn, open);
    if (isExtraction(done)) {
      budget.spent += done.reply?.usd ?? 0;
      add(drained, done);
      if (done.reason !== 'extraction_disabled') await dropBanked(one);
      return undefined;
    }
    if (done.none) return 'no_key';
    if (!['empty_answer', 'not_json', 'output_truncated', 'refused'].includes(done.failed)) {
      return 'extraction_unavailable';
    }
    if (one.turn.attempts + 1 < ATTEMPTS_MAX) await keepAttempt(one);
    else {
      await dropBanked(one);
      drained.given_up += 1;
    }
    return undefined;
  } catch (error) {
    const deferred = deferredBy(error);
    if (deferred) return deferred;
    throw error;
  }
}

/** The choice of the user; undefined where facts are not to be saved unasked. */
async function choice(ctx: Context): Promise<'salient' | 'all' | undefined> {
  const { value } = await ctx.host.setting('memory.auto_writeback');
  const isOn = (await ctx.host.setting('facts.extraction_enabled')).value !== false;
  return isOn && (value === 'salient' || value === 'all') ? value : undefined;
}

async function drain(ctx: Context<string>, only: 'salient' | 'all'): Promise<Drained> {
  const drained: Drained = {
    read: 0,
    inserted: 0,
    duplicate: 0,
    superseded: 0,
    refused: 0,
    dropped: {},
    given_up: 0,
  };
  const budget = await Budget.of(ctx);
  for (const one of await readBanked(ctx.host.home, TURNS_MAX)) {
    ctx.signal.throwIfAborted();
    const turn = toTurn(one, only, ctx.now());
    const deferred = await drainOne(ctx, one, { turn, budget, drained });
    if (deferred) return { ...drained, deferred };
  }
  return drained;
}

export default defineOperation({
  name: OPERATION,
  title: 'Extract waiting turns',
  summary: 'Takes the facts out of turns that hooks of agent apps have put down; a server does it by itself.',
  requirement: 'facts/engine E.2, E.4',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 30 * 60_000,
  input: (z) => ({ dry_run: z.boolean().describe('Only say how many turns wait').optional() }),
  output: (z) =>
    z.object({
      /** What the user chose; `off` also where nothing was chosen. */
      mode: z.enum(['off', 'salient', 'all']),
      waiting: z.number(),
      read: z.number(),
      inserted: z.number(),
      duplicate: z.number(),
      superseded: z.number(),
      refused: z.number(),
      dropped: z.record(z.string(), z.number()),
      given_up: z.number(),
      /** Turns that were too old. */
      swept: z.number(),
      deferred: z.enum(DEFERRED).optional(),
    }),
  errors: [...WRITE_ERRORS],
  notices: ['chat_fallback_hop'],
  cli: {
    command: 'facts drain',
    group: 'Memory',
    human: ({ mode, read, inserted, waiting, deferred }) =>
      [
        `${counted(inserted, 'fact')} out of ${counted(read, 'turn')}, ${counted(waiting, 'turn')} left`,
        ...(deferred ? [`later, because: ${deferred}`] : []),
        ...(mode === 'off' ? ['memory.auto_writeback is off'] : []),
      ].join('; '),
  },
  examples: [{ title: 'How many wait', input: { dry_run: true } }],
  run: async (ctx, input) => {
    const mode = await choice(ctx);
    const nothing = { read: 0, inserted: 0, duplicate: 0, superseded: 0, refused: 0, dropped: {}, given_up: 0 };
    const swept = input.dry_run ? 0 : await sweepBank(ctx.host.home, ctx.now());
    const drained = mode && !input.dry_run ? await drain(ctx, mode) : nothing;
    return { mode: mode ?? ('off' as const), swept, ...drained, waiting: await countBanked(ctx.host.home) };
  },
});
