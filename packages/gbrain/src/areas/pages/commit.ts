// The one commit path of pages: text, derived rows, version, aliases, feed, outbox and receipt in one transaction.
// Command line, MCP and import all end here. It knows no transport, and no area but pages and receipts.

import { Raised, raise } from '../../failure.ts';
import { parts as registeredParts } from '../../generated/parts.ts';
import type { DerivedPart, PageKey, PartPage } from '../../part.ts';
import { type Sql, type Store, StoreError, type Tx } from '../../store/store.ts';
import {
  committedOf,
  committedReceipt,
  earlierReceipt,
  refusedReceipt,
  type StoredReceipt,
} from '../writes/receipts.ts';
import { deriveColumns } from './columns.ts';
import {
  type CurrentRow,
  feedRow,
  type GateRow,
  insertPage,
  keepVersion,
  markPage,
  movedPage,
  outboxRows,
  readGroupStatements,
  readStatements,
  setAliases,
  updatePage,
} from './commit.sql.ts';
import type { Change, Committed, PageWrite, StoredPage, WriteStatus } from './page-write.ts';
import type { Slug } from './slug.ts';

/** Version of the rows that this program writes; a brain may ask for a newer one. Source: facts/user-faults P47. */
export const WRITER_VERSION = 1;

/** Times that a write is begun anew because another one made the same page or receipt first. */
const RACES_MAX = 3;

/** How a commit is bounded, and the parts that it derives: the registered ones unless a test brings its own. */
export interface CommitOptions {
  signal?: AbortSignal;
  parts?: readonly DerivedPart[];
}

const partsOf = (options: CommitOptions): readonly DerivedPart[] =>
  options.parts ?? registeredParts.map(({ value }) => value);

/** Rows that the parts derived for one page that was written. */
interface WrittenPage {
  page: PageKey;
  rows: readonly (readonly [DerivedPart, unknown])[];
}

type Result =
  | { kind: 'committed'; committed: Committed; written?: WrittenPage | undefined }
  | { kind: 'refused'; error: Raised };

/** Lets each part settle what depends on other pages, once for all pages of the transaction. */
async function settleParts(tx: Tx, results: readonly Result[]): Promise<void> {
  const written = results.flatMap((result) => (result.kind === 'committed' && result.written ? [result.written] : []));
  const byPart = new Map<DerivedPart, { page: PageKey; rows: unknown }[]>();
  for (const { page, rows } of written) {
    for (const [part, own] of rows) {
      if (part.settle) byPart.set(part, [...(byPart.get(part) ?? []), { page, rows: own }]);
    }
  }
  for (const [part, pages] of byPart) await part.settle?.(tx, pages);
}

/**
 * Commits one page write. Gives the stored outcome for a request that was committed before. Raises the refusal of
 * `decide`, `idempotency_conflict`, `unknown_source`, `owner_unavailable` (source of files), `migrations_pending`
 * (this program is too old), the page's own faults, and StoreError.
 */
export async function commitPage(store: Store, write: PageWrite, options: CommitOptions = {}): Promise<Committed> {
  const parts = partsOf(options);
  const bounds = options.signal ? { signal: options.signal } : {};
  const once = async (tx: Tx): Promise<Result> => {
    const result = await runWrite(tx, write, { parts });
    await settleParts(tx, [result]);
    return result;
  };
  const result = await racing(() => store.tx(once, bounds));
  if (result.kind === 'refused') throw result.error;
  return result.committed;
}

/** How one page of a group ended: the group goes on when a page is refused. */
export type GroupOutcome = { ok: true; committed: Committed } | { ok: false; error: Raised | StoreError };

/** Faults that end a group as a whole, because nothing after them can be written either. */
const FATAL: ReadonlySet<string> = new Set([
  'serialization',
  'timeout',
  'aborted',
  'disk_full',
  'read_only',
  'unreachable',
  'damaged',
  'closed',
  'outcome_unknown',
]);

/** Commits several page writes in one transaction, each in a savepoint; outcomes are in the order of the writes. */
export async function commitGroup(
  store: Store,
  writes: readonly PageWrite[],
  options: CommitOptions = {},
): Promise<GroupOutcome[]> {
  const parts = partsOf(options);
  return store.tx(
    async (tx) => {
      const known = await readGroup(tx, writes);
      const results: (Result | { kind: 'failed'; error: StoreError })[] = [];
      for (const write of writes) {
        const run = () => tx.savepoint(() => runWrite(tx, write, { parts, known: known(write) }));
        results.push(await groupResult(() => racing(run)));
      }
      await settleParts(
        tx,
        results.filter((result) => result.kind === 'committed'),
      );
      return results.map((result) =>
        result.kind === 'committed' ? { ok: true, committed: result.committed } : { ok: false, error: result.error },
      );
    },
    options.signal ? { signal: options.signal } : {},
  );
}

