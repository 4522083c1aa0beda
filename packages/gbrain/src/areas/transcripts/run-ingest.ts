// Takes transcripts in: reads file after file, strikes credentials out, and commits the pages in groups. What becomes
// of a page is decided in its transaction, so a page that somebody edited, deleted or that knows more is left alone.
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import { counted } from '../../row-text.ts';
import { logIngest } from '../ingest/log-ingest.ts';
import { pageTexts } from '../ingest/page-texts.ts';
import { commitGroup } from '../pages/commit-group.ts';
import type { Change, PageWrite, StoredPage } from '../pages/page-write.ts';
import { type SecretDetector, secretDetector } from '../secrets/detector.ts';
import type { Conversation, ReadItem, TranscriptFormat } from './conversation.ts';
import type { HeldReason, IngestReply, TranscriptOutcome } from './ingest-reply.ts';
import { isUntouched, type TranscriptPage, transcriptPages, turnsOf } from './page-text.ts';
import { readTranscript } from './read-transcript.ts';

/** What a run is asked for. */
export interface IngestAsk {
  files: readonly string[];
  format?: TranscriptFormat;
  /** Conversations that began before this day are skipped; ISO date. */
  since?: string;
  isPrivate: boolean;
  force: boolean;
  dryRun: boolean;
}

const GROUP_PAGES = 32;
const GROUP_CHARACTERS = 1_000_000;
const LISTED_MAX = 50_000;

/** A conversation on its way into its pages. */
interface Incoming {
  file: string;
  pages: readonly TranscriptPage[];
  outcome: TranscriptOutcome;
}

/** What became of one page. */
interface Ended {
  status?: string;
  held?: HeldReason;
  refused?: string;
}

const FATAL_TO_FILE = new Set(['not_a_transcript', 'zipped', 'unreadable', 'encoding', 'entry_too_long', 'truncated']);
const QUIET = new Set([
  'not_a_transcript',
  'empty',
  'no_turns',
  'before_since',
  'other_format',
  'second_copy',
  'page_deleted',
]);

/** What is decided on a page: the change, and in the reply why there is none. */
function decideChange(
  page: StoredPage | undefined,
  next: TranscriptPage,
  at: { ask: IngestAsk; file: string },
): Change {
  const { ask, file } = at;
  const held = (reason: HeldReason): Change => ({ kind: 'none', reply: { held: reason } });
  if (page && !page.isDeleted && page.text === next.text) return { kind: 'none', reply: {} };
  if (page && !ask.force) {
    if (page.isDeleted) return held('page_deleted');
    if (turnsOf(page.text) === 0) return held('page_of_another');
    if (!isUntouched(page.text)) return held('page_edited');
    if (turnsOf(page.text) > next.turns) return held('page_longer');
  }
  const provenance = {
    sourceKind: 'transcript',
    sourceUri: file,
    ingestedVia: 'transcripts',
    contentOrigin: 'imported' as const,
  };
  return { kind: 'put', text: next.text, provenance };
}

/** One run over its files. */
class Run {
  readonly outcomes: TranscriptOutcome[] = [];
  readonly written: string[] = [];
  readonly counts = { ingested: 0, partial: 0, unchanged: 0, skipped: 0, failed: 0 };
  readonly #slugs = new Set<string>();
  #group: Incoming[] = [];
  #characters = 0;
  turns = 0;
  redacted = 0;
  unlisted = 0;

  readonly ctx: Context;
  readonly ask: IngestAsk;
  readonly secrets: SecretDetector;

  constructor(ctx: Context, ask: IngestAsk, secrets: SecretDetector) {
    this.ctx = ctx;
    this.ask = ask;
    this.secrets = secrets;
  }

  tell(outcome: TranscriptOutcome): void {
    this.counts[outcome.verdict] += 1;
    if (this.outcomes.length < LISTED_MAX) this.outcomes.push(outcome);
    else this.unlisted += 1;
  }

  async take(file: string, { conversation, problem }: ReadItem): Promise<void> {
    if (!conversation) {
      const { reason, detail } = problem!;
      const verdict = QUIET.has(reason) || !FATAL_TO_FILE.has(reason) ? 'skipped' : 'failed';
      this.tell({ file, verdict, reason, ...(detail !== undefined && { detail }) });
      return;
    }
    const about = aboutOf(file, conversation);
    const skip = this.#skipReason(conversation);
    if (skip) {
      this.tell({ ...about, verdict: 'skipped', reason: skip });
      return;
    }
    const { secrets } = this;
    const { pages, redacted } = transcriptPages(conversation, { secrets, file, isPrivate: this.ask.isPrivate });
    const slug = pages[0]!.slug;
    if (this.#slugs.has(slug)) {
      this.tell({ ...about, verdict: 'skipped', reason: 'second_copy' });
      return;
    }
    this.#slugs.add(slug);
    const outcome: TranscriptOutcome = {
      ...about,
      verdict: problem ? 'partial' : 'ingested',
      ...(problem && { reason: problem.reason, ...(problem.detail && { detail: problem.detail }) }),
      slug,
      ...(pages.length > 1 && { pages: pages.length }),
      redacted,
    };
    this.#group.push({ file, pages, outcome });
    this.#characters += pages.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#group.length >= GROUP_PAGES || this.#characters >= GROUP_CHARACTERS) await this.flush();
  }

