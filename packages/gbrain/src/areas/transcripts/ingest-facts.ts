// transcripts ingest --facts: what it may cost before it is agreed to, and the run itself, turn by turn under one cap.
// A turn is marked with its facts, so a run that was cut off goes on where it was.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { toAction } from '../../fix.ts';
import type { Purse } from '../../providers/purse.ts';
import { counted } from '../../row-text.ts';
import {
  type Extraction,
  extractionModel,
  extractTurn,
  isExtraction,
  promptText,
  type Turn,
  type TurnFailed,
} from '../extraction/extract-turn.ts';
import { chatModels, missingChat } from '../models/ask-chat.ts';
import { type ChatNeed, refuseNoChat } from '../models/refuse-chat.ts';
import { aboutUsd, costMicros, priceOf, toUsd } from '../spend/prices.ts';
import { openRunPurse } from '../spend/purse.ts';
import { type FactTurnsAsk, waitingTurns } from './fact-turns.ts';

/** No run without a cap of the user's own spends more, in US dollars. Source: facts/engine G.5. */
const CAP_USD = 5;
/** Turns that are asked about at the same time. */
const AT_ONCE = 4;
/** What an answer is reckoned to be, and bytes of a token on the low side, so that an estimate is rather too high. */
const ANSWER_TOKENS = 300;
const BYTES_A_TOKEN = 3;

const NEED: ChatNeed = {
  what: 'Taking facts out of conversations',
  advice: 'Nothing was taken in yet. Without --facts the conversations come in and need no model.',
  why: 'Pages of conversations need no model; only their facts do, and they can be taken later.',
  result: 'facts are taken out of conversations',
  userMessage: 'Taking facts out of conversations needs a chat model. Would you like to set the key of a provider?',
};

/** A run before it starts. */
export interface FactsPlan {
  model: string;
  provider: string;
  turns: number;
  /** US dollars; null where the model has no price, 0 where nobody that is asked can bill. */
  estUsd: number | null;
}

/** What a run came to. */
export interface FactsReply {
  model: string;
  /** Turns that waited when it began, and that wait now. */
  waiting: number;
  left: number;
  est_usd: number | null;
  read: number;
  /** Turns whose answers were of no use; the next run asks again. */
  failed: number;
  inserted: number;
  duplicate: number;
  superseded: number;
  refused: number;
  dropped: Record<string, number>;
  /** Null where some of it has no price. */
  usd: number | null;
}

/** What waits and what it may cost. Calls nobody. Ends with `unavailable` where there is no model. */
export async function planFacts(ctx: Context<string>, ask: FactTurnsAsk): Promise<FactsPlan> {
  const wanted = await extractionModel(ctx);
  const none = await missingChat(ctx.host, wanted);
  if (none) return refuseNoChat(ctx, none, NEED);
  const [first, ...others] = await chatModels(ctx.host, wanted);
  let turns = 0;
  let bytes = 0;
  for await (const waiting of waitingTurns(ctx, ask, true)) {
    turns += waiting.length;
    for (const turn of waiting) bytes += Buffer.byteLength(promptText(turn));
  }
  const { ref, provider, isFree } = first!.model;
  const isPaid = !isFree || others.some(({ model }) => !model.isFree);
  const price = isFree ? undefined : await priceOf(ctx.brain.store, ref);
  const tokens = { input: Math.ceil(bytes / BYTES_A_TOKEN), output: turns * ANSWER_TOKENS };
  const priced = price ? toUsd(costMicros(price, tokens)) : null;
  return { model: ref, provider, turns, estUsd: isPaid && turns > 0 ? priced : 0 };
}

/** The agreement that a run needs; none where nothing waits, and where nobody that is asked can bill. */
export async function factsConsent(
  ctx: Context,
  ask: FactTurnsAsk,
  input: Record<string, unknown>,
): Promise<ConsentRequest | undefined> {
  const { model, provider, turns, estUsd } = await planFacts(ctx, ask);
  if (estUsd === 0) return undefined;
  const { registry } = ctx.host;
  const operation = registry.operation('transcripts_ingest')!;
  const said = counted(turns, 'turn');
  const why = `${said} of conversations whose facts ${model} has not read yet.`;
  const call = { op: 'transcripts_ingest', input };
  const approve = toAction(registry, { call, consent: ['paid'], why, ...(estUsd !== null && { estUsd }) })!;
  const preview = callArgv(operation, { ...input, dry_run: true });
  return {
    effects: ['paid'],
    actor: 'agent',
    what: 'transcripts ingest --facts',
    why,
    risk: `It sends what you said in ${said} to ${provider}, credentials struck out, and spends up to the cap.`,
    est_usd: estUsd,
    user_message: `Taking facts out of ${said} with ${model} will cost ${aboutUsd(estUsd)}. OK to proceed?`,
    approve,
    preview_argv: [...preview.slice(0, 3), '--json', ...preview.slice(3)],
  };
}