async function groupResult(run: () => Promise<Result>): Promise<Result | { kind: 'failed'; error: StoreError }> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Raised) return { kind: 'refused', error };
    if (error instanceof StoreError && !FATAL.has(error.fault)) return { kind: 'failed', error };
    throw error;
  }
}

/** Two writers may make the same page or send the same request at once: the second one looks again and finds it. */
async function racing<T>(run: () => Promise<T>): Promise<T> {
  for (let race = 1; ; race++) {
    try {
      return await run();
    } catch (error) {
      const isRace = error instanceof StoreError && error.fault === 'unique_violation';
      if (!isRace || race === RACES_MAX) throw error;
    }
  }
}

/** What a write is decided on. */
interface Known {
  gate: GateRow | undefined;
  page: CurrentRow | undefined;
  receipt?: StoredReceipt | undefined;
}

async function readKnown(tx: Tx, write: PageWrite): Promise<Known> {
  const earlier = write.request ? [earlierReceipt(write.writer.principal, write.request)] : [];
  const [gates, current, receipts] = await tx.batch([...readStatements(write), ...earlier]);
  const gate = gates?.[0] as GateRow | undefined;
  const moved = current?.length === 0 && gate?.moved_to ? await tx.query(movedPage(gate.moved_to)) : [];
  return {
    gate,
    page: (current?.[0] ?? moved[0]) as CurrentRow | undefined,
    receipt: receipts?.[0] as StoredReceipt | undefined,
  };
}

/**
 * Reads in one round trip what the writes of a group are decided on. Each reading is given out once, because a write
 * changes it; a write with a request of its own, or to a slug that has moved, reads for itself.
 */
async function readGroup(tx: Tx, writes: readonly PageWrite[]): Promise<(write: PageWrite) => Known | undefined> {
  const keyOf = (sourceId: string, slug: string) => `${sourceId}\n${slug}`;
  const readings = new Map<string, Known>();
  const plain = writes.filter(({ request }) => request === undefined);
  for (const sourceId of new Set(plain.map((write) => write.sourceId))) {
    const slugs = [...new Set(plain.filter((write) => write.sourceId === sourceId).map(({ slug }) => slug))];
    const [gates = [], pages = []] = await tx.batch(readGroupStatements(sourceId, slugs));
    const found = new Map((pages as unknown as CurrentRow[]).map((page) => [page.slug, page]));
    for (const gate of gates as unknown as (GateRow & { slug: string })[]) {
      const page = found.get(gate.slug);
      if (page || gate.moved_to === null) readings.set(keyOf(sourceId, gate.slug), { gate, page });
    }
  }
  return (write) => {
    if (write.request) return undefined;
    const key = keyOf(write.sourceId, write.slug);
    const reading = readings.get(key);
    readings.delete(key);
    return reading;
  };
}

async function runWrite(
  tx: Tx,
  write: PageWrite,
  at: { parts: readonly DerivedPart[]; known?: Known | undefined },
): Promise<Result> {
  const { parts } = at;
  const known = at.known ?? (await readKnown(tx, write));
  if (known.receipt) return replay(known.receipt, write);
  const gate = passGate(known.gate, write);
  const page = known.page && storedPage(known.page);
  let settled: Settled;
  try {
    settled = settle(write, page, page?.id ?? gate.new_id, parts);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    if (write.request) await tx.batch([refusedReceipt(write, page, error)]);
    return { kind: 'refused', error };
  }
  if (settled.statements.length > 0) await tx.batch(settled.statements);
  return { kind: 'committed', committed: settled.committed, written: settled.written };
}

function replay(receipt: StoredReceipt, write: PageWrite): Result {
  const requestId = write.request!.requestId;
  if (receipt.arguments_hash !== write.request!.argumentsHash) {
    raise('idempotency_conflict', { requestId, state: receipt.state });
  }
  if (receipt.state === 'cancelled') raise('cancelled', { operation: write.operation, requestId });
  if (receipt.error) return { kind: 'refused', error: new Raised(receipt.error.code, receipt.error.data) };
  return { kind: 'committed', committed: committedOf(receipt) };
}

function passGate(gate: GateRow | undefined, write: PageWrite): GateRow {
  if (!gate || gate.min_writer_version > WRITER_VERSION) {
    raise('migrations_pending', { reason: 'writer_too_old', path: 'this brain' });
  }
  const source = write.sourceId;
  if (gate.truth === null || gate.is_archived) raise('unknown_source', { source });
  if (gate.truth === 'files' && !write.isFromFiles) {
    raise('owner_unavailable', { detail: 'unbound_source', source, slug: write.slug });
  }
  return gate;
}

