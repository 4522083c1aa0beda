// What a run did with every path: counts that add up to the paths seen, and one outcome a path. Pure.
import type { z as Zod } from 'zod';
import type { Z } from '../../operation.ts';
import type { Verdict } from './verdict.ts';

/** One path and what became of it. */
export interface Outcome {
  path: string;
  verdict: 'imported' | 'unchanged' | 'skipped' | 'failed';
  slug?: string;
  revision?: string;
  /** What happened to the page of an imported file. */
  status?: string;
  /** The path or slug that a moved page had before. */
  moved_from?: string;
  reason?: string;
  detail?: string;
  other_path?: string;
  line?: number;
  column?: number;
  byte?: number;
}

/** A page whose file is gone. */
export interface GonePage {
  path: string;
  slug: string;
  removed: boolean;
}

/** Outcomes of files that are as they should be, beyond which only their number is told. */
const LISTED_MAX = 50_000;

/** Collects the outcomes of a run. */
export class Report {
  readonly counts = { imported: 0, unchanged: 0, skipped: 0, failed: 0 };
  readonly outcomes: Outcome[] = [];
  readonly gone: GonePage[] = [];
  /** Slugs that were written, at most as many as a log row keeps. */
  readonly written: string[] = [];
  /** Slugs of pages that stand as their files say. */
  readonly slugs = new Set<string>();
  unlisted = 0;

  add(outcome: Outcome): void {
    this.counts[outcome.verdict] += 1;
    const isPlain = outcome.verdict === 'imported' || outcome.verdict === 'unchanged';
    if (isPlain && outcome.slug !== undefined) this.slugs.add(outcome.slug);
    if (isPlain && this.outcomes.length >= LISTED_MAX) this.unlisted += 1;
    else this.outcomes.push(outcome);
    if (outcome.verdict === 'imported' && outcome.slug !== undefined && this.written.length < 1_000) {
      this.written.push(outcome.slug);
    }
  }

  /** Paths of files that failed, at most so many. */
  failed(most: number): string[] {
    const paths = this.outcomes.flatMap(({ path, verdict }) => (verdict === 'failed' ? [path] : []));
    return paths.slice(0, most);
  }

  /** Takes in the verdict on a path that is not written. */
  settle(path: string, verdict: Exclude<Verdict, { kind: 'import' }>, more: Partial<Outcome> = {}): void {
    if (verdict.kind === 'unchanged') {
      this.add({ path, verdict: 'unchanged', ...more });
      return;
    }
    const { kind, reason, ...rest } = verdict;
    const { otherPath, ...place } = { otherPath: undefined, ...rest };
    this.add({
      path,
      verdict: kind,
      reason,
      ...place,
      ...(otherPath !== undefined && { other_path: otherPath }),
      ...more,
    });
  }

  get total(): number {
    const { imported, unchanged, skipped, failed } = this.counts;
    return imported + unchanged + skipped + failed;
  }
}

/** Schema of an outcome on the wire. */
export const outcomeShape = (z: Z): Zod.ZodType<Outcome> =>
  z.object({
    path: z.string(),
    verdict: z.enum(['imported', 'unchanged', 'skipped', 'failed']),
    slug: z.string().optional(),
    revision: z.string().optional(),
    status: z.string().optional(),
    moved_from: z.string().optional(),
    reason: z.string().optional(),
    detail: z.string().optional(),
    other_path: z.string().optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    byte: z.number().optional(),
  }) as Zod.ZodType<Outcome>;
