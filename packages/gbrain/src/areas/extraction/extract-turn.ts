// Takes the facts out of one turn: one call of a model, its answer checked against the turn, and all facts written in
// one transaction through the same decisions as remember. The turn is marked in that transaction, so it is extracted
// once, and a process that dies before has written nothing.
import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import type { Purse } from '../../providers/purse.ts';
import { chatterOf } from '../facts/chatter.ts';
import { commitFacts, type FactEnd } from '../facts/commit-fact.ts';
import { parseTtl } from '../facts/moments.ts';
import { checkFact, type JudgedFact, judgeFact } from '../facts/remember-fact.ts';
import type { ReadyFact, Remembered } from '../facts/remembered.ts';
import { askChat, type ChatReply, isReply, missingChat, type NoReply } from '../models/ask-chat.ts';
import type { NoModel } from '../models/find-model.ts';
import { tellHops } from '../models/tell-hops.ts';
import { type SecretDetector, secretDetector } from '../secrets/detector.ts';
import { submitWrite } from '../writes/submit.ts';
import { promptOf, SYSTEM, turnData } from './extraction-prompt.ts';
import { checkDrafts, type DraftFact, type DraftFault, type DropReason, readDrafts } from './read-extraction.ts';
import { keepExtracted, readExtracted, readExtractedHashes, type TurnKey } from './turns.sql.ts';

/** Longest text of a turn that a model is given, in characters. Source: facts/engine E.2. */
export const TURN_CHARS_MAX = 8_000;
const TIMEOUT_MS = 55_000;

/** A turn to take facts out of. */
export interface Turn {
  text: string;
  /** Who or what the facts' provenance names. */
  provenance: string;
  visibility: 'world' | 'private';
  /** The conversation, as its app calls it. */
  session?: string;
  /** When it was said, an ISO moment that is not in the future; now, unless given. */
  saidAt?: string;
  /** Names that it may be about. */
  hints?: readonly string[];
  /** Only what the user states; with `salient` only what is of medium notability or more. */
  only?: 'all' | 'salient';
}

/** What became of one fact; it holds no words, because receipts keep it. */
export interface ExtractedFact {
  status: 'inserted' | 'duplicate' | 'superseded' | 'refused';
  id?: string;
  entity_slug?: string | null;
  superseded_fact_id?: string;
  /** Why it was refused. */
  reason?: string;
}

/** What a turn came to. */
export interface Extraction {
  /** `known`: it was extracted before, and no model was asked. */
  status: 'extracted' | 'known' | 'skipped';
  reason?: 'extraction_disabled' | 'transient_chatter';
  facts: readonly ExtractedFact[];
  dropped: Partial<Record<DropReason, number>>;
  /** The turn was longer than what a model is given. */
  isCut: boolean;
  reply?: ChatReply;
}

/** Why a turn could not be read; nothing of it was written and it can be sent again. */
export interface TurnFailed {
  failed: NoReply['failed'] | DraftFault;
  why: string;
  isTransient: boolean;
  /** There is no model to ask. */
  none?: NoModel;
}

/** True for a turn that was dealt with. */
export const isExtraction = (one: Extraction | TurnFailed): one is Extraction => !('failed' in one);

const FAULTS: Record<DraftFault, string> = {
  empty_answer: 'the model answered nothing',
  not_json: 'the model did not answer in the form that was asked for',
  output_truncated: 'the answer was cut off at its longest',
};

/** The text of a turn as a model may be given it: credentials struck out, at most so long, no half characters. */
export function readableTurn(text: string, secrets: SecretDetector): { text: string; isCut: boolean } {
  const clean = secrets.redact(text.toWellFormed().replaceAll('\u0000', '')).text.trim();
  const isCut = clean.length > TURN_CHARS_MAX;
  return { text: isCut ? clean.slice(0, TURN_CHARS_MAX).toWellFormed() : clean, isCut };
}

