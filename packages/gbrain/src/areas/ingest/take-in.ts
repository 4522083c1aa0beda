// Takes files into pages: read ahead, derived ahead, committed in groups with the records of their files. What a file's
// page becomes is decided in its transaction, by the one verdict. It knows no command line.
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Raised } from '../../failure.ts';
import type { DerivedPart } from '../../part.ts';
import type { Store } from '../../store/store.ts';
import { catchUpLeft } from '../pages/catch-up.ts';
import { commitGroup, type GroupOutcome } from '../pages/commit-group.ts';
import type { Change, PageWrite, StoredPage, Writer } from '../pages/page-write.ts';
import { type PreparedText, prepareText } from '../pages/settle.ts';
import type { Slug } from '../pages/slug.ts';
import type { Candidate, RunAsk, RunPlan } from './plan.ts';
import { hashOf, type ReadFile, readAhead } from './read-file.ts';
import type { Outcome, Report } from './report.ts';
import { keepRecords, readPageTexts, type TakenFile } from './source-files.sql.ts';
import { decideVerdict, isBlank, type PageState, type Seen, type Verdict, verdictOfRefusal } from './verdict.ts';

/** What taking in needs of its run. */
export interface TakeInRun {
  store: Store;
  ask: RunAsk;
  plan: RunPlan;
  report: Report;
  parts: readonly DerivedPart[];
  writer: Writer;
  isDryRun: boolean;
  /** Pages get no vectors until they are asked for. */
  isEmbedHeld: boolean;
  now(): Date;
  newId(): string;
}

type Good = Extract<ReadFile, { ok: true }>;

/** A file on its way into a page. */
interface Incoming {
  candidate: Candidate;
  seen: Seen;
  file: Good;
  slug: Slug;
  prepared: PreparedText;
}

/** A transaction holds at most as many pages and characters, so that others get their turn. */
const GROUP_PAGES = 128;
const GROUP_CHARACTERS = 1_000_000;

/** A run of more than one group leaves what concerns other pages until its end. */
const isBulk = ({ candidates }: RunPlan): boolean => candidates.length > GROUP_PAGES;

const slugOf = ({ record, slug }: Seen): Slug => {
  if (record) return record.slug as Slug;
  if (!slug.ok) throw new Error('a path without a slug has no page');
  return slug.slug;
};

/** The page as the verdict looks at it. */
function stateOf(run: TakeInRun, one: Incoming, page: { id: number; text: string; isDeleted: boolean }): PageState {
  const record = one.candidate.movesFrom ?? one.seen.record ?? takenOver(run, page.id);
  return {
    isDeleted: page.isDeleted,
    isEmpty: isBlank(page.text),
    textHash: hashOf(page.text),
    ...(record?.pageId === page.id && { record }),
  };
}

/** The record of a page whose file has left its path, so that this file may take the page over. */
const takenOver = ({ plan }: TakeInRun, pageId: number) => plan.gone.find((record) => record.pageId === pageId);

function verdictOn(run: TakeInRun, one: Incoming, page: StoredPage | undefined): Verdict {
  const state = page ? stateOf(run, one, page) : null;
  return decideVerdict({ ...one.seen, file: one.file, page: state }, run.plan.options);
}

function changeOf(run: TakeInRun, one: Incoming, page: StoredPage | undefined): Change {
  const verdict = verdictOn(run, one, page);
  if (verdict.kind !== 'import' && verdict.kind !== 'unchanged') return { kind: 'none', reply: { verdict } };
  // The same bytes at a new path still have to take the page with them; elsewhere they only name its file.
  const isImport = verdict.kind === 'import' || one.candidate.movesFrom !== undefined;
  return {
    kind: 'put',
    text: one.file.text,
    ...(!isImport && { reply: { verdict } }),
    provenance: {
      sourceKind: 'file',
      ingestedVia: 'import',
      contentOrigin: 'imported',
      sourcePath: one.seen.path,
      ...(run.isEmbedHeld && { isEmbedHeld: true }),
    },
  };
}

function writeOf(run: TakeInRun, one: Incoming): PageWrite {
  const { movesFrom } = one.candidate;
  return {
    operation: 'import',
    sourceId: run.ask.sourceId,
    slug: one.slug,
    writer: run.writer,
    newRevision: run.newId(),
    at: run.now(),
    isFromFiles: true,
    isExact: true,
    prepared: one.prepared,
    ...(movesFrom && { movesFrom: movesFrom.slug as Slug }),
    decide: (page) => changeOf(run, one, page),
  };
}

const verdictIn = (outcome: Record<string, unknown>): Verdict | undefined => outcome.verdict as Verdict | undefined;

/** What became of a file that was sent. */
function outcomeOf(one: Incoming, ended: GroupOutcome): { verdict: Settled } | { imported: Partial<Outcome> } {
  if (!ended.ok) {
    if (ended.error instanceof Raised) return { verdict: refusal(ended.error) };
    const reason = ended.error.fault === 'unique_violation' ? 'held_page' : 'database';
    return { verdict: { kind: 'failed', reason, detail: ended.error.message } };
  }
  const { outcome } = ended.committed;
  const verdict = verdictIn(outcome);
  if (verdict && verdict.kind !== 'import') return { verdict };
  const { movesFrom } = one.candidate;
  const status = movesFrom ? 'moved' : outcome.restored === true ? 'restored' : String(outcome.status);
  return { imported: { status, ...(movesFrom && { moved_from: movesFrom.path }) } };
}

