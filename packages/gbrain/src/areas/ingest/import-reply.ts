// The reply of a run over a folder: its shape on the wire and its lines for a person. Pure.
import type { z as Zod } from 'zod';
import type { HumanView, Z } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { type GonePage, type Outcome, outcomeShape } from './report.ts';
import type { RestoredPart } from './restore.ts';
import type { ImportAsk, RunResult } from './run-import.ts';

/** Counts add up: `seen` is the sum of the four verdicts. */
export interface ImportReply {
  source_id: string;
  root: string;
  dry_run: boolean;
  seen: number;
  imported: number;
  unchanged: number;
  skipped: number;
  failed: number;
  removed: number;
  elapsed_ms: number;
  outcomes: Outcome[];
  /** Outcomes of imported and unchanged files that the list leaves out. */
  unlisted?: number;
  /** Pages whose files are gone. */
  gone: GonePage[];
  /** What was put back from beside the pages, when the folder is an export. */
  parts?: RestoredPart[];
}

/** The reply of a finished run. */
export function toReply(
  source: string,
  ask: ImportAsk,
  { root, plan, report, restored, elapsedMs }: RunResult,
): ImportReply {
  return {
    source_id: source,
    root,
    dry_run: ask.dryRun,
    seen: plan.seen,
    ...report.counts,
    removed: report.gone.filter(({ removed }) => removed).length,
    elapsed_ms: elapsedMs,
    outcomes: report.outcomes.sort((a, b) => (a.path < b.path ? -1 : 1)),
    ...(report.unlisted > 0 && { unlisted: report.unlisted }),
    gone: report.gone,
    ...(restored.length > 0 && { parts: restored }),
  };
}

/** Schema of the reply. */
export const importShape = (z: Z): Zod.ZodType<ImportReply> =>
  z.object({
    source_id: z.string(),
    root: z.string(),
    dry_run: z.boolean(),
    seen: z.number(),
    imported: z.number(),
    unchanged: z.number(),
    skipped: z.number(),
    failed: z.number(),
    removed: z.number(),
    elapsed_ms: z.number(),
    outcomes: z.array(outcomeShape(z)),
    unlisted: z.number().optional(),
    gone: z.array(z.object({ path: z.string(), slug: z.string(), removed: z.boolean() })),
    parts: z
      .array(
        z.object({
          name: z.string(),
          rows: z.number(),
          restored: z.number(),
          skipped: z.number(),
          bad: z.number(),
          unknown: z.literal(true).optional(),
        }),
      )
      .optional(),
  }) as unknown as Zod.ZodType<ImportReply>;

const REASONS: Record<string, string> = {
  unreadable: 'cannot be read',
  path_encoding: 'its name is not UTF-8',
  path_too_long: 'its path is too long',
  path_not_a_slug: 'its path makes no page name',
  changed: 'changed while it was read',
  too_large: 'longer than 5,000,000 bytes',
  encoding: 'not UTF-8',
  null_bytes: 'holds a NUL byte',
  held_collision: 'another file has the same page',
  held_slug: 'its text names another page than its path',
  held_page: 'a page that it did not make stands there',
  held_conflict: 'file and page were both changed',
  held_empty: 'it is empty, the page is not',
  database: 'the database refused it',
};

const placeOf = ({ line, byte }: Outcome): string =>
  byte !== undefined ? ` at byte ${byte}` : line !== undefined ? ` at line ${line}` : '';

function problemLine(one: Outcome): string {
  const reason = one.reason ?? '';
  const said = REASONS[reason] ?? [reason, one.detail].filter(Boolean).join(': ');
  const other = one.other_path === undefined ? '' : ` (${one.other_path})`;
  return `  ${one.path}: ${said}${placeOf(one)}${other}`;
}

/** Problems that a person is shown; `--json` lists all. */
const SHOWN = 20;

function skippedLine(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  for (const { verdict, reason = '' } of outcomes) {
    if (verdict === 'skipped') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  return [`Skipped: ${[...counts].map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`).join(', ')}`];
}

const partLine = ({ name, bad, unknown }: RestoredPart): string =>
  unknown
    ? `_gbrain/${name}.jsonl: not known to this version, and left out`
    : `_gbrain/${name}.jsonl: ${counted(bad, 'line')} left out that hold no row`;

/** Lines for a person: the counts, what needs them, and how to see the rest. */
export function importLines(reply: ImportReply, view: HumanView): string {
  const { imported, unchanged, skipped, failed, seen, removed, gone } = reply;
  const seconds = reply.elapsed_ms / 1000;
  const rate = seconds > 0 ? Math.round((seen - skipped) / seconds) : 0;
  const verb = reply.dry_run ? 'Would import' : 'Imported';
  const problems = reply.outcomes.filter(({ verdict }) => verdict === 'failed');
  const kept = gone.filter((one) => !one.removed);
  return [
    `${view.bold(`${verb} ${imported}`)}, unchanged ${unchanged}, skipped ${skipped}, ` +
      `failed ${failed} of ${seen} paths` +
      view.dim(` (${seconds.toFixed(1)} s, ${rate} files/s)`),
    ...skippedLine(reply.outcomes),
    ...(removed > 0 ? [`Removed ${counted(removed, 'page')} whose files are gone`] : []),
    ...(kept.length > 0
      ? [`Kept ${counted(kept.length, 'page')} whose files are gone; --remove-gone removes them`]
      : []),
    ...(reply.parts ?? []).filter(({ bad, unknown }) => bad > 0 || unknown).map(partLine),
    ...(problems.length > 0 ? [view.bold('Not in the brain:'), ...problems.slice(0, SHOWN).map(problemLine)] : []),
    ...(problems.length > SHOWN ? [view.dim(`  and ${problems.length - SHOWN} more; --json lists all`)] : []),
  ].join('\n');
}
