// An answer with citations: evidence, one model call, checks; and what is given when the call fails. The precedence of
// the fallbacks is the specification's. Source: facts/engine F.1.
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import { askChat, type ChatReply, isReply, missingChat, type NoReply } from '../models/ask-chat.ts';
import { type ChatNeed, refuseNoChat } from '../models/refuse-chat.ts';
import { tellHops } from '../models/tell-hops.ts';
import { openDayPurse } from '../spend/purse.ts';
import { type Evidence, type EvidenceAsk, gatherEvidence } from './evidence.ts';
import { promptOf, SYSTEM } from './prompt.ts';
import { type AnswerStatus, type CheckedAnswer, checkAnswer, type Drafted, readDraft } from './read-answer.ts';

/** A written answer. Source: facts/contract G.6. */
export interface Synthesis {
  answer: string;
  /** Slugs of pages. */
  sources: string[];
  gaps: string[];
  cost: {
    model: string | null;
    input_tokens: number | null;
    output_tokens: number | null;
    usd_estimate: number | null;
  };
  synthesis_status: 'ok' | 'extractive_fallback';
  pages_gathered: number;
  facts_gathered: number;
  takes_gathered: number;
  warnings: string[];
  answer_raw?: string;
  quote_check?: CheckedAnswer['quotes'];
  unverified_quotes?: string[];
}

/** Tokens of an answer. Source: facts/engine F.1. */
const OUTPUT_TOKENS_MAX = 4_000;
const TIMEOUT_MS = 55_000;
const DIGEST_PAGES = 5;
const DIGEST_CHARS = 400;

const NO_COST: Synthesis['cost'] = { model: null, input_tokens: null, output_tokens: null, usd_estimate: null };

interface Gathered {
  question: string;
  evidence: readonly Evidence[];
  counts: Pick<Synthesis, 'pages_gathered' | 'facts_gathered' | 'takes_gathered'>;
}

function countsOf(evidence: readonly Evidence[]): Gathered['counts'] {
  const pages = new Set(evidence.flatMap(({ kind, slug }) => (kind === 'fact' ? [] : [slug])));
  const facts = evidence.filter(({ kind }) => kind === 'fact').length;
  return { pages_gathered: pages.size, facts_gathered: facts, takes_gathered: 0 };
}

/** Why no answer was written. */
interface Failed {
  reason: NoReply['failed'] | Exclude<AnswerStatus, 'ok'> | 'budget';
  why: string;
}

/**
 * The beginnings of the best notes, cited: what is given when no answer could be written. Without a page among them it
 * ends with `unavailable`.
 */
function digest(
  ctx: Context<string>,
  { question, evidence, counts }: Gathered,
  failed: Failed,
  cost = NO_COST,
): Synthesis {
  const best = evidence.slice(0, DIGEST_PAGES);
  if (counts.pages_gathered === 0) return refuseFailed(ctx, question, failed);
  const lines = best.map(({ id, text }) => {
    const flat = text.replace(/\s+/g, ' ').trim();
    return `${flat.length > DIGEST_CHARS ? `${flat.slice(0, DIGEST_CHARS).trimEnd()}…` : flat} [${id}]`;
  });
  return {
    answer: lines.join('\n\n'),
    sources: [...new Set(best.flatMap(({ slug }) => slug ?? []))],
    gaps: [],
    cost,
    synthesis_status: 'extractive_fallback',
    ...counts,
    warnings: [`COMPOSE_FAILED: ${failed.reason}: ${failed.why}`],
  };
}

function refuseFailed(ctx: Context<string>, question: string, { reason, why }: Failed): never {
  return ctx.fail('unavailable', {
    reason,
    message: `No answer could be written: ${why}.`,
    advice: 'Ask again later, or answer from what recall gives.',
    why: 'No page was found that could be quoted in place of an answer.',
    fix: {
      call: { op: 'recall', input: { query: question } },
      why: 'It needs no model and gives the pages and facts that there are.',
    },
  });
}