function tell({ report }: TakeInRun, one: Incoming, ended: GroupOutcome): void {
  const { path } = one.seen;
  const at = { slug: one.slug, ...(ended.ok && { revision: ended.committed.revision }) };
  const outcome = outcomeOf(one, ended);
  if ('verdict' in outcome) report.settle(path, outcome.verdict, at);
  else report.add({ path, verdict: 'imported', ...at, ...outcome.imported });
}

type Settled = Exclude<Verdict, { kind: 'import' }>;

const refusal = (error: Raised) => verdictOfRefusal(error) as Settled;

/** Records of the files of a group: of pages that were written, and of pages that say what the file says already. */
function takenFiles(group: readonly Incoming[], outcomes: readonly GroupOutcome[]): TakenFile[] {
  return outcomes.flatMap((ended, i) => {
    const verdict = ended.ok ? verdictIn(ended.committed.outcome) : { kind: 'failed' };
    if (!ended.ok || (verdict && verdict.kind !== 'unchanged')) return [];
    const { seen, file } = group[i]!;
    return [{ path: seen.path, pageId: ended.committed.pageId, hash: file.hash, sizeBytes: file.sizeBytes }];
  });
}

async function commit(run: TakeInRun, group: readonly Incoming[]): Promise<void> {
  const { sourceId, root, signal } = run.ask;
  const outcomes = await commitGroup(
    run.store,
    group.map((one) => writeOf(run, one)),
    {
      signal,
      parts: run.parts,
      isBulk: isBulk(run.plan),
      alongside: (ended) => keepRecords({ sourceId, root, at: run.now() }, takenFiles(group, ended)),
    },
  );
  group.forEach((one, i) => {
    tell(run, one, outcomes[i]!);
  });
}

/** The same decisions without the transaction. */
async function rehearse(run: TakeInRun, group: readonly Incoming[]): Promise<void> {
  const slugs = group.map((one) => one.candidate.movesFrom?.slug ?? one.slug);
  const pages = new Map(
    (await readPageTexts(run.store, run.ask.sourceId, slugs)).map((page) => [page.slug, { ...page, id: page.pageId }]),
  );
  group.forEach((one, i) => {
    const page = pages.get(slugs[i]!);
    const change = changeOf(run, one, page as unknown as StoredPage | undefined);
    const status = one.candidate.movesFrom ? 'moved' : page ? 'updated' : 'created';
    const verdict = verdictIn(change.reply ?? {});
    if (verdict && verdict.kind !== 'import') run.report.settle(one.seen.path, verdict, { slug: one.slug });
    else run.report.add({ path: one.seen.path, verdict: 'imported', slug: one.slug, status });
  });
}

/** A file that has been read: told at once, or on its way. */
function receive(run: TakeInRun, candidate: Candidate, file: ReadFile): Incoming | undefined {
  const { movesFrom } = candidate;
  const seen: Seen = { ...candidate.seen, file };
  const verdict = decideVerdict(seen, run.plan.options);
  if (verdict.kind !== 'import') {
    const { record } = seen;
    run.report.settle(seen.path, verdict, record ? { slug: record.slug, revision: record.revision } : {});
    return undefined;
  }
  if (!file.ok) throw new Error('a file that was not read has a verdict');
  const slug = movesFrom && seen.slug.ok ? seen.slug.slug : slugOf(seen);
  try {
    const at = { sourceId: run.ask.sourceId, slug, at: run.now() };
    return { candidate, seen, file, slug, prepared: prepareText(file.text, at, run.parts) };
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    run.report.settle(seen.path, refusal(error), { slug });
    return undefined;
  }
}

/**
 * Takes in every candidate of the plan and reports each path; `wireLeft` must follow. Rejects with what ends a
 * transaction as a whole (disk full, cancelled); what was committed before stays, and the next run goes on from there.
 */
export async function takeIn(run: TakeInRun): Promise<void> {
  const { ask, plan, report } = run;
  for (const seen of plan.settled) {
    const verdict = decideVerdict(seen, plan.options);
    if (verdict.kind !== 'import') report.settle(seen.path, verdict);
  }
  const send = (group: readonly Incoming[]) => (run.isDryRun ? rehearse(run, group) : commit(run, group));
  let group: Incoming[] = [];
  let characters = 0;
  // One group is on its way to the database while the next one is read and derived.
  let sending: Promise<void> = Promise.resolve();
  const flush = async () => {
    await sending;
    if (group.length > 0) sending = send(group);
    // Whoever awaits it next is told; until then a failure is not an unhandled one.
    sending.catch(() => undefined);
    group = [];
    characters = 0;
    ask.onProgress?.(run.isDryRun ? 'checking' : 'importing', report.total, plan.seen);
  };
  for await (const { item, file } of readAhead(plan.candidates, ({ seen }) => join(ask.root, seen.path), ask.signal)) {
    const incoming = receive(run, item, file);
    if (!incoming) continue;
    group.push(incoming);
    characters += incoming.file.text.length;
    if (group.length >= GROUP_PAGES || characters >= GROUP_CHARACTERS) await flush();
    // Files are read and derived without a wait: only here is an answer of the database seen and followed.
    await turn();
  }
  await flush();
  await sending;
  ask.onProgress?.(run.isDryRun ? 'checking' : 'importing', report.total, plan.seen);
}

/** Wires what the groups have left for their end; an earlier run may have been cut off before it came to this. */
export async function wireLeft({ ask, store, parts }: TakeInRun): Promise<void> {
  const onProgress = (done: number) => ask.onProgress?.('wiring links', done);
  await catchUpLeft(store, parts, { signal: ask.signal, onProgress });
}
