// What one page write puts down, decided and derived in memory; nothing is sent from here. Pure.
import type { DerivedPart, OutboxEffect, PageKey, PartPage } from '../../part.ts';
import type { Sql } from '../../store/store.ts';
import { committedReceipt } from '../writes/receipts.ts';
import { type Derived, deriveColumns, type PageColumns } from './columns.ts';
import {
  bindPaths,
  effectRows,
  type FeedEntry,
  feedRows,
  insertPages,
  keepVersions,
  markPage,
  type Stamp,
  setAliases,
  setMovedAlias,
  updatePage,
} from './commit.sql.ts';
import type { Change, Committed, PageWrite, Provenance, StoredPage, WriteStatus } from './page-write.ts';
import type { Slug } from './slug.ts';

/** A text with everything that it decides, worked out before any lock is taken; it serves the same slug only. */
export interface PreparedText {
  readonly text: string;
  readonly slug: Slug;
  readonly derived: Derived;
  readonly parts: readonly PartRows[];
}

/** Rows of one part for one page. */
export interface PartRows {
  readonly part: DerivedPart;
  readonly rows: unknown;
}

/** Derives a page ahead of its write. Raises what `deriveColumns` and the parts raise. */
export function prepareText(
  text: string,
  at: { sourceId: string; slug: Slug; at: Date; createdAt?: Date },
  parts: readonly DerivedPart[],
): PreparedText {
  const derived = deriveColumns(text, at);
  const input: PartPage = {
    sourceId: at.sourceId,
    slug: at.slug,
    text,
    page: derived.page,
    isPrivate: derived.columns.visibility === 'private',
    at: at.at,
  };
  return { text, slug: at.slug, derived, parts: parts.map((part) => ({ part, rows: part.derive(input) })) };
}

interface Put {
  /** The page's own row stays: only what is derived from its text is written. */
  isDerivedOnly: boolean;
  columns: PageColumns;
  from: Provenance;
  aliases?: readonly string[];
  parts: readonly PartRows[];
  effects: readonly OutboxEffect[];
}

/** One write as it will be put down, and what it answers. */
export interface Settled {
  readonly key: PageKey;
  readonly stamp: Stamp;
  readonly put?: Put;
  readonly mark?: 'deleted' | 'restored';
  /** Parts that follow the page whatever happens to it. */
  readonly followers: readonly DerivedPart[];
  /** Path of the file that the page came from, where nothing else of the page changes. */
  readonly boundTo?: string;
  /** The slug that the page leaves. */
  readonly movedFrom?: string;
  readonly receipt?: Sql;
  readonly committed: Committed;
}

/** Decides a write on the page as it stands. Raises the refusal of `decide` and the page's own faults. */
export function settle(
  write: PageWrite,
  page: StoredPage | undefined,
  id: number,
  parts: readonly DerivedPart[],
): Settled {
  const change = write.decide(page);
  const slug = (write.movesFrom === undefined ? page?.slug : write.slug) ?? write.slug;
  const isMove = page !== undefined && slug !== page.slug;
  const isPut = change.kind === 'put' && (!page || isMove || page.isDeleted || page.text !== change.text);
  const isChange = isPut || change.kind === 'delete' || change.kind === 'restore';
  const revision = isChange ? write.newRevision : page?.revision;
  if (revision === undefined)
    throw new Error(`${write.operation} decided ${change.kind} for a page that does not exist`);
  const key: PageKey = { id, sourceId: write.sourceId, slug, revision, isNew: !page };
  const text = isPut ? change.text : change.kind === 'derive' && !page?.isDeleted ? page?.text : undefined;
  const put = text === undefined ? undefined : putOf(write, { change, text }, page, { key, parts });
  const mark = change.kind === 'delete' ? 'deleted' : change.kind === 'restore' ? 'restored' : undefined;
  const outcome = {
    slug,
    ...(write.movesFrom === undefined && slug !== write.slug && { resolved_slug: slug }),
    status: statusOf(change, page, isPut),
    ...(isPut && page?.isDeleted && { restored: true }),
    ...Object.assign({}, ...(put?.parts ?? []).map(({ part, rows }) => part.reply?.(rows) ?? {})),
    ...change.reply,
  };
  return {
    key,
    stamp: { writer: write.writer, at: write.at, revision },
    ...(put && { put }),
    ...(mark && { mark }),
    followers: put || mark ? parts.filter(({ touch }) => touch) : [],
    ...(!isPut && page && change.kind === 'put' && boundTo(change)),
    ...(isMove && isPut && { movedFrom: page.slug }),
    ...(write.request && { receipt: committedReceipt(write, { slug, pageId: id, revision, outcome }) }),
    committed: committedBy(write, key, outcome),
  };
}

const boundTo = ({ provenance }: Change & { kind: 'put' }) =>
  provenance?.sourcePath === undefined ? {} : { boundTo: provenance.sourcePath };

function committedBy({ request, at }: PageWrite, key: PageKey, outcome: Record<string, unknown>): Committed {
  return {
    ...(request && { requestId: request.requestId }),
    ...(request?.clientRequestId !== undefined && { clientRequestId: request.clientRequestId }),
    pageId: key.id,
    sourceId: key.sourceId,
    slug: key.slug,
    revision: key.revision,
    outcome,
    createdAt: at,
    isReplay: false,
  };
}