const storedPage = (row: CurrentRow): StoredPage => ({
  id: row.id,
  slug: row.slug as Slug,
  text: row.text,
  revision: row.revision,
  title: row.title,
  isPrivate: row.is_private,
  isDeleted: row.is_deleted,
  hasAliases: row.has_aliases,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

interface Settled {
  statements: Sql[];
  committed: Committed;
  written?: WrittenPage | undefined;
}

function settle(write: PageWrite, page: StoredPage | undefined, id: number, parts: readonly DerivedPart[]): Settled {
  const change = write.decide(page);
  const isPut = change.kind === 'put' && (page === undefined || page.isDeleted || page.text !== change.text);
  const revision = isPut || change.kind === 'delete' || change.kind === 'restore' ? write.newRevision : page?.revision;
  if (revision === undefined)
    throw new Error(`${write.operation} decided ${change.kind} for a page that does not exist`);
  const key: PageKey = { id, sourceId: write.sourceId, slug: page?.slug ?? write.slug, revision, isNew: !page };
  const put = isPut ? putStatements(write, change, page, { key, parts }) : undefined;
  const statements = put?.statements ?? markStatements(write, change, key);
  const outcome = {
    slug: key.slug,
    ...(key.slug !== write.slug && { resolved_slug: key.slug }),
    status: statusOf(change, page, isPut),
    ...(isPut && page?.isDeleted && { restored: true }),
    ...put?.reply,
    ...change.reply,
  };
  const { request } = write;
  if (request) statements.push(committedReceipt(write, { slug: key.slug, pageId: id, revision, outcome }));
  return {
    statements,
    written: put && { page: key, rows: put.rows },
    committed: {
      ...(request && { requestId: request.requestId }),
      ...(request?.clientRequestId !== undefined && { clientRequestId: request.clientRequestId }),
      pageId: id,
      sourceId: write.sourceId,
      slug: key.slug,
      revision,
      outcome,
      createdAt: write.at,
      isReplay: false,
    },
  };
}

function statusOf(change: Change, page: StoredPage | undefined, isPut: boolean): WriteStatus {
  if (change.kind === 'delete') return 'deleted';
  if (change.kind === 'restore') return 'restored';
  if (!isPut) return 'unchanged';
  return page ? 'updated' : 'created';
}

const stampOf = (write: PageWrite, revision: string) => ({ writer: write.writer, at: write.at, revision });

function markStatements(write: PageWrite, change: Change, key: PageKey): Sql[] {
  if (change.kind !== 'delete' && change.kind !== 'restore') return [];
  const isDeleted = change.kind === 'delete';
  return [
    keepVersion(key.id),
    markPage(key.id, isDeleted, stampOf(write, key.revision)),
    feedRow(isDeleted ? 'page_deleted' : 'page_written', key, { revision: key.revision, at: write.at }),
  ];
}

function putStatements(
  write: PageWrite,
  change: Change & { kind: 'put' },
  page: StoredPage | undefined,
  at: { key: PageKey; parts: readonly DerivedPart[] },
): { statements: Sql[]; reply: Record<string, unknown>; rows: WrittenPage['rows'] } {
  const { key, parts } = at;
  const derived = deriveColumns(change.text, { slug: key.slug as Slug, at: write.at, createdAt: page?.createdAt });
  const { columns } = derived;
  const input: PartPage = {
    sourceId: key.sourceId,
    slug: key.slug,
    text: change.text,
    page: derived.page,
    isPrivate: columns.visibility === 'private',
    at: write.at,
  };
  const rows = parts.map((part) => [part, part.derive(input)] as const);
  const effects = rows.flatMap(([part, own]) => part.effects?.(key, own) ?? []);
  const stamp = stampOf(write, key.revision);
  const from = change.provenance ?? {};
  return {
    rows,
    statements: [
      ...(page
        ? [keepVersion(key.id), updatePage(key.id, columns, stamp, from)]
        : [insertPage(key, columns, stamp, from)]),
      ...(derived.aliases.length > 0 || page?.hasAliases ? setAliases(key, derived.aliases) : []),
      ...rows.flatMap(([part, own]) => part.write(key, own)),
      feedRow('page_written', key, stamp),
      ...(effects.length > 0 ? [outboxRows(key.id, effects, write.at)] : []),
    ],
    reply: Object.assign({}, ...rows.map(([part, own]) => part.reply?.(own) ?? {})) as Record<string, unknown>,
  };
}
