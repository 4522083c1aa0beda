// Finds one's own receipt: in the queue, in the database, or among the failures that this process remembers.
import type { Context } from '../../context.ts';
import { Raised } from '../../failure.ts';
import { StoreError } from '../../store/store.ts';
import { type AdmittedWrite, queueOf } from './queue.ts';
import { failedReceipt, openReceipt, type Receipt, storedReceipt } from './receipt.ts';
import { parseRequestId } from './request-id.ts';
import { badRequestId } from './submit.ts';
import { type ReceiptRow, readReceipt } from './writes.sql.ts';

/** A receipt with what its request was. */
export interface FoundReceipt extends Receipt {
  operation: string;
  source_id: string | null;
  slug: string | null;
  write_error?: string;
  write_error_message?: string;
}

/** A stored receipt with what its request was. */
export const foundRow = (row: ReceiptRow): FoundReceipt => ({
  ...storedReceipt(row),
  operation: row.operation,
  source_id: row.source_id,
  slug: row.slug,
  ...(row.error && { write_error: row.error.code }),
});

/** A receipt of the queue with what its request was. */
export const foundOpen = (receipt: Receipt, write: AdmittedWrite): FoundReceipt => ({
  ...receipt,
  operation: write.operation,
  source_id: write.sourceId,
  slug: write.slug,
});

const codeOf = (error: unknown): string =>
  error instanceof Raised ? error.code : error instanceof StoreError ? `storage_${error.fault}` : 'internal_error';

/** The receipt of a request of this caller, with its row where it has one; undefined for foreign and missing. */
export async function findReceipt(
  ctx: Context,
  requestId: string,
): Promise<{ receipt: FoundReceipt; row?: ReceiptRow } | undefined> {
  const { principal } = ctx.caller;
  const queue = queueOf(ctx.brain.store);
  const open = queue.find(principal, requestId);
  if (open) return { receipt: foundOpen(openReceipt(open, ctx.now()), open.write) };
  const row = await readReceipt(ctx.brain.store, principal, requestId);
  if (row) return { receipt: foundRow(row), row };
  const failed = queue.failure(principal, requestId);
  if (!failed) return undefined;
  const receipt = foundOpen(failedReceipt(failed.write), failed.write);
  return { receipt: { ...receipt, write_error: codeOf(failed.error) } };
}

/** The stored id of a request argument. Raises `invalid_params`. */
export function requireRequestId(ctx: Context, operation: string, text: string): string {
  const id = parseRequestId(text);
  return id ? id.requestId : ctx.fail('invalid_params', badRequestId(operation));
}

/** Ends a call that names a request which is not one of this caller's. */
export function refuseMissing(ctx: Context<'not_found'>, requestId: string): never {
  return ctx.fail('not_found', {
    what: 'write request',
    id: requestId,
    fix: { call: { op: 'list_write_requests', input: { limit: 25 } }, why: 'It lists your own write requests.' },
  });
}