function statusOf(change: Change, page: StoredPage | undefined, isPut: boolean): WriteStatus {
  if (change.kind === 'delete') return 'deleted';
  if (change.kind === 'restore') return 'restored';
  if (!isPut) return 'unchanged';
  return page ? 'updated' : 'created';
}

function putOf(
  write: PageWrite,
  { change, text }: { change: Change; text: string },
  page: StoredPage | undefined,
  at: { key: PageKey; parts: readonly DerivedPart[] },
): Put {
  const { key, parts } = at;
  const slug = key.slug as Slug;
  const { prepared } = write;
  const isReady = prepared?.text === text && prepared.slug === slug;
  const createdAt = page && { createdAt: page.createdAt };
  const ready = isReady
    ? prepared
    : prepareText(text, { sourceId: key.sourceId, slug, at: write.at, ...createdAt }, parts);
  const { derived } = ready;
  const isUndated = derived.page.effectiveDate === null;
  return {
    isDerivedOnly: change.kind === 'derive',
    // A page that names no date has that of its row.
    columns: isUndated ? { ...derived.columns, effectiveDate: page?.createdAt ?? write.at } : derived.columns,
    from: (change.kind === 'put' && change.provenance) || {},
    ...((derived.aliases.length > 0 || page?.hasAliases) && { aliases: derived.aliases }),
    parts: ready.parts,
    effects: ready.parts.flatMap(({ part, rows }) => part.effects?.(key, rows) ?? []),
  };
}

/** Statements that put writes of different pages down, in order; as few as the parts allow. */
export function statementsOf(all: readonly Settled[]): Sql[] {
  const puts = all.flatMap((one) => (one.put ? [{ ...one, put: one.put }] : []));
  const marks = all.filter(({ mark }) => mark !== undefined);
  const written = puts.filter(({ put }) => !put.isDerivedOnly);
  const fresh = written.filter(({ key }) => key.isNew);
  const kept = written.filter(({ key }) => !key.isNew);
  const versioned = [...kept, ...marks].map(({ key }) => key.id);
  const named = puts.flatMap(({ key, put }) => (put.aliases ? [{ key, aliases: put.aliases }] : []));
  const bound = all.flatMap(({ key, boundTo }) => (boundTo === undefined ? [] : [{ id: key.id, path: boundTo }]));
  const effects = puts.flatMap(({ key, put, stamp }) =>
    put.effects.map((effect) => ({ ...effect, pageId: key.id, at: stamp.at })),
  );
  const feed = [...puts, ...marks].map(
    ({ key, stamp, mark }): FeedEntry => ({ kind: mark === 'deleted' ? 'page_deleted' : 'page_written', key, stamp }),
  );
  return [
    ...(versioned.length > 0 ? [keepVersions(versioned)] : []),
    ...(fresh.length > 0
      ? [insertPages(fresh.map(({ key, put, stamp }) => ({ key, stamp, columns: put.columns, from: put.from })))]
      : []),
    ...kept.map(({ key, put, stamp }) => updatePage(key, put.columns, stamp, put.from)),
    ...marks.map(({ key, mark, stamp }) => markPage(key.id, mark === 'deleted', stamp)),
    ...all.flatMap(({ key, movedFrom }) => (movedFrom === undefined ? [] : setMovedAlias(key, movedFrom))),
    ...(bound.length > 0 ? [bindPaths(bound)] : []),
    ...setAliases(named),
    ...partStatements(puts),
    ...(feed.length > 0 ? [feedRows(feed)] : []),
    ...(effects.length > 0 ? [effectRows(effects)] : []),
    ...touchStatements(all),
    ...all.flatMap(({ receipt }) => (receipt ? [receipt] : [])),
  ];
}

function touchStatements(all: readonly Settled[]): Sql[] {
  const followers = [...new Set(all.flatMap((one) => one.followers))];
  return followers.flatMap((part) => {
    const pages = all.filter((one) => one.followers.includes(part));
    return part.touch?.(pages.map(({ key, stamp }) => ({ ...key, at: stamp.at }))) ?? [];
  });
}

/** The rows of each part, with the pages that they were written for. */
export function writtenParts(
  all: readonly Settled[],
): { part: DerivedPart; pages: { page: PageKey; rows: unknown }[] }[] {
  const byPart = new Map<DerivedPart, { page: PageKey; rows: unknown }[]>();
  for (const { key, put } of all) {
    for (const { part, rows } of put?.parts ?? []) {
      const pages = byPart.get(part) ?? [];
      byPart.set(part, pages);
      pages.push({ page: key, rows });
    }
  }
  return [...byPart].map(([part, pages]) => ({ part, pages }));
}

/** Statements of the parts: of all pages at once where a part can, page by page where it cannot. */
const partStatements = (all: readonly Settled[]): Sql[] =>
  writtenParts(all).flatMap(
    ({ part, pages }) => part.writeMany?.(pages) ?? pages.flatMap(({ page, rows }) => part.write(page, rows)),
  );