/** The digest by which a turn is known: its text as a model is given it, and who may read its facts. */
export const turnHashOf = (text: string, visibility: Turn['visibility']): string =>
  createHash('sha256').update(`${visibility}\n${text}`).digest('hex');

/** Those of some turns that were not extracted yet, each once. */
export async function unextracted(ctx: Context, turns: readonly Turn[]): Promise<Turn[]> {
  const secrets = await secretDetector();
  const hashed = new Map(
    turns.map((turn) => [turnHashOf(readableTurn(turn.text, secrets).text, turn.visibility), turn]),
  );
  const known = await readExtractedHashes(ctx.brain.store, ctx.target.source, [...hashed.keys()]);
  return [...hashed].flatMap(([hash, turn]) => (known.has(hash) ? [] : [turn]));
}

/** All that a model is given for a turn, for an estimate. */
export const promptText = ({ text, hints = [] }: Turn): string =>
  SYSTEM + promptOf(text.slice(0, TURN_CHARS_MAX), '0000-00-00', hints);

/** The end of a fact that only holds for the moment; undefined where that is past. */
async function transientEnd(ctx: Context, saidAt: string | undefined): Promise<string | undefined> {
  const { value } = await ctx.host.setting('memory.auto_writeback_transient_ttl');
  const end = parseTtl(String(value), saidAt === undefined ? ctx.now() : new Date(saidAt));
  return end.ok && end.at > ctx.now() ? end.at.toISOString() : undefined;
}

/** A fact that the pipeline of remember takes, or why it does not. */
type Checked = { ready: ReadyFact } | { refused: Raised };

/** What the facts of a turn have in common. */
interface Common {
  turn: Turn;
  secrets: SecretDetector;
  /** When what only holds for the moment ends. */
  end: string | undefined;
}

function readyOf(ctx: Context, draft: DraftFact, { turn, secrets, end }: Common): Checked {
  const asked = {
    fact: draft.fact,
    provenance: turn.provenance,
    kind: draft.kind,
    visibility: turn.visibility,
    // A model's reading of what was said is not the word of whoever said it.
    content_origin: 'inferred',
    ...(draft.entity !== undefined && { entity: draft.entity }),
    ...(turn.saidAt !== undefined && { valid_from: turn.saidAt }),
    ...(draft.transient && end !== undefined && { ttl: end }),
  };
  const { notability, confidence, said_by } = draft;
  try {
    const ready = checkFact(asked, ctx.now(), secrets);
    const reading = { notability, confidence, attributedTo: said_by };
    return { ready: { ...ready, reading, ...(turn.session !== undefined && { session: turn.session }) } };
  } catch (error) {
    if (error instanceof Raised) return { refused: error };
    throw error;
  }
}

const reasonOf = ({ code, data }: Raised): string => String(data.reason ?? code);

function endOf(end: FactEnd): ExtractedFact {
  if ('refused' in end) return { status: 'refused', reason: reasonOf(end.refused) };
  const { status, id, entity_slug, superseded_fact_id } = end.outcome as unknown as Remembered;
  return { status, id, entity_slug, ...(superseded_fact_id !== undefined && { superseded_fact_id }) };
}

interface Found {
  key: TurnKey;
  checked: readonly Checked[];
  dropped: Extraction['dropped'];
}

