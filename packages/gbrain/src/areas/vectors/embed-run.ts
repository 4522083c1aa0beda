// Embeds what waits, request by request, and stores each answer before the next one is asked for. A fault ends the run
// with its name; only a call that surely cost nothing is tried again. A pass that lowers nothing ends it too.
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../../host.ts';
import { describeFault, type FaultKind, isTransient, ProviderFault } from '../../providers/provider-fault.ts';
import type { Purse } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { embedHash, embedInput } from './embed-input.ts';
import { callEmbedder, type Embedder, packRequests, sentText } from './embedder.ts';
import { claimWaitingFacts } from './fact-vectors.sql.ts';
import { type BadVector, packVector, toUnit } from './packed-vector.ts';
import type { ProfileRow } from './profiles.sql.ts';
import {
  claimWaiting,
  keepHashes,
  putVectors,
  readUnhashed,
  releaseClaims,
  type Selection,
  type VectorRow,
  type WaitingText,
} from './vectors.sql.ts';

/** What has texts to embed. */
export type EmbeddedKind = 'pages' | 'facts';

/** How the texts of each are taken. */
const CLAIM = { pages: claimWaiting, facts: claimWaitingFacts };

/** One run: what is embedded, by whom and on whose account. */
export interface EmbedRun {
  store: Store;
  host: Host;
  profile: ProfileRow;
  embedder: Embedder;
  purse: Purse;
  selection: Selection;
  /** Whose texts; those of pages unless said. */
  of?: EmbeddedKind;
  signal?: AbortSignal;
  /** The most texts of this run. */
  maxTexts?: number;
  /** Waits and tries again where a call was refused for its rate; a run in the background goes away instead. */
  isPatient: boolean;
  onProgress?(embedded: number): void;
}

/** Why a run ended before everything was embedded. */
export interface Stop {
  outcome: FaultKind | BadVector | 'no_progress';
  why: string;
  /** It may pass by itself. */
  isTransient: boolean;
  retryAfterMs?: number;
}

/** How a run ended. */
export interface EmbedEnd {
  embedded: number;
  /** Texts that the provider gave no usable vector for, by reason; they are not asked again by themselves. */
  refused: Partial<Record<BadVector, number>>;
  usd: number;
  /** Some of it has no price. */
  isUnpriced: boolean;
  stopped?: Stop;
}

const READ_TEXTS = 384;
const HASHES_A_STEP = 500;
const REQUEST_TIMEOUT_MS = 60_000;
/** A claim outlives the requests that it is made for; a killed process holds its texts up for as long. */
const CLAIM_MS = 10 * 60_000;
const TRIES_MAX = 3;
const WAIT_MS_MAX = 30_000;
/** Texts are not cut shorter than this, in tokens, when a model finds them too long. */
const SHORTEST = 128;

/** Works out the hashes of chunks that an older version wrote. */
export async function hashChunks(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const rows = await readUnhashed(store, HASHES_A_STEP);
    if (rows.length === 0) return;
    const named = rows.map(({ page_id, chunk_index, title, heading_path, text }) => ({
      page_id,
      chunk_index,
      text,
      hash: embedHash({ title, headingPath: heading_path, text }),
    }));
    await store.query(keepHashes(named));
  }
}

interface Sendable extends WaitingText {
  sent: string;
}

const toSendable = (embedder: Embedder, text: WaitingText): Sendable => ({
  ...text,
  sent: sentText(embedder, embedInput({ title: text.title, headingPath: text.heading_path, text: text.text })),
});

/** What came of one request. */
interface Answer {
  rows: VectorRow[];
  usd: number | null;
  bad: BadVector[];
}

async function askOnce(run: EmbedRun, texts: readonly Sendable[]): Promise<Answer> {
  const { embedder, purse, signal } = run;
  const sent = texts.map((text) => text.sent);
  const { value, usd } = await callEmbedder(embedder, sent, 'document', {
    purse,
    purpose: 'embed',
    timeoutMs: REQUEST_TIMEOUT_MS,
    ...(signal && { signal }),
  });
  const bad: BadVector[] = [];
  const rows = texts.flatMap(({ hash }, i): VectorRow[] => {
    // A text that nothing came for waits on.
    if (value[i] === undefined) return [];
    const vector = toUnit(value[i], embedder.dimensions);
    if (vector instanceof Float32Array) return [{ hash, vector: packVector(vector), refusal: null }];
    bad.push(vector);
    return [{ hash, vector: null, refusal: vector }];
  });
  return { rows, usd, bad };
}

