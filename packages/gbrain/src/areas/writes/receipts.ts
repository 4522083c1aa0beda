// Receipts as other areas use them: statements that go into a write's own transaction, and the wire shape.
// It knows no page; what a request did is its outcome, as the write's area put it.
import type { Raised } from '../../failure.ts';
import type { Sql, Store } from '../../store/store.ts';
import type { Committed } from '../pages/page-write.ts';
import type { AdmittedWrite } from './queue.ts';
import { blankReasons, insertReceipt, type ReceiptRequest, type ReceiptRow, receiptById } from './writes.sql.ts';

/** For the purge of facts. */
export { blankReasons };

/** A receipt as it is stored. */
export type StoredReceipt = ReceiptRow;

/** A write as its receipt needs it. */
export interface ReceiptSubject {
  operation: string;
  sourceId: string;
  slug: string;
  writer: { principal: string; session?: { id: string; sequence: number } };
  request?: { requestId: string; clientRequestId?: string; argumentsHash: string };
  at: Date;
}

function requestOf(write: ReceiptSubject): ReceiptRequest {
  if (!write.request) throw new Error(`${write.operation} has no request to keep a receipt of`);
  return {
    ...write.request,
    principal: write.writer.principal,
    operation: write.operation,
    sourceId: write.sourceId,
    ...(write.writer.session && { session: write.writer.session }),
    at: write.at,
  };
}

/** Reads the receipt of the same request, if it was sent before. */
export const earlierReceipt = (principal: string, request: { requestId: string }): Sql =>
  receiptById(principal, request.requestId);

/** The receipt of a write that takes effect; a write of no page leaves out page and revision. */
export const committedReceipt = (
  write: ReceiptSubject,
  end: { slug: string; pageId?: number; revision?: string; outcome: Record<string, unknown> },
): Sql => insertReceipt(requestOf(write), { state: 'committed', ...end });

/** Codes that say another write came first; every other refusal is `failed`. */
const CONFLICTS: ReadonlySet<string> = new Set(['revision_required', 'revision_conflict', 'page_identity_changed']);

/** The receipt of a write that is refused: the same request is refused alike from now on. */
export const refusedReceipt = (write: ReceiptSubject, page: { id: number } | undefined, error: Raised): Sql =>
  insertReceipt(requestOf(write), {
    state: CONFLICTS.has(error.code) ? 'conflict' : 'failed',
    slug: write.slug,
    ...(page && { pageId: page.id }),
    error: { code: error.code, data: error.data },
  });

/** Keeps that a write was taken out of the queue, so that its id is over for good. */
export async function keepCancelled(store: Store, write: AdmittedWrite, at: Date): Promise<void> {
  await store.query(insertReceipt({ ...write, at }, { state: 'cancelled', slug: write.slug }));
}

/** What a committed request did, from its receipt. */
export const committedOf = (row: StoredReceipt): Committed => ({
  requestId: row.request_id,
  ...(row.client_request_id !== null && { clientRequestId: row.client_request_id }),
  pageId: row.page_id ?? 0,
  sourceId: row.source_id ?? '',
  slug: row.slug ?? '',
  revision: row.revision ?? '',
  outcome: row.outcome ?? {},
  createdAt: row.created_at,
  isReplay: true,
});
