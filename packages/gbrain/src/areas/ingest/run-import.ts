// One run over a folder, from its plan to its report: import, sync and a dry run are this function.
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { exports } from '../../generated/exports.ts';
import { parts } from '../../generated/parts.ts';
import { StoreError } from '../../store/store.ts';
import { keepIngest, keepLastImport } from './ingest.sql.ts';
import { nearestFolder } from './nearest-folder.ts';
import { planRun, type RunAsk, type RunPlan } from './plan.ts';
import { removeGone } from './remove-gone.ts';
import { Report } from './report.ts';
import { type RestoredPart, restoreParts } from './restore.ts';
import { moveRoot } from './source-files.sql.ts';
import { type TakeInRun, takeIn, wireLeft } from './take-in.ts';

/** What a run is asked for by its operation. */
export interface ImportAsk {
  dir: string;
  force: boolean;
  includeHidden: boolean;
  removeGone: boolean;
  dryRun: boolean;
  /** Pages get no vectors until they are asked for. */
  isEmbedHeld: boolean;
}

/** A run that is over. */
export interface RunResult {
  root: string;
  plan: RunPlan;
  report: Report;
  restored: RestoredPart[];
  elapsedMs: number;
}

const REASONS: Record<string, string> = { ENOENT: 'missing', ENOTDIR: 'not_a_folder', EACCES: 'no_permission' };

/** Failed files whose paths are kept. */
const HELD_MAX = 500;
/** Pages taken in after which the index is brought up to date at once. */
const INDEX_AFTER = 50;

function refuseFolder(folder: string, reason: string, error?: unknown): never {
  raise('folder_unreadable', { folder, above: nearestFolder(folder), reason }, error);
}

/** A folder as it really is: absolute, links resolved. Raises `folder_unreadable`. */
export async function realFolder(dir: string): Promise<string> {
  if (!isAbsolute(dir)) return refuseFolder(dir, 'not_absolute');
  try {
    const root = await realpath(dir);
    if ((await stat(root)).isDirectory()) return root;
  } catch (error) {
    return refuseFolder(dir, REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'no_permission', error);
  }
  return refuseFolder(dir, 'not_a_folder');
}

/** The folder of the program's own data; a home that does not exist yet holds none. */
const homeOf = (ctx: Context): Promise<string> => realpath(ctx.host.home.root).catch(() => ctx.host.home.root);

/** The folder that a run may read. Raises `folder_unreadable`, `sync_not_applicable` for our own content directory. */
async function importRoot(ctx: Context, dir: string): Promise<{ root: string; home: string }> {
  const root = await realFolder(dir);
  const home = await homeOf(ctx);
  const content = `${home}${sep}content`;
  if (root === content || root.startsWith(content + sep)) {
    raise('sync_not_applicable', { folder: dir, reason: 'content_directory' });
  }
  return { root, home };
}

/** Looks at the folder and the records; nothing is written. */
export async function planImport(ctx: Context, ask: ImportAsk): Promise<{ ask: RunAsk; plan: RunPlan }> {
  const { root, home } = await importRoot(ctx, ask.dir);
  const run: RunAsk = {
    sourceId: ctx.target.source,
    root,
    home,
    force: ask.force,
    includeHidden: ask.includeHidden,
    signal: ctx.signal,
    onProgress: (what, done, total) => ctx.progress({ what, done, ...(total !== undefined && { total }) }),
  };
  try {
    return { ask: run, plan: await planRun(ctx.brain.store, run) };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'scandir' || code === undefined) throw error;
    return refuseFolder(ask.dir, REASONS[code] ?? 'no_permission', error);
  }
}

/**
 * What took an answer of the database away. A run has no receipt to look for, and needs none: the next one sees by
 * itself what is there.
 */
const faultBehind = (error: unknown): unknown =>
  error instanceof StoreError && error.fault === 'outcome_unknown' && error.cause instanceof StoreError
    ? error.cause
    : error;

/** Runs a plan. What is committed stays committed when it is cut off; the next run goes on from there. */
export async function runImport(
  ctx: Context,
  ask: ImportAsk,
  planned: { ask: RunAsk; plan: RunPlan },
): Promise<RunResult> {
  try {
    return await runPlanned(ctx, ask, planned);
  } catch (error) {
    throw faultBehind(error);
  }
}

async function runPlanned(ctx: Context, ask: ImportAsk, planned: { ask: RunAsk; plan: RunPlan }): Promise<RunResult> {
  const startedAt = performance.now();
  const { plan } = planned;
  const { store } = ctx.brain;
  const sourceId = ctx.target.source;
  const report = new Report();
  const run: TakeInRun = {
    store,
    ask: planned.ask,
    plan,
    report,
    parts: parts.map(({ value }) => value),
    writer: { principal: ctx.caller.principal, trustTier: 'owner' },
    isDryRun: ask.dryRun,
    isEmbedHeld: ask.isEmbedHeld,
    now: () => ctx.now(),
    newId: () => ctx.newId(),
  };
  await takeIn(run);
  const isIndexed = !ask.dryRun && report.counts.imported >= INDEX_AFTER;
  if (!ask.dryRun) {
    // The engine is busy with the one, this thread with the other; a run that is cut off waits for neither.
    await Promise.all([wireLeft(run), isIndexed && ctx.brain.index().then((index) => index.current())]);
  }
  const restored = await restoreParts(
    run,
    exports.map(({ value }) => value),
  );
  await removeGone(run, plan.gone, ask.removeGone);
  const { root } = planned.ask;
  if (!ask.dryRun) {
    const removed = report.gone.filter((one) => one.removed);
    const at = ctx.now();
    await store.batch([
      ...(plan.rerooted.length > 0 ? [moveRoot(sourceId, plan.rerooted, root)] : []),
      keepLastImport(
        sourceId,
        { root, seen: plan.seen, ...report.counts, removed: removed.length, held: report.failed(HELD_MAX) },
        at,
      ),
      ...(report.counts.imported + removed.length > 0
        ? [
            keepIngest({
              sourceId,
              sourceType: 'folder',
              sourceRef: root,
              pagesUpdated: [...report.written, ...removed.map(({ slug }) => slug)].slice(0, 1_000),
              summary: `${report.counts.imported} imported, ${removed.length} removed, ${report.counts.failed} failed`,
              at,
            }),
          ]
        : []),
    ]);
  }
  // The first search after it finds the index made; a run that changed little leaves it as it is.
  if (isIndexed) await (await ctx.brain.index()).settle();
  return { root, plan, report, restored, elapsedMs: Math.round(performance.now() - startedAt) };
}