/** How long to wait before a refused call is made again; undefined when it is not. */
function waitFor(run: EmbedRun, fault: ProviderFault, tries: number): number | undefined {
  if (!run.isPatient || fault.kind !== 'rate_limited' || fault.billed !== 'no' || tries >= TRIES_MAX) return undefined;
  const ms = fault.retryAfterMs ?? 1000 * 2 ** tries;
  return ms <= WAIT_MS_MAX ? ms : undefined;
}

/** Asks until there is an answer or a fault that ends the run. A text that is too long is cut shorter. */
async function ask(run: EmbedRun, texts: readonly Sendable[]): Promise<Answer> {
  let sent = texts;
  let longest = Math.max(...texts.map((text) => text.sent.length));
  for (let tries = 0; ; tries++) {
    try {
      return await askOnce(run, sent);
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      if (error.kind === 'too_long' && longest > SHORTEST) {
        longest = Math.floor(longest / 2);
        const shorter = { ...run.embedder, maxTokens: longest };
        sent = sent.map((text) => ({ ...text, sent: sentText(shorter, text.sent) }));
        continue;
      }
      const ms = waitFor(run, error, tries);
      if (ms === undefined) throw error;
      await pause(ms, undefined, run.signal ? { signal: run.signal } : {});
    }
  }
}

const stopOf = (fault: ProviderFault): Stop => ({
  outcome: fault.kind,
  why: describeFault(fault),
  isTransient: isTransient(fault.kind),
  ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
});

/** Stores an answer; gives why the run cannot go on when nothing of it is of use. */
async function keep(
  run: EmbedRun,
  texts: readonly Sendable[],
  answer: Answer,
  end: EmbedEnd,
): Promise<Stop | undefined> {
  const { store, host, profile, embedder } = run;
  // One odd text is the text's fault; a wrong size is the model's, and so is the same fault of all.
  const isOfModel = answer.bad.length > 1 || answer.bad[0] === 'wrong_size';
  const isAllBad = isOfModel && answer.bad.length === answer.rows.length;
  const { ref } = embedder.model;
  if (isAllBad && answer.bad.every((one) => one === answer.bad[0])) {
    // The model is not the one of the profile: its texts are not to blame and wait on.
    const expected = `${answer.bad[0]}; ${embedder.dimensions} numbers are expected`;
    const why = `${ref} gave no vector that can be used (${expected})`;
    return { outcome: answer.bad[0]!, why, isTransient: false };
  }
  await store.tx((tx) => putVectors(tx, profile.id, answer.rows, host.now()));
  const missing = texts.filter(({ hash }) => !answer.rows.some((row) => row.hash === hash)).map(({ hash }) => hash);
  if (missing.length > 0) await store.query(releaseClaims(profile.id, missing));
  end.embedded += answer.rows.length - answer.bad.length;
  for (const one of answer.bad) end.refused[one] = (end.refused[one] ?? 0) + 1;
  run.onProgress?.(end.embedded);
  if (answer.rows.length > 0) return undefined;
  return { outcome: 'no_progress', why: `${ref} answered without any vector`, isTransient: false };
}

async function embedClaimed(run: EmbedRun, claimed: readonly WaitingText[], end: EmbedEnd): Promise<Stop | undefined> {
  const open = new Set(claimed.map(({ hash }) => hash));
  try {
    for (const texts of packRequests(
      run.embedder,
      claimed.map((text) => toSendable(run.embedder, text)),
    )) {
      const answer = await ask(run, texts);
      end.usd += answer.usd ?? 0;
      end.isUnpriced ||= answer.usd === null;
      const stop = await keep(run, texts, answer, end);
      if (stop) return stop;
      for (const { hash } of texts) open.delete(hash);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ProviderFault) return stopOf(error);
    throw error;
  } finally {
    if (open.size > 0) await run.store.query(releaseClaims(run.profile.id, [...open]));
  }
}

/**
 * Embeds what waits until nothing does, the bound is met or something stops it. What was embedded is stored whatever
 * ends the run. A refusal of the purse is thrown: the cap is the caller's affair.
 */
export async function embedWaiting(run: EmbedRun): Promise<EmbedEnd> {
  const { store, host, profile, selection, signal } = run;
  const end: EmbedEnd = { embedded: 0, refused: {}, usd: 0, isUnpriced: false };
  const claim = CLAIM[run.of ?? 'pages'];
  if (run.of !== 'facts') await hashChunks(store, signal);
  const seen = { texts: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const limit = Math.min(READ_TEXTS, (run.maxTexts ?? Number.POSITIVE_INFINITY) - seen.texts);
    if (limit <= 0) return end;
    const now = host.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    const claimed = await claim(store, profile.id, selection, { limit, now, until });
    if (claimed.length === 0) return end;
    seen.texts += claimed.length;
    const stopped = await embedClaimed(run, claimed, end);
    if (stopped) return { ...end, stopped };
  }
}