/** Writes the facts of a turn and marks the turn, together; gives what an earlier extraction of it came to instead. */
async function write(ctx: Context, { key, checked, dropped }: Found): Promise<Record<string, unknown>> {
  const judged: (JudgedFact | undefined)[] = [];
  for (const one of checked) judged.push('ready' in one ? await judgeFact(ctx, one.ready) : undefined);
  const refused = checked.flatMap((one) => ('refused' in one ? [endOf(one)] : []));
  const at = { operation: 'extract_facts', slug: '', input: { turn_hash: key.turnHash } };
  const committed = await submitWrite(ctx, at, (admitted, signal) => {
    // What a model found never has the owner's trust, so it replaces nothing that the owner said.
    const { trustTier } = admitted.writer;
    const writer = { ...admitted.writer, trustTier: trustTier === 'owner' ? ('agent_written' as const) : trustTier };
    const own = { ...admitted, writer };
    const group = {
      judgements: judged.flatMap((one) => (one ? [one.judgement(own)] : [])),
      claim: (tx: Parameters<typeof readExtracted>[0]) => readExtracted(tx, key),
      conclude: (ends: readonly FactEnd[]) => {
        const outcome = { facts: [...ends.map(endOf), ...refused], dropped };
        return { statements: [keepExtracted(key, outcome, admitted.at)], outcome };
      },
    };
    return commitFacts(ctx.brain.store, { ...own, ...at, scope: ctx.scope }, group, { signal });
  });
  return committed.outcome;
}

/** The model that extraction asks, where it is not the usual one. */
export async function extractionModel(ctx: Context): Promise<string | undefined> {
  const { value } = await ctx.host.setting('facts.extraction_model');
  return typeof value === 'string' ? value : undefined;
}

async function ask(ctx: Context<string>, data: string, turn: Turn, purse: Purse): Promise<ChatReply | NoReply> {
  const said = (turn.saidAt ?? ctx.now().toISOString()).slice(0, 10);
  const model = await extractionModel(ctx);
  const question = {
    system: SYSTEM,
    prompt: promptOf(data, said, turn.hints ?? []),
    maxOutputTokens: Number((await ctx.host.setting('facts.extraction_max_tokens')).value),
    ...(model !== undefined && { model }),
  };
  return askChat(ctx.host, question, { purse, timeoutMs: TIMEOUT_MS, signal: ctx.signal });
}

/** Why no model is asked about a text; undefined where one is. */
export async function skipReason(ctx: Context, text: string): Promise<Extraction['reason']> {
  if ((await ctx.host.setting('facts.extraction_enabled')).value === false) return 'extraction_disabled';
  return text === '' || chatterOf(text) ? 'transient_chatter' : undefined;
}

/**
 * Takes the facts out of a turn. `openPurse` is asked only where a model is. The operation declares the notice
 * `chat_fallback_hop`; a refusal of the purse is thrown.
 */
export async function extractTurn(
  ctx: Context<string>,
  turn: Turn,
  openPurse: () => Promise<Purse>,
): Promise<Extraction | TurnFailed> {
  const secrets = await secretDetector();
  const { text, isCut } = readableTurn(turn.text, secrets);
  const key = { sourceId: ctx.target.source, turnHash: turnHashOf(text, turn.visibility) };
  const nothing = { facts: [], dropped: {}, isCut };
  const reason = await skipReason(ctx, text);
  if (reason) return { status: 'skipped', reason, ...nothing };
  const known = await readExtracted(ctx.brain.store, key);
  if (known) return { ...nothing, ...known, status: 'known' };
  const none = await missingChat(ctx.host, await extractionModel(ctx));
  if (none) return { failed: 'no_llm', why: 'there is no chat model', isTransient: false, none };
  const data = turnData(text);
  const reply = await ask(ctx, data, turn, await openPurse());
  tellHops(ctx, reply.hops);
  if (!isReply(reply)) return { failed: reply.failed, why: reply.why, isTransient: reply.isTransient };
  const drafts = readDrafts(reply.text, reply.finish === 'length');
  if (typeof drafts === 'string') return { failed: drafts, why: FAULTS[drafts], isTransient: false };
  const { facts, dropped } = checkDrafts(drafts, { data, hints: turn.hints ?? [] }, turn);
  const end = await transientEnd(ctx, turn.saidAt);
  const kept = facts.filter((one) => !one.transient || end !== undefined);
  const over = facts.length - kept.length;
  const checked = kept.map((one) => readyOf(ctx, one, { turn, secrets, end }));
  const found = { key, checked, dropped: { ...dropped, ...(over > 0 && { over }) } };
  return { ...nothing, ...(await write(ctx, found)), status: 'extracted', reply };
}