const costOf = ({ model, inputTokens, outputTokens, usd }: ChatReply): Synthesis['cost'] => ({
  model,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  usd_estimate: usd,
});

function checked(draft: Drafted, reply: ChatReply, { evidence, counts }: Gathered): Synthesis {
  const found = checkAnswer(draft.answer, evidence);
  return {
    answer: found.answer,
    sources: found.sources,
    gaps: draft.gaps,
    cost: costOf(reply),
    synthesis_status: 'ok',
    ...counts,
    warnings: [
      ...found.invented.map((id) => `CITATION_DROPPED: ${id.slice(0, 120)} was not among the notes`),
      ...(found.cited.length === 0 ? ['NO_CITATIONS: the answer names no note that it stands on'] : []),
    ],
    ...(found.answer !== draft.answer && { answer_raw: draft.answer }),
    ...(found.quotes.grounded + found.quotes.repaired + found.quotes.unverified > 0 && { quote_check: found.quotes }),
    ...(found.unverifiedQuotes.length > 0 && { unverified_quotes: found.unverifiedQuotes }),
  };
}

/** Without a model nothing is written, whatever is stored. */
const NEED: ChatNeed = {
  what: 'An answer',
  advice: 'Until then answer from the pages and facts that recall gives, and cite them.',
  why: 'Everything stored can be recalled without a model; only the writing of an answer needs one.',
  result: 'answers are written',
  userMessage: 'Written answers need a chat model. Would you like to set the key of a provider, or a local model?',
};

/** An empty brain needs no model to say that it knows nothing. */
const nothingKnown = (question: string, counts: Gathered['counts']): Synthesis => ({
  answer: 'Nothing that is stored answers this.',
  sources: [],
  gaps: [question],
  cost: NO_COST,
  synthesis_status: 'ok',
  ...counts,
  warnings: ['NO_EVIDENCE: no page and no fact matched, so no model was asked'],
});

const DRAFT_FAULT: Record<Exclude<AnswerStatus, 'ok'>, string> = {
  empty_answer: 'the model answered nothing',
  not_json: 'the model did not answer in the form that was asked for',
  output_truncated: 'the answer was cut off at its longest',
};

/**
 * Answers a question. The operation declares `unavailable` and `chat_fallback_hop`. `model` is asked instead of the
 * configured one.
 */
export async function synthesize(ctx: Context<string>, ask: EvidenceAsk & { model?: string }): Promise<Synthesis> {
  const { host } = ctx;
  const missing = await missingChat(host, ask.model);
  if (missing) return refuseNoChat(ctx, missing, NEED);
  const evidence = await gatherEvidence(ctx, ask);
  const gathered = { question: ask.question, evidence, counts: countsOf(evidence) };
  if (evidence.length === 0) return nothingKnown(ask.question, gathered.counts);
  const today = ctx.now().toISOString().slice(0, 10);
  try {
    const purse = await openDayPurse({ store: ctx.brain.store, host }, 'synthesize', (model) => {
      ctx.notice('spend_unpriced', { model });
    });
    const question = {
      system: SYSTEM,
      prompt: promptOf(ask.question, evidence, today),
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      ...(ask.model !== undefined && { model: ask.model }),
    };
    const reply = await askChat(host, question, { purse, timeoutMs: TIMEOUT_MS, signal: ctx.signal });
    tellHops(ctx, reply.hops);
    if (!isReply(reply)) return digest(ctx, gathered, { reason: reply.failed, why: reply.why });
    const draft = readDraft(reply.text, reply.finish === 'length');
    if (typeof draft === 'string') {
      return digest(ctx, gathered, { reason: draft, why: DRAFT_FAULT[draft] }, costOf(reply));
    }
    return checked(draft, reply, gathered);
  } catch (error) {
    if (!(error instanceof Raised) || !SPEND_CODES.has(error.code)) throw error;
    return digest(ctx, gathered, { reason: 'budget', why: `the cap for model calls does not reach (${error.code})` });
  }
}

const SPEND_CODES = new Set(['no_pricing', 'cost_cap_exceeded', 'derived_cap_exhausted']);