  #skipReason(conversation: Conversation): TranscriptOutcome['reason'] {
    const { format, turns, startedAt } = conversation;
    if (turns.length === 0) return 'no_turns';
    if (this.ask.format && format !== this.ask.format) return 'other_format';
    if (this.ask.since && (startedAt ?? '') < this.ask.since) return 'before_since';
    return undefined;
  }

  #writeOf(one: Incoming, page: TranscriptPage): PageWrite {
    const { ctx, ask } = this;
    return {
      operation: 'transcripts_ingest',
      sourceId: ctx.target.source,
      slug: page.slug,
      // Half of what stands there was said by an agent, so nothing of it counts as the owner's own word.
      writer: { principal: ctx.caller.principal, trustTier: 'agent_written' },
      newRevision: ctx.newId(),
      at: ctx.now(),
      decide: (current) => decideChange(current, page, { ask, file: one.file }),
    };
  }

  /** Commits what has gathered and tells what became of it. */
  async flush(): Promise<void> {
    const group = this.#group;
    this.#group = [];
    this.#characters = 0;
    if (group.length === 0) return;
    const writes = group.flatMap((one) => one.pages.map((page) => this.#writeOf(one, page)));
    const ended = await (this.ask.dryRun ? this.#rehearse(writes) : this.#commit(writes));
    let at = 0;
    for (const one of group) {
      this.#settle(one, ended.slice(at, at + one.pages.length));
      at += one.pages.length;
    }
  }

  async #commit(writes: readonly PageWrite[]): Promise<Ended[]> {
    const ended = await commitGroup(this.ctx.brain.store, writes, { signal: this.ctx.signal });
    return ended.map((page) => {
      if (page.ok) return page.committed.outcome;
      return { refused: page.error instanceof Raised ? page.error.code : page.error.message };
    });
  }

  /** The same decisions without the transaction. */
  async #rehearse(writes: readonly PageWrite[]): Promise<Ended[]> {
    const slugs = writes.map(({ slug }) => slug);
    const pages = await pageTexts(this.ctx.brain.store, this.ctx.target.source, slugs);
    return writes.map((write) => {
      const change = write.decide(pages.get(write.slug));
      return { status: change.kind === 'put' ? 'updated' : 'unchanged', ...change.reply };
    });
  }

  #settle(one: Incoming, ended: readonly Ended[]): void {
    const outcome = settled(one.outcome, ended);
    if (outcome.verdict === 'ingested' || (outcome.verdict === 'partial' && isChanged(ended))) {
      this.turns += outcome.turns ?? 0;
      this.redacted += outcome.redacted ?? 0;
      if (!this.ask.dryRun) this.written.push(...one.pages.map(({ slug }) => slug));
    }
    this.tell(outcome);
  }
}

const isChanged = (ended: readonly Ended[]): boolean => ended.some(({ status }) => status !== 'unchanged');

/** What became of a conversation whose pages were sent. */
function settled(outcome: TranscriptOutcome, ended: readonly Ended[]): TranscriptOutcome {
  const refused = ended.find((page) => page.refused)?.refused;
  if (refused) return { ...outcome, verdict: 'failed', reason: 'page_refused', detail: refused };
  const held = ended.find((page) => page.held)?.held;
  if (held) return { ...outcome, verdict: QUIET.has(held) ? 'skipped' : 'failed', reason: held };
  return isChanged(ended) || outcome.verdict === 'partial' ? outcome : { ...outcome, verdict: 'unchanged' };
}

const aboutOf = (file: string, { format, id, turns, leftOut }: Conversation) => ({
  file,
  format,
  ...(id !== '' && { session_id: id }),
  turns: turns.length,
  ...(leftOut > 0 && { left_out: leftOut }),
});

/**
 * Takes in the conversations of all files. What is committed stays committed when the run is cut off, and the next run
 * finds it unchanged.
 */
export async function runIngest(ctx: Context, ask: IngestAsk): Promise<IngestReply> {
  const startedAt = performance.now();
  const run = new Run(ctx, ask, await secretDetector());
  let done = 0;
  for (const file of ask.files) {
    ctx.progress({ what: ask.dryRun ? 'checking' : 'taking in', done, total: ask.files.length });
    for await (const item of readTranscript(file, ctx.signal)) await run.take(file, item);
    done += 1;
  }
  await run.flush();
  ctx.progress({ what: ask.dryRun ? 'checking' : 'taking in', done, total: ask.files.length });
  if (run.written.length > 0) {
    await logIngest(ctx.brain.store, {
      sourceId: ctx.target.source,
      sourceType: 'transcripts',
      sourceRef: ask.files.length === 1 ? ask.files[0]! : counted(ask.files.length, 'file'),
      pagesUpdated: run.written,
      summary: `${run.counts.ingested + run.counts.partial} conversations, ${run.redacted} credentials struck out`,
      at: ctx.now(),
    });
  }
  const { counts, turns, redacted, outcomes, unlisted } = run;
  return {
    source_id: ctx.target.source,
    dry_run: ask.dryRun,
    files: ask.files.length,
    seen: Object.values(counts).reduce((sum, count) => sum + count, 0),
    ...counts,
    turns,
    redacted,
    elapsed_ms: Math.round(performance.now() - startedAt),
    outcomes,
    ...(unlisted > 0 && { unlisted }),
  };
}
