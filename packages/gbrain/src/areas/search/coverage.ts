// What can hide content from a search: files that were edited beside their pages, and files that the last runs over a
// folder could not take in. A page's own text is in the index with its commit, so nothing else waits.
// Source: AGENT_OPERATOR v1, Coverage notices.
import type { CoverageCounts } from '@gbrain/wire/notice';
import type { Context } from '../../context.ts';
import type { Store } from '../../store/store.ts';
import { type HeldRow, readHeldFiles } from '../content/unwritten-files.ts';
import { type FailedFiles, readFailedFiles } from '../ingest/failed-files.ts';
import type { SearchInput, SearchRow } from './run-search.ts';

/** How much there is, and how much of it could have matched. Null is a count that could not be read. */
interface Count {
  count: number | null;
  could_affect: number | null;
}

/** The coverage of one search. */
export interface Coverage {
  projection_pending: Count;
  held_files: Count;
  failed_files: Count;
}

interface Hidden {
  held: readonly HeldRow[];
  failed: readonly FailedFiles[];
}

/** Searches that follow each other closely share one reading. */
const KEPT_MS = 1_000;

const kept = new WeakMap<Store, { atMs: number; hidden: Promise<Hidden | undefined> }>();

async function readHidden(ctx: Context): Promise<Hidden | undefined> {
  const { store } = ctx.brain;
  try {
    const [held, failed] = await Promise.all([readHeldFiles(store, true), readFailedFiles(store)]);
    return { held, failed };
  } catch (error) {
    // A search that found its rows stands; what could not be counted is said to be unknown.
    ctx.host.reportFault('coverage of a search', error);
    return undefined;
  }
}

function hiddenFrom(ctx: Context): Promise<Hidden | undefined> {
  const { store } = ctx.brain;
  const nowMs = performance.now();
  const found = kept.get(store);
  if (found && nowMs - found.atMs < KEPT_MS) return found.hidden;
  const hidden = readHidden(ctx);
  kept.set(store, { atMs: nowMs, hidden });
  return hidden;
}

/** Whether a held file could have been a row: it is of a page or a type that was found, or a word names it. */
function couldMatch(file: HeldRow, asked: SearchInput, rows: readonly SearchRow[], words: readonly string[]): boolean {
  if (rows.some((row) => row.slug === file.slug || row.type === file.type)) return true;
  if (asked.types?.includes(file.type)) return true;
  const name = `${file.slug} ${file.title} ${file.path}`.toLowerCase();
  return words.some((word) => name.includes(word.toLowerCase()));
}

/** What was found: the rows of the answer and the words that were looked for. */
export interface Answered {
  input: SearchInput;
  rows: readonly SearchRow[];
  words: readonly string[];
}

/** The coverage of a search, with the counts at which its notice counts as seen; none where nothing could matter. */
export async function coverageOf(ctx: Context, answered: Answered): Promise<{ coverage: Coverage; told?: TellHidden }> {
  const { input, rows, words } = answered;
  const hidden = await hiddenFrom(ctx);
  const pending = { count: 0, could_affect: 0 };
  if (!hidden) {
    const unread = { count: null, could_affect: null };
    const coverage = { projection_pending: pending, held_files: unread, failed_files: unread };
    return { coverage, told: { held: null, failed: null, counts: { holds: null } } };
  }
  const seesPrivate = ctx.scope.visibility === 'all';
  const isOurs = ({ sourceId }: { sourceId: string }) => ctx.scope.sources.includes(sourceId);
  const held = hidden.held.filter((file) => isOurs(file) && (seesPrivate || !file.isPrivate));
  const failed = hidden.failed.filter(isOurs);
  const failedCount = failed.reduce((sum, one) => sum + one.failed, 0);
  // Nobody knows what a file says that was never read: it matters where nothing else answers.
  const isEmpty = rows.length === 0;
  const could = isEmpty ? held : held.filter((file) => couldMatch(file, input, rows, words));
  const coverage = {
    projection_pending: pending,
    held_files: { count: held.length, could_affect: could.length },
    failed_files: { count: failedCount, could_affect: isEmpty ? failedCount : 0 },
  };
  const telling = { held: could.length, failed: isEmpty ? failedCount : 0 };
  if (telling.held + telling.failed === 0) return { coverage };
  const counts: Record<string, number> = {};
  for (const { sourceId } of could) counts[`holds:${sourceId}`] = (counts[`holds:${sourceId}`] ?? 0) + 1;
  if (isEmpty) for (const one of failed) counts[`failed:${one.sourceId}`] = one.failed;
  const [first] = telling.held === 0 ? failed : [];
  return { coverage, told: { ...telling, counts, ...(first && { dir: first.root, source: first.sourceId }) } };
}

/** What the notice of a search says. */
export interface TellHidden {
  held: number | null;
  failed: number | null;
  counts: CoverageCounts;
  dir?: string;
  source?: string;
}
