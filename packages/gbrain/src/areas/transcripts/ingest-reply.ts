// The reply of an ingest: what became of every conversation and file, on the wire and for a person. Pure.
import type { z as Zod } from 'zod';
import type { HumanView, Z } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { aboutUsd, showUsd } from '../spend/prices.ts';
import type { ProblemReason } from './conversation.ts';
import type { FactsReply } from './ingest-facts.ts';

/** Why a conversation that was read is not in the brain as it was read. */
export type HeldReason =
  | 'page_edited'
  | 'page_deleted'
  | 'page_longer'
  | 'page_of_another'
  | 'other_format'
  | 'before_since'
  | 'second_copy'
  | 'page_refused';

/** One conversation, or one file without any. */
export interface TranscriptOutcome {
  file: string;
  /** `partial`: written, and something of the file could not be read. */
  verdict: 'ingested' | 'partial' | 'unchanged' | 'skipped' | 'failed';
  reason?: ProblemReason | HeldReason;
  detail?: string;
  format?: string;
  session_id?: string;
  slug?: string;
  /** Pages, when a conversation needs more than one. */
  pages?: number;
  turns?: number;
  redacted?: number;
  /** Tool calls, their results and what else nobody said. */
  left_out?: number;
}

/** What an ingest did. The verdicts add up to `seen`. */
export interface IngestReply {
  source_id: string;
  dry_run: boolean;
  files: number;
  seen: number;
  ingested: number;
  partial: number;
  unchanged: number;
  skipped: number;
  failed: number;
  turns: number;
  redacted: number;
  elapsed_ms: number;
  outcomes: TranscriptOutcome[];
  /** Outcomes beyond what the list holds. */
  unlisted?: number;
  /** What was taken out of what the user said, where that was asked for. */
  facts?: FactsReply;
}

/** Schema of the reply. */
export const ingestShape = (z: Z): Zod.ZodType<IngestReply> =>
  z.object({
    source_id: z.string(),
    dry_run: z.boolean(),
    files: z.number(),
    seen: z.number(),
    ingested: z.number(),
    partial: z.number(),
    unchanged: z.number(),
    skipped: z.number(),
    failed: z.number(),
    turns: z.number(),
    redacted: z.number(),
    elapsed_ms: z.number(),
    outcomes: z.array(
      z.object({
        file: z.string(),
        verdict: z.enum(['ingested', 'partial', 'unchanged', 'skipped', 'failed']),
        reason: z.string().optional(),
        detail: z.string().optional(),
        format: z.string().optional(),
        session_id: z.string().optional(),
        slug: z.string().optional(),
        pages: z.number().optional(),
        turns: z.number().optional(),
        redacted: z.number().optional(),
        left_out: z.number().optional(),
      }),
    ),
    unlisted: z.number().optional(),
    facts: z
      .object({
        model: z.string(),
        waiting: z.number(),
        left: z.number(),
        est_usd: z.number().nullable(),
        read: z.number(),
        failed: z.number(),
        inserted: z.number(),
        duplicate: z.number(),
        superseded: z.number(),
        refused: z.number(),
        dropped: z.record(z.string(), z.number()),
        usd: z.number().nullable(),
      })
      .optional(),
  }) as unknown as Zod.ZodType<IngestReply>;

const REASONS: Record<ProblemReason | HeldReason, string> = {
  not_a_transcript: 'no transcript that is known here',
  zipped: 'a zip file: unpack it and name the folder',
  empty: 'empty',
  no_turns: 'nobody says anything in it',
  unreadable: 'cannot be read',
  encoding: 'not UTF-8 from there on; what stands before was taken',
  entry_too_long: 'an entry is too long; what stands before was taken',
  truncated: 'it ends in the middle; what stands before was taken',
  bad_entries: 'some entries are no JSON; the others were taken',
  page_edited: 'its page was edited here; --force overwrites it and keeps a version',
  page_deleted: 'its page was deleted here; --force brings it back',
  page_longer: 'its page holds more turns than this file; --force overwrites it',
  page_of_another: 'a page that no ingest made stands there',
  other_format: 'another app than --format names',
  before_since: 'older than --since',
  second_copy: 'the same conversation was in another file of this run',
  page_refused: 'the brain refused its page',
};

const SHOWN = 20;

const problemLine = ({ file, reason, detail, session_id }: TranscriptOutcome): string =>
  `  ${file}${session_id ? ` (${session_id})` : ''}: ${reason ? REASONS[reason] : ''}${detail ? `: ${detail}` : ''}`;

function factsLine(facts: FactsReply, isLook: boolean): string {
  const { model, waiting, est_usd, read, inserted, duplicate, superseded, refused, failed, usd } = facts;
  if (isLook) return `Facts of ${counted(waiting, 'turn')} wait for ${model}; ${aboutUsd(est_usd)}`;
  const known = duplicate + superseded + refused;
  return (
    `${counted(inserted, 'fact')} out of ${counted(read, 'turn')} with ${model}` +
    (known > 0 ? `, ${duplicate} known, ${superseded} in place of others, ${refused} refused` : '') +
    (failed > 0 ? `, ${counted(failed, 'answer')} of no use` : '') +
    `, ${usd === null ? 'cost not known' : showUsd(usd)}`
  );
}

/** Lines for a person: the counts, what was struck out, and what needs them. */
export function ingestLines(reply: IngestReply, view: HumanView): string {
  const { ingested, partial, unchanged, skipped, failed, files, redacted, turns } = reply;
  const verb = reply.dry_run ? 'Would take in' : 'Took in';
  const problems = reply.outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'partial');
  const quiet = new Map<string, number>();
  for (const { verdict, reason } of reply.outcomes) {
    if (verdict === 'skipped' && reason) quiet.set(REASONS[reason], (quiet.get(REASONS[reason]) ?? 0) + 1);
  }
  return [
    `${view.bold(`${verb} ${counted(ingested + partial, 'conversation')}`)} (${counted(turns, 'turn')}), ` +
      `unchanged ${unchanged}, ` +
      `skipped ${skipped}, failed ${failed}` +
      view.dim(` of ${counted(files, 'file')}, ${(reply.elapsed_ms / 1000).toFixed(1)} s`),
    ...(reply.facts ? [factsLine(reply.facts, reply.dry_run)] : []),
    ...(redacted > 0 ? [`${counted(redacted, 'credential')} struck out`] : []),
    ...[...quiet].map(([why, count]) => view.dim(`Skipped ${count}: ${why}`)),
    ...(problems.length > 0 ? [view.bold('Not whole:'), ...problems.slice(0, SHOWN).map(problemLine)] : []),
    ...(problems.length > SHOWN ? [view.dim(`  and ${problems.length - SHOWN} more; --json lists all`)] : []),
  ].join('\n');
}