/** The reply of a look. */
export const plannedFacts = ({ model, turns, estUsd }: FactsPlan): FactsReply => ({
  model,
  waiting: turns,
  left: turns,
  est_usd: estUsd,
  read: 0,
  failed: 0,
  inserted: 0,
  duplicate: 0,
  superseded: 0,
  refused: 0,
  dropped: {},
  usd: 0,
});

function count(into: FactsReply, { status, facts, dropped, reply }: Extraction): void {
  into.left -= 1;
  if (status !== 'extracted') return;
  into.read += 1;
  into.usd = into.usd === null || reply?.usd == null ? null : into.usd + reply.usd;
  for (const one of facts) into[one.status] += 1;
  for (const [reason, n] of Object.entries(dropped)) into.dropped[reason] = (into.dropped[reason] ?? 0) + n;
}

/** An answer that could not be read is the turn's own; a provider that does not answer ends the run. */
const isOfTurn = ({ failed }: TurnFailed): boolean =>
  ['empty_answer', 'not_json', 'output_truncated', 'refused'].includes(failed);

function stop(ctx: Context<string>, { failed, why }: TurnFailed, at: { input: object; reply: FactsReply }): never {
  const { read, left } = at.reply;
  return ctx.fail('unavailable', {
    reason: failed,
    message: `Facts of ${counted(read, 'turn')} were taken, ${counted(left, 'turn')} wait: ${why}.`,
    advice: 'Run the same command again; the conversations are in, and it goes on with the turns that wait.',
    why: 'What was read is saved, and no turn is paid for twice.',
    fix: {
      call: { op: 'transcripts_ingest', input: { ...at.input } },
      consent: ['paid'],
      why: 'It goes on with the turns that wait.',
    },
  });
}

async function readSome(
  ctx: Context<string>,
  turns: readonly Turn[],
  run: { purse: () => Promise<Purse>; input: object; reply: FactsReply },
): Promise<void> {
  const ended = await Promise.allSettled(turns.map((turn) => extractTurn(ctx, turn, run.purse)));
  for (const one of ended) {
    if (one.status === 'fulfilled' && isExtraction(one.value)) count(run.reply, one.value);
    else if (one.status === 'fulfilled' && isOfTurn(one.value as TurnFailed)) run.reply.failed += 1;
  }
  for (const one of ended) {
    if (one.status === 'rejected') throw one.reason;
    if (!isExtraction(one.value) && !isOfTurn(one.value)) stop(ctx, one.value, run);
  }
}

/**
 * Takes the facts out of what waits. What was read stays read whatever ends the run; a refusal of the purse carries the
 * command that goes on.
 */
export async function runFacts(
  ctx: Context<string>,
  ask: FactTurnsAsk,
  { plan, input }: { plan: FactsPlan; input: Record<string, unknown> },
): Promise<FactsReply> {
  const reply = plannedFacts(plan);
  let opened: Promise<Purse> | undefined;
  const purse = () => {
    opened ??= openRunPurse(ctx, {
      operation: 'transcripts_ingest',
      estUsd: plan.estUsd,
      atMostUsd: CAP_USD,
      resume: { op: 'transcripts_ingest', input },
      onUnpriced: (model) => ctx.notice('spend_unpriced', { model }),
    });
    return opened;
  };
  for await (const turns of waitingTurns(ctx, ask, false)) {
    for (let at = 0; at < turns.length; at += AT_ONCE) {
      ctx.signal.throwIfAborted();
      ctx.progress({ what: 'taking facts out', done: reply.read + reply.failed, total: plan.turns });
      await readSome(ctx, turns.slice(at, at + AT_ONCE), { purse, input, reply });
    }
  }
  return reply;
}
